/*  cu2cpp.c -- rewrites CUDA C++ into plain C++ for cudasim. Only syntax that C++ has no spelling for is touched:

        kernel<<<grid, block, bytes, stream>>>(a, b)    CUDASIM_LAUNCH(kernel, (grid, block, bytes, stream), a, b)
        table[2]<<<grid, block>>>(a, b)                 CUDASIM_LAUNCH_POINTER(table[2], (grid, block), a, b)
        __shared__ float tile[16][17];                  CUDASIM_SHARED(12, float tile[16][17];); auto &tile = cudasim_r12.tile;
        extern __shared__ float s[];                    CUDASIM_DYN_SHARED(float, s);
        __device__ int x;                               __device__ int x; CUDASIM_DEVICE_VARIABLE(x)
        asm("mov.u32 %0, %%laneid;" : "=r"(x));         cudasim_inline_assembly();
        cudaLaunchKernel((void *)kernel, ...)           cudaLaunchKernel(kernel, ...)

    Everything else is copied byte for byte and every line keeps its number, so that compiler messages, debuggers and cudasim's
    reports point into the original file.

        cu2cpp [-I folder]... [-d folder] [-o out.cpp] file.cu

    With -d, included files of the project that need rewriting are rewritten too, into that folder; system headers never are.

    How it works: the file is cut into tokens (so comments, strings, raw strings and "#if 0" regions cannot confuse it), the
    tokens are searched for `<<<` and `__shared__`, and each find adds a few small edits (position, length, new text), which are
    applied in the order of their positions at the end.                                                                      */
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

typedef enum { IDENT, NUMBER, STRING, PUNCT, DIRECTIVE, END_OF_DIRECTIVE, END_OF_FILE } kind;

typedef struct {
    kind   kind;
    size_t at, length;
    int    line;
    bool   directive; /* part of a preprocessor directive */
    bool   function;  /* inside a function body, or in a #define, where this cannot be known */
    bool   device;    /* inside the body of a function for the device alone */
} token;

typedef struct {
    size_t      at, remove;
    int         order; /* edits at one position stay in the order in which they were made */
    const char *text;
} edit;

typedef struct source {
    const char    *name; /* as messages show it */
    const char    *real; /* absolute path */
    const char    *copy; /* where the rewritten file goes, with -d */
    char          *text;
    size_t         size;
    token         *tokens;
    size_t         count, room;
    edit          *edits;
    size_t         edit_count, edit_room;
    bool           rewritten; /* a rewritten copy is needed */
    bool           finished;
    struct source *next;
} source;

static const char **folders; /* -I */
static size_t       folder_count;
static const char  *copies;  /* -d */
static source      *sources; /* every file read so far */
static int          errors;

/* ---- small things ---------------------------------------------------------------------------------------------------------- */

static void *grow(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (!memory) {
        fputs("cu2cpp: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* A text like printf's. All texts are kept until the program ends, which is soon. */
static const char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
static const char *format(const char *pattern, ...)
{
    static struct kept {
        struct kept *next;
        char         text[];
    } * kept;
    va_list list, again;
    va_start(list, pattern);
    va_copy(again, list);
    size_t size      = (size_t)vsnprintf(NULL, 0, pattern, list) + 1;
    struct kept *new = grow(NULL, sizeof *new + size);
    new->next        = kept;
    kept             = new;
    vsnprintf(new->text, size, pattern, again);
    va_end(again);
    va_end(list);
    return new->text;
}

static void say(const source *s, int line, const char *what, const char *pattern, va_list list)
{
    fprintf(stderr, "%s:%d: %s: ", s->name, line, what);
    vfprintf(stderr, pattern, list);
    fputc('\n', stderr);
}

static void error_at(const source *s, int line, const char *pattern, ...) __attribute__((format(printf, 3, 4)));
static void error_at(const source *s, int line, const char *pattern, ...)
{
    va_list list;
    va_start(list, pattern);
    say(s, line, "error", pattern, list);
    va_end(list);
    errors++;
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

static void add_edit(source *s, size_t at, size_t remove, const char *text)
{
    if (s->edit_count == s->edit_room) {
        s->edit_room = s->edit_room ? 2 * s->edit_room : 64;
        s->edits     = grow(s->edits, s->edit_room * sizeof *s->edits);
    }
    s->edits[s->edit_count] = (edit){ at, remove, (int)s->edit_count, text };
    s->edit_count++;
    s->rewritten = true;
}

static void insert(source *s, size_t at, const char *text) { add_edit(s, at, 0, text); }

/* ---- tokens ---------------------------------------------------------------------------------------------------------------- */

static void add_token(source *s, kind k, size_t at, size_t length, int line, bool directive)
{
    if (s->count == s->room) {
        s->room   = s->room ? 2 * s->room : 1024;
        s->tokens = grow(s->tokens, s->room * sizeof *s->tokens);
    }
    s->tokens[s->count++] = (token){ k, at, length, line, directive, false, false };
}

static bool token_is(const source *s, size_t i, const char *word)
{
    size_t length = strlen(word);
    return i < s->count && s->tokens[i].length == length && memcmp(s->text + s->tokens[i].at, word, length) == 0;
}

static bool punct(const source *s, size_t i, char c)
{
    return i < s->count && s->tokens[i].kind == PUNCT && s->text[s->tokens[i].at] == c;
}

/* n equal characters in a row without a gap, as in <<< */
static bool run_of(const source *s, size_t i, char c, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (!punct(s, i + k, c) || s->tokens[i + k].at != s->tokens[i].at + k) return false;
    }
    return true;
}

static int newlines(const char *text, size_t from, size_t to)
{
    int n = 0;
    for (; from < to; from++) n += text[from] == '\n';
    return n;
}

/* end of a "string" or 'character' that starts at i */
static size_t skip_quoted(const char *t, size_t i, size_t size)
{
    char quote = t[i++];
    while (i < size && t[i] != quote && t[i] != '\n') i += t[i] == '\\' ? 2 : 1;
    return i < size ? i + 1 : size;
}

/* end of R"x(...)x" whose quote is at i */
static size_t skip_raw_string(const char *t, size_t i, size_t size)
{
    size_t open = i + 1;
    while (open < size && t[open] != '(') open++;
    size_t n = open - (i + 1);
    for (size_t k = open; k + n + 1 < size; k++) {
        if (t[k] == ')' && memcmp(t + k + 1, t + i + 1, n) == 0 && t[k + n + 1] == '"') return k + n + 2;
    }
    return size;
}

static size_t skip_word(const char *t, size_t i, size_t size)
{
    bool number = isdigit((unsigned char)t[i]) || t[i] == '.'; /* .5f */
    while (i < size) {
        if (word_char(t[i]) || (number && t[i] == '.')) i++;
        else if (number && t[i] == '\'' && i + 1 < size && word_char(t[i + 1])) i++; /* 1'000'000 */
        else if (number && (t[i] == '+' || t[i] == '-') && strchr("eEpP", t[i - 1])) i++;
        else break;
    }
    return i;
}

static bool raw_prefix(const char *word, size_t n)
{
    static const char *const prefixes[] = { "R", "u8R", "uR", "UR", "LR" };
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        if (strlen(prefixes[k]) == n && memcmp(prefixes[k], word, n) == 0) return true;
    }
    return false;
}

/* After "#if 0": the position of the #else, #elif or #endif that ends the dead region. */
static size_t skip_dead_region(const char *t, size_t i, size_t size)
{
    int depth = 0;
    while (i < size) {
        size_t start = i;
        while (i < size && (t[i] == ' ' || t[i] == '\t')) i++;
        if (i < size && t[i] == '#') {
            i++;
            while (i < size && (t[i] == ' ' || t[i] == '\t')) i++;
            if (!strncmp(t + i, "if", 2)) depth++;
            else if (!strncmp(t + i, "endif", 5) && depth-- == 0) return start;
            else if (!strncmp(t + i, "el", 2) && depth == 0) return start;
        }
        while (i < size && t[i] != '\n') i++;
        if (i < size) i++;
    }
    return size;
}

static void tokenize(source *s)
{
    const char *t = s->text;
    size_t      n = s->size, i = 0, first = 0; /* first: index of the current directive's '#' */
    int         line      = 1;
    bool        directive = false, line_start = true;
    while (i < n) {
        char c = t[i];
        if (c == '\n') {
            line++;
            i++;
            line_start = true;
            if (directive) {
                add_token(s, END_OF_DIRECTIVE, i - 1, 0, line - 1, true);
                directive = false;
                if (token_is(s, first + 1, "if") && token_is(s, first + 2, "0") && first + 3 == s->count - 1) {
                    size_t end = skip_dead_region(t, i, n);
                    line += newlines(t, i, end);
                    i = end;
                }
            }
        } else if (c == '\\' && (t[i + 1] == '\n' || (t[i + 1] == '\r' && t[i + 2] == '\n'))) {
            i += t[i + 1] == '\r' ? 3 : 2;
            line++;
        } else if (isspace((unsigned char)c)) {
            i++;
        } else if (c == '/' && t[i + 1] == '/') {
            while (i < n && t[i] != '\n') {
                line += t[i] == '\\' && t[i + 1] == '\n';
                i += t[i] == '\\' && i + 1 < n ? 2 : 1;
            }
        } else if (c == '/' && t[i + 1] == '*') {
            char  *close = strstr(t + i + 2, "*/");
            size_t end   = close ? (size_t)(close - t) + 2 : n;
            line += newlines(t, i, end);
            i = end;
        } else if (c == '"' || c == '\'') {
            size_t end = skip_quoted(t, i, n);
            add_token(s, STRING, i, end - i, line, directive);
            line += newlines(t, i, end);
            i          = end;
            line_start = false;
        } else if (word_char(c) || (c == '.' && isdigit((unsigned char)t[i + 1]))) {
            size_t end  = skip_word(t, i, n);
            kind   what = isdigit((unsigned char)c) || c == '.' ? NUMBER : IDENT;
            int    at   = line;
            if (what == IDENT && end < n && t[end] == '"' && raw_prefix(t + i, end - i)) {
                end = skip_raw_string(t, end, n);
                line += newlines(t, i, end);
                what = STRING;
            }
            add_token(s, what, i, end - i, at, directive);
            i          = end;
            line_start = false;
        } else {
            if (c == '#' && line_start) {
                directive = true;
                first     = s->count;
                add_token(s, DIRECTIVE, i, 1, line, true);
            } else {
                add_token(s, PUNCT, i, 1, line, directive);
            }
            line_start = false;
            i++;
        }
    }
    if (directive) add_token(s, END_OF_DIRECTIVE, n, 0, line, true);
    add_token(s, END_OF_FILE, n, 0, line, false);
}

/* Is the brace at token i the body of a function (or a block, lambda or initialiser) rather than of a namespace or a class? */
static bool opens_function(const source *s, size_t i)
{
    if (i > 0 && punct(s, i - 1, ')')) return true;
    for (size_t k = i; k-- > 0;) {
        if (punct(s, k, ';') || punct(s, k, '{') || punct(s, k, '}') || s->tokens[k].directive) break;
        if (token_is(s, k, "namespace") || token_is(s, k, "struct") || token_is(s, k, "class") || token_is(s, k, "union"))
            return false;
        if (token_is(s, k, "extern") && s->tokens[k + 1].kind == STRING && k + 2 == i) return false;
        if (punct(s, k, ')') || punct(s, k, '=')) return true;
    }
    return true;
}

/* Does the function whose body opens at token i run on the device only? */
static bool is_for_device(const source *s, size_t i)
{
    bool device = false;
    for (size_t k = i; k-- > 0;) {
        if (punct(s, k, ';') || punct(s, k, '{') || punct(s, k, '}') || s->tokens[k].directive) break;
        if (token_is(s, k, "__host__")) return false;
        if (token_is(s, k, "__global__") || token_is(s, k, "__device__")) device = true;
    }
    return device;
}

/* Marks the tokens that lie inside of functions. */
static void find_functions(source *s)
{
    bool   is_function[512] = { false }; /* what each open brace is */
    bool   device           = false;     /* what the outermost open function is */
    size_t depth = 0, functions = 0;
    for (size_t i = 0; i < s->count; i++) {
        token *t = &s->tokens[i];
        if (t->directive) {
            t->function = true;
            continue;
        }
        if (punct(s, i, '{')) {
            bool f = functions > 0 || opens_function(s, i);
            if (functions == 0) device = f && is_for_device(s, i);
            if (depth < 512) is_function[depth] = f;
            depth++;
            functions += f;
        } else if (punct(s, i, '}') && depth > 0) {
            depth--;
            if (depth < 512 && is_function[depth]) functions--;
        }
        t->function = functions > 0;
        t->device   = functions > 0 && device;
    }
}

/* The bracket that closes the one at i, or else the file's last token. */
static size_t closing(const source *s, size_t i)
{
    char   open = s->text[s->tokens[i].at], close = open == '(' ? ')' : open == '[' ? ']' : '}';
    size_t depth = 0;
    for (; s->tokens[i].kind != END_OF_FILE; i++) {
        if (punct(s, i, open)) depth++;
        if (punct(s, i, close) && --depth == 0) return i;
    }
    return i - 1;
}

/* The bracket that opens the one that closes at i; 0 if there is none. */
static size_t opening(const source *s, size_t i)
{
    char   close = s->text[s->tokens[i].at], open = close == ')' ? '(' : close == ']' ? '[' : close == '}' ? '{' : '<';
    size_t depth = 0;
    for (;; i--) {
        if (open == '<' && (punct(s, i, ')') || punct(s, i, ']'))) {
            i = opening(s, i);
        } else {
            if (punct(s, i, close)) depth++;
            if (punct(s, i, open) && --depth == 0) return i;
        }
        if (i == 0) return 0;
    }
}

/* This text in place of the tokens from..to; the line breaks stay. */
static void replace(source *s, size_t from, size_t to, const char *text)
{
    size_t at = s->tokens[from].at, end = s->tokens[to].at + s->tokens[to].length;
    for (int lost = newlines(s->text, at, end); lost > 0; lost--)
        text = format(s->tokens[from].directive ? "%s \\\n" : "%s\n", text);
    add_edit(s, at, end - at, text);
}

/* In place of the tokens from..to an error with this text, which the compiler gives unless an #ifdef leaves the code out. */
static void refuse(source *s, size_t from, size_t to, const char *sentence)
{
    replace(s, from, to, format("[] { static_assert(sizeof(int) == 0, \"%s\"); }()", sentence));
}

/* ---- launches -------------------------------------------------------------------------------------------------------------- */

static bool keyword_before_expression(const source *s, size_t i)
{
    return token_is(s, i, "return") || token_is(s, i, "else") || token_is(s, i, "do") || token_is(s, i, "case");
}

/* First token of the expression that names the kernel and ends just before token i: k, ns::k, k<4>, object.k, (*table[2]), ...
   Returns i if there is none. */
static size_t callee_start(const source *s, size_t i)
{
    const size_t none = i;
    for (;;) {
        if (i == 0) return none;
        size_t last = i - 1;
        while (punct(s, last, '>') || punct(s, last, ']')) { /* template arguments, subscripts */
            last = opening(s, last);
            if (last == 0) return none;
            last--;
        }
        if (punct(s, last, ')')) {
            i = opening(s, last);
            if (i == 0) return none;
            if (s->tokens[i - 1].kind != IDENT || keyword_before_expression(s, i - 1)) return i;
            i--; /* a call: its name belongs to the expression */
        } else if (s->tokens[last].kind == IDENT) {
            i = last;
        } else {
            return none;
        }
        if (i > 0 && token_is(s, i - 1, "template")) i--;
        if (i >= 2 && run_of(s, i - 2, ':', 2)) {
            i -= 2;
            bool qualified = i > 0 && (s->tokens[i - 1].kind == IDENT || punct(s, i - 1, '>'));
            if (!qualified || keyword_before_expression(s, i - 1)) return i;
        } else if (i >= 2 && punct(s, i - 1, '.')) {
            i--;
        } else if (i >= 3 && punct(s, i - 1, '>') && punct(s, i - 2, '-')) {
            i -= 2;
        } else {
            return i;
        }
    }
}

static bool has_comma(const source *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (punct(s, i, ',')) return true;
    }
    return false;
}

/* Commas between from and to that no bracket encloses. */
static int top_commas(const source *s, size_t from, size_t to)
{
    int n = 0;
    for (size_t i = from; i < to; i++) {
        if (punct(s, i, '(') || punct(s, i, '[') || punct(s, i, '{')) i = closing(s, i);
        else n += punct(s, i, ',');
    }
    return n;
}

/* The >>> of the launch whose <<< is at token i; 0 if there is none. Of four or more '>' the last three count: f<<<1, N<3>>>>(). */
static size_t launch_close(const source *s, size_t i)
{
    bool directive = s->tokens[i].directive;
    for (i += 3; s->tokens[i].kind != END_OF_FILE; i++) {
        if (punct(s, i, '(') || punct(s, i, '[') || punct(s, i, '{')) i = closing(s, i);
        if (s->tokens[i].directive != directive || s->tokens[i].kind == END_OF_DIRECTIVE || punct(s, i, ';')) return 0;
        if (run_of(s, i, '>', 3) && !run_of(s, i, '>', 4)) return i;
    }
    return 0;
}

/* Is the kernel named by an expression to evaluate, table[2] or object.member, rather than by its name, ns::kernel<4>? */
static bool is_expression(const source *s, size_t from, size_t to)
{
    size_t template_depth = 0;
    for (size_t i = from; i < to; i++) {
        if (punct(s, i, '<')) template_depth++;
        else if (punct(s, i, '>') && template_depth > 0) template_depth--;
        else if (template_depth == 0 && (punct(s, i, '(') || punct(s, i, '[') || punct(s, i, '.') || punct(s, i, '-')))
            return true;
    }
    return false;
}

static void rewrite_launch(source *s, size_t i)
{
    int    line  = s->tokens[i].line;
    size_t start = callee_start(s, i);
    if (start == i) {
        error_at(s, line, "no kernel in front of <<<");
        return;
    }
    size_t close = launch_close(s, i);
    if (!close) {
        error_at(s, line, "<<< without its >>>%s",
                 s->tokens[i].directive ? ": a macro must hold the whole launch, kernel<<<grid, block>>>(arguments)" : "");
        return;
    }
    size_t open = close + 3;
    if (!punct(s, open, '(')) {
        error_at(s, s->tokens[close].line, "the arguments are missing after >>>: write kernel<<<grid, block>>>(arguments)%s",
                 s->tokens[i].directive ? ", all of it inside of the macro" : "");
        return;
    }
    int commas = top_commas(s, i + 3, close);
    if (close == i + 3 || (commas == 0 && !(close == i + 4 && s->tokens[i + 3].kind == IDENT))) {
        error_at(s, line, "a launch needs a grid and a block: kernel<<<grid, block>>>(arguments)");
        return;
    }
    bool template_inside = memchr(s->text + s->tokens[i + 3].at, '<', s->tokens[close].at - s->tokens[i + 3].at);
    if (commas > 3 && !template_inside) {
        error_at(s, line, "a launch takes at most four values: kernel<<<grid, block, shared bytes, stream>>>(arguments)");
        return;
    }
    size_t end = closing(s, open);
    if (!punct(s, end, ')')) {
        error_at(s, s->tokens[open].line, "the argument list of this launch is not closed");
        return;
    }
    if (s->tokens[i].device) {
        refuse(s, start, end,
               "device code launches a kernel: cudasim has no dynamic parallelism; launch it from the host, after this kernel");
        return;
    }
    /* A macro sees a comma between < and > as a separator, so such a name goes in parentheses; a #define can hide one. */
    bool   wrap = s->tokens[i].directive || has_comma(s, start, i);
    size_t last = s->tokens[i - 1].at + s->tokens[i - 1].length;
    insert(s, s->tokens[start].at,
           format("CUDASIM_LAUNCH%s(%s", is_expression(s, start, i) ? "_POINTER" : "", wrap ? "(" : ""));
    insert(s, last, format("%s, (", wrap ? ")" : ""));
    add_edit(s, s->tokens[i].at, 3, "");
    add_edit(s, s->tokens[close].at, 3, ")");
    add_edit(s, s->tokens[open].at, 1, end > open + 1 ? ", " : " ");
}

/* ---- shared memory --------------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t at, length; /* in the text */
    bool   array;      /* extern __shared__ T name[] */
    size_t open;       /* token of its first '[' */
} declarator;

typedef struct {
    size_t     begin, end;      /* tokens: first of the declaration; its ';' (or the end of the directive) */
    size_t     body, body_end;  /* braces of a struct that is defined in the declaration, or 0 */
    bool       external, named; /* named: that struct has a name */
    bool       broken;
    declarator names[32];
    size_t     count;
} declaration;

/* The first token of the text of the #define that holds token i; 0 in other directives. */
static size_t macro_body(const source *s, size_t i)
{
    while (s->tokens[i].kind != DIRECTIVE) i--;
    if (!token_is(s, i + 1, "define")) return 0;
    const token *name = &s->tokens[i + 2];
    size_t       body = i + 3;
    if (punct(s, body, '(') && s->tokens[body].at == name->at + name->length) body = closing(s, body) + 1; /* parameters */
    return body;
}

static bool takes_parentheses(const source *s, size_t i)
{
    return token_is(s, i, "alignas") || token_is(s, i, "__align__") || token_is(s, i, "__attribute__") ||
           token_is(s, i, "decltype") || token_is(s, i, "typeof") || token_is(s, i, "__typeof__");
}

/* A declaration begins after the last ; { } or : before it, or where the macro's text begins. */
static size_t declaration_start(const source *s, size_t i)
{
    bool   directive = s->tokens[i].directive;
    size_t first     = directive ? macro_body(s, i) : 0;
    while (i > first) {
        size_t k = i - 1;
        if (s->tokens[k].directive != directive || punct(s, k, ';') || punct(s, k, '{') || punct(s, k, '}')) break;
        if (punct(s, k, ':') && !punct(s, k - 1, ':') && !punct(s, k + 1, ':')) break;
        if (punct(s, k, ')')) { /* alignas(16) and __align__(16) belong to it; what else ends with ) does not */
            size_t open = opening(s, k);
            if (open == 0 || !takes_parentheses(s, open - 1)) break;
            k = open;
        }
        i = k;
    }
    return i;
}

static void add_name(declaration *d, const source *s, size_t name, size_t open)
{
    if (d->count < sizeof d->names / sizeof *d->names)
        d->names[d->count++] = (declarator){ s->tokens[name].at, s->tokens[name].length, open != 0, open };
}

static bool is_qualifier(const source *s, size_t i)
{
    static const char *const words[] = {
        "const", "volatile", "unsigned", "signed", "long", "short", "struct", "union", "class"
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (token_is(s, i, words[k])) return true;
    }
    return false;
}

/* Reads "T a[4][5], *b, (*c)[3];" from the token after __shared__ and notes the names. */
static void read_declarators(const source *s, size_t i, declaration *d)
{
    bool   directive = s->tokens[i].directive, aggregate = false;
    size_t name = 0, words = 0; /* name: last word seen; words: how many in this declarator */
    for (;; i++) {
        const token *t = &s->tokens[i];
        if (t->kind == END_OF_FILE || t->directive != directive || t->kind == END_OF_DIRECTIVE || punct(s, i, ';')) break;
        if (t->kind == IDENT) {
            if (token_is(s, i, "extern")) d->external = true;
            if (token_is(s, i, "struct") || token_is(s, i, "union") || token_is(s, i, "class")) aggregate = true;
            else if (!is_qualifier(s, i)) {
                name = i;
                words++;
            }
        } else if (punct(s, i, '<') && t[-1].kind == IDENT) { /* template arguments */
            size_t depth = 0;
            for (; s->tokens[i].kind != END_OF_FILE; i++) {
                if (punct(s, i, '(')) i = closing(s, i);
                if (punct(s, i, '<')) depth++;
                if (punct(s, i, '>') && --depth == 0) break;
            }
            if (s->tokens[i].kind == END_OF_FILE) break;
        } else if (punct(s, i, '{') && aggregate && !d->body) {
            d->body     = i;
            d->body_end = closing(s, i);
            d->named    = words > 0;
            name = words = 0;
            i            = d->body_end;
        } else if (punct(s, i, '(') && (punct(s, i + 1, '*') || punct(s, i + 1, '&'))) {
            for (size_t k = i; k < closing(s, i); k++) {
                if (s->tokens[k].kind == IDENT && !is_qualifier(s, k)) name = k;
            }
            i = closing(s, i);
            if (punct(s, i + 1, '(')) i = closing(s, i + 1);
        } else if (punct(s, i, '(') && name && takes_parentheses(s, name)) {
            i    = closing(s, i);
            name = 0;
        } else if (punct(s, i, '[')) {
            size_t open = i;
            while (punct(s, i, '[')) i = closing(s, i) + 1;
            i--;
            if (name) add_name(d, s, name, open);
            name = 0;
        } else if (punct(s, i, '=') || punct(s, i, '{') || punct(s, i, '(')) {
            error_at(s, t->line,
                     "a __shared__ variable cannot have an initial value: let one thread assign it, then __syncthreads()");
            d->broken = true;
            break;
        } else if (punct(s, i, ',')) {
            if (name) add_name(d, s, name, 0);
            name = 0;
        }
    }
    if (name) add_name(d, s, name, 0);
    d->end = i;
}

/* The id joins the pieces of one declaration. Two on one line get 12 and 12_2; in a macro the variable's name keeps them apart. */
static const char *shared_id(const source *s, size_t i, const declaration *d)
{
    static int           last_line, repeat;
    static const source *last_source;
    int                  line = s->tokens[i].line;
    repeat                    = line == last_line && s == last_source ? repeat + 1 : 1;
    last_line                 = line;
    last_source               = s;
    if (s->tokens[i].directive) return format("%d_##%.*s", line, (int)d->names[0].length, s->text + d->names[0].at);
    return repeat > 1 ? format("%d_%d", line, repeat) : format("%d", line);
}

static void remove_token(source *s, size_t i) { add_edit(s, s->tokens[i].at, s->tokens[i].length, ""); }

/* The type before the name of a dynamic array: every token but extern, __shared__, static and alignments. */
static const char *dynamic_type(const source *s, const declaration *d)
{
    const char *type = "";
    for (size_t k = d->begin; s->tokens[k].at < d->names[0].at; k++) {
        if (token_is(s, k, "extern") || token_is(s, k, "__shared__") || token_is(s, k, "static")) continue;
        if (takes_parentheses(s, k)) {
            k = closing(s, k + 1);
            continue;
        }
        bool word = s->tokens[k].kind == IDENT && k > d->begin && (s->tokens[k - 1].kind == IDENT || punct(s, k - 1, ')'));
        type      = format("%s%s%.*s", type, *type && word ? " " : "", (int)s->tokens[k].length, s->text + s->tokens[k].at);
    }
    return type;
}

/* extern __shared__ T name[]: a pointer to the launch's dynamic bytes. */
static void rewrite_dynamic(source *s, size_t i, const declaration *d)
{
    int line = s->tokens[i].line;
    if (d->count != 1 || !d->names[0].array || d->body) {
        error_at(s, line, "expected one array: extern __shared__ type name[];");
        return;
    }
    const declarator *n    = &d->names[0];
    const char       *name = format("%.*s", (int)n->length, s->text + n->at), *type = dynamic_type(s, d), *alias = "";
    size_t            bound = closing(s, n->open), at = s->tokens[d->begin].at, end = s->tokens[d->end].at;
    if (punct(s, bound + 1, '[')) { /* further dimensions: extern __shared__ float rows[][16] */
        size_t from = s->tokens[bound].at + 1;
        alias       = format("typedef %s cudasim_t%d%.*s; ", type, line, (int)(end - from), s->text + from);
    } else if (strchr(type, ',')) {
        alias = format("typedef %s cudasim_t%d; ", type, line);
    }
    if (*alias) type = format("cudasim_t%d", line);
    const char *text = format("%sCUDASIM_DYN_SHARED(%s, %s)", alias, type, name);
    if (!s->tokens[i].function) { /* outside of functions: an object that finds the running block's bytes at each use */
        text =
            format("%sstatic struct { operator %s *() const { CUDASIM_DYN_SHARED(%s, p); return p; } "
                   "template <class cudasim_u> explicit operator cudasim_u *() const { return (cudasim_u *)(%s *)*this; } } %s",
                   alias, type, type, type, name);
    }
    for (int lost = newlines(s->text, at, end); lost > 0; lost--) /* the declaration's line breaks stay */
        text = format(s->tokens[i].directive ? "%s \\\n" : "%s\n", text);
    add_edit(s, at, end - at, text);
}

/* __shared__ T a[4], b: a struct that the runtime places, and one reference per name. */
static void rewrite_static(source *s, size_t i, const declaration *d)
{
    if (!s->tokens[i].function) return; /* at file scope the __shared__ macro of the headers does */
    const char *id    = shared_id(s, i, d);
    size_t      begin = s->tokens[d->begin].at, end = s->tokens[d->end].at;
    if (d->body && d->named) { /* struct point { ... } p[4]: the type stays visible in the function */
        size_t after = s->tokens[d->body_end].at + 1;
        size_t k     = d->body;
        while (s->tokens[k].kind != IDENT) k--;
        insert(s, after, format("; CUDASIM_SHARED(%s, %.*s", id, (int)s->tokens[k].length, s->text + s->tokens[k].at));
    } else {
        insert(s, begin, format("CUDASIM_SHARED(%s, ", id));
    }
    for (size_t k = d->begin; k < d->end && k <= i; k++) {
        if (token_is(s, k, "static") || token_is(s, k, "__shared__")) remove_token(s, k);
    }
    bool macro = s->tokens[d->end].kind == END_OF_DIRECTIVE; /* its ';' stands where the macro is used */
    if (macro) {
        const token *last = &s->tokens[d->end - 1];
        end               = last->at + last->length;
    }
    const char *text = ";)";
    for (size_t k = 0; k < d->count; k++) {
        const declarator *n = &d->names[k];
        text = format("%s; [[maybe_unused]] auto &%.*s = cudasim_r%s.%.*s", text, (int)n->length, s->text + n->at, id,
                      (int)n->length, s->text + n->at);
    }
    insert(s, end, text);
}

static void rewrite_shared(source *s, size_t i)
{
    const token *t = &s->tokens[i];
    if (t->directive && macro_body(s, i) == 0) return; /* #ifdef __shared__ */
    if (t->directive && i < macro_body(s, i)) return;  /* #define __shared__ */
    declaration d = { 0 };
    d.begin       = declaration_start(s, i);
    for (size_t k = d.begin; k < i; k++) {
        if (token_is(s, k, "extern")) d.external = true;
        if (takes_parentheses(s, k)) {
            k = closing(s, k + 1);
        } else if (punct(s, k, '(')) {
            if (!t->directive)
                error_at(s, t->line,
                         "__shared__ cannot stand here: a parameter is not shared memory; declare the variable in the kernel");
            return;
        }
    }
    read_declarators(s, i + 1, &d);
    if (d.broken) return;
    if (d.count == 0) {
        if (!t->directive) error_at(s, t->line, "a declaration is expected after __shared__");
        return;
    }
    if (d.external) rewrite_dynamic(s, i, &d);
    else rewrite_static(s, i, &d);
}

/* ---- device variables ------------------------------------------------------------------------------------------------------ */

/* Does token i stand in a class, where a variable is a member? */
static bool in_class(const source *s, size_t i)
{
    size_t depth = 0;
    for (size_t k = i; k-- > 0;) {
        if (s->tokens[k].directive) continue;
        if (punct(s, k, '}')) depth++;
        if (!punct(s, k, '{') || depth-- > 0) continue;
        for (; k-- > 0 && !punct(s, k, ';') && !punct(s, k, '{') && !punct(s, k, '}');) {
            if (token_is(s, k, "struct") || token_is(s, k, "class") || token_is(s, k, "union")) return true;
        }
        return false;
    }
    return false;
}

/* __device__ int a, b[4] = { 1 };: the checker learns the names of variables that the host must not use. */
static void note_device_variables(source *s, size_t i)
{
    if (s->tokens[i].directive || s->tokens[i].function || in_class(s, i)) return;
    const char *text  = "";
    size_t      start = declaration_start(s, i), name = 0, k = start;
    bool        aggregate = false, value = false;
    for (; !punct(s, k, ';'); k++) {
        const token *t = &s->tokens[k];
        if (t->kind == END_OF_FILE || t->directive) return;
        if (token_is(s, k, "extern") || token_is(s, k, "template") || token_is(s, k, "const") || token_is(s, k, "constexpr") ||
            token_is(s, k, "__managed__") || token_is(s, k, "__host__") || token_is(s, k, "using") ||
            token_is(s, k, "operator"))
            return;
        if (k > start && k < i && (token_is(s, k, "__device__") || token_is(s, k, "__constant__"))) return; /* done */
        if (token_is(s, k, "struct") || token_is(s, k, "union") || token_is(s, k, "class")) aggregate = true;
        if (punct(s, k, '(')) {
            if (!value && !takes_parentheses(s, k - 1)) return; /* a function */
            k = closing(s, k);
            if (!value) name = 0;
        } else if (punct(s, k, '{') || punct(s, k, '[')) {
            if (punct(s, k, '{')) value = !aggregate;
            aggregate = aggregate && punct(s, k, '[');
            k         = closing(s, k);
        } else if (punct(s, k, '=')) {
            value = true;
        } else if (punct(s, k, '<') && !value) {
            for (size_t depth = 0; s->tokens[k].kind != END_OF_FILE; k++) {
                if (punct(s, k, '<')) depth++;
                if (punct(s, k, '>') && --depth == 0) break;
            }
            if (s->tokens[k].kind == END_OF_FILE) return;
        } else if (punct(s, k, ',')) {
            if (name)
                text =
                    format("%s CUDASIM_DEVICE_VARIABLE(%.*s)", text, (int)s->tokens[name].length, s->text + s->tokens[name].at);
            name = 0, value = false;
        } else if (t->kind == IDENT && !value) {
            name = k;
        }
    }
    if (name && name > i)
        text = format("%s CUDASIM_DEVICE_VARIABLE(%.*s)", text, (int)s->tokens[name].length, s->text + s->tokens[name].at);
    if (*text) insert(s, s->tokens[k].at + 1, text);
}

/* ---- kernels as void pointers ---------------------------------------------------------------------------------------------- */

/* cudaLaunchKernel((void *)kernel, ...) -> cudaLaunchKernel(kernel, ...): the headers need the types of its parameters. */
static void keep_kernel_type(source *s, size_t i)
{
    static const char *const names[] = { "cudaLaunchKernel", "cudaLaunchCooperativeKernel" };
    if (!token_is(s, i, names[0]) && !token_is(s, i, names[1])) return;
    if (!punct(s, i + 1, '(') || !punct(s, i + 2, '(')) return;
    size_t k = i + 3;
    if (token_is(s, k, "const")) k++;
    if (!token_is(s, k, "void") || !punct(s, k + 1, '*') || !punct(s, k + 2, ')')) return;
    for (size_t t = i + 2; t <= k + 2; t++) remove_token(s, t);
}

/* ---- included files -------------------------------------------------------------------------------------------------------- */

static source *read_source(const char *name);

static const char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? format("%.*s", (int)(slash - path), path) : format(".");
}

static const char *find_file(const char *folder, const char *name)
{
    bool        plain = name[0] == '/' || strcmp(folder, ".") == 0;
    const char *path  = plain ? name : format("%s/%s", folder, name);
    struct stat what;
    return stat(path, &what) == 0 && S_ISREG(what.st_mode) ? path : NULL;
}

/* #include "x.cuh": next to the including file, then in the -I folders, where <x.cuh> is looked for as well. */
static void follow_include(source *s, size_t i)
{
    const char *t = s->text;
    size_t      at, end;
    bool        quoted = s->tokens[i].kind == STRING;
    if (quoted) {
        at  = s->tokens[i].at + 1;
        end = s->tokens[i].at + s->tokens[i].length - 1;
    } else if (punct(s, i, '<')) {
        at = end = s->tokens[i].at + 1;
        while (t[end] != '>' && t[end] != '\n' && t[end]) end++;
    } else {
        return;
    }
    const char *name = format("%.*s", (int)(end - at), t + at), *path = NULL;
    if (quoted) {
        const char *folder = folder_of(s->name);
        path               = find_file(folder, name);
    }
    for (size_t k = 0; !path && k < folder_count; k++) path = find_file(folders[k], name);
    if (!path) return;
    source *included = read_source(path);
    if (!included) return;
    if (!included->finished) included->rewritten = true; /* files that include each other: assume that both need it */
    /* The copy of this file lies elsewhere, so what it includes is named by its full path; that alone needs no copy. */
    bool needed = s->rewritten || included->rewritten;
    add_edit(s, at - 1, end - at + 2, format("\"%s\"", included->rewritten ? included->copy : included->real));
    s->rewritten = needed;
}

/* ---- one file -------------------------------------------------------------------------------------------------------------- */

static bool load(source *s)
{
    FILE *f = fopen(s->name, "rb");
    if (!f) return false;
    size_t room = 1 << 16, got;
    s->text     = grow(NULL, room);
    while ((got = fread(s->text + s->size, 1, room - s->size - 8, f)) > 0) {
        s->size += got;
        if (room - s->size < 4096) s->text = grow(s->text, room *= 2);
    }
    memset(s->text + s->size, 0, 8);
    fclose(f);
    return true;
}

static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* Does the string at token i hold PTX: a type that follows a point, as in add.u32, or a special register, as %laneid? */
static bool is_ptx(const source *s, size_t i)
{
    static const char *const signs[] = { ".u8",  ".u16", ".u32", ".u64", ".s8",   ".s16",  ".s32", ".s64",    ".b8",    ".b16",
                                         ".b32", ".b64", ".f32", ".f64", ".pred", ".sync", ".gpu", ".global", ".shared" };
    const char              *string  = format("%.*s", (int)s->tokens[i].length, s->text + s->tokens[i].at);
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        if (strstr(string, signs[k])) return true;
    }
    return false;
}

/* asm(...) in device code, or with PTX in a macro or a function for both sides. It is an error only where the compiler emits the
   function: headers are full of helpers that a program does not call. What holds only operands, asm volatile("" : "+r"(x)), pins
   a value and stays. */
static void rewrite_assembly(source *s, size_t i)
{
    size_t open = i + 1;
    while (s->tokens[open].kind == IDENT) open++; /* volatile */
    if (!s->tokens[i].function || !punct(s, open, '(') || s->tokens[open + 1].kind != STRING) return;
    size_t end = closing(s, open), k = open + 1;
    if (!punct(s, end, ')') || (token_is(s, k, "\"\"") && (punct(s, k + 1, ':') || k + 1 == end))) return;
    bool ptx = s->tokens[i].device;
    for (; !ptx && s->tokens[k].kind == STRING; k++) ptx = is_ptx(s, k);
    if (ptx) replace(s, i, end, "cudasim_inline_assembly()");
}

static void rewrite(source *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const token *t = &s->tokens[i];
        if (t->kind == DIRECTIVE && copies && token_is(s, i + 1, "include")) {
            follow_include(s, i + 2);
        } else if (run_of(s, i, '<', 3) && !(t->directive && token_is(s, i - 1, "include"))) {
            if (run_of(s, i, '<', 4)) {
                error_at(s, t->line, "<<<< is not CUDA%s", run_of(s, i, '<', 7) ? " (a version-control conflict marker?)" : "");
                while (punct(s, i + 1, '<')) i++;
                continue;
            }
            rewrite_launch(s, i);
            i += 2;
        } else if (token_is(s, i, "__shared__")) {
            rewrite_shared(s, i);
        } else if (token_is(s, i, "__device__") || token_is(s, i, "__constant__")) {
            note_device_variables(s, i);
        } else if (t->kind == IDENT && t->length >= 16) {
            keep_kernel_type(s, i);
        } else if (token_is(s, i, "asm") || token_is(s, i, "__asm__") || token_is(s, i, "__asm")) {
            rewrite_assembly(s, i);
        }
    }
}

/* Reads, cuts and rewrites a file once; the result waits for write_source. */
static source *read_source(const char *name)
{
    char real[PATH_MAX];
    if (!realpath(name, real)) return NULL;
    for (source *s = sources; s; s = s->next) {
        if (strcmp(s->real, real) == 0) return s;
    }
    source *s = grow(NULL, sizeof *s);
    memset(s, 0, sizeof *s);
    s->name = format("%s", name);
    s->real = format("%s", real);
    if (!load(s)) return NULL;
    const char *base = strrchr(real, '/') + 1;
    if (copies) s->copy = format("%s/%016llx_%s", copies, (unsigned long long)hash(real), base);
    s->next = sources;
    sources = s;
    tokenize(s);
    find_functions(s);
    rewrite(s);
    s->finished = true;
    return s;
}

static int by_position(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->order - y->order;
}

static bool write_source(source *s, FILE *out)
{
    if (s->edit_count > 0) qsort(s->edits, s->edit_count, sizeof *s->edits, by_position);
    fputs("#line 1 \"", out);
    for (const char *p = s->name; *p; p++) {
        if (*p == '"' || *p == '\\') fputc('\\', out);
        fputc(*p, out);
    }
    fputs("\"\n", out);
    size_t done = 0;
    for (size_t k = 0; k < s->edit_count; k++) {
        const edit *e = &s->edits[k];
        fwrite(s->text + done, 1, e->at - done, out);
        fputs(e->text, out);
        done = e->at + e->remove;
    }
    fwrite(s->text + done, 1, s->size - done, out);
    return !ferror(out);
}

static int write_to(source *s, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out || !write_source(s, out) || fclose(out)) {
        fprintf(stderr, "cu2cpp: %s: %s\n", path, strerror(errno));
        return 2;
    }
    return 0;
}

static int usage(void)
{
    fputs("usage: cu2cpp [-I folder]... [-d folder] [-o out.cpp] file.cu\n"
          "Rewrites kernel launches and __shared__ variables into C++ for cudasim.\n"
          "  -o out.cpp   write here instead of to the standard output\n"
          "  -d folder    rewrite included files of the project too, into this folder\n"
          "  -I folder    where included files are looked for, besides the including file's folder\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const char *input = NULL, *output = NULL;
    folders = grow(NULL, (size_t)argc * sizeof *folders);
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (!strncmp(argv[i], "-I", 2) && argv[i][2]) folders[folder_count++] = argv[i] + 2;
        else if (!strcmp(argv[i], "-I") && more) folders[folder_count++] = argv[++i];
        else if (!strcmp(argv[i], "-o") && more) output = argv[++i];
        else if (!strcmp(argv[i], "-d") && more) copies = argv[++i];
        else if (argv[i][0] == '-' || input) return usage();
        else input = argv[i];
    }
    if (!input) return usage();
    source *s = read_source(input);
    if (!s) {
        fprintf(stderr, "cu2cpp: %s: %s\n", input, strerror(errno));
        return 2;
    }
    if (errors) return 1;
    for (source *h = sources; h; h = h->next) {
        if (h != s && h->rewritten && copies && write_to(h, h->copy)) return 2;
    }
    if (output) return write_to(s, output);
    return write_source(s, stdout) ? 0 : 2;
}
