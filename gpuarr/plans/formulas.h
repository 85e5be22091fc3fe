/* ---- formulas of operations that are no rows of the table ---------------------------------------------------------- */

GI_BEGIN_FAST
/* |a - b| <= atol + rtol * |b|; infinities are close to themselves only. z holds (rtol, atol). */
GI_FORMULA bool gi_close(double distance, double size, bool equal, ga_c128 z)
{
    return equal || (distance <= z.im + gi_mul_f64(z.re, size) && size < gi_infinity_f64());
}
#define GI_CLOSE(name, T, abs, sub, equal, isnan, nan_is_close)                                                                \
    GI_FORMULA bool gi_close_##name(T a, T b, ga_c128 tolerance)                                                               \
    {                                                                                                                          \
        return gi_close(abs(sub(a, b)), abs(b), equal(a, b) || (nan_is_close && isnan(a) && isnan(b)), tolerance);             \
    }
GI_CLOSE(f64, double, gi_abs_f64, gi_sub_f64, gi_equal_f64, gi_isnan_f64, false)
GI_CLOSE(c128, ga_c128, gi_abs_c128, gi_sub_c128, gi_equal_c128, gi_isnan_c128, false)
GI_CLOSE(f64_nan, double, gi_abs_f64, gi_sub_f64, gi_equal_f64, gi_isnan_f64, true)
GI_CLOSE(c128_nan, ga_c128, gi_abs_c128, gi_sub_c128, gi_equal_c128, gi_isnan_c128, true)
#undef GI_CLOSE

/* int64 against uint64: their common dtype, float64, would round them. */
GI_FORMULA int gi_compare_signs(int64_t a, uint64_t b) { return a < 0 || (uint64_t)a < b ? -1 : (uint64_t)a > b; }
#define GI_EACH_COMPARISON(X) X(equal, ==) X(not_equal, !=) X(less, <) X(less_equal, <=) X(greater, >) X(greater_equal, >=)
#define GI_SIGNS(name, relation)                                                                                               \
    GI_FORMULA bool gi_signs_##name(int64_t x, uint64_t y) { return gi_compare_signs(x, y) relation 0; }
GI_EACH_COMPARISON(GI_SIGNS)
#undef GI_SIGNS

/* An integer that a rounding error of a sum has missed, else the number without its fraction. */
GI_FORMULA double gi_whole_of(double x, double nearest, double cut)
{
    return gi_abs_f64(x - nearest) <= gi_mul_f64(gi_abs_f64(nearest), 0x1p-46) ? nearest : cut;
}

GI_FORMULA double gi_whole(double x) { return gi_whole_of(x, gi_rint_f64(x), gi_trunc_f64(x)); }

#define GI_COUNT_BLOCK ((int64_t)65536)

/* The bin of x by NumPy's rule; -1 for what is outside. The edges decide, the product is only a guess that may be one
   off. */
GI_FORMULA int64_t gi_bin_of(double x, const double *edges, int64_t bins)
{
    double low = edges[0], high = edges[bins];
    if (!(x >= low && x <= high)) return -1; /* NaN too */
    int64_t i = (int64_t)gi_mul_f64((x - low) / (high - low), (double)bins);
    if (i >= bins) i = bins - 1;
    if (x < edges[i]) return i - 1;
    return x >= edges[i + 1] && i != bins - 1 ? i + 1 : i;
}

/* The moment of n complex numbers; `sum`: the variances of their two parts, added. */
GI_FORMULA double gi_moment_complex(gi_moment what, double sum, double n, int ddof)
{
    double left = n - ddof; /* without ddof in the parts' variances, a division by 0 happens to the sum only */
    if (ddof != 0) sum = left > 0 ? gi_mul_f64(sum, n) / left : sum > 0 ? gi_infinity_f64() : gi_nan_f64();
    return what == GI_STD ? gi_root_f64(sum) : sum;
}
GI_END_FAST
