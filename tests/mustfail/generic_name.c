/* gcc: "chi"  clang: "undeclared identifier 'chi'"  nvcc: "is undefined"  flags:  */
/* lines: gcc 7 clang 6 g++ 6 clang++ 4 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE_T(wrong, FLT, T, (T x), { T y = chi; return y * x; }) /* HERE */
