/* ---- words: what a name in a formula means --------------------------------------------------------------------------- */

typedef enum gi_word_kind {
    GI_WORD_ROW,        /* an elementwise row of the table */
    GI_WORD_FOLD,       /* of ga_reduce_options */
    GI_WORD_ORDER,      /* of ga_order_options */
    GI_WORD_PERCENTILE, /* the same with a q */
    GI_WORD_WHERE,
    GI_WORD_ROUND, /* to decimals */
    GI_WORD_DTYPE, /* a conversion */
    GI_WORD_NUMBER /* a constant */
} gi_word_kind;

typedef struct gi_word {
    const char  *name;
    gi_word_kind kind;
    int          arity;                                        /* operands in parentheses */
    const gi_row *(*row)(void);                                /* of the table's rows, folds too */
    ga_array *(*fold)(const ga_array *a, ga_reduce_options o); /* of other folds */
    ga_array *(*order)(const ga_array *a, ga_order_options o);
    ga_array *(*percentile)(const ga_array *a, ga_arg q, ga_order_options o);
    ga_dtype dtype;  /* of a conversion; of other folds GA_I64, or GA_F64: floats */
    ga_kind  number; /* of a constant */
    double   value;  /* likewise; of other folds not 0: they take .where */
} gi_word;

/* Folds that need rows have those of formulas here; none takes .where. */
static ga_array *gi_word_nanvar(const ga_array *a, ga_reduce_options o)
{
    return gi_moment_all(GI_VAR, true, "ga_nanvar", a, o);
}
static ga_array *gi_word_nanstd(const ga_array *a, ga_reduce_options o)
{
    return gi_moment_all(GI_STD, true, "ga_nanstd", a, o);
}
static ga_array *gi_word_nanmean(const ga_array *a, ga_reduce_options o)
{
    return gi_moment_nanmean(GI_FORMULA_ROW(mean)(), a, o);
}
static ga_array *gi_word_argmin(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(GI_FORMULA_ROW(min)(), GI_FORMULA_ROW(less_equal)(), a, o);
}
static ga_array *gi_word_argmax(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(GI_FORMULA_ROW(max)(), GI_FORMULA_ROW(less_equal)(), a, o);
}
static ga_array *gi_word_nanargmin(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(GI_FORMULA_ROW(nanmin)(), GI_FORMULA_ROW(less_equal)(), a, o);
}
static ga_array *gi_word_nanargmax(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(GI_FORMULA_ROW(nanmax)(), GI_FORMULA_ROW(less_equal)(), a, o);
}

/* Every word: the table's rows, those of the program's own table too, and what else NumPy has that fits into a formula. */
/* clang-format off */
static const gi_word *gi_words(int *count)
{
#define GI_WORD_OF_ROW(name, arity)     { #name, GI_WORD_ROW, arity, GI_FORMULA_ROW(name), NULL, NULL, NULL, GA_DTYPE_DEFAULT, GA_KIND_ARRAY, 0 },
#define GI_WORD_OF_MOMENT(name)         { #name, GI_WORD_FOLD, 1, NULL, gi_word_##name, NULL, NULL, GA_F64, GA_KIND_ARRAY, 0 },
#define GI_WORD_OF_SPREAD(name)         { #name, GI_WORD_FOLD, 1, NULL, (ga_##name), NULL, NULL, GA_F64, GA_KIND_ARRAY, 1 },
#define GI_WORD_OF_PLACE(name)          { #name, GI_WORD_FOLD, 1, NULL, gi_word_##name, NULL, NULL, GA_I64, GA_KIND_ARRAY, 0 },
#define GI_WORD_OF_ORDER(name)          { #name, GI_WORD_ORDER, 1, NULL, NULL, (ga_##name), NULL, GA_F64, GA_KIND_ARRAY, 0 },
#define GI_WORD_OF_PERCENTILE(name)     { #name, GI_WORD_PERCENTILE, 2, NULL, NULL, NULL, (ga_##name), GA_F64, GA_KIND_ARRAY, 0 },
#define GI_WORD_OF_DTYPE(TAG, t, T, name) { name, GI_WORD_DTYPE, 1, NULL, NULL, NULL, NULL, GA_##TAG, GA_KIND_ARRAY, 0 },
#define GI_WORD_OF_NUMBER(name, value)  { name, GI_WORD_NUMBER, 0, NULL, NULL, NULL, NULL, GA_DTYPE_DEFAULT, GA_KIND_REAL, value },
#define GI_WORD_OF_TRUTH(name, value)   { name, GI_WORD_NUMBER, 0, NULL, NULL, NULL, NULL, GA_DTYPE_DEFAULT, GA_KIND_BOOL, value },
    static const gi_word words[] = {
#define GA_UNARY(name, ...)       GI_WORD_OF_ROW(name, 1)
#define GA_ELEMENTARY(name, ...)  GI_WORD_OF_ROW(name, 1)
#define GA_BINARY(name, ...)      GI_WORD_OF_ROW(name, 2)
#define GA_ELEMENTARY2(name, ...) GI_WORD_OF_ROW(name, 2)
#define GA_TERNARY(name, ...)     GI_WORD_OF_ROW(name, 3)
#define GA_FOLD(name, ...)        { #name, GI_WORD_FOLD, 1, GI_FORMULA_ROW(name), NULL, NULL, NULL, GA_DTYPE_DEFAULT, GA_KIND_ARRAY, 0 },
#define GA_TABLE
#include "../rows/table.h"
        GI_WORD_OF_SPREAD(var) GI_WORD_OF_SPREAD(std) GI_WORD_OF_MOMENT(nanmean) GI_WORD_OF_MOMENT(nanvar)
        GI_WORD_OF_MOMENT(nanstd) GI_WORD_OF_PLACE(argmin) GI_WORD_OF_PLACE(argmax) GI_WORD_OF_PLACE(nanargmin) GI_WORD_OF_PLACE(nanargmax)
        GI_WORD_OF_ORDER(median) GI_WORD_OF_ORDER(nanmedian) GI_WORD_OF_PERCENTILE(percentile) GI_WORD_OF_PERCENTILE(nanpercentile)
        { "round", GI_WORD_ROUND, 1, NULL, NULL, NULL, NULL, GA_DTYPE_DEFAULT, GA_KIND_ARRAY, 0 },
        { "where", GI_WORD_WHERE, 3, NULL, NULL, NULL, NULL, GA_DTYPE_DEFAULT, GA_KIND_ARRAY, 0 },
        GI_EACH_DTYPE(GI_WORD_OF_DTYPE) GI_EACH_HALF(GI_WORD_OF_DTYPE)
        GI_WORD_OF_NUMBER("pi", 3.141592653589793) GI_WORD_OF_NUMBER("e", 2.718281828459045)
        GI_WORD_OF_NUMBER("euler_gamma", 0.5772156649015329)
        GI_WORD_OF_NUMBER("inf", (double)INFINITY) GI_WORD_OF_NUMBER("nan", (double)NAN)
        GI_WORD_OF_TRUTH("True", 1) GI_WORD_OF_TRUTH("False", 0)
    };
#undef GI_WORD_OF_ROW
#undef GI_WORD_OF_MOMENT
#undef GI_WORD_OF_SPREAD
#undef GI_WORD_OF_PLACE
#undef GI_WORD_OF_ORDER
#undef GI_WORD_OF_PERCENTILE
#undef GI_WORD_OF_DTYPE
#undef GI_WORD_OF_NUMBER
#undef GI_WORD_OF_TRUTH
    *count = (int)(sizeof words / sizeof *words);
    return words;
}

/* NumPy's other names for them, and Python's. */
static const char *const gi_word_aliases[][2] = {
    { "abs", "absolute" }, { "pow", "power" }, { "mod", "remainder" }, { "conjugate", "conj" }, { "true_divide", "divide" },
    { "acos", "arccos" }, { "asin", "arcsin" }, { "atan", "arctan" }, { "atan2", "arctan2" }, { "acosh", "arccosh" },
    { "asinh", "arcsinh" }, { "atanh", "arctanh" }, { "around", "round" }, { "fix", "trunc" },
    { "bitwise_not", "invert" }, { "bitwise_invert", "invert" }, { "bitwise_left_shift", "left_shift" },
    { "bitwise_right_shift", "right_shift" }, { "amax", "max" }, { "amin", "min" },
    { "degrees", "rad2deg" }, { "radians", "deg2rad" },
    { "bool_", "bool" }, { "int", "int64" }, { "intp", "int64" }, { "int_", "int64" }, { "uint", "uint64" },
    { "float", "float64" }, { "double", "float64" }, { "single", "float32" }, { "complex", "complex128" },
};
/* clang-format on */
enum { GI_WORD_ALIASES = sizeof gi_word_aliases / sizeof *gi_word_aliases };

/* A piece of a text. */
typedef struct gi_letters {
    const char *at;
    int         length; /* 0: there is none */
} gi_letters;

static bool gi_letters_is(gi_letters s, const char *text)
{
    return strlen(text) == (size_t)s.length && strncmp(s.at, text, (size_t)s.length) == 0;
}

static bool gi_letters_same(gi_letters a, gi_letters b)
{
    return a.length == b.length && !strncmp(a.at, b.at, (size_t)a.length);
}

/* The word of that name, NULL if there is none. */
static const gi_word *gi_word_named(gi_letters name)
{
    int            count;
    const gi_word *words = gi_words(&count);
    for (int k = 0; k < count; k++)
        if (gi_letters_is(name, words[k].name)) return &words[k];
    for (int k = 0; k < GI_WORD_ALIASES; k++) {
        const gi_letters meant = { gi_word_aliases[k][1], (int)strlen(gi_word_aliases[k][1]) };
        if (gi_letters_is(name, gi_word_aliases[k][0])) return gi_word_named(meant);
    }
    return NULL;
}

static char gi_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* How many letters must be changed, added, left out or exchanged with the next to make b of a, be they large or small; at most
   `most` + 1. */
static int gi_word_distance(gi_letters a, gi_letters b, int most)
{
    enum { LONGEST = 31 };
    int row[3][LONGEST + 1]; /* for the last three letters of a */
    if (a.length > LONGEST || b.length > LONGEST || abs(a.length - b.length) > most) return most + 1;
    for (int j = 0; j <= b.length; j++) row[0][j] = j;
    for (int i = 1; i <= a.length; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= b.length; j++) {
            int best = before[j - 1] + (gi_lower(a.at[i - 1]) != gi_lower(b.at[j - 1]));
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1] && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[a.length % 3][b.length];
}

/* What a misspelt name may have meant: the nearest ones so far, and how far they are. */
typedef struct gi_guess {
    gi_letters meant;
    gi_letters nearest[3];
    int        count, distance;
} gi_guess;

static void gi_guess_try(gi_guess *g, gi_letters candidate)
{
    const int distance = candidate.length > 0 ? gi_word_distance(g->meant, candidate, g->distance) : g->distance + 1;
    if (distance > g->distance) return;
    if (distance < g->distance) g->count = 0;
    g->distance = distance;
    for (int k = 0; k < g->count; k++)
        if (gi_letters_same(g->nearest[k], candidate)) return;
    if (g->count < 3) g->nearest[g->count++] = candidate;
}

/* The names nearest to one that nobody knows: of the operands, then of all words. */
static gi_guess gi_guess_name(gi_letters name, int n, const gi_letters *names)
{
    gi_guess g;
    int      count;
    memset(&g, 0, sizeof g);
    g.meant              = name;
    g.distance           = name.length < 3 ? 1 : name.length < 7 ? 2 : 3;
    const gi_word *words = gi_words(&count);
    for (int k = 0; k < n; k++) gi_guess_try(&g, names[k]);
    for (int k = 0; k < count + GI_WORD_ALIASES; k++) {
        const char      *text = k < count ? words[k].name : gi_word_aliases[k - count][0];
        const gi_letters word = { text, (int)strlen(text) };
        gi_guess_try(&g, word);
    }
    return g;
}
