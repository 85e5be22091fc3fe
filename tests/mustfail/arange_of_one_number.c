/* gcc: "ga_arange_takes_start_stop_step"  clang: "ga_arange_takes_start_stop_step"  g++: "ga_arange_takes_start_stop_step"  clang++: "ga_arange_takes_start_stop_step"  flags:  */
#include "gpuarr.h"
void f(void);
void f(void)
{
    ga_arange(12); /* HERE */
}
