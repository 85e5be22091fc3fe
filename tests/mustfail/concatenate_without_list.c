/* gcc: "GI_LIST"  clang: "GI_LIST"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_concatenate(a, b); /* HERE */
}
