/* gcc: "%d"  clang: "format specifies type"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    int64_t i = 3;
    ga_index(a, "%d", i); /* HERE */
}
