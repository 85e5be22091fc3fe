/* gcc: "ga_random_normal_takes_mean_sigma_shape"  clang: "ga_random_normal_takes_mean_sigma_shape"  g++: "ga_random_normal_takes_mean_sigma_shape"  clang++: "ga_random_normal_takes_mean_sigma_shape"  flags:  */
#include "gpuarr.h"
void f(void);
void f(void)
{
    ga_random_normal((4, 4)); /* HERE */
}
