/* gcc: "ga_quantile_method"  clang: "ga_quantile_method"  g++: "ga_quantile_method"  clang++: "ga_quantile_method"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_ones((2, 3), .dtype = GA_LINEAR); /* HERE */
}
