/* gcc: "reads beyond the stencil"  clang: "reads beyond the stencil"  flags:  */
/* lines: gcc 3 clang 11 g++ 3 clang++ 9 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(blur, (1, 1), double, (double a),
           a * (GA_AT(0, 0) +
                GA_AT(0, 2))) /* HERE */
