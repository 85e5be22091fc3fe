/*  ways_rows.h -- a row of ways.c's own, as GPUARR_USER_TABLE takes it. */
GA_BINARY(cube_and, REAL, SAME, GA_FN(cube_and)(x, y), (2, 3, 11), "x**3 + y")
