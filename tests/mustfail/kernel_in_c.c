/* gcc: "GA_KERNEL: threads and blocks need CUDA: name this file .cu"  clang: "GA_KERNEL: threads and blocks need CUDA: name this file .cu"  flags:  */
#include "gpuarr.h"
GA_KERNEL(nothing, (int n)) { (void)n; } /* HERE */
void f(void);
void f(void) { (void)nothing; }
