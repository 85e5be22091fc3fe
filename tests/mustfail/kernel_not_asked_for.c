/* gcc: "says #define GPUARR_KERNELS before"  clang: "says #define GPUARR_KERNELS before"  g++: "says #define GPUARR_KERNELS before"  clang++: "says #define GPUARR_KERNELS before"  flags:  */
/* lines: gcc 20 clang 20 */
#include "gpuarr.h"
GA_ELEMENTWISE(half, double, (double x), x / 2) /* HERE */
