/* ---- numbers among themselves: Python's arithmetic ----------------------------------------------------------------------- */
/*  2 * c + 1 is a number, as it is for who writes the call by hand, and adopts the dtype of the array that it meets. Integers
    are exact, or an error; / makes real numbers of them.                                                                    */

static ga_arg gi_number_of(ga_kind kind, int64_t i, double re)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.kind = kind;
    v.i    = i;
    v.re   = re;
    return v;
}

static const char gi_beyond_int64[] = "the integer is beyond 64 bits: write a real number, 2.0 in place of 2";
static const char gi_by_zero[]      = "division of a number by zero";

static const char *gi_integer_power(int64_t base, int64_t exponent, int64_t *made)
{
    int64_t power = 1;
    for (uint64_t left = (uint64_t)exponent; left > 0; left /= 2) {
        if (left % 2 && __builtin_mul_overflow(power, base, &power)) return gi_beyond_int64;
        if (left > 1 && __builtin_mul_overflow(base, base, &base)) return gi_beyond_int64;
    }
    *made = power;
    return NULL;
}

static bool gi_compare_integers(ga_op op, int64_t x, int64_t y)
{
    switch ((int)op) {
    case GA_OP_equal: return x == y;
    case GA_OP_not_equal: return x != y;
    case GA_OP_less: return x < y;
    case GA_OP_less_equal: return x <= y;
    case GA_OP_greater: return x > y;
    default: return x >= y;
    }
}

/* Of two integers. NULL, or what is wrong. */
static const char *gi_on_integers(ga_op op, int64_t x, int64_t y, int64_t *made)
{
    const bool by_zero = y == 0, lowest = x == INT64_MIN && y == -1;
    switch ((int)op) {
    case GA_OP_positive: *made = x; return NULL;
    case GA_OP_negative: return __builtin_sub_overflow((int64_t)0, x, made) ? gi_beyond_int64 : NULL;
    case GA_OP_invert: *made = ~x; return NULL;
    case GA_OP_add: return __builtin_add_overflow(x, y, made) ? gi_beyond_int64 : NULL;
    case GA_OP_subtract: return __builtin_sub_overflow(x, y, made) ? gi_beyond_int64 : NULL;
    case GA_OP_multiply: return __builtin_mul_overflow(x, y, made) ? gi_beyond_int64 : NULL;
    case GA_OP_floor_divide:
        if (by_zero || lowest) return by_zero ? gi_by_zero : gi_beyond_int64;
        *made = x / y - (x % y != 0 && (x < 0) != (y < 0));
        return NULL;
    case GA_OP_remainder:
        if (by_zero) return gi_by_zero;
        *made = lowest ? 0 : x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);
        return NULL;
    case GA_OP_power: return gi_integer_power(x, y, made);
    case GA_OP_left_shift:
        if (y < 0) return "a shift by a negative number";
        if (x == 0) y = 0;
        if (x == -1 && y == 63) {
            *made = INT64_MIN;
            return NULL;
        }
        return y > 62 || __builtin_mul_overflow(x, (int64_t)1 << y, made) ? gi_beyond_int64 : NULL;
    case GA_OP_right_shift:
        if (y < 0) return "a shift by a negative number";
        *made = x >> (y > 63 ? 63 : y);
        return NULL;
    case GA_OP_bitwise_and: *made = x & y; return NULL;
    case GA_OP_bitwise_or: *made = x | y; return NULL;
    case GA_OP_bitwise_xor: *made = x ^ y; return NULL;
    default: *made = gi_compare_integers(op, x, y); return NULL;
    }
}

/* Of two integers that are not negative: what fits 64 bits without a sign. */
static bool gi_on_naturals(ga_op op, uint64_t x, uint64_t y, uint64_t *made)
{
    switch ((int)op) {
    case GA_OP_add: return !__builtin_add_overflow(x, y, made);
    case GA_OP_multiply: return !__builtin_mul_overflow(x, y, made);
    case GA_OP_left_shift: *made = y < 64 ? x << y : 0; return y < 64 && *made >> y == x;
    case GA_OP_power:
        for (*made = 1; y > 0; y--) /* at most 64 times: x is 2 or more where its power is beyond int64 */
            if (__builtin_mul_overflow(*made, x, made)) return false;
        return true;
    default: return false;
    }
}

static bool gi_is_bitwise(ga_op op) { return op == GA_OP_bitwise_and || op == GA_OP_bitwise_or || op == GA_OP_bitwise_xor; }

/* Of real or complex numbers, by the loops of the table's row. */
static const char *gi_on_reals(const gi_row *row, bool complex_, int n, const ga_arg *in, ga_arg *made)
{
    const ga_dtype dtype  = complex_ ? GA_C128 : GA_F64;
    gi_kernel      kernel = NULL;
    ga_c128        x[2], result;
    bool           truth = false;
    memset(x, 0, sizeof x);
    memset(&result, 0, sizeof result);
    for (int k = 0; k < n; k++) gi_number_to(in[k], dtype, &x[k]);
    const double a = x[0].re, b = x[1].re;
    if (row->op == GA_OP_divide && b == 0 && (!complex_ || x[1].im == 0)) return gi_by_zero;
    if (!complex_ && (row->op == GA_OP_floor_divide || row->op == GA_OP_remainder) && b == 0) return gi_by_zero;
    if (!complex_ && row->op == GA_OP_power) {
        if (a == 0 && b < 0) return "0 has no negative powers";
        if (a < 0 && b - b == 0 && b != gi_rint_f64(b)) return "a negative number to a power with a fraction is complex";
        kernel = GI_LOOP_OF(power)(b, dtype);
    }
    if (row->exchanged) { /* x > y is y < x */
        const ga_c128 first = x[0];
        row                 = row->exchanged();
        x[0]                = x[1];
        x[1]                = first;
    }
    if (row->op == GA_OP_positive) result = x[0];
    else if (!kernel) kernel = gi_row_kernel(row, dtype);
#ifdef GPUARR_STATIC
    if (!kernel && row->op != GA_OP_positive && !(GI_FORMULA_DTYPES >> (int)dtype & 1))
        return "numbers are computed as float64 or complex128: add that to the dtypes in GPUARR_EVAL_DTYPES";
#endif
    if (!kernel && row->op != GA_OP_positive)
        return complex_ ? "there is no such operation on complex numbers" : "this operation is for integers";
    if (kernel) kernel(1, row->returns == GI_RETURNS_BOOL ? (void *)&truth : (void *)&result, &x[0], &x[1], &x[1]);
    *made    = row->returns == GI_RETURNS_BOOL ? gi_number_of(GA_KIND_BOOL, truth, 0)
                                               : gi_number_of(complex_ ? GA_KIND_COMPLEX : GA_KIND_REAL, 0, result.re);
    made->im = complex_ && made->kind == GA_KIND_COMPLEX ? result.im : 0;
    return NULL;
}

/* What an operator makes of one or two numbers. NULL, or what is wrong. */
static const char *gi_on_numbers(const gi_row *row, int n, const ga_arg *in, ga_arg *made)
{
    bool whole = row->op != GA_OP_divide, complex_ = false, truths = true;
    if (row->op == GA_OP_negative && in[0].kind == GA_KIND_UINT && in[0].i == INT64_MIN) { /* -9223372036854775808 */
        *made = gi_number_of(GA_KIND_INT, INT64_MIN, 0);
        return NULL;
    }
    for (int k = 0; k < n; k++) {
        if (in[k].kind == GA_KIND_UINT)
            return "an integer beyond int64 is for arrays alone: write a real number, 2.0 in place of 2";
        whole    = whole && (in[k].kind == GA_KIND_INT || in[k].kind == GA_KIND_BOOL);
        complex_ = complex_ || in[k].kind == GA_KIND_COMPLEX;
        truths   = truths && in[k].kind == GA_KIND_BOOL;
    }
    if (!whole || (row->op == GA_OP_power && in[1].i < 0)) return gi_on_reals(row, complex_, n, in, made);
    *made =
        gi_number_of(row->returns == GI_RETURNS_BOOL || (truths && gi_is_bitwise(row->op)) ? GA_KIND_BOOL : GA_KIND_INT, 0, 0);
    const int64_t y       = n > 1 ? in[1].i : 0;
    const char   *problem = gi_on_integers(row->op, in[0].i, y, &made->i);
    uint64_t      natural = 0;
    if (problem != gi_beyond_int64 || in[0].i < 0 || y < 0) return problem;
    if (!gi_on_naturals(row->op, (uint64_t)in[0].i, (uint64_t)y, &natural)) return problem;
    *made = gi_number_of(GA_KIND_UINT, (int64_t)natural, 0);
    return NULL;
}
