/* gcc: "invalid operands to binary *"  clang: "invalid operands to binary expression"  g++: "no match for"  clang++: "invalid operands to binary expression"  flags:  */
/* lines: gcc 8 clang 16 g++ 5 clang++ 7 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, ga_c64, (ga_c64 z, float x), z * x) /* HERE */
