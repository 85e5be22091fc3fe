/* gcc: "chi"  clang: "undeclared identifier 'chi'"  flags:  */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x), x * chi) /* HERE */
