/* gcc: "comma expression has no effect"  clang: "comma operator has no effect"  g++: "a list in parentheses where one number belongs"  clang++: "a list in parentheses where one number belongs"  nvcc: "a list in parentheses where one number belongs"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b, double *p);

void f(ga_array *a, ga_array *b, double *p)
{
    (void)a, (void)b, (void)p;
    ga_sum(a, (0, 2)); /* HERE */
}
