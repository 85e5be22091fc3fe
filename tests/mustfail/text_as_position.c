/* gcc: "incompatible pointer type"  clang: "incompatible pointer types"  g++: "const char"  clang++: "const char"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_uniform_filter(a, 3, "reflect"); /* HERE */
}
