/*  bench_rows.h -- a row of one's own, as GPUARR_USER_TABLE takes it. */
GA_ELEMENTARY2(sin2_cos2, FLT, (0, 0, 1), "sin(x)**2 + cos(y)**2")
