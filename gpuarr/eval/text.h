/* ==== >>eval: formulas given as text =================================================================================== */
/*  ga_eval reads a formula into steps (parse.h), each of which is a call of the public functions or arithmetic on numbers. Computing them
    one after the other (run.h) gives the results of the nested calls, on every device and on chunked arrays. What is elementwise is
    computed together (passes.h, joins.h, sequences.h, build.h): on the CPU tile by tile, by the same loops (tiles.h), and so are folds of it
    (folds.h); on a GPU by one kernel (programs.h); of chunked arrays it becomes a node (make.h). The bits are the same, but for
    the sign and the payload of a NaN, and nothing as large as the operands lies in between. What was read and planned is kept for the next
    call (plans.h).                                                                                                             */

enum { GI_FORMULA_LETTERS = 16384, GI_FORMULA_STEPS = 1000, GI_FORMULA_OPERANDS = 64 };

/* A formula and its operands, for the errors. */
typedef struct gi_formula_text {
    const char   *site, *text, *list; /* of the operands' names; NULL: they stand in the text of the call */
    int           n;
    const ga_arg *operands;
    bool          named;                      /* were the names read? */
    gi_letters    names[GI_FORMULA_OPERANDS]; /* of length 0: the operand has none */
} gi_formula_text;

/* ---- the operands' names ----------------------------------------------------------------------------------------------- */

/* Behind what begins at p: a text in quotes, a list in parentheses, or a single character. */
static const char *gi_skip_item(const char *p)
{
    int depth = 0;
    do {
        if (*p == '"' || *p == '\'') {
            const char quote = *p++;
            for (; *p && *p != quote; p++)
                if (*p == '\\' && p[1]) p++;
        }
        if (*p == '(' || *p == '[' || *p == '{') depth++;
        if (*p == ')' || *p == ']' || *p == '}') depth--;
        if (*p) p++;
    } while (*p && depth > 0);
    return p;
}

/* The list of operands in the text of a call, ga_eval("...", (x, y), .out = z): behind its parenthesis; NULL if it is not to be seen. */
static const char *gi_eval_list(const char *site)
{
    static const char name[] = "ga_eval(";
    const char       *call   = site ? strchr(site, '\t') : NULL;
    if (!call || strncmp(call + 1, name, sizeof name - 1) != 0) return NULL;
    const char *p = call + sizeof name;
    while (*p && *p != ',') p = gi_skip_item(p);
    if (*p == ',') p = gi_skip_blanks(p + 1);
    return *p == '(' ? p + 1 : NULL;
}

/* Reads the names in a list such as "x, y, image[0]": of those operands that are plain names. */
static void gi_formula_names(gi_formula_text *f)
{
    const char *list  = f->named ? NULL : f->list ? f->list : gi_eval_list(f->site);
    gi_letters *names = f->names;
    for (int k = 0; k < f->n && !f->named; k++) {
        names[k].at     = "";
        names[k].length = 0;
        if (!list) continue;
        const char *from = gi_skip_blanks(list), *end = from;
        while (*end && *end != ',' && *end != ')') end = gi_skip_item(end);
        const char *p = from;
        while (gi_is_word_part(*p)) p++;
        if (!gi_is_digit(*from) && gi_skip_blanks(p) == end) {
            names[k].at     = from;
            names[k].length = (int)(p - from);
        }
        list = *end == ',' ? end + 1 : NULL;
    }
    f->named = true;
}

/* ---- errors ------------------------------------------------------------------------------------------------------------ */

/* Appends to a text that has room for `room` bytes. */
GI_PRINTS(3, 4) static void gi_text_add(char *to, size_t room, const char *format, ...)
{
    const size_t used = strlen(to);
    va_list      args;
    va_start(args, format);
    if (used < room) (void)vsnprintf(to + used, room - used, format, args);
    va_end(args);
}

/* Is it a byte of a character that began before it? */
static bool gi_continues_utf8(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* The formula, a caret under the characters [at, at + length), and what the operands are. */
static void gi_formula_picture(gi_formula_text *f, int at, int length, char *to, size_t room)
{
    enum { WIDE = 100, BEFORE = 60 };
    gi_formula_names(f);
    const int whole = (int)strlen(f->text);
    int       from = at > BEFORE && whole > WIDE ? at - BEFORE : 0, columns = 0, used = 0;
    while (from < at && gi_continues_utf8(f->text[from])) from++; /* no part of a character */
    int end = whole - from > WIDE ? from + WIDE : whole;
    while (end > at && gi_continues_utf8(f->text[end])) end--;
    char line[WIDE + 1], marks[WIDE + 2];
    for (int k = from; k < end; k++) line[k - from] = (unsigned char)f->text[k] < ' ' || f->text[k] == 0x7F ? ' ' : f->text[k];
    line[end - from] = 0;
    for (int k = from; k <= end && k < at + (length > 0 ? length : 1); k++) {
        if (k != at && gi_continues_utf8(f->text[k])) continue; /* a character of several bytes is one column */
        marks[columns++] = k < at ? ' ' : '^';
    }
    marks[columns] = 0;
    gi_text_add(to, room, "\n    %s%s%s\n    %s%s", from > 0 ? "..." : "", line, end < whole ? "..." : "",
                from > 0 ? "   " : "", marks);
    for (int k = 0; k < f->n && used < 6; k++, used++) {
        const ga_arg *v = &f->operands[k];
        char          number[64];
        if (f->names[k].length > 0)
            gi_text_add(to, room, "\n    %.*s is ", f->names[k].length > 40 ? 40 : f->names[k].length, f->names[k].at);
        else gi_text_add(to, room, "\n    $%d is ", k + 1);
        gi_number_text(*v, number, sizeof number);
        if (!v->array) gi_text_add(to, room, "%s", number);
        else gi_text_add(to, room, "%s %s", ga_dtype_name(v->array->dtype), gi_shape_of(v->array));
    }
    if (used < f->n) gi_text_add(to, room, "\n    and %d more", f->n - used);
    for (size_t n = strlen(to); n > 0 && gi_is_blank(to[n - 1]); n--) to[n - 1] = 0; /* where it was cut */
}

/* The formula is wrong there. Always returns NULL. */
GI_PRINTS(4, 5) static void *gi_formula_fail(gi_formula_text *f, int at, int length, const char *format, ...)
{
    char    sentence[300], picture[500] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    gi_formula_picture(f, at, length, picture, sizeof picture);
    return gi_fail(f->site, GA_BAD_ARGUMENT, "%s%s", sentence, picture);
}

/* What other languages say, and how it is written here; NULL: the word is none of these. */
static const char *gi_instead_of_word(gi_letters name)
{
    static const char *const said[][2] = {
        { "and", "of arrays it is written &, with parentheses around comparisons" },
        { "or", "of arrays it is written |, with parentheses around comparisons" },
        { "not", "of arrays it is written ~, with parentheses around comparisons" },
        { "if", "of arrays it is written where(condition, x, y)" },
        { "else", "of arrays it is written where(condition, x, y)" },
        { "np", "functions are written without np." },
        { "numpy", "functions are written without numpy." },
        { "ln", "the natural logarithm is log" },
        { "fabs", "it is written abs" },
        { "M_PI", "it is written pi" },
        { "M_E", "it is written e" },
        { "INFINITY", "it is written inf" },
        { "NAN", "it is written nan" },
        { "NaN", "it is written nan" },
        { "true", "it is written True" },
        { "false", "it is written False" },
        { "None", "None stands for axes alone: axis=None" },
    };
    for (size_t k = 0; k < sizeof said / sizeof *said; k++)
        if (gi_letters_is(name, said[k][0])) return said[k][1];
    return NULL;
}

/* What has a place only outside of formulas. */
static bool gi_is_called_outside(gi_letters name)
{
    static const char *const calls[] = {
        "dot",     "matmul",    "einsum", "sort",        "argsort",  "unique",   "cumsum",        "cumprod",
        "reshape", "transpose", "ravel",  "take",        "zeros",    "ones",     "full",          "eye",
        "arange",  "linspace",  "stack",  "concatenate", "nonzero",  "norm",     "pad",           "tile",
        "repeat",  "flip",      "roll",   "histogram",   "bincount", "convolve", "median_filter", "gaussian_filter",
    };
    bool is = false;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) is = is || gi_letters_is(name, calls[k]);
    return is;
}

/* Nobody knows the name there. */
static void *gi_formula_unknown(gi_formula_text *f, gi_letters name)
{
    const int        at = (int)(name.at - f->text), shown = name.length > 40 ? 40 : name.length;
    const gi_guess   g          = gi_guess_name(name, f->n, f->names);
    char             near_[160] = "", known[160] = "";
    const char      *instead = gi_instead_of_word(name);
    const gi_letters bare    = { name.at + 3, name.length - 3 };
    int              unnamed = -1;
    if (instead) return gi_formula_fail(f, at, name.length, "%s", instead);
    if (name.length > 3 && !strncmp(name.at, "ga_", 3) && gi_word_named(bare))
        return gi_formula_fail(f, at, name.length, "in a formula it is written %.*s", bare.length, bare.at);
    if (gi_is_called_outside(name))
        return gi_formula_fail(f, at, name.length, "%.*s has no place in a formula: call ga_%.*s before, and give its result",
                               name.length, name.at, name.length, name.at);
    for (int k = f->n - 1; k >= 0; k--)
        if (f->names[k].length == 0) unnamed = k + 1;
    for (int k = 0; k < g.count; k++)
        gi_text_add(near_, sizeof near_, "%s%.*s",
                    k == 0             ? ": did you mean "
                    : k == g.count - 1 ? " or "
                                       : ", ",
                    g.nearest[k].length, g.nearest[k].at);
    for (int k = 0; k < f->n && g.count == 0; k++)
        if (f->names[k].length > 0)
            gi_text_add(known, sizeof known, "%s%.*s", known[0] ? ", " : "; the operands are ",
                        f->names[k].length > 20 ? 20 : f->names[k].length, f->names[k].at);
    if (g.count > 0) gi_text_add(near_, sizeof near_, "?");
    if (g.count == 0 && !known[0] && f->n > 0) gi_text_add(known, sizeof known, "; the operands are $1 to $%d", f->n);
    if (unnamed > 0 && (g.count > 0 || known[0] != ';' || !strstr(known, "$")))
        gi_text_add(known, sizeof known, "; $%d is the operand that is no plain name", unnamed);
    return gi_formula_fail(f, at, name.length, "there is no \"%.*s\"%s%s", shown, name.at, near_, known);
}
