/* bools.c with the formulas of its kernels on the GPU. */
#include "bools.c"
