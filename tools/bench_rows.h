/*  bench_rows.h -- rows of one's own, as GPUARR_USER_TABLE takes them. */
GA_ELEMENTARY2(sin2_cos2, FLT, (0, 0, 1), "sin(x)**2 + cos(y)**2")
GA_BINARY(tone, FLT, SAME, GA_FN(tone)(x, y), (1, 3, 2), "x + y, or its root above 1.3")
GA_TERNARY(stretch, FLT, SAME, GA_MUL(x - y, z), (7, 2, 3, 15), "(x - y) * z")
