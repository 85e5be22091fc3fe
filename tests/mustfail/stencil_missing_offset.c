/* gcc: "give one offset for each axis"  clang: "give one offset for each axis"  flags:  */
/* lines: gcc 5 clang 26 g++ 99 clang++ 99 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(blur, (1, 1), double, (double a),
           a * GA_AT(1)) /* HERE */
