/* ---- order: keys that count up in it, and the elements of a rank --------------------------------------------------- */

enum { GI_DIGITS = 256 }; /* of a byte */

GI_BEGIN_FAST
GI_FORMULA uint32_t gi_key_f32(uint32_t bits)
{
    const uint32_t sign = 0x80000000u, magnitude = bits & ~sign;
    if (magnitude > 0x7f800000u) return UINT32_MAX; /* NaN */
    if (magnitude == 0) return sign;
    return bits & sign ? ~bits : bits | sign;
}

GI_FORMULA uint64_t gi_key_f64(uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << 63, magnitude = bits & ~sign;
    if (magnitude > 0x7ff0000000000000u) return UINT64_MAX;
    if (magnitude == 0) return sign;
    return bits & sign ? ~bits : bits | sign;
}

GI_FORMULA uint32_t gi_bits_of_key_f32(uint32_t key) { return key & 0x80000000u ? key & 0x7fffffffu : ~key; }

GI_FORMULA uint64_t gi_bits_of_key_f64(uint64_t key) { return key >> 63 ? key & (UINT64_MAX >> 1) : ~key; }

/* What a quantile is. */
typedef struct gi_quantile_rule {
    bool               median; /* the mean of the two in the middle */
    bool               skip_nan;
    bool               single; /* quantiles are float32 numbers */
    ga_quantile_method method;
    ga_dtype           source, result;
} gi_quantile_rule;

/* Quantiles of lines. */
typedef struct gi_order {
    gi_lines         lines; /* read in the key dtype */
    gi_quantile_rule rule;
    int64_t          count;
    double          *quantiles; /* 0 to 1, ascending; one for a median */
    int64_t         *places;    /* where in the result each belongs */
    char            *out;       /* for each quantile, all lines; memory of the device of the lines */
    const ga_array  *result;    /* whose memory that is, or NULL */
    int64_t          parts;
    char            *scratch; /* of each part */
    size_t           scratch_bytes;
} gi_order;

/* The two elements that a quantile of n lies between, and how far it is from the first. */
typedef struct gi_rank {
    int64_t previous, next;
    double  gamma;
} gi_rank;

/* Does the rule interpolate between two elements? Else it takes one of them. */
GI_FORMULA bool gi_quantile_is_between(gi_quantile_rule rule)
{
    return rule.median || rule.method == GA_LINEAR || rule.method == GA_MIDPOINT || rule.method == GA_AVERAGED_INVERTED_CDF ||
           rule.method >= GA_INTERPOLATED_INVERTED_CDF;
}

GI_FORMULA double gi_quantile_round(gi_quantile_rule rule, double x) { return rule.single ? (double)(float)x : x; }

/* n q + alpha + q (1 - alpha - beta) - 1 */
GI_FORMULA double gi_quantile_place(gi_quantile_rule rule, double q, int64_t n, double alpha, double beta)
{
    double factor = gi_quantile_round(rule, 1 - alpha - beta), start = gi_quantile_round(rule, alpha);
    double many  = gi_quantile_round(rule, gi_mul_f64((double)n, q));
    double shift = gi_quantile_round(rule, start + gi_quantile_round(rule, gi_mul_f64(q, factor)));
    return gi_quantile_round(rule, gi_quantile_round(rule, many + shift) - 1);
}

/* The place of a quantile among n elements in order, with a fraction; `last` is n - 1. */
GI_FORMULA double gi_quantile_at(gi_quantile_rule rule, double quantile, int64_t n, double last)
{
    double at    = rule.single ? (double)gi_mul_f32((float)last, (float)quantile) : gi_mul_f64(last, quantile);
    double whole = gi_quantile_round(rule, gi_quantile_round(rule, gi_mul_f64((double)n, quantile)) - 1);
    switch (rule.method) {
    case GA_LOWER: return floor(at);
    case GA_HIGHER: return ceil(at);
    case GA_NEAREST: return rint(at);
    case GA_MIDPOINT: return 0.5 * (floor(at) + ceil(at));
    case GA_INVERTED_CDF: return ceil(whole);
    case GA_CLOSEST_OBSERVATION: /* the half of an odd number goes down */
        at = gi_quantile_round(rule, whole - 0.5);
        return at == floor(at) && at != 2 * floor(at / 2) ? at : floor(at) + 1;
    case GA_AVERAGED_INVERTED_CDF: return whole;
    case GA_INTERPOLATED_INVERTED_CDF: return gi_quantile_place(rule, quantile, n, 0, 1);
    case GA_HAZEN: return gi_quantile_place(rule, quantile, n, 0.5, 0.5);
    case GA_WEIBULL: return gi_quantile_place(rule, quantile, n, 0, 0);
    case GA_MEDIAN_UNBIASED: return gi_quantile_place(rule, quantile, n, 1 / 3.0, 1 / 3.0);
    case GA_NORMAL_UNBIASED: return gi_quantile_place(rule, quantile, n, 3 / 8.0, 3 / 8.0);
    default: return at;
    }
}

/* NumPy's arithmetic, step by step. */
GI_FORMULA gi_rank gi_rank_of(gi_quantile_rule rule, double quantile, int64_t n)
{
    gi_rank r;
    if (rule.median) {
        r.previous = (n - 1) / 2;
        r.next     = n / 2;
        r.gamma    = 0.5;
        return r;
    }
    double last = (double)(n - 1), at = gi_quantile_at(rule, quantile, n, last);
    if (at >= last) {
        r.previous = r.next = n - 1;
        r.gamma             = 1;
        return r;
    }
    r.previous = at < 0 ? 0 : (int64_t)at;
    r.next     = at < 0 ? 0 : r.previous + 1;
    r.gamma    = at - floor(at);
    if (rule.method == GA_AVERAGED_INVERTED_CDF) r.gamma = r.gamma == 0 ? 0.5 : 1;
    return r;
}

/* Between a and b, b - a = distance, as numpy's _lerp. Where an infinity makes the distance one, or NaN: at the place of an element it is that
   element, and between equal infinities infinity (NumPy multiplies infinity by 0: NaN). */
GI_FORMULA double gi_lerp_f64(double a, double b, double distance, double t)
{
    if (distance - distance != 0 && (t == 0 || t == 1 || a == b)) return t == 1 ? b : a;
    return t >= 0.5 ? b - gi_mul_f64(distance, 1 - t) : a + gi_mul_f64(distance, t);
}

GI_FORMULA float gi_lerp_f32(float a, float b, double t)
{
    float distance = b - a;
    if (distance - distance != 0 && (t == 0 || t == 1 || a == b)) return t == 1 ? b : a;
    return t >= 0.5 ? b - gi_mul_f32(distance, (float)(1 - t)) : a + gi_mul_f32(distance, (float)t);
}

/* A quantile from the two elements it lies between. Integers also have the distance of
   their keys, which does not overflow. */
GI_FORMULA double gi_quantile_between(gi_quantile_rule rule, gi_rank r, double a, double b, uint64_t key_distance)
{
    if (rule.median) /* a mean begins with 0: that of -0 is 0 */
        return 0 + (r.previous == r.next ? a : rule.result == GA_F32 ? (double)((float)(a + b) / 2) : (a + b) / 2);
    if (rule.result == GA_F32) return (double)gi_lerp_f32((float)a, (float)b, r.gamma);
    double distance = rule.source == GA_F64   ? b - a
                      : rule.source == GA_F32 ? (double)((float)b - (float)a)
                                              : (double)key_distance;
    return gi_lerp_f64(a, b, distance, r.gamma);
}
GI_END_FAST
