/* gcc: "GI_SHAPE_IN_PARENTHESES"  clang: "GI_SHAPE_IN_PARENTHESES"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_zeros(3); /* HERE */
}
