/* gcc: "axsi"  clang: "axsi"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_sum(a, .axsi = 0); /* HERE */
}
