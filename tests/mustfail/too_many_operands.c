/* gcc: "int"  clang: "int"  flags: -Werror=int-conversion */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_sqrt(a, 2); /* HERE */
}
