/* A part of allocations.c: filters along an axis, regions, signals. */
static double first_of(const double *values, int64_t n, void *user)
{
    (void)n, (void)user;
    return values[0];
}

static void test_signals(void)
{
    ga_array *a = ga_random((30, 40), .seed = 5), *u8 = ga_random_integers(0, 255, (30, 40), .dtype = GA_U8, .seed = 6),
             *out  = ga_zeros_like(a);
    ga_array *mask = ga_greater(a, 0.5), *regions = ga_label(mask), *few = ga_ones((1), .dtype = GA_I64),
             *cells = ga_ones((3, 3), .dtype = GA_BOOL);
    RUN(ga_gaussian_filter1d(a, 1));
    RUN(ga_uniform_filter1d(a, 3));
    RUN_INTO(ga_minimum_filter1d(a, 3, .out = out));
    RUN(ga_maximum_filter1d(a, 3));
    RUN(ga_minimum_position(a, regions, few));
    RUN(ga_maximum_position(a, NULL, NULL));
    RUN_BOOL(ga_extrema(a, regions, NULL, &extra[0], &extra[1], &extra[2], &extra[3]));
    RUN(ga_variance(a, regions, NULL));
    RUN(ga_standard_deviation(a, regions, few));
    RUN(ga_find_objects(regions, 0));
    RUN(ga_value_indices(u8, &extra[0], &extra[1]));
    ga_array *b = ga_ones((3)), *z = ga_astype(a, GA_C64), *sos = ga_ones((2, 6)), *one = ga_ones((1)),
             *half = ga_full((1), 20, .dtype = GA_I64);
    RUN(ga_simpson(a));
    RUN(ga_simpson(a, a, 1, 0));
    RUN(ga_cumulative_trapezoid(a, .initial = 0));
    RUN(ga_fftconvolve(a, a, GA_SAME));
    RUN(ga_periodogram(a));
    RUN(ga_welch(a, .nperseg = 16, .frequencies = &extra[0]));
    RUN(ga_spectrogram(z, .nperseg = 16, .times = &extra[0], .detrend = GA_TREND_LINEAR));
    RUN(ga_medfilt(a, (3)));
    RUN(ga_hilbert(a));
    RUN(ga_resample(z, 50));
    RUN(ga_detrend(a, .bp = half));
    RUN(ga_savgol_filter(a, 5, 2));
    if (!test_on_gpu()) {
        RUN(ga_lfilter(b, b, z, .zf = &extra[0]));
        RUN(ga_lfilter(b, one, a, .zf = &extra[0]));
        RUN(ga_sosfilt(sos, a, .zf = &extra[0]));
        ga_array *line = ga_ravel(a);
        RUN(ga_find_peaks(line, 0.5, .width = 1, .distance = 3));
        ga_free(line);
        RUN(ga_generic_filter(a, first_of, NULL, 0, cells));
        RUN_INTO(ga_watershed_ift(u8, regions, .out = regions));
    }
    ga_free(half);
    ga_free(one);
    ga_free(sos);
    ga_free(z);
    ga_free(b);
    ga_free(cells);
    ga_free(few);
    ga_free(regions);
    ga_free(mask);
    ga_free(out);
    ga_free(u8);
    ga_free(a);
}
