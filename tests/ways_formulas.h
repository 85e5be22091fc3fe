/*  ways_formulas.h -- what its formula calls, as GPUARR_USER_FORMULAS takes it. */
GI_FORMULA GA_T GA_FN(cube_and)(GA_T x, GA_T y) { return GA_ADD(GA_MUL(x, GA_MUL(x, x)), y); }
