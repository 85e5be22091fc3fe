/* gcc: "chi"  clang: "undeclared identifier 'chi'"  flags:  */
/* lines: gcc 4 clang 4 g++ 3 clang++ 3 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x), {
    double y = x;
    y += chi; /* HERE */
    return y;
})
