/* ---- errors ------------------------------------------------------------------------------------------------------ */

static __thread char      gi_error_text[1024];
static __thread ga_status gi_error_status;
static __thread bool      gi_error_quiet;   /* another thread will tell it */
static __thread bool      gi_error_printed; /* another process prints it */
static ga_error_handler   gi_error_handler;
static void              *gi_error_user;

const char *ga_error(void) { return gi_error_status == GA_OK ? NULL : gi_error_text; }
ga_status   ga_error_status(void) { return gi_error_status; }
void        ga_clear_error(void) { gi_error_status = GA_OK; }
void        ga_ignore_error(ga_status status, const char *sentence, void *user) { (void)status, (void)sentence, (void)user; }

void ga_set_error_handler(ga_error_handler handler, void *user)
{
    gi_error_handler = handler;
    gi_error_user    = user;
}

/* Writes "main.c:12: ga_add(a, b): " from a site "main.c:12\tga_add(a, b)"; a long call is cut. Returns the length. */
static int gi_error_write_site(char *to, size_t room, const char *site)
{
    enum { LONGEST_CALL = 120 };
    if (!site || !*site) return snprintf(to, room, "gpuarr: ");
    const char *call = strchr(site, '\t');
    if (!call) return snprintf(to, room, "%.*s: ", LONGEST_CALL, site);
    size_t length = strcspn(call + 1, "\v");
    bool   cut    = length > LONGEST_CALL;
    return snprintf(to, room, "%.*s%s%.*s%s: ", (int)(call - site), site, call > site ? ": " : "",
                    cut ? (int)LONGEST_CALL : (int)length, call + 1, cut ? "..." : "");
}

/* Keeps the first error of this thread as a sentence and reports it. Always returns NULL. */
GI_SHARED void *gi_fail(const char *site, ga_status status, const char *format, ...)
{
    if (gi_error_status != GA_OK) return NULL;
    gi_error_status = status;
    int     used    = gi_error_write_site(gi_error_text, sizeof gi_error_text, site);
    va_list args;
    va_start(args, format);
    if (used >= 0 && (size_t)used < sizeof gi_error_text)
        vsnprintf(gi_error_text + used, sizeof gi_error_text - (size_t)used, format, args);
    va_end(args);
    if (gi_error_quiet) return NULL;
    if (gi_error_handler) gi_error_handler(status, gi_error_text, gi_error_user);
    else if (!gi_error_printed) fprintf(stderr, "gpuarr: %s\n", gi_error_text);
    return NULL;
}

/* "(3, 4)" for messages; the text lives in one of a few buffers of this thread, so one message may hold several. */
GI_SHARED const char *gi_shape_text(int ndim, const int64_t *n)
{
    enum { BUFFERS = 4, ROOM = 24 * GPUARR_MAX_DIMS + 4 };
    static __thread char text[BUFFERS][ROOM];
    static __thread int  turn;
    char                *s    = text[turn = (turn + 1) % BUFFERS];
    int                  used = snprintf(s, ROOM, "(");
    for (int d = 0; d < ndim; d++) used += snprintf(s + used, (size_t)(ROOM - used), d ? ", %lld" : "%lld", (long long)n[d]);
    snprintf(s + used, (size_t)(ROOM - used), ndim == 1 ? ",)" : ")");
    return s;
}

/* Was an option written in the call? The options follow a vertical tab in `site`, or else stand between the parentheses of the call's
   text. Only the outermost level counts, not the options of calls inside, and only what follows a comma is an option's name. */
GI_SHARED bool gi_option_given(const char *site, const char *name)
{
    const char *p = site ? strchr(site, '\v') : NULL;
    if (!p && site && (p = strchr(site, '\t')) != NULL) p = strchr(p, '(');
    if (!p) return false;
    if (!strchr(p, '=')) return false; /* most calls: no option at all */
    size_t length = strlen(name);
    int    depth  = 0;
    char   before = ',', last = ',';
    for (p++; *p; p++) {
        if (*p == '"' || (*p == '\'' && !(last >= '0' && last <= '9'))) { /* a literal: to its end */
            char quote = *p++;
            while (*p && *p != quote) p += *p == '\\' && p[1] ? 2 : 1;
            if (!*p) break;
        }
        if (*p == '(' || *p == '[' || *p == '{') depth++;
        if (*p == ')' || *p == ']' || *p == '}') depth--;
        if (depth == 0 && *p == '.' && before == ',' && strncmp(p + 1, name, length) == 0) {
            const char *after = p + 1 + length;
            while (*after == ' ') after++;
            if (after[0] == '=' && after[1] != '=') return true;
        }
        last = *p;
        if (*p != ' ') before = *p;
    }
    return false;
}
