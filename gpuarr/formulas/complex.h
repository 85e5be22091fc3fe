/* ---- elementary functions of complex numbers --------------------------------------------------------------------------------- */
/*  By C's Annex G: branch cuts, signs of zero, infinities and NaN. What a function is in terms of real ones is computed in float64, for
    complex64 too, and not in vectors. arcsin and its kin: W. Kahan, Branch cuts for complex elementary functions (1987).            */

/* Of any argument; not inline, as there are many. */
#define GI_ANY(name)                                                                                                           \
    GI_SLOW double gi_any_##name(double x)                                                                                     \
    {                                                                                                                          \
        return gi_##name##_rare_f64(x) ? gi_##name##_slow_f64(x) : gi_##name##_core_f64(x);                                    \
    }
GI_ANY(exp)
GI_ANY(exp2)
GI_ANY(expm1)
GI_ANY(log)
GI_ANY(log2)
GI_ANY(log10)
GI_ANY(log1p)
GI_ANY(sin)
GI_ANY(cos)
GI_ANY(sinh)
GI_ANY(cosh)
GI_ANY(tanh)
GI_ANY(arcsinh)
#undef GI_ANY
GI_SLOW double gi_any_hypot(double x, double y) { return gi_hypot_f64(x, y); }
GI_SLOW double gi_any_arctan2(double y, double x)
{
    return gi_arctan2_rare_f64(y, x) ? gi_arctan2_slow_f64(y, x) : gi_arctan2_core_f64(y, x);
}

GI_FORMULA ga_c128 gi_by_c128(ga_c128 z, double by) { return gi_make_c128(gi_mul_f64(z.re, by), gi_mul_f64(z.im, by)); }
GI_FORMULA double  gi_larger_part(ga_c128 z) { return gi_fmax_f64(gi_abs_f64(z.re), gi_abs_f64(z.im)); }
GI_FORMULA double  gi_pi_half(void) { return 0x1.921fb54442d18p+0; }
/* x, which is not negative, with the sign of by. A NaN counts as positive: processors and GPUs give it different signs. */
GI_FORMULA double gi_signed(double x, double by) { return by == by ? gi_copysign_f64(x, by) : x; }
/* i z, and w / i: f(i z) / i is the circular function, where f is the hyperbolic one. */
GI_FORMULA ga_c128 gi_times_i(ga_c128 z) { return gi_make_c128(-z.im, z.re); }
GI_FORMULA ga_c128 gi_over_i(ga_c128 z) { return gi_make_c128(z.im, -z.re); }

/* (|re| + |z|) / 2 is the square of one part, and never cancels. */
GI_SLOW ga_c128 gi_sqrt_c128(ga_c128 z)
{
    const double re = gi_abs_f64(z.re), im = gi_abs_f64(z.im), most = gi_larger_part(z);
    if (im == gi_infinity_f64()) return gi_make_c128(im, z.im);
    if (re == 0 && im == 0) return gi_make_c128(0, z.im);
    if (z.re == gi_infinity_f64()) return gi_make_c128(re, im == im ? gi_copysign_f64(0, z.im) : z.im);
    if (re == gi_infinity_f64()) return gi_make_c128(im == im ? 0 : z.im, gi_signed(re, z.im));
    const double up   = most > 0x1p1000 ? 0x1p-54 : most < 0x1p-900 ? 0x1p200 : 1;
    const double back = most > 0x1p1000 ? 0x1p27 : most < 0x1p-900 ? 0x1p-100 : 1;
    const double x = gi_mul_f64(re, up), y = gi_mul_f64(im, up), root = gi_root_f64(gi_mul_f64(x + gi_any_hypot(x, y), 0.5));
    const double first = gi_mul_f64(root, back), other = im / gi_mul_f64(first, 2); /* rounded once, if denormal */
    return z.re < 0 ? gi_make_c128(other, gi_copysign_f64(first, z.im)) : gi_make_c128(first, gi_copysign_f64(other, z.im));
}

/* exp(x) cis(y) * half, where exp(x) may be too large or too small, and the product is not. */
GI_SLOW ga_c128 gi_exp_times(double x, double y, double half)
{
    const double  part = gi_any_exp(gi_abs_f64(x) > 700 ? gi_mul_f64(x, 0.5) : x), sine = gi_any_sin(y);
    const ga_c128 z = gi_make_c128(gi_mul_f64(gi_mul_f64(part, half), gi_any_cos(y)), gi_mul_f64(gi_mul_f64(part, half), sine));
    return gi_abs_f64(x) > 700 ? gi_by_c128(z, part) : z;
}

GI_SLOW ga_c128 gi_exp_c128(ga_c128 z)
{
    if (z.im == 0) return gi_make_c128(gi_any_exp(z.re), z.im);
    if (z.im - z.im != 0 && z.re == -gi_infinity_f64()) return gi_make_c128(0, gi_signed(0, z.im));
    if (z.im - z.im != 0 && z.re == gi_infinity_f64()) return gi_make_c128(z.re, gi_nan_f64());
    return gi_exp_times(z.re, z.im, 1);
}

GI_SLOW ga_c128 gi_expm1_c128(ga_c128 z)
{
    if (z.im == 0) return gi_make_c128(gi_any_expm1(z.re), z.im);
    if (!(gi_abs_f64(z.re) < 700) || !(gi_abs_f64(z.im) < gi_infinity_f64()))
        return gi_sub_c128(gi_exp_c128(z), gi_make_c128(1, 0));
    const double half = gi_any_sin(gi_mul_f64(z.im, 0.5));
    return gi_make_c128(gi_mul_f64(gi_any_expm1(z.re), gi_any_cos(z.im)) + gi_mul_f64(-2, gi_mul_f64(half, half)),
                        gi_mul_f64(gi_any_exp(z.re), gi_any_sin(z.im)));
}

/* 1 + u + i y, of which u is small: |z|^2 is 1 + u (2 + u) + y y. */
GI_FORMULA double gi_log_near_1(double u, double y)
{
    return gi_mul_f64(0.5, gi_any_log1p(gi_fma_f64(y, y, gi_mul_f64(u, 2 + u))));
}
GI_SLOW ga_c128 gi_log_c128(ga_c128 z)
{
    const double x = gi_abs_f64(z.re), y = gi_abs_f64(z.im), high = gi_larger_part(z), low = x < y ? x : y;
    const double angle = gi_any_arctan2(z.im, z.re);
    if (high > 0.5 && high < 2 && low < 1 && x + y < 3) /* not if x or y is NaN, which high and low may leave out */
        return gi_make_c128(gi_log_near_1(high - 1, low), angle);
    const double up = high > 0x1p1000   ? 0x1p-100
                      : high < 0x1p-900 ? 0x1p200
                                        : 1, /* log(up): */
        back        = high > 0x1p1000   ? 0x1.1542457337d43p+6
                      : high < 0x1p-900 ? -0x1.1542457337d43p+7
                                        : 0;
    return gi_make_c128(gi_any_log(gi_any_hypot(gi_mul_f64(x, up), gi_mul_f64(y, up))) + back, angle);
}
GI_SLOW ga_c128 gi_log1p_c128(ga_c128 z)
{
    if (!(gi_larger_part(z) < 0.5)) return gi_log_c128(gi_make_c128(z.re + 1, z.im));
    return gi_make_c128(z.im == 0 ? gi_any_log1p(z.re) : gi_log_near_1(z.re, z.im), gi_any_arctan2(z.im, z.re + 1));
}
/* To another base; of positive numbers with the real function. */
GI_FORMULA ga_c128 gi_log2_c128(ga_c128 z)
{
    return z.im == 0 && z.re > 0 ? gi_make_c128(gi_any_log2(z.re), z.im) : gi_by_c128(gi_log_c128(z), 1.44269504088896340736);
}
GI_FORMULA ga_c128 gi_log10_c128(ga_c128 z)
{
    return z.im == 0 && z.re > 0 ? gi_make_c128(gi_any_log10(z.re), z.im) : gi_by_c128(gi_log_c128(z), 0.43429448190325182765);
}
GI_FORMULA ga_c128 gi_exp2_c128(ga_c128 z)
{
    return z.im == 0 ? gi_make_c128(gi_any_exp2(z.re), z.im) : gi_exp_c128(gi_by_c128(z, 0.69314718055994530942));
}

GI_SLOW ga_c128 gi_cosh_c128(ga_c128 z)
{
    const double x = gi_abs_f64(z.re), y = z.re < 0 || (z.re == 0 && 1 / z.re < 0) ? -z.im : z.im; /* cosh(-z) is cosh(z) */
    if (y == 0) return gi_make_c128(gi_any_cosh(x), y);
    if (y - y != 0) return gi_make_c128(x == gi_infinity_f64() ? x : gi_nan_f64(), x == 0 ? 0 : gi_nan_f64());
    if (x > 700) return gi_exp_times(x, y, 0.5);
    return gi_make_c128(gi_mul_f64(gi_any_cosh(x), gi_any_cos(y)), gi_mul_f64(gi_any_sinh(x), gi_any_sin(y)));
}
GI_SLOW ga_c128 gi_sinh_c128(ga_c128 z)
{
    const double x = z.re, y = z.im;
    if (y == 0) return gi_make_c128(gi_any_sinh(x), y);
    if (y - y != 0) return gi_make_c128(x == 0 || gi_abs_f64(x) == gi_infinity_f64() ? x : gi_nan_f64(), gi_nan_f64());
    if (gi_abs_f64(x) > 700) {
        const ga_c128 w = gi_exp_times(gi_abs_f64(x), y, 0.5);
        return x < 0 ? gi_make_c128(-w.re, w.im) : w;
    }
    return gi_make_c128(gi_mul_f64(gi_any_sinh(x), gi_any_cos(y)), gi_mul_f64(gi_any_cosh(x), gi_any_sin(y)));
}
GI_SLOW ga_c128 gi_tanh_c128(ga_c128 z)
{
    const double x = z.re, y = z.im, size = gi_abs_f64(x);
    if (y == 0) return gi_make_c128(gi_any_tanh(x), y);
    if (y - y != 0 && size != gi_infinity_f64()) return gi_make_c128(x == 0 ? x : gi_nan_f64(), gi_nan_f64());
    if (y - y != 0) return gi_make_c128(gi_copysign_f64(1, x), gi_signed(0, y));
    const double sine = gi_any_sin(y), cosine = gi_any_cos(y);
    if (size > 22) {
        const double small = gi_any_exp(-size);
        return gi_make_c128(gi_copysign_f64(1, x),
                            gi_mul_f64(gi_mul_f64(gi_mul_f64(4, gi_mul_f64(sine, cosine)), small), small));
    }
    const double s = gi_any_sinh(x), below = gi_fma_f64(cosine, cosine, gi_mul_f64(s, s));
    return gi_make_c128(gi_mul_f64(s, gi_any_cosh(x)) / below, gi_mul_f64(sine, cosine) / below);
}
GI_FORMULA ga_c128 gi_sin_c128(ga_c128 z) { return gi_over_i(gi_sinh_c128(gi_times_i(z))); }
GI_FORMULA ga_c128 gi_cos_c128(ga_c128 z) { return gi_cosh_c128(gi_times_i(z)); }
GI_FORMULA ga_c128 gi_tan_c128(ga_c128 z) { return gi_over_i(gi_tanh_c128(gi_times_i(z))); }

/* sqrt(1 - z) and sqrt(1 + z), whose imaginary parts have opposite signs: no sum of their products cancels. */
GI_FORMULA ga_c128 gi_root_beside(ga_c128 z, double sign)
{
    return gi_sqrt_c128(gi_make_c128(1 + gi_mul_f64(sign, z.re), gi_mul_f64(sign, z.im)));
}
/* log |2 z| of what is large */
GI_FORMULA double gi_log_twice(ga_c128 z) { return gi_log_c128(z).re + 0.69314718055994530942; }
GI_SLOW ga_c128   gi_arcsin_c128(ga_c128 z)
{
    if (gi_larger_part(z) > 0x1p30)
        return gi_make_c128(gi_any_arctan2(z.re, gi_abs_f64(z.im)), gi_signed(gi_log_twice(z), z.im));
    if (z.re != z.re || z.im != z.im) return gi_make_c128(z.re == 0 ? z.re : gi_nan_f64(), gi_nan_f64());
    if (gi_larger_part(z) < 0x1p-30) return z; /* roots beside 1 would halve its least numbers */
    const ga_c128 a = gi_root_beside(z, -1), b = gi_root_beside(z, 1);
    return gi_make_c128(gi_any_arctan2(z.re, gi_mul_f64(a.re, b.re) + gi_mul_f64(-a.im, b.im)),
                        gi_copysign_f64(gi_any_arcsinh(gi_mul_f64(a.re, b.im) + gi_mul_f64(-a.im, b.re)), z.im));
}
GI_SLOW ga_c128 gi_arccos_c128(ga_c128 z)
{
    if (gi_larger_part(z) > 0x1p30)
        return gi_make_c128(gi_any_arctan2(gi_abs_f64(z.im), z.re), -gi_signed(gi_log_twice(z), z.im));
    if (z.re != z.re || z.im != z.im) return gi_make_c128(z.re == 0 ? gi_pi_half() : gi_nan_f64(), gi_nan_f64());
    const ga_c128 a = gi_root_beside(z, -1), b = gi_root_beside(z, 1);
    return gi_make_c128(gi_mul_f64(2, gi_any_arctan2(a.re, b.re)),
                        -gi_copysign_f64(gi_any_arcsinh(gi_mul_f64(b.re, a.im) + gi_mul_f64(-b.im, a.re)), z.im));
}
GI_FORMULA ga_c128 gi_arccosh_c128(ga_c128 z)
{
    const ga_c128 w = gi_arccos_c128(z);
    return gi_make_c128(gi_abs_f64(w.im), gi_signed(w.re, z.im));
}
GI_SLOW ga_c128 gi_arctanh_c128(ga_c128 z)
{
    const double x = gi_abs_f64(z.re), y = z.im, infinity = gi_infinity_f64();
    if (x == infinity || gi_abs_f64(y) == infinity)
        return gi_make_c128(gi_signed(0, z.re), y != y ? y : gi_copysign_f64(gi_pi_half(), y));
    if (x != x || y != y) return gi_make_c128(x == 0 ? z.re : gi_nan_f64(), gi_nan_f64());
    if (gi_larger_part(z) > 0x1p30) {
        const ga_c128 w = gi_reciprocal_c128(z);
        return gi_make_c128(w.re, gi_copysign_f64(gi_pi_half(), y) + w.im);
    }
    const double beside = 1 - x, square = gi_fma_f64(beside, beside, gi_mul_f64(y, y));
    const double re    = x == 1 && gi_abs_f64(y) < 0x1p-30 ? gi_mul_f64(0.5, 0.69314718055994530942 - gi_any_log(gi_abs_f64(y)))
                                                           : gi_mul_f64(0.25, gi_any_log1p(gi_mul_f64(4, x) / square));
    const double angle = gi_any_arctan2(gi_mul_f64(2, y), gi_fma_f64(y, -y, gi_mul_f64(beside, 1 + x)));
    return gi_make_c128(gi_copysign_f64(re, z.re), gi_mul_f64(0.5, angle));
}
GI_FORMULA ga_c128 gi_arcsinh_c128(ga_c128 z) { return gi_over_i(gi_arcsin_c128(gi_times_i(z))); }
GI_FORMULA ga_c128 gi_arctan_c128(ga_c128 z) { return gi_over_i(gi_arctanh_c128(gi_times_i(z))); }

/* Small whole powers by squaring, as NumPy; of 0 the powers with a positive real part are 0. */
GI_SLOW ga_c128 gi_power_c128(ga_c128 x, ga_c128 y)
{
    if (y.re == 0 && y.im == 0) return gi_make_c128(1, 0);
    if (x.re == 0 && x.im == 0) return y.re > 0 ? gi_make_c128(0, 0) : gi_make_c128(gi_nan_f64(), gi_nan_f64());
    const double n = gi_abs_f64(y.re);
    if (y.im != 0 || n != gi_rint_f64(n) || n >= 100) return gi_exp_c128(gi_mul_c128(y, gi_log_c128(x)));
    const ga_c128 w   = x;
    ga_c128       r   = gi_make_c128(1, 0);
    bool          one = true;
    for (int k = (int)n; k > 0; k >>= 1) {
        if (k & 1) r = one ? x : gi_mul_c128(r, x);
        one = one && !(k & 1);
        x   = gi_mul_c128(x, x);
    }
    if (y.re > 0) return r;
    const double size = gi_larger_part(r); /* where it leaves the range, its parts, and so its reciprocal, are wrong */
    if (!(size > 0x1p-1000 && size < 0x1p1000) && gi_isfinite_c128(w)) return gi_exp_c128(gi_mul_c128(y, gi_log_c128(w)));
    return gi_div_c128(gi_make_c128(1, 0), r);
}

/* Of complex64. */
GI_FORMULA ga_c128 gi_wide_c64(ga_c64 z) { return gi_make_c128((double)z.re, (double)z.im); }
GI_FORMULA ga_c64  gi_round_c64(ga_c128 z) { return gi_make_c64((float)z.re, (float)z.im); }
#define GI_OF_C64(name)                                                                                                        \
    GI_FORMULA ga_c64 gi_##name##_c64(ga_c64 z) { return gi_round_c64(gi_##name##_c128(gi_wide_c64(z))); }
GI_OF_C64(sqrt)
GI_OF_C64(exp)
GI_OF_C64(exp2)
GI_OF_C64(expm1)
GI_OF_C64(log)
GI_OF_C64(log2)
GI_OF_C64(log10)
GI_OF_C64(log1p)
GI_OF_C64(sin)
GI_OF_C64(cos)
GI_OF_C64(tan)
GI_OF_C64(arcsin)
GI_OF_C64(arccos)
GI_OF_C64(arctan)
GI_OF_C64(sinh)
GI_OF_C64(cosh)
GI_OF_C64(tanh)
GI_OF_C64(arcsinh)
GI_OF_C64(arccosh)
GI_OF_C64(arctanh)
#undef GI_OF_C64
GI_FORMULA ga_c64 gi_power_c64(ga_c64 x, ga_c64 y) { return gi_round_c64(gi_power_c128(gi_wide_c64(x), gi_wide_c64(y))); }
