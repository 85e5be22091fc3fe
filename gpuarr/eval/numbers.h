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

/* Integers are computed between -2**126 and 2**126. One that is beyond 64 is no operand of arrays: a UINT whose upper half is kept as `re`. */
__extension__ typedef __int128 gi_i128;
#define GI_WIDEST ((gi_i128)1 << 126)

static const char gi_beyond_64[]  = "the integer is beyond 64 bits: write a real number, 2.0 in place of 2";
static const char gi_beyond_126[] = "the integer is beyond 126 bits: write a real number, 2.0 in place of 2";
static const char gi_by_zero[]    = "division of a number by zero";

static int64_t gi_upper_half(ga_arg v)
{
    int64_t upper = 0;
    if (v.kind == GA_KIND_UINT) memcpy(&upper, &v.re, sizeof upper);
    return upper;
}
static bool    gi_is_wide(ga_arg v) { return gi_upper_half(v) != 0; }
static gi_i128 gi_integer_of(ga_arg v)
{
    return v.kind == GA_KIND_UINT ? gi_upper_half(v) * ((gi_i128)1 << 64) + (uint64_t)v.i : v.i;
}
static ga_arg gi_number_of_integer(gi_i128 x)
{
    const bool    fits  = x >= INT64_MIN && x <= INT64_MAX;
    const int64_t upper = fits ? 0 : (int64_t)(x >> 64);
    ga_arg        v     = gi_number_of(fits ? GA_KIND_INT : GA_KIND_UINT, (int64_t)(uint64_t)x, 0);
    memcpy(&v.re, &upper, sizeof upper);
    return v;
}

static const char *gi_integer_product(gi_i128 x, gi_i128 y, gi_i128 *made)
{
    if (y != 0 && (x < 0 ? -x : x) > GI_WIDEST / (y < 0 ? -y : y)) return gi_beyond_126;
    *made = x * y;
    return NULL;
}

static const char *gi_integer_power(gi_i128 base, gi_i128 exponent, gi_i128 *made)
{
    gi_i128 power = 1;
    for (gi_i128 left = exponent; left > 0; left /= 2) {
        if (left % 2 && gi_integer_product(power, base, &power)) return gi_beyond_126;
        if (left > 1 && gi_integer_product(base, base, &base)) return gi_beyond_126;
    }
    *made = power;
    return NULL;
}

static bool gi_compare_integers(ga_op op, gi_i128 x, gi_i128 y)
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
static const char *gi_on_integers(ga_op op, gi_i128 x, gi_i128 y, gi_i128 *made)
{
    switch ((int)op) {
    case GA_OP_positive: *made = x; break;
    case GA_OP_negative: *made = -x; break;
    case GA_OP_invert: *made = ~x; break;
    case GA_OP_add: *made = x + y; break;
    case GA_OP_subtract: *made = x - y; break;
    case GA_OP_multiply: return gi_integer_product(x, y, made);
    case GA_OP_floor_divide:
        if (y == 0) return gi_by_zero;
        *made = x / y - (x % y != 0 && (x < 0) != (y < 0));
        break;
    case GA_OP_remainder:
        if (y == 0) return gi_by_zero;
        *made = x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);
        break;
    case GA_OP_power: return gi_integer_power(x, y, made);
    case GA_OP_left_shift:
        if (y < 0) return "a shift by a negative number";
        return x != 0 && y > 126 ? gi_beyond_126 : gi_integer_product(x, x != 0 ? (gi_i128)1 << y : 1, made);
    case GA_OP_right_shift:
        if (y < 0) return "a shift by a negative number";
        *made = x >> (y > 126 ? 126 : y);
        break;
    case GA_OP_bitwise_and: *made = x & y; break;
    case GA_OP_bitwise_or: *made = x | y; break;
    case GA_OP_bitwise_xor: *made = x ^ y; break;
    default: *made = gi_compare_integers(op, x, y); break;
    }
    return *made > GI_WIDEST || *made < -GI_WIDEST ? gi_beyond_126 : NULL;
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
    for (int k = 0; k < n; k++)
        gi_number_to(gi_is_wide(in[k]) ? gi_number_of(GA_KIND_REAL, 0, (double)gi_integer_of(in[k])) : in[k], dtype, &x[k]);
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
    bool    whole = row->op != GA_OP_divide, complex_ = false, truths = true;
    gi_i128 x[2] = { 0, 0 }, result = 0;
    for (int k = 0; k < n; k++) {
        whole    = whole && in[k].kind < GA_KIND_REAL;
        complex_ = complex_ || in[k].kind == GA_KIND_COMPLEX;
        truths   = truths && in[k].kind == GA_KIND_BOOL;
        x[k]     = gi_integer_of(in[k]);
    }
    if (!whole || (row->op == GA_OP_power && x[1] < 0)) return gi_on_reals(row, complex_, n, in, made);
    const char *problem = gi_on_integers(row->op, x[0], x[1], &result);
    if (problem) return problem;
    const bool truth = row->returns == GI_RETURNS_BOOL || (truths && gi_is_bitwise(row->op));
    *made            = truth ? gi_number_of(GA_KIND_BOOL, (int64_t)result, 0) : gi_number_of_integer(result);
    return NULL;
}
