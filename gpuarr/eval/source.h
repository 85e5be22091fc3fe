/* ---- ga_formula_c: a formula as source ------------------------------------------------------------------------------------ */
/*  Each step becomes an expression of C in what gpuarr/own lets kernels call, so that the compiled kernel has the bits of ga_eval. What
    several others need is a variable; what has no such form is an error with its place in the formula.                        */

/* How deep expressions may be nested, which are written by a recursion. */
enum { GI_SOURCE_ROOM = 32768, GI_SOURCE_STEPS = GI_PASS_STEPS, GI_SOURCE_DEPTH = 32 };

typedef struct gi_c_source gi_c_source;
struct gi_c_source {
    gi_formula_text *f;
    const gi_steps  *steps;
    gi_typed        *typed;
    int             *readers;    /* of each step; a square reads its operand twice */
    int             *depth;      /* of each: how many operations are nested in it */
    bool            *variable;   /* is it a variable, t5? */
    char             prefix[16]; /* "t": no parameter's name begins so */
    char            *text;
    bool             failed;
    /* Writes a step as an operand of that dtype; bare: it needs no parentheses. */
    void (*value)(gi_c_source *s, int k, ga_dtype wanted, bool bare);
};

static const char *gi_c_type(ga_dtype dtype)
{
    switch (dtype) {
    case GA_BOOL: return "bool";
    case GA_I8: return "int8_t";
    case GA_U8: return "uint8_t";
    case GA_I16: return "int16_t";
    case GA_U16: return "uint16_t";
    case GA_I32: return "int32_t";
    case GA_U32: return "uint32_t";
    case GA_I64: return "int64_t";
    case GA_U64: return "uint64_t";
    case GA_F32: return "float";
    case GA_F64: return "double";
    default: return NULL;
    }
}

static ga_dtype gi_dtype_of_c(gi_letters type)
{
    for (int d = GA_BOOL; d <= (int)GA_F64; d++)
        if (gi_letters_is(type, gi_c_type((ga_dtype)d))) return (ga_dtype)d;
    return gi_letters_is(type, "int") ? GA_I32 : gi_letters_is(type, "unsigned") ? GA_U32 : GA_DTYPE_DEFAULT;
}

static void gi_source_fails(gi_c_source *s, const gi_step *step, const char *why)
{
    if (!s->failed) (void)gi_formula_fail(s->f, step->at, step->length, "%s", why);
    s->failed = true;
}

/* How the loop of a row is written; x, y and z stand for its operands. NULL: it has no form in C. */
static const char *gi_row_in_c(const gi_row *row, ga_dtype dtype)
{
    const bool real = gi_is_float(dtype);
    switch ((int)row->op) {
    case GA_OP_less: return "x < y";
    case GA_OP_less_equal: return "x <= y";
    case GA_OP_equal: return "x == y";
    case GA_OP_not_equal: return "x != y";
    case GA_OP_logical_and: return "x && y";
    case GA_OP_logical_or: return "x || y";
    case GA_OP_logical_xor: return "x != y";
    case GA_OP_logical_not: return "!x";
    case GA_OP_bitwise_and: return "x & y";
    case GA_OP_bitwise_or: return "x | y";
    case GA_OP_bitwise_xor: return "x ^ y";
    case GA_OP_invert: return dtype == GA_BOOL ? "!x" : "~x";
    case GA_OP_add: return dtype == GA_BOOL ? "x || y" : "x + y";
    case GA_OP_multiply: return dtype == GA_BOOL ? "x && y" : "x * y";
    case GA_OP_subtract: return "x - y";
    case GA_OP_negative: return "-x";
    case GA_OP_square: return "x * x";
    case GA_OP_multiply_add: return "x * y + z";
    case GA_OP_divide: return real ? "x / y" : NULL;
    case GA_OP_reciprocal: return real ? "1 / x" : NULL;
    case GA_OP_clip: return real ? "GA_MINIMUM(GA_MAXIMUM(x, y), z)" : NULL;
    case GA_OP_sqrt: return real ? "GA_SQRT(x)" : NULL;
    case GA_OP_absolute: return real ? "GA_ABSOLUTE(x)" : NULL;
    case GA_OP_sign: return real ? "GA_SIGN(x)" : NULL;
    case GA_OP_floor: return "GA_FLOOR(x)";
    case GA_OP_ceil: return "GA_CEIL(x)";
    case GA_OP_trunc: return "GA_TRUNC(x)";
    case GA_OP_rint: return "GA_RINT(x)";
    case GA_OP_isnan: return real ? "GA_ISNAN(x)" : NULL;
    case GA_OP_isinf: return real ? "GA_ISINF(x)" : NULL;
    case GA_OP_isfinite: return real ? "GA_ISFINITE(x)" : NULL;
    case GA_OP_maximum: return real ? "GA_MAXIMUM(x, y)" : NULL;
    case GA_OP_minimum: return real ? "GA_MINIMUM(x, y)" : NULL;
    case GA_OP_fmax: return "GA_FMAX(x, y)";
    case GA_OP_fmin: return "GA_FMIN(x, y)";
    case GA_OP_copysign: return "GA_COPYSIGN(x, y)";
    case GA_OP_fmod: return real ? "GA_FMOD(x, y)" : NULL;
    case GA_OP_remainder: return real ? "GA_REMAINDER(x, y)" : NULL;
    case GA_OP_floor_divide:
        return real ? "GA_FLOOR_DIVIDE(x, y)" : NULL;
/* clang-format off */
#define GA_ELEMENTARY(name, ...)  case GA_OP_##name: return real ? "GA_" #name "(x)" : NULL;
#define GA_ELEMENTARY2(name, ...) case GA_OP_##name: return real ? "GA_" #name "(x, y)" : NULL;
/* clang-format on */
#define GA_TABLE
#include "../rows/table.h"
    default: return NULL;
    }
}

/* A number that is written in the formula, as that dtype. */
static void gi_source_number(gi_c_source *s, ga_arg v, ga_dtype dtype)
{
    char   digits[40], *stop;
    double number[2] = { 0, 0 }, real;
    bool   truth;
    if (dtype == GA_BOOL) {
        gi_number_to(v, GA_BOOL, &truth);
        gi_text_add(s->text, GI_SOURCE_ROOM, truth ? "true" : "false");
        return;
    }
    if (gi_is_int(dtype)) {
        if (v.kind == GA_KIND_UINT) gi_text_add(s->text, GI_SOURCE_ROOM, "%lluu", (unsigned long long)v.i);
        else gi_text_add(s->text, GI_SOURCE_ROOM, v.i < 0 ? "(%lld)" : "%lld", (long long)v.i);
        return;
    }
    gi_number_to(v, GA_F64, number);
    real = dtype == GA_F32 ? (double)(float)number[0] : number[0];
    if (real != real || real - real != 0) {
        gi_text_add(s->text, GI_SOURCE_ROOM,
                    real != real ? "(%s)NAN"
                    : real > 0   ? "(%s)INFINITY"
                                 : "(-(%s)INFINITY)",
                    gi_c_type(dtype));
        return;
    }
    for (int precision = fabs(real) < 0x1p24 ? 8 : 1; precision <= 17; precision++) { /* as few digits as tell it */
        (void)snprintf(digits, sizeof digits, "%.*g", precision, real);
        gi_point_text(digits);
        const double read = gi_read_real(digits, &stop);
        if (dtype == GA_F32 ? (float)read == (float)real : read == real) break;
    }
    gi_text_add(s->text, GI_SOURCE_ROOM, signbit(real) ? "(%s%s%s)" : "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0",
                dtype == GA_F32 ? "f" : "");
}

/* Writes a form: x, y and z are the operands of the step, letters behind GA_ become capitals. */
static void gi_source_form(gi_c_source *s, const char *form, const gi_elementwise *e)
{
    const bool call = form[0] == 'G'; /* whose operands need no parentheses */
    bool       name = false;
    for (const char *p = form; *p && !s->failed; p++) {
        const bool letter = (*p >= 'a' && *p <= 'z') || *p == '_' || (*p >= '0' && *p <= '9');
        if (p - form >= 3 && !strncmp(p - 3, "GA_", 3)) name = true;
        name = name && letter;
        if (!name && *p >= 'x' && *p <= 'z') s->value(s, e->x[*p - 'x'], e->wanted[*p - 'x'], call);
        else gi_text_add(s->text, GI_SOURCE_ROOM, "%c", name && *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
    }
}

/* The operation of a step; bare: it needs no parentheses. */
static void gi_source_operation(gi_c_source *s, int k, bool bare)
{
    const gi_step        *step = &s->steps->step[k];
    const gi_typed       *t    = &s->typed[k];
    const gi_elementwise *e    = &t->e;
    const char           *form = NULL;
    if (step->kind == GI_STEP_CALL && step->word->kind == GI_WORD_ROUND && step->value.i != 0 && !t->elementwise) {
        gi_source_fails(s, step, "decimals have no form in C: write rint(x * 100) / 100");
        return;
    }
    if (!t->known || !t->elementwise) {
        gi_source_fails(s, step, "only what is elementwise has a form in C, and at the end a sum, prod or mean of everything");
        return;
    }
    if (!e->kernel) { /* a conversion, or nothing */
        s->value(s, e->x[0], t->dtype, bare);
        return;
    }
    if (step->kind == GI_STEP_CALL && step->word->kind == GI_WORD_WHERE) form = "(x ? y : z)";
    else if (e->row) form = gi_row_in_c(e->row, e->wanted[0]);
    if (!form) {
        gi_source_fails(s, step, "this has no form in C that kernels may call: see GA_ELEMENTWISE for what they may");
        return;
    }
    const bool ints  = gi_is_int(t->dtype) && t->dtype != GA_BOOL; /* which wrap around: signed ones of C do not */
    const bool plain = form[0] == 'G' || form[0] == '(' || (bare && !ints);
    if (ints) {
        gi_elementwise wide = *e;
        const ga_dtype as   = ga_itemsize(t->dtype) == 8 ? GA_U64 : GA_U32;
        for (int i = 0; i < 3; i++) wide.wanted[i] = i == 0 && form[0] == '(' ? e->wanted[0] : as;
        gi_text_add(s->text, GI_SOURCE_ROOM, "(%s)", gi_c_type(t->dtype));
        e = &wide;
        if (!plain) gi_text_add(s->text, GI_SOURCE_ROOM, "(");
        gi_source_form(s, form, e);
        if (!plain) gi_text_add(s->text, GI_SOURCE_ROOM, ")");
        return;
    }
    if (!plain) gi_text_add(s->text, GI_SOURCE_ROOM, "(");
    gi_source_form(s, form, e);
    if (!plain) gi_text_add(s->text, GI_SOURCE_ROOM, ")");
}

/* Step k as that dtype; bare: where anything may stand, else where an operand may. */
static void gi_source_value(gi_c_source *s, int k, ga_dtype wanted, bool bare)
{
    const gi_step  *step = &s->steps->step[k];
    const gi_typed *t    = &s->typed[k];
    if (s->failed) return;
    if (strlen(s->text) > GI_SOURCE_ROOM - 500) {
        gi_source_fails(s, step, "the source becomes too long");
        return;
    }
    if (t->dtype == GA_DTYPE_DEFAULT) {
        if (t->fixed) gi_source_number(s, t->value, wanted);
        else gi_source_fails(s, step, "this is no number that is known");
        return;
    }
    if (gi_is_float(t->dtype) && gi_is_int(wanted) && wanted != GA_BOOL) {
        gi_source_fails(s, step, "a conversion of real numbers to integers is another in C where they do not fit");
        return;
    }
    if (t->dtype != wanted) gi_text_add(s->text, GI_SOURCE_ROOM, "(%s)", gi_c_type(wanted));
    if (step->kind == GI_STEP_OPERAND)
        gi_text_add(s->text, GI_SOURCE_ROOM, "%.*s", s->f->names[step->operand].length, s->f->names[step->operand].at);
    else if (s->variable[k]) gi_text_add(s->text, GI_SOURCE_ROOM, "%s%d", s->prefix, k);
    else gi_source_operation(s, k, bare && t->dtype == wanted);
}

/* How deep each step is nested. */
static void gi_source_measure(gi_c_source *s, int result)
{
    for (int k = 0; k <= result; k++) {
        s->depth[k] = 0;
        for (int i = 0; i < s->typed[k].e.n && s->typed[k].elementwise; i++)
            if (s->depth[s->typed[k].e.x[i]] >= s->depth[k]) s->depth[k] = s->depth[s->typed[k].e.x[i]] + 1;
    }
}

/* Counts who reads which step, from the result down. */
static void gi_source_count(gi_c_source *s, int result)
{
    memset(s->readers, 0, (size_t)s->steps->count * sizeof *s->readers);
    s->readers[result] = 1;
    for (int k = result; k >= 0; k--) {
        const gi_typed *t = &s->typed[k];
        if (s->readers[k] == 0 || !t->elementwise) continue;
        const bool twice = t->e.row && t->e.row->op == GA_OP_square;
        for (int i = 0; i < t->e.n; i++) s->readers[t->e.x[i]] += 1 + twice;
    }
}

/* May a kernel or a parameter have that name? */
static bool gi_is_c_name(gi_letters name)
{
    static const char *const words[] = {
        /* of C and C++, which headers may not be compiled as, and macros of <stddef.h> and the like */
        "alignas",  "alignof",  "and",      "asm",       "auto",     "bool",      "break",    "case",   "catch",
        "char",     "class",    "const",    "continue",  "decltype", "default",   "delete",   "do",     "double",
        "else",     "enum",     "explicit", "extern",    "false",    "float",     "for",      "friend", "goto",
        "if",       "inline",   "int",      "long",      "mutable",  "namespace", "new",      "not",    "nullptr",
        "operator", "or",       "private",  "protected", "public",   "register",  "restrict", "return", "short",
        "signed",   "sizeof",   "static",   "struct",    "switch",   "template",  "this",     "throw",  "true",
        "try",      "typedef",  "typeid",   "typename",  "typeof",   "union",     "unsigned", "using",  "virtual",
        "void",     "volatile", "while",    "xor",       "NULL",     "NAN",       "INFINITY", "I",
    };
    bool is = name.length > 0 && !gi_is_digit(name.at[0]) && !(name.length > 2 && !strncmp(name.at, "GA_", 3));
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) is = is && !gi_letters_is(name, words[k]);
    return is;
}

/* The parameters, "float x, int n", as operands: their dtypes, and the list of their names. Their number; -1: an error. */
static int gi_source_parameters(const char *site, const char *text, ga_array *arrays, ga_arg *operands, char *names,
                                size_t room)
{
    gi_letters before[GPUARR_MAX_INPUTS];
    int        n = 0;
    names[0]     = 0;
    for (const char *p = text; *p || n > 0;) {
        gi_letters type, name;
        type.at = p = gi_skip_blanks(p);
        while (gi_is_word_part(*p)) p++;
        type.length = (int)(p - type.at);
        name.at = p = gi_skip_blanks(p);
        while (gi_is_word_part(*p)) p++;
        name.length          = (int)(p - name.at);
        p                    = gi_skip_blanks(p);
        const ga_dtype dtype = gi_dtype_of_c(type);
        bool           fits  = dtype != GA_DTYPE_DEFAULT && gi_is_c_name(name) && (!*p || *p == ',') && n < GPUARR_MAX_INPUTS;
        for (int k = 0; k < n && fits; k++) fits = !gi_letters_same(before[k], name);
        if (!fits) {
            gi_fail(site, GA_BAD_ARGUMENT,
                    "the parameters are \"%.100s\"; up to %d of bool, int8_t ... uint64_t, int, unsigned, float and double are "
                    "possible, each with a name of its own: \"float x, int n\"",
                    text, GPUARR_MAX_INPUTS);
            return -1;
        }
        memset(&arrays[n], 0, sizeof arrays[n]);
        arrays[n].dtype = dtype;
        operands[n]     = gi_operand_arg(&arrays[n]);
        gi_text_add(names, room, "%s%.*s", n > 0 ? ", " : "", name.length, name.at);
        before[n++] = name;
        if (!*p) break;
        p++;
    }
    return n;
}

/* GA_ELEMENTWISE of a result that is no fold. */
static void gi_source_elementwise(gi_c_source *s, const char *name, const char *parameters, int result)
{
    const ga_dtype dtype = s->typed[result].dtype;
    bool           body  = false;
    gi_source_count(s, result);
    gi_source_measure(s, result);
    gi_text_add(s->text, GI_SOURCE_ROOM, "GA_ELEMENTWISE(%s, %s, (%s), ", name, gi_c_type(dtype), parameters);
    for (int k = 0; k < result && !s->failed; k++) {
        const gi_typed *t = &s->typed[k];
        if (s->readers[k] == 0 || s->steps->step[k].kind == GI_STEP_OPERAND || t->dtype == GA_DTYPE_DEFAULT) continue;
        if (s->readers[k] == 1 && s->depth[k] % GI_SOURCE_DEPTH != 0) continue;
        gi_text_add(s->text, GI_SOURCE_ROOM, "%s    const %s %s%d = ", body ? "" : "{\n", gi_c_type(t->dtype), s->prefix, k);
        gi_source_operation(s, k, true);
        gi_text_add(s->text, GI_SOURCE_ROOM, ";\n");
        s->variable[k] = body = true;
    }
    if (body) gi_text_add(s->text, GI_SOURCE_ROOM, "    return ");
    gi_source_value(s, result, dtype, true);
    gi_text_add(s->text, GI_SOURCE_ROOM, body ? ";\n})\n" : ")\n");
}

/* GA_REDUCTION of a sum, product or mean of everything. */
static void gi_source_reduction(gi_c_source *s, const char *name, const char *parameters, int result)
{
    const gi_step *step = &s->steps->step[result];
    const gi_row  *row  = step->word->row ? step->word->row() : NULL;
    const int      of   = step->x[0];
    const ga_dtype from = s->typed[of].dtype, to = s->typed[result].dtype;
    const bool     real = gi_is_float(from), mean = row && row->op == GA_OP_mean, product = row && row->op == GA_OP_prod;
    const char    *wide = real || mean ? "double" : gi_c_type(gi_is_signed(from) || from == GA_BOOL ? GA_I64 : GA_U64);
    if (!row || (!mean && !product && row->op != GA_OP_sum) || step->along.count >= 0 || step->along.keepdims) {
        gi_source_fails(s, step, "only sum, prod and mean of everything have a form in C");
        return;
    }
    gi_source_measure(s, of);
    if (s->depth[of] > GI_SOURCE_DEPTH) {
        gi_source_fails(s, step, "what it sums up is nested too deep for one expression");
        return;
    }
    gi_text_add(s->text, GI_SOURCE_ROOM, "GA_REDUCTION(%s, %s, (%s), %s, %d, (%s)", name, gi_c_type(to), parameters, wide,
                product, wide);
    gi_source_value(s, of, from, false);
    if (gi_is_float(from) || mean) gi_text_add(s->text, GI_SOURCE_ROOM, ", a %c b", product ? '*' : '+');
    else gi_text_add(s->text, GI_SOURCE_ROOM, ", (%s)((uint64_t)a %c (uint64_t)b)", wide, product ? '*' : '+'); /* it wraps */
    gi_text_add(s->text, GI_SOURCE_ROOM, ", (%s)%s)\n", gi_c_type(to), mean ? "(a / (double)n)" : "a");
}

/* What the names of variables begin with. */
static void gi_source_choose_prefix(gi_c_source *s)
{
    size_t n = 1;
    strcpy(s->prefix, "t");
    for (int k = 0; k < s->f->n; k++)
        if (s->f->names[k].length >= (int)n && !strncmp(s->f->names[k].at, s->prefix, n) && n < sizeof s->prefix - 1) {
            s->prefix[n++] = '_';
            s->prefix[n]   = 0;
            k              = -1; /* once more from the first */
        }
}

char *(ga_formula_c)(const char *name, const char *formula, const char *parameters, const char *site)
{
    gi_formula_text f;
    ga_array        arrays[GPUARR_MAX_INPUTS];
    ga_arg          operands[GPUARR_MAX_INPUTS];
    char            names[512], *made = NULL;
    gi_c_source     s;
    if (!name || !formula || !parameters)
        return (char *)gi_fail(site, GA_BAD_ARGUMENT,
                               "a text is NULL; ga_formula_c(\"line\", \"2*x + y\", \"float x, float y\")");
    if (strlen(formula) > GI_FORMULA_LETTERS || strlen(parameters) > 400 || strlen(name) > 100)
        return (char *)gi_fail(site, GA_BAD_ARGUMENT, "a text is longer than any that makes sense");
    const gi_letters called = { name, (int)strspn(name, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") };
    if (!gi_is_c_name(called) || name[called.length])
        return (char *)gi_fail(site, GA_BAD_ARGUMENT, "\"%s\" is no name that a kernel may have", name);
    if (!gi_arena_check(site)) return NULL;
    f.n = gi_source_parameters(site, parameters, arrays, operands, names, sizeof names);
    if (f.n < 0) return NULL;
    f.site     = site;
    f.text     = formula;
    f.list     = names;
    f.operands = operands;
    f.named    = false;
    GI_ARENA(gi_steps, steps, 1);
    if (!gi_parse(&f, steps)) return NULL;
    if (steps->count > GI_SOURCE_STEPS)
        return (char *)gi_fail(site, GA_BAD_ARGUMENT, "the formula has more than %d steps", GI_SOURCE_STEPS);
    GI_ARENA(gi_typed, typed, GI_SOURCE_STEPS);
    GI_ARENA(int, readers, GI_SOURCE_STEPS);
    GI_ARENA(int, depth, GI_SOURCE_STEPS);
    GI_ARENA(bool, variable, GI_SOURCE_STEPS);
    GI_ARENA(char, text, GI_SOURCE_ROOM);
    memset(variable, 0, GI_SOURCE_STEPS * sizeof *variable);
    text[0]    = 0;
    s.f        = &f;
    s.steps    = steps;
    s.typed    = typed;
    s.readers  = readers;
    s.depth    = depth;
    s.variable = variable;
    s.text     = text;
    s.failed   = false;
    s.value    = gi_source_value;
    gi_source_choose_prefix(&s);
    for (int k = 0; k < steps->count; k++) gi_type_step(&steps->step[k], operands, typed, GA_DTYPE_DEFAULT, &typed[k]);
    const int result = steps->count - 1;
    if (!typed[result].known || typed[result].dtype == GA_DTYPE_DEFAULT || !gi_c_type(typed[result].dtype))
        gi_source_fails(&s, &steps->step[result], "a kernel makes arrays of real numbers, integers or bool");
    else if (typed[result].folds) gi_source_reduction(&s, name, parameters, result);
    else gi_source_elementwise(&s, name, parameters, result);
    if (s.failed) return NULL;
    made = (char *)malloc(strlen(text) + 1);
    if (!made) return (char *)gi_fail(site, GA_NO_MEMORY, "no memory for the source");
    return strcpy(made, text);
}
