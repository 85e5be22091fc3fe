/* gcc: "chi"  clang: "undeclared identifier 'chi'"  nvcc: "is undefined"  flags:  */
/* lines: gcc 8 clang 6 g++ 5 clang++ 6 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x), x * chi) /* HERE */
