/* gcc: "excess elements"  clang: "excess elements"  flags: -Werror -Wno-unknown-warning-option */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_zeros((1, 2, 3, 4, 5, 6, 7, 8, 9)); /* HERE */
}
