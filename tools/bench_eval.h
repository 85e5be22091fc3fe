/*  bench_eval.h -- ten formulas, each as text for ga_eval, as the nested calls, and as a compiled kernel of one's own. */

GA_ELEMENTWISE_T(own_line, FLT, T, (T u, T v), u *v + 1)
GA_ELEMENTWISE_T(own_waves, FLT, T, (T u, T v), {
    T s = GA_SIN(u), c = GA_COS(v);
    return s * s + c * c;
})
GA_ELEMENTWISE_T(own_bell, FLT, T, (T u, T v), {
    T a = u - 300, b = v - 100;
    return GA_EXP(-(a * a) / 10000 - b * b / 10000);
})
GA_ELEMENTWISE_T(own_choice, FLT, T, (T u, T v), u > (T)0.5 ? GA_SQRT(u) : v)
GA_ELEMENTWISE_T(own_ratio, FLT, T, (T u, T v), (u - v) / (u + v))
GA_ELEMENTWISE_T(own_polynomial, FLT, T, (T u), ((((((7 * u + 6) * u + 5) * u + 4) * u + 3) * u + 2) * u + 1) * u + (T)0.5)
GA_ELEMENTWISE_T(own_length, FLT, T, (T u, T v, T w), GA_SQRT(u *u + v * v + w * w))
GA_ELEMENTWISE_T(own_plane, FLT, T, (T u, T v, T w), 2 * u + 3 * v - 4 * w + 5)
GA_ELEMENTWISE_T(own_tanh, FLT, T, (T u, T v), GA_TANH(u) * GA_EXP(-v) / (1 + u * u))
GA_REDUCTION_T(own_squares, FLT, T, (T u, T v), double, 0, (double)((u - v) * (u - v)), a + b, (T)a)

/* The operands, by whether a formula has one, two or three. */
#define IN_1 (x)
#define IN_2 (x, y)
#define IN_3 (x, y, z)

/* 7 x^7 + ... + 0.5 by Horner's rule. (As nested calls it would be a macro in a macro in a macro: more text than compilers like.) */
static void polynomial_by_calls(void)
{
    ga_array *p = ga_add(ga_multiply(7, x), 6);
    for (int k = 5; k > 0; k--) p = ga_add(ga_multiply(p, x), k);
    ga_add(ga_multiply(p, x), 0.5, .out = out);
}

/* clang-format off */
#define FORMULAS(INTO)                                                                                                         \
    INTO(line,       "x*y+1", IN_2, ga_add(ga_multiply(x, y), 1, .out = out))                                                  \
    INTO(waves,      "sin(x)**2+cos(y)**2", IN_2, ga_add(ga_square(ga_sin(x)), ga_square(ga_cos(y)), .out = out))              \
    INTO(bell,       "exp(-(x-300)**2/100**2-(y-100)**2/100**2)", IN_2,                                                        \
         ga_exp(ga_subtract(ga_divide(ga_negative(ga_square(ga_subtract(x, 300))), 10000),                                     \
                            ga_divide(ga_square(ga_subtract(y, 100)), 10000)), .out = out))                                    \
    INTO(choice,     "where(x>0.5, sqrt(x), y)", IN_2, ga_where(ga_greater(x, 0.5), ga_sqrt(x), y, .out = out))                \
    INTO(ratio,      "(x-y)/(x+y)", IN_2, ga_divide(ga_subtract(x, y), ga_add(x, y), .out = out))                              \
    INTO(polynomial, "((((((7*x+6)*x+5)*x+4)*x+3)*x+2)*x+1)*x+0.5", IN_1, polynomial_by_calls())                               \
    INTO(length,     "sqrt(x*x+y*y+z*z)", IN_3,                                                                                \
         ga_sqrt(ga_add(ga_add(ga_multiply(x, x), ga_multiply(y, y)), ga_multiply(z, z)), .out = out))                         \
    INTO(plane,      "2*x+3*y-4*z+5", IN_3,                                                                                    \
         ga_add(ga_subtract(ga_add(ga_multiply(2, x), ga_multiply(3, y)), ga_multiply(4, z)), 5, .out = out))                  \
    INTO(tanh,       "tanh(x)*exp(-y)/(1+x*x)", IN_2,                                                                          \
         ga_divide(ga_multiply(ga_tanh(x), ga_exp(ga_negative(y))), ga_add(1, ga_multiply(x, x)), .out = out))
/* clang-format on */

#define FORMULA_CALLS(name, text, in, ...)                                                                                     \
    static void call_eval_##name(void) { ga_eval(text, in, .out = out); }                                                      \
    static void call_calls_##name(void)                                                                                        \
    {                                                                                                                          \
        ga_scope {                                                                                                             \
            (void)(__VA_ARGS__);                                                                                               \
        }                                                                                                                      \
    }                                                                                                                          \
    static void call_own_##name(void) { ga_apply(own_##name, in, .out = out); }
FORMULAS(FORMULA_CALLS)

static ga_array *squares_by_calls(void)
{
    ga_array *r = NULL;
    ga_scope {
        r = ga_keep(ga_sum(ga_square(ga_subtract(x, y))));
    }
    return r;
}
#define NEW_FORMULA(name, ...)                                                                                                 \
    static void call_##name(void)                                                                                              \
    {                                                                                                                          \
        ga_free(result);                                                                                                       \
        result = __VA_ARGS__;                                                                                                  \
    }
NEW_FORMULA(eval_squares, ga_eval("sum((x-y)**2)", (x, y)))
NEW_FORMULA(calls_squares, squares_by_calls())
NEW_FORMULA(own_squares, ga_reduce(own_squares, (x, y)))

#define FORMULA_ROWS(name, ...)                                                                                                \
    { "eval_" #name, call_eval_##name, true }, { "calls_" #name, call_calls_##name, true },                                    \
        { "own_" #name, call_own_##name, true },

/* ---- what a formula that was read before costs beyond its kernels ----------------------------------------------------------- */

enum { FEW = 1000 }; /* elements: a tile */

/* The kernels of a formula that is one pass over float32, where they find their elements, and where they write. */
typedef struct formula_kernels {
    const gi_fused *pass;
    gi_pass_job     job;
    char           *slot[GI_FUSED_SLOTS];
    char            tiles[GI_PASS_TILES][GI_PASS_TILE_BYTES], numbers[GI_PASS_NUMBERS][GI_PASS_TILE_BYTES];
} formula_kernels;

/* False: it is not kept, or more than a pass. */
static bool find_kernels(formula_kernels *f, const char *text)
{
    const gi_kept_formula *kept = NULL;
    for (int k = 0; k < GI_KEPT_FORMULAS; k++)
        if (gi_formulas.place[k].kept && !strcmp(gi_formulas.place[k].kept->text, text)) kept = gi_formulas.place[k].kept;
    if (!kept || !kept->passes || kept->passes->count != 1) return false;
    const ga_array *operands[] = { x, y, z };
    f->pass                    = &kept->passes->pass[0];
    f->job.p                   = f->pass;
    f->job.op                  = f->pass->op;
    f->job.sequence            = f->pass->sequence;
    for (int k = 0; k < f->pass->leaves; k++) f->slot[k] = (char *)operands[kept->steps->step[f->pass->leaf[k]].operand]->data;
    for (int k = 0; k < f->pass->numbers; k++) {
        const gi_pass_number *number = &f->pass->number[k];
        char                 *copies = number->tile ? number->tile : f->numbers[k];
        if (!number->tile) gi_number_to(kept->passes->typed[number->step].value, number->dtype, copies);
        if (!number->tile) gi_repeat((int)ga_itemsize(number->dtype), FEW, copies, copies);
        f->slot[GI_SLOT_NUMBER + k] = copies;
    }
    for (int k = 0; k < f->pass->tiles; k++) f->slot[GI_SLOT_TILE + k] = f->tiles[k];
    f->slot[GI_SLOT_OUT] = (char *)out->data;
    return true;
}

static void run_kernels(const formula_kernels *f)
{
    for (int k = 0; k < f->pass->ops; k++) {
        const gi_pass_op *op = &f->pass->op[k];
        if (op->root < 0 || op->sequence >= 0) gi_pass_run_op(f->job.sequence, op, FEW, f->slot[op->out], f->slot);
    }
}

/* The median of how many seconds a call takes longer than its kernels, in pairs; NaN: they are not known. */
static double overhead_of(const char *text, void (*call)(void))
{
    enum { PAIRS = 401, CALLS = 50 };
    static formula_kernels f;
    double                 start, median = NAN;
    call();
    if (!find_kernels(&f, text)) return NAN;
    ga_array *all         = ga_empty((PAIRS), .dtype = GA_F64);
    double   *differences = (double *)ga_data(all, GA_F64);
    for (int k = 0; k < PAIRS; k++) {
        start = ga_now();
        for (int i = 0; i < CALLS; i++) run_kernels(&f);
        differences[k] = start - ga_now();
        start          = ga_now();
        for (int i = 0; i < CALLS; i++) call();
        differences[k] = (differences[k] + ga_now() - start) / CALLS;
    }
    ga_scope {
        median = ga_item(ga_median(all));
    }
    ga_free(all);
    return median;
}

/* Prints a line: the formulas, and how many seconds each costs. */
static void print_overheads(void)
{
    forget();
    x = ga_random((FEW), .dtype = GA_F32, .seed = 1), y = ga_random((FEW), .dtype = GA_F32, .seed = 2);
    z = ga_random((FEW), .dtype = GA_F32, .seed = 3), out = ga_empty((FEW), .dtype = GA_F32);
#define PRINT_OVERHEAD(name, text, ...) printf("%s %.9g ", #name, overhead_of(text, call_eval_##name));
    FORMULAS(PRINT_OVERHEAD)
#undef PRINT_OVERHEAD
    printf("\n");
    forget();
}
