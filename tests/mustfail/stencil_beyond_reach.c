/* gcc: "reads beyond the stencil"  clang: "reads beyond the stencil"  flags:  */
/* lines: gcc 5 clang 26 g++ 99 clang++ 99 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(blur, (1, 1), double, (double a),
           a * (GA_AT(0, 0) +
                GA_AT(0, 2))) /* HERE */
