/* gcc: "missing braces"  clang: "suggest braces"  g++: "ga_shape"  clang++: "ga_shape"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_sum(a, .axes = { 0, 1 }); /* HERE */
}
