/* gcc: "ga_arange_with_options_takes_start_stop_step"  clang: "expected expression"  g++: "ga_arange_with_options_takes_start_stop_step"  clang++: "expected expression"  flags:  */
#include "gpuarr.h"
void f(void);
void f(void)
{
    ga_arange(12, .dtype = GA_F32); /* HERE */
}
