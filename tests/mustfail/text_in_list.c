/* gcc: "_Generic"  clang: "generic association"  g++: "deleted"  clang++: "deleted"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_eval("a + b", (a, "b")); /* HERE */
}
