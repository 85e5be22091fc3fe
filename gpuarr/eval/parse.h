/* ---- reading a formula --------------------------------------------------------------------------------------------------- */
/*  Python's grammar of expressions, without recursion: operators and open parentheses wait on one stack, finished steps on another, so
    a formula may be nested as deep as it is long.                                                                             */

/* ---- tokens -------------------------------------------------------------------------------------------------------------- */

/* How strongly operators bind; unary ones on what follows them. */
enum {
    GI_BINDS_COMPARISON = 1,
    GI_BINDS_OR,
    GI_BINDS_XOR,
    GI_BINDS_AND,
    GI_BINDS_SHIFT,
    GI_BINDS_SUM,
    GI_BINDS_PRODUCT,
    GI_BINDS_UNARY,
    GI_BINDS_POWER
};

typedef struct gi_sign {
    const char *sign;
    int         binds; /* 0: it is none between two operands */
    const gi_row *(*row)(void), *(*unary)(void);
} gi_sign;

/* clang-format off */
static const gi_sign *gi_signs(int *count)
{
    static const gi_sign signs[] = { /* longer ones first */
        { "**", GI_BINDS_POWER, GI_FORMULA_ROW(power), NULL },             { "//", GI_BINDS_PRODUCT, GI_FORMULA_ROW(floor_divide), NULL },
        { "<<", GI_BINDS_SHIFT, GI_FORMULA_ROW(left_shift), NULL },        { ">>", GI_BINDS_SHIFT, GI_FORMULA_ROW(right_shift), NULL },
        { "<=", GI_BINDS_COMPARISON, GI_FORMULA_ROW(less_equal), NULL },   { ">=", GI_BINDS_COMPARISON, GI_FORMULA_ROW(greater_equal), NULL },
        { "==", GI_BINDS_COMPARISON, GI_FORMULA_ROW(equal), NULL },        { "!=", GI_BINDS_COMPARISON, GI_FORMULA_ROW(not_equal), NULL },
        { "<",  GI_BINDS_COMPARISON, GI_FORMULA_ROW(less), NULL },         { ">",  GI_BINDS_COMPARISON, GI_FORMULA_ROW(greater), NULL },
        { "+",  GI_BINDS_SUM, GI_FORMULA_ROW(add), GI_FORMULA_ROW(positive) },      { "-",  GI_BINDS_SUM, GI_FORMULA_ROW(subtract), GI_FORMULA_ROW(negative) },
        { "*",  GI_BINDS_PRODUCT, GI_FORMULA_ROW(multiply), NULL },        { "/",  GI_BINDS_PRODUCT, GI_FORMULA_ROW(divide), NULL },
        { "%",  GI_BINDS_PRODUCT, GI_FORMULA_ROW(remainder), NULL },       { "|",  GI_BINDS_OR, GI_FORMULA_ROW(bitwise_or), NULL },
        { "^",  GI_BINDS_XOR, GI_FORMULA_ROW(bitwise_xor), NULL },         { "&",  GI_BINDS_AND, GI_FORMULA_ROW(bitwise_and), NULL },
        { "~",  0, NULL, GI_FORMULA_ROW(invert) },
        { "(", 0, NULL, NULL }, { ")", 0, NULL, NULL }, { "[", 0, NULL, NULL }, { ",", 0, NULL, NULL }, { ";", 0, NULL, NULL }, { "=", 0, NULL, NULL },
    };
    *count = (int)(sizeof signs / sizeof *signs);
    return signs;
}
/* clang-format on */

typedef enum gi_token_kind { GI_TOKEN_END, GI_TOKEN_NUMBER, GI_TOKEN_NAME, GI_TOKEN_OPERAND, GI_TOKEN_SIGN } gi_token_kind;

typedef struct gi_token {
    gi_token_kind  kind;
    gi_letters     span;
    ga_arg         number;
    int            operand; /* $1 is 0 */
    const gi_sign *sign;
} gi_token;

/* A name that a statement has given to a step. */
typedef struct gi_binding {
    gi_letters name;
    int        step;
} gi_binding;

/* An operator that waits for its right side, or a parenthesis for its end. */
typedef struct gi_pending {
    const gi_sign *sign; /* NULL: a parenthesis */
    bool           unary;
    const gi_word *word; /* of a call's parenthesis */
    gi_letters     span;
    int            first; /* how many steps had been finished */
    gi_fold_along  along;
    int            decimals;       /* of round, */
    bool           decimals_given; /* if they are */
} gi_pending;

typedef struct gi_parser {
    gi_formula_text *f;
    const char      *p; /* behind the token */
    gi_token         token;
    gi_steps        *steps;
    gi_pending      *pending;
    int             *value; /* finished steps whose operator is still to come */
    gi_binding      *binding;
    int              waiting, values, bindings;
} gi_parser;

static bool gi_parse_fail(const gi_parser *s, gi_letters where, const char *problem)
{
    return gi_formula_fail(s->f, (int)(where.at - s->f->text), where.length, "%s", problem) != NULL;
}

/* An integer of the base at p; true if it is one. */
static bool gi_read_whole(const char *p, int base, const char **end, ga_arg *number)
{
    uint64_t value = 0;
    bool     fits = true, any = false;
    for (;; p++) {
        const int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                          : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
                          : *p >= 'A' && *p <= 'F' ? *p - 'A' + 10
                                                   : 99;
        if (*p == '_' && any && gi_is_digit(p[1])) continue;
        if (digit >= base) break;
        any  = true;
        fits = fits && !__builtin_mul_overflow(value, (uint64_t)base, &value) &&
               !__builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    *end    = p;
    *number = gi_number_of(value > (uint64_t)INT64_MAX ? GA_KIND_UINT : GA_KIND_INT, (int64_t)value, 0);
    return any && fits;
}

static bool gi_read_number_token(gi_parser *s)
{
    const char *from = s->token.span.at, *end = from, *problem = NULL;
    const int   base = from[0] != '0'                     ? 10
                       : from[1] == 'x' || from[1] == 'X' ? 16
                       : from[1] == 'b' || from[1] == 'B' ? 2
                       : from[1] == 'o' || from[1] == 'O' ? 8
                                                          : 10;
    const bool  fits = gi_read_whole(base == 10 ? from : from + 2, base, &end, &s->token.number);
    if (base == 10 && (*end == '.' || *end == 'e' || *end == 'E' || end == from)) {
        char *stop;
        s->token.number = gi_number_of(GA_KIND_REAL, 0, gi_read_real(from, &stop));
        end             = stop;
    } else if (!fits) {
        problem = base != 10 && !gi_is_word_part(*end) && end == from + 2
                      ? "there are no digits behind it"
                      : "the integer does not fit 64 bits: write it with a decimal point";
    } else if (base == 10 && from[0] == '0' && end > from + 1 && s->token.number.i != 0) {
        problem = "an integer begins with no 0; octal ones are written 0o17";
    }
    if (*end == 'j' || *end == 'J') {
        const ga_arg v     = s->token.number;
        s->token.number    = gi_number_of(GA_KIND_COMPLEX, 0, 0);
        s->token.number.im = v.kind == GA_KIND_REAL ? v.re : (double)(uint64_t)v.i;
        end++;
    }
    if (gi_is_word_part(*end) || *end == '.') {
        problem = "this is no number; a product is written with *";
        while (gi_is_word_part(*end) || *end == '.') end++;
    }
    s->token.kind        = GI_TOKEN_NUMBER;
    s->token.span.length = (int)(end - from);
    s->p                 = end;
    return !problem || gi_parse_fail(s, s->token.span, problem);
}

/* What to say of a character that begins no token. */
static const char *gi_strange_character(char c)
{
    switch (c) {
    case ']': return "there is no '[' for it";
    case '.': return "names have no members here: np.sin is written sin, and x.T is made before";
    case '!': return "of arrays it is written ~, with parentheses around comparisons";
    case '?':
    case ':': return "of arrays a choice is written where(condition, x, y)";
    case '"':
    case '\'': return "there are no texts in a formula: dtype=float32";
    default: return "this character means nothing in a formula";
    }
}

/* Reads the next token. False with an error. */
static bool gi_next_token(gi_parser *s)
{
    s->p             = gi_skip_blanks(s->p);
    s->token.span.at = s->p;
    const char *end  = s->p;
    if (gi_is_digit(*s->p) || (*s->p == '.' && gi_is_digit(s->p[1]))) return gi_read_number_token(s);
    if (*s->p == '$') {
        ga_arg number;
        bool   fits      = gi_read_whole(s->p + 1, 10, &end, &number);
        s->token.kind    = GI_TOKEN_OPERAND;
        s->token.operand = fits && number.kind == GA_KIND_INT && number.i >= 1 && number.i <= s->f->n ? (int)number.i - 1 : -1;
        s->token.span.length = (int)(end - s->p);
        s->p                 = end;
        return s->token.operand >= 0 || gi_formula_fail(s->f, (int)(s->token.span.at - s->f->text), s->token.span.length,
                                                        s->f->n == 0   ? "there are no operands"
                                                        : s->f->n == 1 ? "there is one operand, $1"
                                                                       : "there are %d operands, $1 to $%d",
                                                        s->f->n, s->f->n) != NULL;
    }
    while (gi_is_word_part(*end)) end++;
    s->token.kind = *s->p ? GI_TOKEN_NAME : GI_TOKEN_END;
    if (end == s->p && *s->p) {
        int            count;
        const gi_sign *signs = gi_signs(&count);
        s->token.kind        = GI_TOKEN_SIGN;
        s->token.sign        = NULL;
        for (int k = 0; k < count && !s->token.sign; k++)
            if (!strncmp(s->p, signs[k].sign, strlen(signs[k].sign))) s->token.sign = &signs[k];
        end = s->p + (s->token.sign ? strlen(s->token.sign->sign) : 1);
        while (!s->token.sign && ((unsigned char)*end & 0xC0) == 0x80) end++;
    }
    s->token.span.length = (int)(end - s->p);
    s->p                 = end;
    if (s->token.kind == GI_TOKEN_SIGN && !s->token.sign)
        return gi_parse_fail(s, s->token.span, gi_strange_character(*s->token.span.at));
    return true;
}

static bool gi_token_is(const gi_parser *s, const char *sign)
{
    return s->token.kind == GI_TOKEN_SIGN && !strcmp(s->token.sign->sign, sign);
}

/* Is the next character, blanks aside, this one and not ==? */
static bool gi_follows(const gi_parser *s, char c)
{
    const char *p = gi_skip_blanks(s->p);
    return *p == c && !(c == '=' && p[1] == '=');
}

/* ---- steps --------------------------------------------------------------------------------------------------------------- */

static bool gi_parse_too_long(const gi_parser *s)
{
    return gi_parse_fail(s, s->token.span, "the formula has more than 1000 steps: make an array of some of it before");
}

static bool gi_push_value(gi_parser *s, int step)
{
    if (s->values == GI_FORMULA_STEPS) return gi_parse_too_long(s);
    s->value[s->values++] = step;
    return true;
}

/* Adds a step, unless there is one that computes the same, and puts it on the stack of values. False with an error. */
static bool gi_add_step(gi_parser *s, const gi_step *step)
{
    int k = 0;
    while (k < s->steps->count && !gi_step_same(s->f->text, &s->steps->step[k], step)) k++;
    if (k == GI_FORMULA_STEPS) return gi_parse_too_long(s);
    if (k == s->steps->count) {
        s->steps->step[k] = *step;
        s->steps->count++;
    }
    return gi_push_value(s, k);
}

static gi_step gi_step_at(const gi_parser *s, gi_step_kind kind, gi_letters where)
{
    gi_step step;
    memset(&step, 0, sizeof step);
    step.kind   = kind;
    step.at     = (int)(where.at - s->f->text);
    step.length = where.length;
    return step;
}

/* Takes the last n values as its inputs. */
static void gi_step_takes(gi_parser *s, gi_step *step, int n)
{
    s->values -= n;
    step->n = n;
    for (int k = 0; k < n; k++) step->x[k] = s->value[s->values + k];
}

/* Makes steps of the operators that wait and bind at least so strongly. False with an error. */
static bool gi_finish_operators(gi_parser *s, int binds)
{
    while (s->waiting > 0) {
        const gi_pending *top = &s->pending[s->waiting - 1];
        if (!top->sign || (top->unary ? GI_BINDS_UNARY : top->sign->binds) < binds) return true;
        gi_step step = gi_step_at(s, GI_STEP_OPERATOR, top->span);
        step.row     = top->unary ? top->sign->unary() : top->sign->row();
        gi_step_takes(s, &step, top->unary ? 1 : 2);
        s->waiting--;
        if (!gi_add_step(s, &step)) return false;
    }
    return true;
}

/* What the token begins waits for its end. NULL with an error. */
static gi_pending *gi_push_pending(gi_parser *s)
{
    if (s->waiting == GI_FORMULA_STEPS) return (void)gi_parse_too_long(s), (gi_pending *)NULL;
    gi_pending *top = &s->pending[s->waiting++];
    memset(top, 0, sizeof *top);
    top->span        = s->token.span;
    top->first       = s->values;
    top->along.count = -1;
    return top;
}

/* An operator between two operands. False with an error. */
static bool gi_parse_operator(gi_parser *s)
{
    const gi_sign *sign     = s->token.sign;
    const bool     compares = sign->binds == GI_BINDS_COMPARISON;
    if (!gi_finish_operators(s, sign->binds + (compares || sign->binds == GI_BINDS_POWER))) return false;
    const gi_sign *before = s->waiting > 0 && !s->pending[s->waiting - 1].unary ? s->pending[s->waiting - 1].sign : NULL;
    if (compares && before && before->binds == GI_BINDS_COMPARISON)
        return gi_parse_fail(s, s->token.span, "comparisons do not chain: write (a < b) & (b < c)");
    gi_pending *top = gi_push_pending(s);
    if (top) top->sign = sign;
    return top != NULL;
}

/* ---- calls --------------------------------------------------------------------------------------------------------------- */

/* The integer that comes next, of an axis or the like. False with an error, the sentence `otherwise`. */
static bool gi_parse_integer(gi_parser *s, const char *otherwise, int *value)
{
    bool minus = false;
    if (!gi_next_token(s)) return false;
    const gi_letters first = s->token.span;
    if (gi_token_is(s, "-")) {
        minus = true;
        if (!gi_next_token(s)) return false;
    }
    const bool truth =
        s->token.kind == GI_TOKEN_NAME && (gi_letters_is(s->token.span, "True") || gi_letters_is(s->token.span, "False"));
    if (truth) s->token.number = gi_number_of(GA_KIND_INT, gi_letters_is(s->token.span, "True"), 0);
    if (s->token.kind == GI_TOKEN_NUMBER &&
        (s->token.number.kind == GA_KIND_UINT || (s->token.number.kind == GA_KIND_INT && s->token.number.i > INT_MAX)))
        return gi_parse_fail(s, s->token.span, "this integer is too large here");
    if ((!truth && s->token.kind != GI_TOKEN_NUMBER) || s->token.number.kind != GA_KIND_INT)
        return gi_parse_fail(s, first, otherwise);
    *value = minus ? -(int)s->token.number.i : (int)s->token.number.i;
    return true;
}

/* axis=1, axis=(0, 2), axis=None. */
static bool gi_parse_axes(gi_parser *s, gi_fold_along *along)
{
    if (gi_follows(s, 'N')) {
        if (!gi_next_token(s)) return false;
        return gi_letters_is(s->token.span, "None") || gi_formula_unknown(s->f, s->token.span) != NULL;
    }
    along->count = 0;
    if (!gi_follows(s, '('))
        return gi_parse_integer(s, "after the array comes its axis, which is written as an integer",
                                &along->axis[along->count++]);
    if (!gi_next_token(s)) return false;
    while (!gi_follows(s, ')')) {
        if (along->count == GPUARR_MAX_DIMS) return gi_parse_fail(s, s->token.span, "no array has so many axes");
        if (!gi_parse_integer(s, "an axis is written as an integer", &along->axis[along->count++])) return false;
        if (gi_follows(s, ')')) break;
        if (!gi_next_token(s)) return false;
        if (!gi_token_is(s, ",")) return gi_parse_fail(s, s->token.span, "several axes are written axis=(0, 2)");
    }
    return gi_next_token(s);
}

/* The decimals of round, behind x. */
static bool gi_parse_decimals(gi_parser *s, gi_pending *call)
{
    call->decimals_given = true;
    return gi_parse_integer(s, "decimals are written as an integer", &call->decimals);
}

/* where=True is as if it were not given. True if that is what comes: it is read. */
static bool gi_parse_everywhere(gi_parser *s)
{
    const gi_parser before = *s;
    if (gi_follows(s, 'T') && gi_next_token(s) && gi_letters_is(s->token.span, "True") &&
        (gi_follows(s, ',') || gi_follows(s, ')')))
        return true;
    *s = before;
    return false;
}

/* An option of a fold by its name, which is the token. *operand_follows: it is an expression. False with an error. */
static bool gi_parse_option(gi_parser *s, gi_pending *call, bool *operand_follows)
{
    const gi_letters name = s->token.span;
    const bool       fold = call->word->kind == GI_WORD_FOLD, row = fold && call->word->row,
               floats = fold && !row && call->word->dtype == GA_F64, /* else of places: argmax */
        some          = row || (floats && call->word->value != 0),
               any    = fold || call->word->kind == GI_WORD_ORDER || call->word->kind == GI_WORD_PERCENTILE;
    int given         = 0;
    if (call->word->kind == GI_WORD_ROUND) {
        if (!gi_letters_is(name, "decimals")) return gi_parse_fail(s, name, "round takes decimals, and nothing else");
        if (call->decimals_given) return gi_parse_fail(s, name, "the decimals are given already");
        return gi_next_token(s) && gi_parse_decimals(s, call);
    }
    if (!any)
        return gi_formula_fail(s->f, (int)(name.at - s->f->text), name.length, "%s takes no options in a formula",
                               call->word->name) != NULL;
    if (!gi_next_token(s)) return false; /* = */
    if (gi_letters_is(name, "axis") && call->along.count >= 0) return gi_parse_fail(s, name, "the axis is given already");
    if (gi_letters_is(name, "axis")) return gi_parse_axes(s, &call->along);
    if (gi_letters_is(name, "keepdims")) {
        if (!gi_parse_integer(s, "keepdims is True or False", &given)) return false;
        call->along.keepdims = given != 0;
        return true;
    }
    if (floats && gi_letters_is(name, "ddof")) return gi_parse_integer(s, "ddof is written as an integer", &call->along.ddof);
    if ((floats || row) && gi_letters_is(name, "dtype")) {
        if (!gi_next_token(s)) return false;
        const gi_word *word = s->token.kind == GI_TOKEN_NAME ? gi_word_named(s->token.span) : NULL;
        if (!word || word->kind != GI_WORD_DTYPE)
            return gi_parse_fail(s, s->token.span, "this is no dtype: write float32, int64 ...");
        call->along.dtype = word->dtype;
        return true;
    }
    int *input = some && gi_letters_is(name, "where")    ? &call->along.where
                 : row && gi_letters_is(name, "initial") ? &call->along.initial
                                                         : NULL;
    if (input && *input > 0) return gi_parse_fail(s, name, "this option is given already");
    if (input == &call->along.where && gi_parse_everywhere(s)) return true;
    if (input) {
        *input                  = s->values - call->first;
        return *operand_follows = true;
    }
    const bool begins = row && (call->word->row()->ends == GI_ENDS_SUM || call->word->row()->start == GI_START_NONE);
    return gi_formula_fail(s->f, (int)(name.at - s->f->text), name.length, "%s takes %s", call->word->name,
                           begins   ? "axis, keepdims, dtype, where and initial"
                           : row    ? "axis, keepdims, dtype and where"
                           : some   ? "axis, keepdims, dtype, ddof and where"
                           : floats ? "axis, keepdims, dtype and ddof"
                                    : "axis and keepdims") != NULL;
}

/* Behind a comma of a call: reads options, up to the parenthesis or to an operand. False with an error. */
static bool gi_parse_options(gi_parser *s, gi_pending *call, bool *operand_follows)
{
    *operand_follows = false;
    if (gi_follows(s, ')')) return gi_next_token(s); /* sin(x,) */
    for (bool first = call->along.where + call->along.initial == 0;; first = false) {
        const gi_parser before = *s;
        if (!gi_next_token(s)) return false;
        const bool option = s->token.kind == GI_TOKEN_NAME && gi_follows(s, '=');
        *s                = before;
        if (!option && s->values - call->first < call->word->arity) return *operand_follows = true;
        if (option) {
            if (!gi_next_token(s) || !gi_parse_option(s, call, operand_follows)) return false;
            if (*operand_follows) return true;
        } else if (call->word->kind == GI_WORD_ROUND && !call->decimals_given) {
            if (!gi_parse_decimals(s, call)) return false;
        } else if (call->word->kind == GI_WORD_ROW || call->word->kind >= GI_WORD_WHERE) {
            return *operand_follows = true; /* one too many: told at the parenthesis */
        } else if (!first) {
            if (!gi_next_token(s)) return false;
            return gi_parse_fail(s, s->token.span, "behind the axis, options have names: keepdims=True");
        } else if (!gi_parse_axes(s, &call->along)) {
            return false;
        }
        if (!gi_next_token(s)) return false;
        if (gi_token_is(s, ")")) return true;
        if (!gi_token_is(s, ",")) return gi_parse_fail(s, s->token.span, "a comma or ')' is missing");
        if (gi_follows(s, ')')) return gi_next_token(s);
    }
}

/* The parenthesis on top of the stack is closed. False with an error. */
static bool gi_close_call(gi_parser *s)
{
    const gi_pending open = s->pending[--s->waiting];
    const int        n = s->values - open.first, operands = n - (open.along.where > 0) - (open.along.initial > 0);
    if (!open.word) return true;
    if (operands != open.word->arity)
        return gi_formula_fail(s->f, (int)(open.span.at - s->f->text), open.span.length, "%.*s takes %d operand%s, not %d",
                               open.span.length, open.span.at, open.word->arity, open.word->arity == 1 ? "" : "s",
                               operands) != NULL;
    gi_step step = gi_step_at(s, GI_STEP_CALL, open.span);
    step.word    = open.word;
    step.along   = open.along;
    if (open.word->kind == GI_WORD_ROUND) step.value = gi_number_of(GA_KIND_INT, open.decimals, 0);
    gi_step_takes(s, &step, n);
    return gi_add_step(s, &step);
}

/* The name, the number or $3 that begins at p, else one character. */
static gi_letters gi_item_at(const char *p, const char *end)
{
    gi_letters item = { p, 1 };
    while (p + item.length < end && (gi_is_word_part(*p) || *p == '$') && gi_is_word_part(p[item.length])) item.length++;
    return item;
}

/* The first name in brackets that the formula gives to a statement, or no letters. */
static gi_letters gi_given_name_in(const gi_parser *s, gi_letters inside)
{
    const char *end = inside.at + inside.length;
    for (gi_letters name = gi_item_at(inside.at, end); name.at < end; name = gi_item_at(name.at + name.length, end))
        for (int k = 0; k < s->bindings; k++)
            if (gi_letters_same(s->binding[k].name, name)) return name;
    const gi_letters none = { end, 0 };
    return none;
}

/* The elements in brackets behind a value. False with an error. */
static bool gi_parse_index(gi_parser *s)
{
    const gi_letters inside = { s->p, (int)strcspn(s->p, "][") };
    if (s->p[inside.length] != ']')
        return gi_parse_fail(s, s->token.span,
                             s->p[inside.length] ? "an index has no index in itself: make it an operand"
                                                 : "'[' is never closed");
    if (gi_skip_blanks(s->p) == s->p + inside.length) return gi_parse_fail(s, s->token.span, "the index is empty");
    const gi_letters given = gi_given_name_in(s, inside);
    if (given.length > 0) return gi_parse_fail(s, given, "an index takes numbers and operands, and no names of the formula");
    gi_step step = gi_step_at(s, GI_STEP_INDEX, inside);
    s->p += inside.length + 1;
    gi_step_takes(s, &step, 1);
    return gi_add_step(s, &step);
}

/* ---- operands and statements ----------------------------------------------------------------------------------------------- */

/* A name, where an operand stands. *open: of a function, whose parenthesis was read. False with an error. */
static bool gi_parse_name(gi_parser *s, bool *open)
{
    const gi_letters name = s->token.span;
    gi_step          step = gi_step_at(s, GI_STEP_OPERAND, name);
    for (int k = s->bindings - 1; k >= 0; k--)
        if (gi_letters_same(s->binding[k].name, name)) return gi_push_value(s, s->binding[k].step);
    for (int k = 0; k < s->f->n; k++)
        if (gi_letters_same(s->f->names[k], name)) {
            step.operand = k;
            return gi_add_step(s, &step);
        }
    const gi_word *word = gi_word_named(name);
    if (!word) return gi_formula_unknown(s->f, name) != NULL;
    if (word->kind == GI_WORD_NUMBER) {
        step.kind  = GI_STEP_NUMBER;
        step.value = gi_number_of(word->number, word->number == GA_KIND_BOOL && word->value != 0,
                                  word->number == GA_KIND_BOOL ? 0 : word->value);
        return gi_add_step(s, &step);
    }
    if (!gi_follows(s, '('))
        return gi_formula_fail(s->f, step.at, step.length, "%s is a function: its operands stand in parentheses", word->name) !=
               NULL;
    gi_pending *top = gi_push_pending(s);
    if (top) top->word = word;
    *open = true;
    return top && gi_next_token(s);
}

/* Is the token that sign, right behind another sign, as in && or +=? */
static bool gi_token_doubles(const gi_parser *s, const char *sign, const char *before)
{
    return gi_token_is(s, sign) && s->token.span.at > s->f->text && strchr(before, s->token.span.at[-1]) != NULL;
}

/* What to say where an operand is missing. */
static const char *gi_missing_operand(const gi_parser *s)
{
    if (s->token.kind == GI_TOKEN_END && s->steps->count == 0 && s->waiting == 0) return "the formula is empty";
    if (gi_token_doubles(s, "&", "&")) return "of arrays it is written &, with parentheses around comparisons";
    if (gi_token_doubles(s, "|", "|")) return "of arrays it is written |, with parentheses around comparisons";
    if (gi_token_doubles(s, "=", "+-*/%&|^<>")) return "a name is given once, to a whole statement: y = x + 1";
    if (gi_token_is(s, "[")) return "there are no lists in a formula";
    return "an operand is missing here";
}

/* Where an operand stands: the token is its beginning. *finished: it is one. False with an error. */
static bool gi_parse_operand(gi_parser *s, bool *finished)
{
    gi_step step = gi_step_at(s, GI_STEP_OPERAND, s->token.span);
    bool    open = false;
    *finished    = false;
    switch (s->token.kind) {
    case GI_TOKEN_NUMBER:
        *finished  = true;
        step.kind  = GI_STEP_NUMBER;
        step.value = s->token.number;
        return gi_add_step(s, &step);
    case GI_TOKEN_OPERAND:
        *finished    = true;
        step.operand = s->token.operand;
        return gi_add_step(s, &step);
    case GI_TOKEN_NAME:
        if (!gi_parse_name(s, &open)) return false;
        *finished = !open;
        return true;
    case GI_TOKEN_SIGN:
        if (gi_token_is(s, "(")) return gi_push_pending(s) != NULL;
        if (s->token.sign->unary) {
            gi_pending *top = gi_push_pending(s);
            if (top) top->sign = s->token.sign;
            if (top) top->unary = true;
            return top != NULL;
        }
        break;
    default: break;
    }
    return gi_parse_fail(s, s->token.span, gi_missing_operand(s));
}

/* Behind an operand: the token is what follows. *expects: another operand. False with an error. */
static bool gi_parse_behind(gi_parser *s, bool *expects)
{
    *expects = false;
    if (s->token.kind == GI_TOKEN_SIGN && s->token.sign->binds > 0) return *expects = true, gi_parse_operator(s);
    if (gi_token_is(s, "[")) return gi_parse_index(s);
    if (s->token.kind == GI_TOKEN_NAME && gi_instead_of_word(s->token.span))
        return gi_formula_unknown(s->f, s->token.span) != NULL;
    if (!gi_token_is(s, ")") && !gi_token_is(s, ","))
        return gi_parse_fail(s, s->token.span,
                             gi_token_is(s, "=")   ? "'=' gives a name to a whole statement; '==' compares"
                             : gi_token_is(s, "(") ? "an operator is missing here: what stands before is no function"
                             : s->token.kind == GI_TOKEN_NAME && gi_follows(s, '=')
                                 ? s->waiting > 0 ? "a ',' is missing here: it separates options"
                                                  : "a ';' is missing here: it separates statements"
                                 : "an operator is missing here");
    if (!gi_finish_operators(s, 0)) return false;
    if (s->waiting == 0)
        return gi_parse_fail(s, s->token.span,
                             gi_token_is(s, ")") ? "there is no '(' for it" : "there is one result: no lists");
    if (gi_token_is(s, ")")) return gi_close_call(s);
    gi_pending *call = &s->pending[s->waiting - 1];
    if (!call->word) return gi_parse_fail(s, s->token.span, "there are no lists in a formula");
    if (!gi_parse_options(s, call, expects)) return false;
    return *expects || gi_close_call(s);
}

/* An expression, up to the end or a semicolon, which is the token then; its step is on the stack. False with an error. */
static bool gi_parse_expression(gi_parser *s)
{
    bool expects = true, finished;
    for (;;) {
        if (!gi_next_token(s)) return false;
        if (expects) {
            if (!gi_parse_operand(s, &finished)) return false;
            expects = !finished;
            continue;
        }
        if (s->token.kind == GI_TOKEN_END || gi_token_is(s, ";")) break;
        if (!gi_parse_behind(s, &expects)) return false;
    }
    if (!gi_finish_operators(s, 0)) return false;
    return s->waiting == 0 || gi_parse_fail(s, s->pending[s->waiting - 1].span, "its '(' is never closed");
}

/* One statement. *result: its step, or -1 if it gave it a name. False with an error. */
static bool gi_parse_statement(gi_parser *s, int *result)
{
    const gi_parser before = *s;
    gi_letters      name   = { "", 0 };
    if (!gi_next_token(s)) return false;
    if (s->token.kind == GI_TOKEN_NAME && gi_follows(s, '=')) {
        name = s->token.span;
        if (!gi_next_token(s)) return false;
    } else {
        *s = before;
    }
    if (!gi_parse_expression(s)) return false;
    *result = s->value[--s->values];
    if (name.length == 0) return true;
    if (s->bindings == GI_FORMULA_STEPS) return gi_parse_too_long(s);
    s->binding[s->bindings].name   = name;
    s->binding[s->bindings++].step = *result;
    *result                        = -1;
    return true;
}

/* Which steps the result needs, each with the last one that needs it; those that nothing needs have -1. */
static void gi_steps_finish(gi_steps *steps, int result)
{
    for (int k = 0; k < steps->count; k++) steps->step[k].last = -1;
    steps->count             = result + 1;
    steps->step[result].last = result + 1;
    for (int k = result; k >= 0; k--)
        for (int i = 0; i < steps->step[k].n && steps->step[k].last >= 0; i++)
            if (steps->step[steps->step[k].x[i]].last < k) steps->step[steps->step[k].x[i]].last = k;
}

/* Reads the formula. False with an error. */
static bool gi_parse(gi_formula_text *f, gi_steps *steps)
{
    GI_ARENA(gi_pending, pending, GI_FORMULA_STEPS);
    GI_ARENA(int, value, GI_FORMULA_STEPS);
    GI_ARENA(gi_binding, binding, GI_FORMULA_STEPS);
    gi_parser s;
    gi_formula_names(f);
    memset(&s, 0, sizeof s);
    s.f          = f;
    s.p          = f->text;
    s.steps      = steps;
    s.pending    = pending;
    s.value      = value;
    s.binding    = binding;
    steps->count = 0;
    for (;;) {
        int              result;
        const gi_letters from = { s.p, 1 };
        if (!gi_parse_statement(&s, &result)) return false;
        bool end = s.token.kind == GI_TOKEN_END;
        while (!end && gi_follows(&s, ';')) (void)gi_next_token(&s);
        end = end || gi_follows(&s, 0);
        if (end && result < 0) return gi_parse_fail(&s, from, "the last statement is the result, and needs no name");
        if (!end && result >= 0) return gi_parse_fail(&s, from, "only the last statement is the result: give this one a name");
        if (!end) continue;
        gi_steps_finish(steps, result);
        return true;
    }
}
