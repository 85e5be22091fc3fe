/* gcc: "invalid operands to binary *"  clang: "invalid operands to binary expression"  g++: "no match for"  clang++: "invalid operands to binary expression"  flags:  */
/* lines: gcc 5 clang 11 g++ 3 clang++ 5 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, ga_c64, (ga_c64 z, float x), z * x) /* HERE */
