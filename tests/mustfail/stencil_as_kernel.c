/* gcc: "ga_stencil_kernel"  clang: "ga_stencil_kernel"  flags: -Werror */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(blur, (1), double, (void), GA_AT(-1) + GA_AT(1))
ga_array *f(ga_array *a);
ga_array *f(ga_array *a) { return ga_apply(blur, (a)); } /* HERE */
