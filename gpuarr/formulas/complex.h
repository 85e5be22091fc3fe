/* ---- complex numbers: functions of c128 ------------------------------------------------------------------------------- */
/*  By C99's Annex G: branch cuts, signs of zero, infinities and NaN. The parts come from the functions of float64; complex64 is computed in
    complex128, and rounded.                                                                                                    */

/* (|re| + |z|) / 2 is the square of one part, and never cancels. */
GI_FORMULA ga_c128 gi_sqrt_c128(ga_c128 z)
{
    const double re = gi_abs_f64(z.re), im = gi_abs_f64(z.im), most = re > im ? re : im;
    if (im == gi_infinity_f64()) return gi_make_c128(im, z.im);
    if (z.re == 0 && z.im == 0) return gi_make_c128(0, z.im);
    if (re == gi_infinity_f64())
        return z.re > 0 ? gi_make_c128(re, z.im == z.im ? gi_copysign_f64(0, z.im) : z.im)
                        : gi_make_c128(z.im == z.im ? 0 : z.im, gi_copysign_f64(re, z.im));
    const double up   = most > 0x1p1000   ? 0x1p-54
                        : most < 0x1p-900 ? 0x1p200
                                          : 1,
                 back = most > 0x1p1000   ? 0x1p27
                        : most < 0x1p-900 ? 0x1p-100
                                          : 1;
    const double x = gi_mul_f64(re, up), y = gi_mul_f64(im, up);
    const double root = gi_root_f64(gi_mul_f64(x + gi_hypot_f64(x, y), 0.5)), other = gi_mul_f64(y / root, 0.5);
    return z.re >= 0 ? gi_make_c128(gi_mul_f64(root, back), gi_copysign_f64(gi_mul_f64(other, back), z.im))
                     : gi_make_c128(gi_mul_f64(other, back), gi_copysign_f64(gi_mul_f64(root, back), z.im));
}
