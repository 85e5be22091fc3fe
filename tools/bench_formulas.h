/*  bench_formulas.h -- what rows of one's own compute in one pass over the arrays: sin(x)**2 + cos(y)**2, and the tones of the seed's
    picture. The rows are in bench_rows.h. */
#if GI_CLASS == 3
GI_FORMULA GA_T GA_FN(sin2_cos2_core)(GA_T x, GA_T y)
{
    GA_T s = GA_FN(sin_core)(x), c = GA_FN(cos_core)(y);
    return GA_ADD(GA_MUL(s, s), GA_MUL(c, c));
}
GI_FORMULA GI_FLAG GA_FN(sin2_cos2_rare)(GA_T x, GA_T y) { return GA_FN(sin_rare)(x) | GA_FN(cos_rare)(y); }
GI_FORMULA GA_T    GA_FN(sin2_cos2_slow)(GA_T x, GA_T y)
{
    GA_T s = GA_FN(sin_rare)(x) ? GA_FN(sin_slow)(x) : GA_FN(sin_core)(x);
    GA_T c = GA_FN(cos_rare)(y) ? GA_FN(cos_slow)(y) : GA_FN(cos_core)(y);
    return GA_ADD(GA_MUL(s, s), GA_MUL(c, c));
}
GI_FORMULA GA_T GA_FN(tone)(GA_T x, GA_T y) { return x + y > (GA_T)1.3 ? GA_FN(sqrt)(x + y) : x + y; }
#endif
