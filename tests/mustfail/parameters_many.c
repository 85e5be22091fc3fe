/* gcc: "more parameters than 8 operands"  clang: "more parameters than 8 operands"  flags:  */
/* lines: gcc 2 clang 4 g++ 2 clang++ 4 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double a, double b, double c, double d, double e, double f, double g, double h, double i, double j, double k, double l, double m), a) /* HERE */
