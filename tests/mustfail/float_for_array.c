/* gcc: "incompatible type"  clang: "incompatible type"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_sum(3.5); /* HERE */
}
