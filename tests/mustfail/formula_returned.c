/* gcc: "incompatible types when returning"  clang: "incompatible result type"  g++: "cannot convert"  clang++: "cannot initialize return object"  nvcc: "return value type does not match"  flags:  */
/* lines: gcc 5 clang 13 g++ 3 clang++ 5 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x, double *r), { *r = x; return r; }) /* HERE */
