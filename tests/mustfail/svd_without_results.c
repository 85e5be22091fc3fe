/* gcc: "ga_svd_takes_a_u_s_vh"  clang: "ga_svd_takes_a_u_s_vh"  g++: "ga_svd_takes_a_u_s_vh"  clang++: "ga_svd_takes_a_u_s_vh"  flags:  */
#include "gpuarr.h"
void f(ga_array *a);
void f(ga_array *a)
{
    ga_svd(a); /* HERE */
}
