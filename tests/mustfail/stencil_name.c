/* gcc: "chi"  clang: "undeclared identifier 'chi'"  flags:  */
/* lines: gcc 8 clang 6 g++ 5 clang++ 6 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(wrong, (1), double, (void), GA_AT(-1) + GA_AT(1) * chi) /* HERE */
