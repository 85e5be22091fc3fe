/* gcc: "incompatible types"  clang: "incompatible pointer to integer"  g++: "cannot convert"  clang++: "cannot initialize"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    ga_max(a, 0, b); /* HERE */
}
