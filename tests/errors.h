/* What the tests of errors share: judging the sentence of an error. */
#ifndef ERRORS_H
#define ERRORS_H

#include "test.h"

static ga_status allowed; /* a further status that the next check takes as well, GA_OK: none */

/* Does `text` contain `part`, blanks aside (a call over several lines shows them differently)? */
static bool shows(const char *text, const char *part)
{
    for (; *text; text++) {
        const char *t = text, *p = part;
        for (; *p; t++, p++) {
            while (*t == ' ') t++;
            while (*p == ' ') p++;
            if (*t != *p) break;
        }
        if (!*p) return true;
    }
    return false;
}

/* Does it begin with the place? A call over several lines may be on any of them. */
static bool begins_with_place(const char *error, const char *file, int line)
{
    size_t n = strlen(file);
    char  *end;
    if (strncmp(error, file, n) != 0 || error[n] != ':') return false;
    long found = strtol(error + n + 1, &end, 10);
    return found >= line - 12 && found <= line + 12 && end[0] == ':' && end[1] == ' ';
}

/* `nothing`: the call gave nothing. The sentence must begin with file:line and the call and contain all the words. */
static void judge(bool nothing, ga_status status, const char *file, int line, const char *call, ...)
{
    const char *error = ga_error(), *problem = NULL, *missing = "";
    const char *paren = strchr(call, '(');
    size_t      name  = paren ? (size_t)(paren - call) : strlen(call);
    bool        setting =
        strncmp(call, "ga_set_", 7) == 0; /* these have no place, and some calls show only a part of their arguments */
    bool        whole = !setting && strncmp(call, "ga_meshgrid", 11) != 0 && strncmp(call, "ga_savez", 8) != 0;
    const char *named = error ? strstr(error, "ga_") : NULL;
    /* what is computed on the CPU alone may say of the other operand that it is on the GPU */
    if (status == GA_BAD_ARGUMENT && test_on_gpu() && error && strstr(error, "computed on the CPU")) allowed = GA_BAD_DEVICE;
    const bool elsewhere = allowed == GA_BAD_DEVICE && ga_error_status() == GA_BAD_DEVICE;
    if (!nothing) problem = "it returned something";
    else if (!error) problem = "it set no error";
    else if (ga_error_status() != status && (allowed == GA_OK || ga_error_status() != allowed))
        problem = "the status is another one";
    else if (!setting && !begins_with_place(error, file, line)) problem = "the sentence does not begin with file and line";
    else if (whole && strlen(call) <= 110 && !shows(error, call)) problem = "the sentence does not show the call";
    else if (!named || strncmp(named, call, name) != 0) problem = "the sentence does not name the function";
    else if (strlen(error) < 20 || error[strlen(error) - 1] == '\n' || error[strlen(error) - 1] == ' ')
        problem = "the sentence is no sentence";
    va_list words;
    va_start(words, call);
    for (const char *w; !problem && !elsewhere && (w = va_arg(words, const char *)) != NULL;)
        if (strstr(error, w) == NULL) problem = "the sentence lacks", missing = w;
    va_end(words);
    allowed = GA_OK;
    if (!problem) {
        test_passed++;
        return;
    }
    test_failed++;
    printf("FAIL %s:%d: %s: %s %s; status %d\n", file, line, call, problem, missing, (int)ga_error_status());
    if (error) printf("     it says: %s\n", error);
    fflush(stdout);
}

/* The call must fail with this status and these words. */
#define FAILS(status, call, ...)                                                                                               \
    (ga_clear_error(), judge(!(call), status, __FILE__, __LINE__, #call, __VA_ARGS__, (const char *)NULL), ga_clear_error())
/* The same for what returns no pointer and no bool: `nothing` is an expression of the call. */
#define FAILS_AS(status, nothing, call, ...)                                                                                   \
    (ga_clear_error(), judge(nothing, status, __FILE__, __LINE__, call, __VA_ARGS__, (const char *)NULL), ga_clear_error())

#endif
