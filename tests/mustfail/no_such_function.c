/* gcc: "ga_addd"  clang: "ga_addd"  flags: -Werror=implicit-function-declaration */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_addd(a, b); /* HERE */
}
