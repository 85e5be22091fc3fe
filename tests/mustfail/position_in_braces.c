/* gcc: "designated-init"  clang: "explicit braces"  g++: "explicit constructor"  clang++: "explicit"  flags:  */
#include "gpuarr.h"
void f(ga_array *a);

void f(ga_array *a)
{
    (void)a;
    ga_print(a, { 3 }); /* HERE */
}
