/* gcc: "invalid operands to binary *"  clang: "invalid operands to binary expression"  flags:  */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, ga_c64, (ga_c64 z, float x), z * x) /* HERE */
