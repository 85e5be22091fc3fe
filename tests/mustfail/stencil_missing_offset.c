/* gcc: "give one offset for each axis"  clang: "give one offset for each axis"  flags:  */
/* lines: gcc 3 clang 11 g++ 3 clang++ 9 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(blur, (1, 1), double, (double a),
           a * GA_AT(1)) /* HERE */
