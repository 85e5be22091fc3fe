/* gcc: "chi"  clang: "undeclared identifier 'chi'"  flags:  */
/* lines: gcc 4 clang 4 g++ 3 clang++ 3 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(wrong, (1), double, (void), GA_AT(-1) + GA_AT(1) * chi) /* HERE */
