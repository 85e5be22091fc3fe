/* gcc: "ga_launch needs CUDA: name this file .cu"  clang: "ga_launch needs CUDA: name this file .cu"  flags:  */
#include "gpuarr.h"
void f(ga_array *a);
void f(ga_array *a)
{
    (void)a;
    ga_launch(nothing, 1, 32, (a, 3), .shared = 64); /* HERE */
}
