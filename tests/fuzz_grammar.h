/* Texts of formulas for fuzz_formulas.c: grown from the grammar, and changed token by token. */
#ifndef FUZZ_GRAMMAR_H
#define FUZZ_GRAMMAR_H

#include "test.h"

#include <ctype.h>

/* A text that is being written: never more than `room` bytes. */
typedef struct grammar_text {
    char  *at;
    size_t n, room;
} grammar_text;

#define GRAMMAR_COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

/* clang-format off */
static const char *const grammar_names[] = { "x", "y", "z", "n", "$1", "$2", "x", "y" };
static const char *const grammar_numbers[] = {
    "0", "1", "2", "3", "0.5", "2.", ".25", "1e300", "1e-320", "2j", "1.5J", "0xff", "0b101", "0o17", "1_000", "63", "1e5j",
    "9223372036854775807", "18446744073709551615" };
static const char *const grammar_constants[] = { "pi", "e", "euler_gamma", "inf", "nan", "True", "False" };
static const char *const grammar_arithmetic[] = { "+", "-", "*", "/", "//", "%", "**" };
static const char *const grammar_signs[] = { "+", "-", "*", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=" };
static const char *const grammar_indices[] = {
    "[0]", "[-1]", "[1:]", "[::-1]", "[..., ::2]", "[:, newaxis]", "[...]", "[..., :1]", "[n]", "[$4]", "[None]", "[:, 0]",
    "[n:, -2:]", "[:0]", "[5::-3]", "[0, 1]", "[..., None]" };
static const char *const grammar_options[] = {
    ", axis=0", ", axis=-1", ", 1", ", axis=(0, -1)", ", axis=None", ", axis=()", ", keepdims=True", ", ddof=1",
    ", 0, keepdims=1", ", dtype=float32", ", axis=0, dtype=complex128, keepdims=False", ", where=x > 0",
    ", initial=2, axis=0", ", where=y, initial=n, keepdims=True" };
static const char *const grammar_dtypes[] = {
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex64",
    "complex128", "float", "int" };
static const char *const grammar_decimals[] = { ", 2", ", 0", ", -1", ", decimals=1", ", decimals=-3", ", 400" };
/* What stands where it should not. */
static const char *const grammar_oddities[] = {
    "(", ")", "[", "]", ",", ";", "=", "$", "$99", "$18446744073709551617", "1e999", "0x", "99999999999999999999",
    "-9223372036854775808", "'", "\"", "\\", "@", "{", "}", "#", ".", ".T", "%s%n", ":=", " and ", " if ", "not ", "lambda",
    "\n", "\t", "\x01", "\x7f", "\x1b[31m", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "\xc3", "axis=",
    "keepdims=", "dtype=", "out=", "__class__", "sqr", "colunm", "NaN", "None" };

/* The words, by how many operands they take; folds are apart. */
static const char *const grammar_words1[] = {
#define GA_UNARY(name, ...)      #name,
#define GA_ELEMENTARY(name, ...) #name,
#define GA_TABLE
#include "gpuarr.h"
    "abs", "acos", "round", "around", "round", "bitwise_not", "conjugate" };
static const char *const grammar_words2[] = {
#define GA_BINARY(name, ...)      #name,
#define GA_ELEMENTARY2(name, ...) #name,
#define GA_TABLE
#include "gpuarr.h"
    "pow", "mod", "atan2", "percentile", "nanpercentile" };
static const char *const grammar_words3[] = {
#define GA_TERNARY(name, ...) #name,
#define GA_TABLE
#include "gpuarr.h"
    "where" };
static const char *const grammar_folds[] = {
#define GA_FOLD(name, ...) #name,
#define GA_TABLE
#include "gpuarr.h"
    "var", "std", "nanmean", "nanvar", "nanstd", "argmin", "argmax", "nanargmin", "nanargmax", "median", "nanmedian", "amax" };
/* clang-format on */

static const struct grammar_group {
    const char *const *words;
    int64_t            count;
    int                operands;
} grammar_groups[] = { { grammar_words1, GRAMMAR_COUNT(grammar_words1), 1 },
                       { grammar_words2, GRAMMAR_COUNT(grammar_words2), 2 },
                       { grammar_words3, GRAMMAR_COUNT(grammar_words3), 3 },
                       { grammar_folds, GRAMMAR_COUNT(grammar_folds), 1 },
                       { grammar_dtypes, GRAMMAR_COUNT(grammar_dtypes), 1 } };

/* ---- growing --------------------------------------------------------------------------------------------------------- */

static void grammar_add(grammar_text *t, const char *text)
{
    const size_t n = strlen(text);
    if (n > t->room - t->n) return;
    memcpy(t->at + t->n, text, n);
    t->n += n;
}

#define grammar_any(list) ((list)[test_below(GRAMMAR_COUNT(list))])

static void grammar_leaf(grammar_text *t)
{
    const int64_t way = test_below(10);
    grammar_add(t, way < 6   ? grammar_any(grammar_names)
                   : way < 9 ? grammar_any(grammar_numbers)
                             : grammar_any(grammar_constants));
}

static void grammar_expression(grammar_text *t, int depth);

/* A word of a group, and its operands. */
static void grammar_call(grammar_text *t, const struct grammar_group *group, const char *word, int depth)
{
    grammar_add(t, word);
    grammar_add(t, "(");
    for (int k = 0; k < group->operands; k++) {
        if (k > 0) grammar_add(t, ", ");
        grammar_expression(t, depth);
    }
    if (strstr(word, "round") && test_below(2)) grammar_add(t, grammar_any(grammar_decimals));
    if (test_below(group->words == grammar_folds ? 2 : 30) == 0) grammar_add(t, grammar_any(grammar_options));
    grammar_add(t, ")");
}

static void grammar_expression(grammar_text *t, int depth)
{
    const int64_t way = depth <= 0 ? 0 : test_below(16);
    if (way <= 1) {
        grammar_leaf(t);
    } else if (way <= 8) {
        const bool inside = way == 8;
        if (inside) grammar_add(t, "(");
        grammar_expression(t, depth - 1);
        grammar_add(t, test_below(8) ? grammar_any(grammar_arithmetic) : grammar_any(grammar_signs));
        grammar_expression(t, depth - 1);
        if (inside) grammar_add(t, ")");
    } else if (way == 9) {
        grammar_add(t, test_below(8) ? "-" : test_below(2) ? "~" : "+");
        grammar_expression(t, depth - 1);
    } else if (way == 10) {
        grammar_add(t, "(");
        grammar_expression(t, depth - 1);
        grammar_add(t, ")");
        grammar_add(t, grammar_any(grammar_indices));
    } else {
        const struct grammar_group *group = &grammar_groups[way - 11];
        grammar_call(t, group, group->words[test_below(group->count)], depth - 1);
    }
}

/* A whole formula, perhaps with a statement whose result is needed in several ways. */
static void grammar_formula(grammar_text *t)
{
    if (test_below(2)) {
        grammar_add(t, "t = ");
        grammar_expression(t, 2);
        grammar_add(t, "; t");
        grammar_add(t, grammar_any(grammar_arithmetic));
        grammar_add(t, "t");
        if (test_below(4)) grammar_add(t, grammar_any(grammar_indices));
        if (test_below(2)) return;
        grammar_add(t, grammar_any(grammar_arithmetic));
    }
    grammar_expression(t, 1 + (int)test_below(4));
}

/* ---- changing -------------------------------------------------------------------------------------------------------- */

/* `more` in place of the bytes [from, from + gone), if there is room. */
static void grammar_put(grammar_text *t, size_t from, size_t gone, const char *more, size_t n)
{
    if (t->n - gone + n > t->room) return;
    memmove(t->at + from + n, t->at + from + gone, t->n - from - gone);
    memcpy(t->at + from, more, n);
    t->n = t->n - gone + n;
}

static bool grammar_of_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$'; }

/* Where the token at `from` ends. */
static size_t grammar_end(const grammar_text *t, size_t from)
{
    size_t end = from;
    while (end < t->n && grammar_of_word(t->at[end])) end++;
    if (end > from || from == t->n) return end;
    const bool doubled = from + 1 < t->n && t->at[from] == t->at[from + 1] && strchr("*/<>=", t->at[from]);
    return from + 1 + doubled;
}

/* Where some token begins, or the end of the text. */
static size_t grammar_place(const grammar_text *t)
{
    size_t at = (size_t)test_below((int64_t)t->n + 1);
    while (at > 0 && at < t->n && grammar_of_word(t->at[at]) && grammar_of_word(t->at[at - 1])) at--;
    return at;
}

/* Some tokens from there on; a copy, at most `room` bytes of it. */
static size_t grammar_copy(const grammar_text *t, size_t from, int64_t tokens, char *copy, size_t room)
{
    size_t end = from;
    for (int64_t k = 0; k < tokens; k++) end = grammar_end(t, end);
    if (end - from > room) end = from + room;
    memcpy(copy, t->at + from, end - from);
    return end - from;
}

static const char *grammar_some_word(void)
{
    const struct grammar_group *group = &grammar_any(grammar_groups);
    switch (test_below(8)) {
    case 0: return grammar_any(grammar_options);
    case 1: return grammar_any(grammar_indices);
    case 2: return grammar_any(grammar_names);
    case 3: return grammar_any(grammar_numbers);
    case 4: return grammar_any(grammar_signs);
    default: return group->words[test_below(group->count)];
    }
}

/* The same beginning again and again before a token, and its end behind it. */
static void grammar_nest(grammar_text *t)
{
    static const char *const begins[] = { "(", "-", "sin(", "x+(", "x**", "(x, ", "x[", "t=", "~-+", "where(x, y, " };
    static const char *const ends[]   = { ")", "", ")", ")", "", ")", "]", ";", "", ")" };
    const int64_t            kind = test_below(GRAMMAR_COUNT(begins)), depth = 1 + test_below(test_below(8) ? 12 : 1200);
    const size_t             at = grammar_place(t), length = grammar_end(t, at) - at, n = strlen(begins[kind]);
    for (int64_t k = 0; k < depth && t->n + 20 < t->room; k++) {
        grammar_put(t, at + (size_t)k * (n + strlen(ends[kind])) + length, 0, ends[kind], strlen(ends[kind]));
        grammar_put(t, at, 0, begins[kind], n);
    }
}

/* A number of many digits. */
static void grammar_digits(grammar_text *t)
{
    char          digits[600];
    const int64_t n = 1 + test_below(test_below(4) ? 30 : GRAMMAR_COUNT(digits) - 8);
    for (int64_t k = 0; k < n; k++) digits[k] = (char)('0' + test_below(10));
    if (test_below(2)) digits[test_below(n)] = grammar_any("._exbjE+-");
    if (test_below(3) == 0) digits[test_below(n)] = grammar_any("._exbjE+-");
    const size_t at = grammar_place(t);
    grammar_put(t, at, test_below(2) ? grammar_end(t, at) - at : 0, digits, (size_t)n);
}

/* Exchanges two tokens that do not overlap. */
static void grammar_exchange(grammar_text *t)
{
    char         first[300], second[300];
    const size_t a = grammar_place(t), b = grammar_place(t), at = a < b ? a : b, to = a < b ? b : a;
    const size_t n = grammar_copy(t, at, 1, first, sizeof first), m = grammar_copy(t, to, 1, second, sizeof second);
    if (to < at + n) return;
    grammar_put(t, to, m, first, n);
    grammar_put(t, at, n, second, m);
}

/* Changes one thing. */
static void grammar_change(grammar_text *t)
{
    char         room[300];
    grammar_text grown = { room, 0, sizeof room };
    const size_t at = grammar_place(t), token = grammar_end(t, at) - at;
    const char  *more = "";
    switch (test_below(12)) {
    case 0: grammar_nest(t); return;
    case 1: grammar_digits(t); return;
    case 2: grammar_exchange(t); return;
    case 3: grown.n = grammar_copy(t, at, 1 + test_below(9), room, sizeof room); break; /* said twice */
    case 4:
    case 5: grammar_expression(&grown, (int)test_below(4)); break;
    case 6: grown.n = (size_t)test_below(2), room[0] = 0; break; /* a zero byte, or nothing */
    case 7:
    case 8: more = grammar_any(grammar_oddities); break;
    default: more = grammar_some_word(); break;
    }
    grammar_add(&grown, more);
    grammar_put(t, test_below(8) ? at : grammar_place(t), 0, grown.at, grown.n);
    if (test_below(2) && at + grown.n + token <= t->n) grammar_put(t, at + grown.n, token, "", 0);
}

#endif
