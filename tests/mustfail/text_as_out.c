/* gcc: "incompatible"  clang: "incompatible"  flags: -Werror=incompatible-pointer-types */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    int x = 0;
    ga_add(a, b, .out = &x); /* HERE */
}
