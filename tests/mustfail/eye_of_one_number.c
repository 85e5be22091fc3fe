/* gcc: "ga_eye_takes_rows_cols_k"  clang: "ga_eye_takes_rows_cols_k"  g++: "ga_eye_takes_rows_cols_k"  clang++: "ga_eye_takes_rows_cols_k"  flags:  */
#include "gpuarr.h"
void f(void);
void f(void)
{
    ga_eye(3); /* HERE */
}
