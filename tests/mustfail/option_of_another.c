/* gcc: "weights"  clang: "weights"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_sum(a, .weights = b); /* HERE */
}
