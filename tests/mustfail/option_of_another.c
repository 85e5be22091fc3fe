/* gcc: "where"  clang: "where"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_sum(a, .where = b); /* HERE */
}
