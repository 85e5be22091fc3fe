/* gcc: "excess elements"  clang: "requires explicit braces"  g++: "could not convert"  clang++: "no viable conversion"  flags:  */
#include "gpuarr.h"
void f(ga_array *a);
void f(ga_array *a)
{
    (void)a;
    ga_zeros((3), GA_F32, 1); /* HERE */
}
