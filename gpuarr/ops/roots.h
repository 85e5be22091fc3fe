/* ---- roots of unity --------------------------------------------------------------------------------------------------- */
/*  cos and sin of 2 pi k / n, rounded once from twice the precision, by our own arithmetic: the same bits with every compiler and C library.
    k is brought into the first octant by integers, so symmetric roots are so to the last bit. There each is a product of two
    of about sqrt(n) roots that are kept as sums of two doubles (Dekker 1971), and these are sums of Taylor's series.          */
GI_BEGIN_FAST

typedef struct gi_twofold {
    double high, low;
} gi_twofold;

typedef struct gi_unity {
    gi_twofold cos, sin;
} gi_unity;

typedef struct gi_circle {
    int64_t   n, step;
    gi_unity *fine, *coarse; /* of the angles 2 pi k / (8 n), k < step, and of those of k * step */
} gi_circle;

static gi_twofold gi_twofold_add(gi_twofold a, gi_twofold b)
{
    const double     sum = a.high + b.high, part = sum - a.high;
    const double     low = (a.high - (sum - part)) + (b.high - part) + (a.low + b.low);
    const gi_twofold r   = { sum + low, low - ((sum + low) - sum) };
    return r;
}

static gi_twofold gi_twofold_neg(gi_twofold a)
{
    const gi_twofold r = { -a.high, -a.low };
    return r;
}

static gi_twofold gi_twofold_mul(gi_twofold a, gi_twofold b)
{
    const double     ah = a.high * 134217729.0, bh = b.high * 134217729.0; /* 2**27 + 1: halves of their bits */
    const double     a1 = ah - (ah - a.high), a2 = a.high - a1, b1 = bh - (bh - b.high), b2 = b.high - b1;
    const double     p   = a.high * b.high;
    const double     low = a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2) + (a.high * b.low + a.low * b.high);
    const gi_twofold r   = { p + low, low - ((p + low) - p) };
    return r;
}

static gi_twofold gi_twofold_over(double a, double b) /* a and b: integers */
{
    const gi_twofold quotient = { a / b, 0 }, by = { b, 0 }, whole = { a, 0 };
    const gi_twofold rest = gi_twofold_add(whole, gi_twofold_neg(gi_twofold_mul(quotient, by)));
    const gi_twofold r    = { quotient.high, (rest.high + rest.low) / b };
    return r;
}

/* Of the angle pi / 4 * part, for part <= 1. */
static gi_unity gi_unity_of(double k, double n)
{
    const gi_twofold quarter = { 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 }, one = { 1, 0 };
    const gi_twofold x = gi_twofold_mul(gi_twofold_over(k, n), quarter), square = gi_twofold_neg(gi_twofold_mul(x, x));
    gi_unity         r = { one, one };
    for (int i = 26; i > 0; i -= 2) { /* 1 - x**2 / (1 * 2) * (1 - x**2 / (3 * 4) * ...) */
        r.cos = gi_twofold_add(one, gi_twofold_mul(gi_twofold_mul(r.cos, square), gi_twofold_over(1, i * (i - 1))));
        r.sin = gi_twofold_add(one, gi_twofold_mul(gi_twofold_mul(r.sin, square), gi_twofold_over(1, i * (i + 1))));
    }
    r.sin = gi_twofold_mul(r.sin, x);
    return r;
}

static void gi_circle_free(gi_circle *c)
{
    free(c->fine);
    c->fine = NULL;
}

/* False if there is no memory for it. */
static bool gi_circle_new(gi_circle *c, int64_t n)
{
    c->n    = n;
    c->step = 1;
    while (c->step * c->step < n) c->step *= 2;
    const int64_t far = n / c->step + 1;
    c->fine           = (gi_unity *)malloc((size_t)(c->step + far) * sizeof *c->fine);
    if (!c->fine) return false;
    c->coarse = c->fine + c->step;
    for (int64_t k = 0; k < c->step; k++) c->fine[k] = gi_unity_of((double)(k < n ? k : n), (double)n);
    for (int64_t k = 0; k < far; k++) c->coarse[k] = gi_unity_of((double)(k * c->step), (double)n);
    return true;
}

/* 0 <= k < n */
static gi_unity gi_circle_root(const gi_circle *c, int64_t k)
{
    const int64_t n        = c->n;
    bool          turn_cos = false, turn_sin = false, swap = false;
    k *= 8;
    if (k > 4 * n) k = 8 * n - k, turn_sin = true;
    if (k > 2 * n) k = 4 * n - k, turn_cos = true;
    if (k > n) k = 2 * n - k, swap = true;
    const gi_unity   a = c->coarse[k / c->step], b = c->fine[k % c->step];
    const gi_twofold x = gi_twofold_add(gi_twofold_mul(a.cos, b.cos), gi_twofold_neg(gi_twofold_mul(a.sin, b.sin)));
    const gi_twofold y = gi_twofold_add(gi_twofold_mul(a.sin, b.cos), gi_twofold_mul(a.cos, b.sin));
    gi_unity         r = { swap ? y : x, swap ? x : y };
    if (turn_cos) r.cos = gi_twofold_neg(r.cos);
    if (turn_sin) r.sin = gi_twofold_neg(r.sin);
    return r;
}
GI_END_FAST
