/* gcc: "makes integer from pointer"  clang: "incompatible pointer to integer"  g++: "deleted"  clang++: "deleted"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_zeros((3, "3")); /* HERE */
}
