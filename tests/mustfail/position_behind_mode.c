/* gcc: "missing braces"  clang: "explicit braces"  g++: "could not convert"  clang++: "no viable conversion"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_pad(a, (1), GA_PAD_EDGE, 0); /* HERE */
}
