/* gcc: "chi"  clang: "undeclared identifier 'chi'"  nvcc: "is undefined"  flags:  */
/* lines: gcc 12 clang 8 g++ 9 clang++ 9 nvcc 9 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE_T(wrong, FLT, T, (T x), { T y = chi; return y * x; }) /* HERE */
