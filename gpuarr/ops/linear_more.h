/* ---- solve_banded ----------------------------------------------------------------------------------------------------------------------- */
/*  Gaussian elimination with partial pivoting. A row of the work holds the columns that it has, or gets by exchanges: from `lower` before the
    diagonal to lower + upper behind it.                                                                                           */

typedef struct gi_band {
    gi_dense a, b;
    int64_t  n, lower, upper, columns;
} gi_band;

/* Row `to` += x times row `from`, behind the column of the pivot. */
static void gi_band_add(const gi_linear_loops *loops, const gi_band *s, int64_t to, int64_t from, ga_c128 x)
{
    const gi_dense row = gi_submatrix(s->a, 0, from - to); /* where it has the columns that the other one has */
    gi_add_row(loops, &row, to, &s->a, from, s->lower + 1, s->lower + s->upper, x);
    gi_add_row(loops, &s->b, to, &s->b, from, 0, s->columns, x);
}

/* b becomes x. False: a pivot is 0. */
static bool gi_band_solve(const gi_band *s)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = s->n, low = s->lower, wide = low + s->upper;
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k, last = k + low < n - 1 ? k + low : n - 1;
        double  most = -1;
        for (int64_t i = k; i <= last; i++) {
            const ga_c128 x    = gi_element(&s->a, i, k - i + low);
            const double  size = gi_abs_f64(x.re) + gi_abs_f64(x.im);
            if (size > most) most = size, pivot = i;
        }
        if (most == 0) return false;
        for (int part = 0; part < s->a.parts && pivot != k; part++) {
            gi_swap_numbers(wide + 1, s->a.p + k * s->a.down + part * s->a.imag + low,
                            s->a.p + pivot * s->a.down + part * s->a.imag + k - pivot + low);
            gi_swap_numbers(s->columns, s->b.p + k * s->b.down + part * s->b.imag,
                            s->b.p + pivot * s->b.down + part * s->b.imag);
        }
        for (int64_t i = k + 1; i <= last; i++) {
            const ga_c128 x = gi_quotient(gi_element(&s->a, i, k - i + low), gi_element(&s->a, k, low));
            if (x.re != 0 || x.im != 0) gi_band_add(loops, s, i, k, gi_neg_c128(x));
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < n && j <= k + wide; j++)
            gi_add_row(loops, &s->b, k, &s->b, j, 0, s->columns, gi_neg_c128(gi_element(&s->a, k, j - k + low)));
        gi_divide_row(&s->b, k, 0, s->columns, gi_element(&s->a, k, low));
    }
    return true;
}

ga_array *(ga_solve_banded)(int64_t l, int64_t u, const ga_array *ab, const ga_array *b, const char *site)
{
    ga_array *x = NULL;
    if (!gi_are_system(site, ab, b, false)) return NULL;
    const int64_t n = ab->shape[ab->ndim - 1];
    if (l < 0 || u < 0 || ab->ndim != 2 || l >= ab->shape[0] || u != ab->shape[0] - 1 - l)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "ab has shape %s: %lld diagonals below the main one and %lld above are rows of a matrix",
                                   gi_shape_of(ab), (long long)l, (long long)u);
    if (b->ndim > 2 || b->shape[0] != n)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "ab has shape %s and b %s: b must have %lld rows, and one axis or two",
                                   gi_shape_of(ab), gi_shape_of(b), (long long)n);
    const int   parts = gi_is_complex(ab->dtype) || gi_is_complex(b->dtype) ? 2 : 1;
    gi_matrices diagonals, work, right;
    gi_band     s;
    memset(&diagonals, 0, sizeof diagonals);
    memset(&work, 0, sizeof work);
    memset(&right, 0, sizeof right);
    ga_array *columns = b->ndim == 1 ? (ga_expand_dims)(b, 1, site) : (ga_view)(b, site);
    if (columns && gi_matrices_of(site, &diagonals, GA_CPU, ab, parts) &&
        gi_matrices_of(site, &right, GA_CPU, columns, parts) &&
        gi_matrices_new(site, &work, GA_CPU, parts, 0, NULL, n, 2 * l + u + 1)) {
        const gi_dense d = gi_matrix(&diagonals, 0);
        s.a              = gi_matrix(&work, 0);
        s.b              = gi_matrix(&right, 0);
        s.n              = n;
        s.lower          = l;
        s.upper          = u;
        s.columns        = right.columns;
        memset(work.at, 0, (size_t)(n * s.a.down) * 8);
        for (int64_t k = 0; k <= l + u; k++) /* diagonal k: elements (j + k - u, j) */
            for (int64_t j = 0; j < n; j++)
                if (j + k - u >= 0 && j + k - u < n) gi_set_element(&s.a, j + k - u, u - k + l, gi_element(&d, k, j));
        if (gi_all_done(site, !gi_band_solve(&s) ? 0 : 1, 1, "singular matrix"))
            x = gi_matrices_result(site, &right, ab->device, ga_promote(gi_linear_dtype(ab->dtype), gi_linear_dtype(b->dtype)),
                                   n, b->ndim == 1 ? -1 : right.columns);
    }
    ga_free(columns);
    ga_free(diagonals.memory);
    ga_free(work.memory);
    ga_free(right.memory);
    return x;
}

/* ---- expm --------------------------------------------------------------------------------------------------------------------------------- */
/*  Scaling and squaring with Pade approximants (Higham, 2005): of degree 3, 5, 7, 9 or 13, as the norm allows.                    */

static const double gi_pade_3[]  = { 120, 60, 12, 1 };
static const double gi_pade_5[]  = { 30240, 15120, 3360, 420, 30, 1 };
static const double gi_pade_7[]  = { 17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1 };
static const double gi_pade_9[]  = { 17643225600., 8821612800., 2075673600., 302702400., 30270240.,
                                     2162160.,     110880.,     3960.,       90.,        1. };
static const double gi_pade_13[] = { 64764752532480000.,
                                     32382376266240000.,
                                     7771770303897600.,
                                     1187353796428800.,
                                     129060195264000.,
                                     10559470521600.,
                                     670442572800.,
                                     33522128640.,
                                     1323241920.,
                                     40840800.,
                                     960960.,
                                     16380.,
                                     182.,
                                     1. };

/* The sum of n matrices, the first of which is the unit one, each times a number: every second one of a list. */
static ga_array *gi_weigh_powers(const char *site, int n, const ga_array *const *power, const double *weights)
{
    ga_array *sum = NULL;
    for (int k = 0; k < n; k++) {
        ga_array *term = power[k] && (k == 0 || sum)
                             ? (ga_multiply)(gi_operand_arg(power[k]), GA_ARG(weights[2 * k]), gi_map_site(site))
                             : NULL;
        if (!term) return NULL;
        ga_map_options to = gi_map_site(site);
        if (k > 0) to.out = sum;
        sum = k == 0 ? term : (ga_add)(gi_operand_arg(sum), gi_operand_arg(term), to);
    }
    return sum;
}

static ga_array *gi_add_arrays(const char *site, ga_array *x, ga_array *y)
{
    return x && y ? (ga_add)(gi_operand_arg(x), gi_operand_arg(y), gi_map_site(site)) : NULL;
}

/* exp of one matrix with that 1-norm; `power`: the unit matrix, a**2, a**4 ... */
static ga_array *gi_expm_one(const char *site, const ga_array *a, double norm)
{
    static const double limits[] = { 1.495585217958292e-2, 2.539398330063230e-1, 9.504178996162932e-1, 2.097847961257068 };
    static const double *const weights[] = { gi_pade_3, gi_pade_5, gi_pade_7, gi_pade_9 };
    const ga_array            *power[5]  = { gi_unit_matrices(site, a), NULL, NULL, NULL, NULL };
    ga_array                  *odd = NULL, *even = NULL;
    int                        degree = 0, times = 0;
    while (degree < 4 && norm > limits[degree]) degree++;
    if (degree == 4 && norm > 5.371920351148152) (void)frexp(norm / 5.371920351148152, &times);
    const ga_array *x = times > 0 ? (ga_multiply)(gi_operand_arg(a), GA_ARG(ldexp(1, -times)), gi_map_site(site)) : a;
    for (int k = 1; k < (degree == 4 ? 4 : degree + 2); k++)
        power[k] = k == 1 ? gi_matrix_product(site, x, x) : gi_matrix_product(site, power[1], power[k - 1]);
    if (degree < 4) {
        odd  = gi_weigh_powers(site, degree + 2, power, weights[degree] + 1);
        even = gi_weigh_powers(site, degree + 2, power, weights[degree]);
    } else { /* what is above a**6 is a**6 times a sum */
        ga_array *high[2];
        for (int k = 0; k < 2; k++) {
            double upper[8] = { 0 };
            for (int i = 1; i < 4; i++) upper[2 * i] = gi_pade_13[6 + 2 * i + k];
            ga_array *sum = gi_weigh_powers(site, 4, power, upper), *low = gi_weigh_powers(site, 4, power, gi_pade_13 + k);
            high[k] = gi_add_arrays(site, sum ? gi_matrix_product(site, power[3], sum) : NULL, low);
        }
        even = high[0];
        odd  = high[1];
    }
    ga_array *u = odd ? gi_matrix_product(site, x, odd) : NULL, *plus = gi_add_arrays(site, even, u);
    ga_array *less = plus ? (ga_subtract)(gi_operand_arg(even), gi_operand_arg(u), gi_map_site(site)) : NULL;
    ga_array *r    = less ? (ga_solve)(less, plus, site) : NULL;
    for (; times > 0 && r; times--) r = gi_matrix_product(site, r, r);
    return r;
}

ga_array *(ga_expm)(const ga_array *a, const char *site)
{
    GI_SETTLE_FLOATS;
    ga_array *result = NULL;
    if (!gi_are_matrices(site, a, "a", true)) return NULL;
    ga_scope {
        const ga_dtype  wide = gi_is_complex(a->dtype) ? GA_C128 : GA_F64, dtype = gi_linear_dtype(a->dtype);
        const int64_t   n = a->shape[a->ndim - 1], items = n > 0 ? a->size / (n * n) : 0;
        const int64_t   lengths[3] = { items, n, n };
        const ga_array *x = gi_copy_contiguous(site, a, wide), *all = gi_array_new(site, wide, a->device, a->ndim, a->shape);
        bool            done = x && all;
        for (int64_t item = 0; item < items && done; item++)
            ga_scope {
                const int64_t bytes = item * n * n * ga_itemsize(wide);
                ga_array     *to =
                    gi_array_new_view(site, all, (char *)all->data + bytes, wide, 2, lengths + 1, all->strides + a->ndim - 2);
                const ga_array *from =
                    gi_array_new_view(site, x, (char *)x->data + bytes, wide, 2, lengths + 1, x->strides + a->ndim - 2);
                const ga_array *norm  = to && from ? gi_matrix_norm(site, from, 1) : NULL;
                double          size  = 0;
                const bool      known = norm && gi_item_as(site, norm, NULL, GA_F64, &size);
                const ga_array *one   = !known ? NULL : size < INFINITY ? gi_expm_one(site, from, size) : from;
                const ga_array *value = one && !(size < INFINITY)
                                            ? (ga_multiply)(gi_operand_arg(one), GA_ARG((double)NAN), gi_map_site(site))
                                            : one;
                done                  = value && gi_copy_assign(site, to, value);
            }
        result = done ? ga_keep((ga_astype)(all, dtype, site)) : NULL;
    }
    return result;
}
