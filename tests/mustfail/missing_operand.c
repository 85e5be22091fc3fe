/* gcc: "expected expression"  clang: "expected expression"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_add(a); /* HERE */
}
