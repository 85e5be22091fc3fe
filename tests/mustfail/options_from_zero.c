/* gcc: "excess elements"  clang: "requires explicit braces"  flags: -Werror */
#include "gpuarr.h"
void f(ga_array *a);
void f(ga_array *a)
{
    ga_reduce_options o = { 0 }; /* HERE: no defaults: use ga_reduce_defaults */
    (ga_sum)(a, o);
}
