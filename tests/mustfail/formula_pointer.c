/* gcc: "invalid operands to binary *"  clang: "invalid operands to binary expression"  g++: "invalid operands"  clang++: "invalid operands to binary expression"  flags:  */
/* lines: gcc 5 clang 11 g++ 3 clang++ 5 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x, double *r), { *r = x; return r * x; }) /* HERE */
