/* gcc: "option_needs_its_name"  clang: "explicit braces"  g++: "gi_option_needs_its_name"  clang++: "gi_option_needs_its_name"  flags:  */
#include "gpuarr.h"
void f(ga_array *a);
void f(ga_array *a)
{
    int64_t n;
    ga_label(a, &n); /* HERE */
}
