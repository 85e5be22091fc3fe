/* gcc: "chi"  clang: "undeclared identifier 'chi'"  nvcc: "is undefined"  flags:  */
/* lines: gcc 4 clang 4 g++ 3 clang++ 3 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x), x * chi) /* HERE */
