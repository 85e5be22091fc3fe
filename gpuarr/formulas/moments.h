/* ---- moments: the nodes of the variance's tree ----------------------------------------------------------------------- */

typedef struct gi_node {
    double n, s, m; /* of some elements: the count, the sum, the sum of squared distances from their mean */
} gi_node;

GI_FORMULA double gi_spread(double distance, double weight) { return gi_mul_f64(gi_mul_f64(distance, distance), weight); }

/* Exactly as the formula of Chan, Golub and LeVeque says, so that nothing cancels. Written so that compilers vectorise it. */
GI_FORMULA gi_node gi_join_nodes(gi_node a, gi_node b)
{
    uint64_t no_a = a.n == 0, no_b = b.n == 0;
    double   n = a.n + b.n, ratio = a.n / gi_pick_f64(no_b, 1, b.n);
    double   scale = b.n / gi_mul_f64(gi_pick_f64(no_a, 1, a.n), gi_pick_f64(no_a & no_b, 1, n));
    gi_node  r     = { n, a.s + b.s, a.m + b.m + gi_spread(a.s - gi_mul_f64(ratio, b.s), scale) };
    r.s            = gi_pick_f64(no_b, a.s, gi_pick_f64(no_a, b.s, r.s));
    r.m            = gi_pick_f64(no_b, a.m, gi_pick_f64(no_a, b.m, r.m));
    return r;
}

typedef enum gi_moment { GI_MEAN, GI_VAR, GI_STD } gi_moment;

/* The moment from the node of all elements: NaN if something was infinite or NaN, or nothing was there; as NumPy, x / 0 and 0 / 0
   for no degrees of freedom. */
GI_FORMULA double gi_moment_value(gi_moment what, bool skip_nan, int ddof, gi_node v)
{
    double left = v.n - ddof, none = v.m > 0 && !skip_nan ? gi_infinity_f64() : gi_nan_f64();
    double r = left > 0 ? v.m / left : none;
    if (what == GI_STD) r = gi_root_f64(r);
    r = gi_abs_f64(v.s) < gi_infinity_f64() ? r : gi_nan_f64();
    return what != GI_MEAN ? r : v.n > 0 ? v.s / v.n : gi_nan_f64();
}
