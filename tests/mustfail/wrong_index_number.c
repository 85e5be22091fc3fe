/* gcc: "%d"  clang: "format specifies type"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_index(a, "%d", 1.5); /* HERE */
}
