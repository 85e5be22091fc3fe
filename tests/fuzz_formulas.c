/* libFuzzer target: texts of formulas, for ga_eval and ga_formula_c.
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz_formulas.c -o build/fuzz_formulas -lm -lpthread
   build/fuzz_formulas -max_total_time=20 build/corpus/formulas   (an empty folder gets formulas of every kind)
   With -DFUZZ_ALONE a program that needs no libFuzzer: it grows and changes formulas by itself.   [--inputs N] [--seed N] */
#include "fuzz.h"

#include "fuzz_grammar.h"

/* ---- an input: HEAD bytes that choose the options and the operands, the formula, and behind zero bytes the operands' names and the
        parameters of a kernel ------------------------------------------------------------------------------------------- */

enum { OPERANDS = 4, HEAD = 2 + 2 * OPERANDS };
enum { INTO = 1, INTO_OPERAND = 2, MASKED = 4, OF_DTYPE = 8, FEWER = 16 }; /* bits of the first byte */

typedef struct input {
    char          *formula, *names, *parameters; /* NULL: not given */
    ga_arg         operand[OPERANDS];
    int            n;
    ga_array      *out, *where;
    ga_dtype       dtype;
    const uint8_t *head;
} input_of_formula;

static const char usual_names[] = "x, y, z, n";

static const int64_t lengths[16][9] = { /* ndim, shape */
                                        { 1, 3 },       { 0 },          { 1, 1 },    { 1, 0 },
                                        { 2, 2, 3 },    { 2, 2, 1 },    { 2, 1, 3 }, { 2, 0, 3 },
                                        { 3, 4, 2, 3 }, { 3, 2, 1, 1 }, { 1, 600 },  { 8, 1, 1, 1, 1, 1, 1, 1, 2 },
                                        { 2, 3, 3 },    { 2, 3, 300 },  { 2, 1, 0 }, { 1, 2 }
};

static ga_dtype dtype_of(uint8_t byte) { return (ga_dtype)(1 + byte % GA_C128); }

/* Contiguous, backwards, every second, transposed, or one element everywhere. */
static ga_array *some_view(const ga_array *a, int layout)
{
    static const char *const index[] = { "...", "..., ::-1", "..., ::2", "::-1, ..." };
    ga_shape                 shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = a->ndim;
    memcpy(shape.n, a->shape, sizeof shape.n);
    if (layout == 4) return ga_transpose(a);
    if (layout == 5 && a->size > 0) {
        ga_array *flat = ga_ravel(a);
        return (ga_broadcast_to)(ga_index(flat, "0"), shape, "");
    }
    return a->ndim > 0 && layout < 4 ? ga_index(a, "%s", index[layout]) : ga_view(a);
}

static ga_array *some_array(uint8_t dtype, uint8_t form)
{
    static const double values[] = { 1, 0, -1, 2, 0.5, -2.5, NAN, 3, 255, INFINITY, -0.0, 1e30, -INFINITY, 1e-320, 7, 128.25 };
    const int64_t      *shape    = lengths[form % 16];
    ga_array           *a        = ga_empty_n((int)shape[0], shape + 1, .dtype = GA_C128);
    for (int64_t k = 0; a && k < 2 * a->size; k++) ((double *)a->data)[k] = values[(k % 2 ? k / 3 + 1 : k / 2 + dtype) % 16];
    if (dtype_of(dtype) < GA_C64) a = ga_real(a);
    return some_view(ga_astype(a, dtype_of(dtype)), form / 16 % 8);
}

static ga_arg some_number(uint8_t form)
{
    const ga_c128 z         = { 1.5, -2 };
    const ga_arg  numbers[] = { GA_ARG(2),          GA_ARG(0),   GA_ARG(-1),   GA_ARG(INT64_MAX),   GA_ARG(INT64_MIN),
                                GA_ARG(UINT64_MAX), GA_ARG(0.5), GA_ARG(0.5f), GA_ARG((double)NAN), GA_ARG(-1e300),
                                GA_ARG((bool)true), GA_ARG(z),   GA_ARG(300) };
    return numbers[form % GRAMMAR_COUNT(numbers)];
}

/* A copy of its own, so that one byte too many is seen; NULL: the text ended before. */
static char *next_text(const uint8_t **from, const uint8_t *end)
{
    if (!*from) return NULL;
    const uint8_t *zero = (const uint8_t *)memchr(*from, 0, (size_t)(end - *from));
    const size_t   n    = (size_t)((zero ? zero : end) - *from);
    char          *copy = (char *)calloc(n + 1, 1);
    if (!copy) abort();
    memcpy(copy, *from, n);
    *from = zero ? zero + 1 : NULL;
    return copy;
}

static void read_input(input_of_formula *in, const uint8_t *data, size_t n)
{
    const uint8_t *text = data + HEAD;
    memset(in, 0, sizeof *in);
    in->head       = data;
    in->formula    = next_text(&text, data + n);
    in->names      = next_text(&text, data + n);
    in->parameters = next_text(&text, data + n);
    in->n          = data[0] & FEWER ? data[0] >> 5 & 3 : OPERANDS;
    for (int k = 0; k < in->n; k++) {
        const uint8_t dtype = data[2 + 2 * k], form = data[3 + 2 * k];
        in->operand[k] = dtype >= 0xE0 ? some_number(form) : GA_ARG(some_array(dtype, form));
    }
    in->out = GA_NO_ARRAY, in->where = GA_NO_ARRAY, in->dtype = GA_DTYPE_DEFAULT;
    if (data[0] & OF_DTYPE) in->dtype = dtype_of(data[1]);
    if (data[0] & MASKED) in->where = some_array((uint8_t)(GA_BOOL - 1), data[1]);
}

/* ---- judging --------------------------------------------------------------------------------------------------------------- */

static void tell(const input_of_formula *in, const char *why)
{
    fprintf(stderr, "%s\n    formula: %s\n    error: %s\n", why, in->formula, ga_error() ? ga_error() : "none");
    for (int k = 0; k < in->n; k++) {
        const ga_array *a = in->operand[k].array;
        if (!a) fprintf(stderr, "    %d: number of kind %d\n", k + 1, (int)in->operand[k].kind);
        else
            fprintf(stderr, "    %d: %s, %d dimensions, %lld elements\n", k + 1, ga_dtype_name(a->dtype), a->ndim,
                    (long long)a->size);
    }
}

static void fail(const input_of_formula *in, const char *why)
{
    tell(in, why);
    abort();
}

/* How many bytes of UTF-8 the character there has; 0: it is none. */
static int utf8_length(const unsigned char *p)
{
    const int n = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    for (int k = 1; k < n; k++)
        if ((p[k] & 0xC0) != 0x80) return 0;
    return n;
}

static bool is_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    while (*p && utf8_length(p) > 0) p += utf8_length(p);
    return *p == 0;
}

/* Does a line hold nothing but carets, under characters of the line before it or right behind them? */
static bool has_carets(const char *error)
{
    for (const char *line = error, *end; line; line = end ? end + 1 : NULL) {
        end                 = strchr(line, '\n');
        const char  *next   = end ? end + 1 : "";
        const size_t blanks = strspn(next, " "), carets = strspn(next + blanks, "^");
        if (carets > 0 && (next[blanks + carets] == 0 || next[blanks + carets] == '\n')) return blanks <= (size_t)(end - line);
    }
    return false;
}

/* A call gave nothing: the sentence can be shown as it is, and marks the place. */
static void judge_error(const input_of_formula *in, bool of_text)
{
    const char *error = ga_error();
    if (!error || strlen(error) < 20) fail(in, "there is no sentence");
    const bool quotes = strstr(error, "the index \"") || strstr(error, "the parameters are \""); /* what was given, as it is */
    for (const char *p = error; *p && !quotes; p++)
        if (((unsigned char)*p < ' ' && *p != '\n') || *p == 0x7F) fail(in, "a control character in the error");
    if (!quotes && is_utf8(in->formula) && (!in->names || is_utf8(in->names)) && (!in->parameters || is_utf8(in->parameters)) &&
        !is_utf8(error))
        fail(in, "the error is no UTF-8");
    if (of_text && !has_carets(error)) fail(in, "no caret marks the place");
}

static ga_array *evaluate(const input_of_formula *in, ga_array *out, const ga_array *where, ga_dtype dtype)
{
    const int64_t arrays = ga_memory_stats().arrays;
    const char   *names  = in->names ? in->names : usual_names;
    ga_clear_error();
    ga_array *a = ga_eval_n(in->formula, in->n, in->operand, .out = out, .where = where, .dtype = dtype, .names = names);
    if (ga_memory_stats().arrays != arrays + (a && a != out)) fail(in, "arrays are left over");
    if (!a != !!ga_error()) fail(in, "an array and an error, or neither");
    if (!a) {
        judge_error(in, !strstr(ga_error(), "the formula is longer than"));
        return NULL;
    }
    int64_t size = 1;
    for (int d = 0; d < a->ndim; d++) size *= a->shape[d];
    if (size != a->size || a->ndim > GPUARR_MAX_DIMS) fail(in, "the shape is wrong");
    if (a == out) return a;
    if (!ga_is_contiguous(a)) fail(in, "the result is a view");
    fuzz_read(a);
    return a;
}

/* Into an array: what the result would be there, and nothing beside it. */
static void judge_into(const input_of_formula *in, const ga_array *result)
{
    ga_array *out = GA_NO_ARRAY, *want;
    if (in->head[0] & INTO_OPERAND) {
        for (int k = 0; k < in->n; k++)
            if (in->operand[k].array && ga_same_shape(in->operand[k].array, result))
                out = (ga_array *)(uintptr_t)in->operand[k].array;
    } else if (in->head[0] & INTO) {
        out = ga_zeros_n(result->ndim, result->shape, .dtype = dtype_of(in->head[1]));
    }
    if (out == GA_NO_ARRAY) return;
    const bool single = result->dtype == GA_F32 || result->dtype == GA_C64;
    if (single && ga_itemsize(out->dtype) > ga_itemsize(result->dtype)) return; /* a fold does not round what goes there */
    for (int d = 0; d < out->ndim; d++)
        if (out->strides[d] == 0 && out->shape[d] > 1) return; /* elements that share memory */
    want = ga_copy(out);
    ga_clear_error();
    if (!ga_copyto(want, result, .where = in->where)) return;
    if (evaluate(in, out, in->where, GA_DTYPE_DEFAULT) && !test_same_bits(out, want)) fail(in, "other bits in .out");
}

/* What was read is kept for these operands and names, and is not taken for others: as if the text were another, with a blank behind it. */
static void judge_others(input_of_formula other)
{
    char         names[300];
    const ga_arg first = other.operand[0];
    const size_t n     = strlen(other.formula);
    char        *text = (char *)malloc(n + 2), *kept = other.formula;
    if (!text) abort();
    for (int k = 1; k < other.n; k++) other.operand[k - 1] = other.operand[k];
    if (other.n > 0) other.operand[other.n - 1] = first;
    if (other.head[1] % 2) { /* the same operands by their names */
        snprintf(names, sizeof names, "%s", other.n < 4 ? "y, z, x" : "y, z, n, x");
        other.names = names;
    }
    ga_array *a   = evaluate(&other, GA_NO_ARRAY, GA_NO_ARRAY, GA_DTYPE_DEFAULT);
    other.formula = strcat(strcpy(text, kept), " ");
    ga_array *b   = evaluate(&other, GA_NO_ARRAY, GA_NO_ARRAY, GA_DTYPE_DEFAULT);
    if (!a != !b || (a && !test_same_bits(a, b))) fail(&other, "what was kept is another formula");
    ga_free(a);
    ga_free(b);
    free(text);
}

/* The results are the same for who asks again (what was read is kept), and without passes, which there are none of with a .dtype. */
static void judge_formula(const input_of_formula *in)
{
    ga_array *first = evaluate(in, GA_NO_ARRAY, GA_NO_ARRAY, GA_DTYPE_DEFAULT),
             *again = evaluate(in, GA_NO_ARRAY, GA_NO_ARRAY, GA_DTYPE_DEFAULT);
    if (!first != !again || (first && !test_same_bits(first, again))) fail(in, "not the same when asked again");
    if (first) {
        ga_array *steps = evaluate(in, GA_NO_ARRAY, GA_NO_ARRAY, first->dtype);
        if (steps && !test_same_bits(first, steps)) fail(in, "not the same step by step");
        ga_free(steps);
    }
    if (in->head[0] & (MASKED | OF_DTYPE)) ga_free(evaluate(in, GA_NO_ARRAY, in->where, in->dtype));
    if (first && in->head[0] & (INTO | INTO_OPERAND)) judge_into(in, first);
    if (strlen(in->formula) < 10000) judge_others(*in);
    ga_free(first);
    ga_free(again);
}

/* The source of a kernel: whole, and of characters of C. */
static void judge_source(const input_of_formula *in)
{
    char parameters[200] = "";
    for (int k = 0; k < in->n; k++) {
        static const char *const types[] = { "float", "double", "int", "uint8_t", "int64_t", "bool", "unsigned", "uint64_t" };
        static const char *const names[] = { "x", "y", "z", "n" };
        snprintf(parameters + strlen(parameters), sizeof parameters - strlen(parameters), "%s%s %s", k ? ", " : "",
                 types[in->head[2 + 2 * k] % 8], names[k]);
    }
    ga_clear_error();
    char *source = ga_formula_c("made", in->formula, in->parameters ? in->parameters : parameters);
    if (!source != !!ga_error()) fail(in, "a source and an error, or neither");
    if (!source) {
        const char *error = ga_error();
        judge_error(in, !strstr(error, "is longer than") && !strstr(error, "the parameters are") &&
                            !strstr(error, "has more than"));
        return;
    }
    int depth = 0;
    for (const char *p = source; *p; p++) {
        if ((*p < ' ' && *p != '\n') || *p == 0x7F) fail(in, "the source has a character that C has not");
        depth += (*p == '(' || *p == '{') - (*p == ')' || *p == '}');
        if (depth < 0) fail(in, "the parentheses of the source are wrong");
    }
    if (depth != 0 || (strncmp(source, "GA_ELEMENTWISE(made, ", 21) && strncmp(source, "GA_REDUCTION(made, ", 19)))
        fail(in, "the source is not whole");
    free(source);
}

static input_of_formula now; /* static: what a sanitizer's last words are about */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < HEAD) return 0;
    ga_clear_error();
    ga_scope {
        read_input(&now, data, n);
        judge_formula(&now);
        judge_source(&now);
    }
    free(now.formula), free(now.names), free(now.parameters);
    memset(&now, 0, sizeof now);
    ga_clear_error();
    fuzz_nothing_is_left();
    return 0;
}

/* ---- inputs ---------------------------------------------------------------------------------------------------------------- */

/* Changes the choice of operands, or the text. */
static size_t change_input(uint8_t *data, size_t n, size_t most)
{
    grammar_text t = { (char *)data + HEAD, n - HEAD, most - HEAD };
    for (int64_t changes = 1 + test_below(4); changes > 0; changes--) {
        if (test_below(4)) grammar_change(&t);
        else data[test_below(HEAD)] = (uint8_t)test_below(256);
    }
    return HEAD + t.n;
}

/* A new formula. Operands are mostly of one shape, and often of float dtypes, so that most of it is computed. */
static size_t grow_input(uint8_t *data, size_t most)
{
    grammar_text  t      = { (char *)data + HEAD, 0, most - HEAD };
    const uint8_t shape  = (uint8_t)test_below(16);
    const bool    floats = test_below(2);
    for (int k = 0; k < HEAD; k++) data[k] = (uint8_t)test_below(256);
    if (test_below(4)) data[0] &= test_below(2) ? 0 : (uint8_t)~FEWER;
    for (int k = 0; k < OPERANDS; k++) {
        if (floats) data[2 + 2 * k] = (uint8_t)(GA_F32 - 1 + test_below(2));
        if (test_below(10)) data[3 + 2 * k] = (uint8_t)(shape | (test_below(6) << 4));
    }
    if (test_below(4)) data[2 * OPERANDS] = 0xFF, data[1 + 2 * OPERANDS] = (uint8_t)test_below(2); /* n is a number, 2 or 0 */
    grammar_formula(&t);
    return HEAD + t.n;
}

#ifndef FUZZ_ALONE
/* Each word, and random formulas. */
static void write_seeds(const char *folder)
{
    static uint8_t data[4000];
    char           name[100];
    for (int64_t g = 0; g < GRAMMAR_COUNT(grammar_groups); g++)
        for (int64_t k = 0; k < grammar_groups[g].count; k++) {
            grammar_text t = { (char *)data + HEAD, 0, sizeof data - HEAD };
            (void)grow_input(data, sizeof data); /* the operands */
            grammar_call(&t, &grammar_groups[g], grammar_groups[g].words[k], 0);
            snprintf(name, sizeof name, "%s", grammar_groups[g].words[k]);
            fuzz_write(folder, name, data, HEAD + t.n);
        }
    for (int k = 0; k < 250; k++) {
        snprintf(name, sizeof name, "formula%d", k);
        fuzz_write(folder, name, data, grow_input(data, sizeof data));
    }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed)
{
    test_random_state = seed * 0x9e3779b97f4a7c15u + 1;
    return n >= HEAD && test_below(3) ? change_input(data, n, most) : LLVMFuzzerMutate(data, n, most);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char  entropic[] = "-entropic=0"; /* the bookkeeping takes longer than the formulas */
    static char *flags[]    = { entropic };
    fuzz_seed(*argc, *argv, write_seeds);
    fuzz_flags(argc, argv, 1, flags);
    fuzz_begin();
    return 0;
}
#else
void        __sanitizer_set_death_callback(void (*callback)(void));
static void last_words(void) { tell(&now, "a sanitizer ended it"); }

int main(int argc, char **argv)
{
    static uint8_t data[20000];
    int64_t        inputs = 10000, seed = 1;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--inputs")) inputs = atoll(argv[k + 1]);
        if (!strcmp(argv[k], "--seed")) seed = atoll(argv[k + 1]);
    }
    __sanitizer_set_death_callback(last_words);
    test_random_state += (uint64_t)seed * 0x9e3779b97f4a7c15u;
    fuzz_begin();
    for (int64_t k = 0; k < inputs; k++) {
        size_t n = grow_input(data, sizeof data / 2);
        for (int64_t rounds = test_below(8) - 4; rounds > 0; rounds--) n = change_input(data, n, sizeof data);
        LLVMFuzzerTestOneInput(data, n);
        CHECK(true); /* else it has not come back */
    }
    return test_end();
}
#endif
