/* ---- Fourier transforms of a few elements, in place -------------------------------------------------------------------- */
/*  Included for each element type of each instruction set, where GI_BF_T is a vector, and for each type of CUDA: GI_BF(name) is the
    function's name, GI_BF_T that of the elements' parts, GI_BF_R a real's, GI_BF_W that of roots, GI_BF_MUL a product that nothing fuses,
    GI_BF_FMA(a, b, c) is a * b + c, rounded once, and GI_BF_ALL a vector of a real.                                           */

GI_BF_FN void GI_BF(two)(GI_BF_T *ar, GI_BF_T *ai, GI_BF_T *br, GI_BF_T *bi)
{
    const GI_BF_T r = *ar, i = *ai;
    *ar = r + *br;
    *ai = i + *bi;
    *br = r - *br;
    *bi = i - *bi;
}

/* Elements 0, 1, 2, 3 of every `step`-th. */
GI_BF_FN void GI_BF(four)(GI_BF_T *re, GI_BF_T *im, const int step)
{
    GI_BF(two)(re, im, re + 2 * step, im + 2 * step);
    GI_BF(two)(re + step, im + step, re + 3 * step, im + 3 * step);
    const GI_BF_T r2 = re[2 * step], i2 = im[2 * step], r3 = re[3 * step], i3 = im[3 * step], r1 = re[step], i1 = im[step];
    re[2 * step] = re[0] - r1;
    im[2 * step] = im[0] - i1;
    re[0]        = re[0] + r1;
    im[0]        = im[0] + i1;
    re[step]     = r2 + i3;
    im[step]     = i2 - r3;
    re[3 * step] = r2 - i3;
    im[3 * step] = i2 + r3;
}

GI_BF_FN void GI_BF(eight)(GI_BF_T *re, GI_BF_T *im)
{
    const GI_BF_T half = GI_BF_ALL((GI_BF_R)0.70710678118654752440); /* its root */
    GI_BF(four)(re, im, 2);
    GI_BF(four)(re + 1, im + 1, 2);
    const GI_BF_T r1 = re[3] + im[3], i1 = im[3] - re[3], r2 = im[5], i2 = re[5], r3 = im[7] - re[7], i3 = im[7] + re[7];
    const GI_BF_T r0 = re[1], i0 = im[1], e1r = re[2], e1i = im[2], e2r = re[4], e2i = im[4], e3r = re[6], e3i = im[6];
    re[4] = re[0] - r0, im[4] = im[0] - i0;
    re[0] = re[0] + r0, im[0] = im[0] + i0;
    re[1] = GI_BF_FMA(r1, half, e1r), im[1] = GI_BF_FMA(i1, half, e1i);
    re[5] = GI_BF_FMA(-r1, half, e1r), im[5] = GI_BF_FMA(-i1, half, e1i);
    re[2] = e2r + r2, im[2] = e2i - i2;
    re[6] = e2r - r2, im[6] = e2i + i2;
    re[3] = GI_BF_FMA(r3, half, e3r), im[3] = GI_BF_FMA(-i3, half, e3i);
    re[7] = GI_BF_FMA(-r3, half, e3r), im[7] = GI_BF_FMA(i3, half, e3i);
}

/* r is 3, 5 or 7; circle: cos and sin of 2 pi k / r. Elements k and r - k have the same cosines, and opposite sines. outr, outi: room for r
   each. */
GI_BF_FN void GI_BF(odd)(const int r, GI_BF_T *re, GI_BF_T *im, GI_BF_T *outr, GI_BF_T *outi, const GI_BF_R *circle)
{
    const int h = r / 2;
    GI_BF_UNROLL
    for (int j = 1; j <= h; j++) GI_BF(two)(re + j, im + j, re + r - j, im + r - j);
    GI_BF_UNROLL
    for (int k = 0; k <= h; k++) {
        const GI_BF_T none = GI_BF_ALL(0);
        GI_BF_T       cr = re[0], ci = im[0], sr = none, si = none;
        GI_BF_UNROLL
        for (int j = 1, at = k; j <= h; j++, at -= at + k < r ? -k : r - k) {
            const GI_BF_T c = GI_BF_ALL(circle[2 * at]), s = GI_BF_ALL(circle[2 * at + 1]);
            cr = k > 0 ? GI_BF_FMA(re[j], c, cr) : cr + re[j];
            ci = k > 0 ? GI_BF_FMA(im[j], c, ci) : ci + im[j];
            if (k > 0) sr = GI_BF_FMA(re[r - j], s, sr);
            if (k > 0) si = GI_BF_FMA(im[r - j], s, si);
        }
        if (k == 0) {
            outr[0] = cr;
            outi[0] = ci;
        } else if (h == 1) { /* one product, which need not be rounded before it is added */
            const GI_BF_T s = GI_BF_ALL(circle[3]);
            outr[1]         = GI_BF_FMA(im[2], s, cr);
            outi[1]         = GI_BF_FMA(-re[2], s, ci);
            outr[2]         = GI_BF_FMA(-im[2], s, cr);
            outi[2]         = GI_BF_FMA(re[2], s, ci);
        } else {
            outr[k]     = cr + si;
            outi[k]     = ci - sr;
            outr[r - k] = cr - si;
            outi[r - k] = ci + sr;
        }
    }
    GI_BF_UNROLL
    for (int k = 0; k < r; k++) {
        re[k] = outr[k];
        im[k] = outi[k];
    }
}

/* Of real elements re, elements k <= r / 2 of what `odd` makes of them and of imaginary parts 0, with the same bits. out: room for r. */
GI_BF_FN void GI_BF(odd_of_reals)(const int r, GI_BF_T *re, GI_BF_T *im, GI_BF_T *out, const GI_BF_R *circle)
{
    const int     h    = r / 2;
    const GI_BF_T none = GI_BF_ALL(0);
    GI_BF_UNROLL
    for (int j = 1; j <= h; j++) {
        const GI_BF_T a = re[j];
        re[j]           = a + re[r - j];
        re[r - j]       = a - re[r - j];
    }
    GI_BF_UNROLL
    for (int k = 0; k <= h; k++) {
        GI_BF_T c_sum = re[0], s_sum = none;
        GI_BF_UNROLL
        for (int j = 1, at = k; j <= h; j++, at -= at + k < r ? -k : r - k) {
            c_sum = k > 0 ? GI_BF_FMA(re[j], GI_BF_ALL(circle[2 * at]), c_sum) : c_sum + re[j];
            s_sum = k > 0 ? GI_BF_FMA(re[r - j], GI_BF_ALL(circle[2 * at + 1]), s_sum) : none;
        }
        out[k] = k > 0 ? c_sum + none : c_sum; /* -0 becomes 0, as there */
        im[k]  = none - s_sum;
    }
    GI_BF_UNROLL
    for (int k = 0; k <= h; k++) re[k] = out[k];
}

/* Six: of the three sums and of the three differences of elements that lie half of them apart, without roots (Good 1958). out: room for 6. */
GI_BF_FN void GI_BF(six)(GI_BF_T *re, GI_BF_T *im, GI_BF_T *out)
{
    const GI_BF_R circle[4] = { 1, 0, (GI_BF_R)-0.5, (GI_BF_R)0.86602540378443864676 };
    GI_BF_T       r[2][3], i[2][3];
    GI_BF_UNROLL
    for (int k = 0; k < 3; k++) {
        const int at = 2 * k, half = (at + 3) % 6;
        r[0][k] = re[at], i[0][k] = im[at], r[1][k] = re[half], i[1][k] = im[half];
        GI_BF(two)(r[0] + k, i[0] + k, r[1] + k, i[1] + k);
    }
    GI_BF_UNROLL
    for (int odd = 0; odd < 2; odd++) GI_BF(odd)(3, r[odd], i[odd], out, out + 3, circle);
    GI_BF_UNROLL
    for (int k = 0; k < 6; k++) re[k] = r[k % 2][k % 3], im[k] = i[k % 2][k % 3];
}

GI_BF_FN void GI_BF(any)(const int r, GI_BF_T *re, GI_BF_T *im, GI_BF_T *out, const GI_BF_R *circle)
{
    if (r == 2) GI_BF(two)(re, im, re + 1, im + 1);
    else if (r == 4) GI_BF(four)(re, im, 1);
    else if (r == 6) GI_BF(six)(re, im, out);
    else if (r == 8) GI_BF(eight)(re, im);
    else GI_BF(odd)(r, re, im, out, out + r, circle);
}

GI_BF_FN void GI_BF(times)(GI_BF_T *re, GI_BF_T *im, GI_BF_W wr, GI_BF_W wi)
{
    const GI_BF_T r = *re;
    *re             = GI_BF_FMA(r, wr, -GI_BF_MUL(*im, wi));
    *im             = GI_BF_FMA(*im, wr, GI_BF_MUL(r, wi));
}

/* A root: the one of a far place, (ur, ui), with what its rounding lost, times 1 + w, of a near one. */
GI_BF_FN void GI_BF(join)(GI_BF_W *wr, GI_BF_W *wi, GI_BF_W ur, GI_BF_W ui, GI_BF_W lost_r, GI_BF_W lost_i)
{
    const GI_BF_W r = *wr;
    *wr             = ur + GI_BF_FMA(ur, r, GI_BF_FMA(-ui, *wi, lost_r));
    *wi             = ui + GI_BF_FMA(ur, *wi, GI_BF_FMA(ui, r, lost_i));
}

/* A sum, with what its rounding loses. */
GI_BF_FN GI_BF_T GI_BF(sum)(GI_BF_T a, GI_BF_T b, GI_BF_T *lost)
{
    const GI_BF_T s = a + b, of_b = s - a;
    *lost = (a - (s - of_b)) + (b - of_b);
    return s;
}

/* a * b + c * d, with what rounding it loses. */
GI_BF_FN GI_BF_T GI_BF(products)(GI_BF_T a, GI_BF_W b, GI_BF_T c, GI_BF_W d, GI_BF_T *lost)
{
    const GI_BF_T p = GI_BF_MUL(a, b), q = GI_BF_MUL(c, d), s = GI_BF(sum)(p, q, lost);
    *lost = *lost + (GI_BF_FMA(a, b, -p) + GI_BF_FMA(c, d, -q));
    return s;
}

/* Of z, the transform of real numbers in pairs (re: the even ones), elements k and m - k become twice those of all 2 m numbers; w is
   exp(-pi i k / m). What rounding the sums and products loses is added again: this step rounds each result once. */
GI_BF_FN void GI_BF(ends)(GI_BF_T *ar, GI_BF_T *ai, GI_BF_T *br, GI_BF_T *bi, GI_BF_W wr, GI_BF_W wi)
{
    GI_BF_T       er_lost, ei_lost, tr_lost, ti_lost, r_lost, i_lost, ar_lost, ai_lost, br_lost, bi_lost;
    const GI_BF_T er = GI_BF(sum)(*ar, *br, &er_lost), ei = GI_BF(sum)(*ai, -*bi, &ei_lost);
    const GI_BF_T tr = GI_BF(sum)(*ai, *bi, &tr_lost), ti = GI_BF(sum)(*br, -*ar, &ti_lost);
    const GI_BF_T r = GI_BF(products)(tr, wr, -ti, wi, &r_lost), i = GI_BF(products)(ti, wr, tr, wi, &i_lost);
    GI_BF(times)(&tr_lost, &ti_lost, wr, wi);
    r_lost = r_lost + tr_lost;
    i_lost = i_lost + ti_lost;
    *ar    = GI_BF(sum)(er, r, &ar_lost);
    *ai    = GI_BF(sum)(ei, i, &ai_lost);
    *br    = GI_BF(sum)(er, -r, &br_lost);
    *bi    = GI_BF(sum)(i, -ei, &bi_lost);
    *ar    = *ar + (ar_lost + (er_lost + r_lost));
    *ai    = *ai + (ai_lost + (ei_lost + i_lost));
    *br    = *br + (br_lost + (er_lost - r_lost));
    *bi    = *bi + (bi_lost + (i_lost - ei_lost));
}
/* These themselves: halved before the sums, since twice the result may be infinite. */
GI_BF_FN void GI_BF(halves)(GI_BF_T *ar, GI_BF_T *ai, GI_BF_T *br, GI_BF_T *bi, GI_BF_W wr, GI_BF_W wi)
{
    const GI_BF_R half = (GI_BF_R)0.5;
    *ar                = GI_BF_MUL(*ar, half);
    *ai                = GI_BF_MUL(*ai, half);
    *br                = GI_BF_MUL(*br, half);
    *bi                = GI_BF_MUL(*bi, half);
    GI_BF(ends)(ar, ai, br, bi, wr, wi);
}
/* And the way back, up to a factor 2. */
GI_BF_FN void GI_BF(pairs)(GI_BF_T *ar, GI_BF_T *ai, GI_BF_T *br, GI_BF_T *bi, GI_BF_W wr, GI_BF_W wi)
{
    GI_BF(ends)(ar, ai, br, bi, -wr, wi);
}
