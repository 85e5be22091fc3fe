/* gcc: "_Generic"  clang: "not compatible with any generic association"  flags:  */
#include "gpuarr.h"
void f(ga_array *a, ga_array *b);
void f(ga_array *a, ga_array *b)
{
    (void)a, (void)b;
    struct {
        int x;
    } points[3] = { { 1 }, { 2 }, { 3 } };
    ga_from(points, (3)); /* HERE */
}
