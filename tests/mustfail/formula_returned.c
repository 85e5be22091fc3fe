/* gcc: "incompatible types when returning"  clang: "incompatible result type"  g++: "cannot convert"  clang++: "cannot initialize return object"  nvcc: "return value type does not match"  flags:  */
/* lines: gcc 8 clang 18 g++ 5 clang++ 7 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x, double *r), { *r = x; return r; }) /* HERE */
