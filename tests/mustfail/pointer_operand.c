/* gcc: "_Generic"  clang: "not compatible with any generic association"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    double x = 1;
    ga_add(a, &x); /* HERE */
}
