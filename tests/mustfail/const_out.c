/* gcc: "const"  clang: "const"  flags: -Werror */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    const ga_array *c = a;
    ga_add(a, b, .out = c); /* HERE */
}
