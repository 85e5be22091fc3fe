/* gcc: "ga_device"  clang: "ga_device"  g++: "ga_device"  clang++: "ga_device"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_zeros((2), GA_CPU); /* HERE */
}
