/* gcc: "GA_F16"  clang: "GA_F16"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_zeros((3), .dtype = GA_F16); /* HERE */
}
