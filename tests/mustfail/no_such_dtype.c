/* gcc: "GA_F128"  clang: "GA_F128"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_zeros((3), .dtype = GA_F128); /* HERE */
}
