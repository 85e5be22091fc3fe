/* gcc: "makes pointer from integer"  clang: "integer to pointer"  flags: -Werror=int-conversion */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_sum(3); /* HERE */
}
