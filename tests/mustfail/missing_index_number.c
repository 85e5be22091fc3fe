/* gcc: "%d"  clang: "conversions than data arguments"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_index(a, "%d, %d", 1); /* HERE */
}
