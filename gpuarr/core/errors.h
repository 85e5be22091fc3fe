/* ---- errors ------------------------------------------------------------------------------------------------------ */

static __thread char      gi_error_text[1024];
static __thread ga_status gi_error_status;
static __thread bool      gi_error_quiet;    /* another thread will tell it */
static __thread bool      gi_error_printed;  /* another process prints it */
static __thread bool      gi_error_to_print; /* nobody had printed the latest one when it came */
static __thread bool      gi_error_unread;   /* this thread's error was printed, but the program has not asked for it */
static int                gi_errors_unread;  /* atomic: of all threads */
static ga_error_handler   gi_error_handler;
static void              *gi_error_user;

static void gi_error_is_read(void)
{
    if (gi_error_unread) __atomic_sub_fetch(&gi_errors_unread, 1, __ATOMIC_RELAXED);
    gi_error_unread = false;
}

const char *ga_error(void)
{
    gi_error_is_read();
    return gi_error_status == GA_OK ? NULL : gi_error_text;
}
ga_status ga_error_status(void)
{
    gi_error_is_read();
    return gi_error_status;
}
void ga_clear_error(void)
{
    gi_error_is_read();
    gi_error_status = GA_OK;
}
void ga_ignore_error(ga_status status, const char *sentence, void *user) { (void)status, (void)sentence, (void)user; }

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
    size_t length = strlen(call + 1);
    bool   cut    = length > LONGEST_CALL;
    return snprintf(to, room, "%.*s%s%.*s%s: ", (int)(call - site), site, call > site ? ": " : "",
                    cut ? (int)LONGEST_CALL : (int)length, call + 1, cut ? "..." : "");
}

static int gi_error_action = -1; /* atomic; -1: the program has not asked for one */

void ga_on_error(ga_error_action action)
{
    if ((unsigned)action > GA_TRAP)
        gi_fail("\tga_on_error", GA_BAD_ARGUMENT, "%d is no action: use GA_EXIT, GA_TRAP or GA_CONTINUE", (int)action);
    else __atomic_store_n(&gi_error_action, (int)action, __ATOMIC_RELAXED);
}

static ga_error_action gi_error_wanted_action(void)
{
    int         action = __atomic_load_n(&gi_error_action, __ATOMIC_RELAXED);
    const char *asked  = action < 0 ? getenv("GPUARR_ON_ERROR") : NULL;
    if (action >= 0) return (ga_error_action)action;
    if (!asked || !*asked) return GA_CONTINUE;
    if (!strcmp(asked, "exit")) return GA_EXIT;
    if (!strcmp(asked, "trap")) return GA_TRAP;
    fprintf(stderr, "gpuarr: GPUARR_ON_ERROR=%s in the environment is neither exit nor trap\n", asked);
    return GA_CONTINUE;
}

/* Tells the error that this thread has just got, and ends the program if that is wanted. `print`: nobody has printed it yet. */
static void gi_error_tell(bool print)
{
    gi_error_to_print = print;
    if (gi_error_quiet) return;
    if (gi_error_handler) {
        gi_error_handler(gi_error_status, gi_error_text, gi_error_user);
    } else if (print) {
        fprintf(stderr, "gpuarr: %s\n", gi_error_text);
        gi_error_unread = true;
        __atomic_add_fetch(&gi_errors_unread, 1, __ATOMIC_RELAXED);
    }
    ga_error_action action = gi_error_wanted_action();
    if (action == GA_CONTINUE) return;
    gi_error_is_read();
    if (action == GA_EXIT) exit(1);
    raise(SIGTRAP);
}

/* Is it a byte of a character of UTF-8, but not its first one? */
static bool gi_is_within_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Writes a text; one that has no room as its beginning, " ... " and its end. */
static void gi_write_ends(char *to, size_t room, const char *text)
{
    enum { SHORTEST = 64 };
    const size_t n = strlen(text), kept = room - sizeof " ... ";
    if (n < room || room < SHORTEST) {
        snprintf(to, room, "%s", text);
        return;
    }
    size_t head = kept / 2, tail = n - (kept - head);
    while (head > 0 && gi_is_within_character(text[head])) head--;
    while (gi_is_within_character(text[tail])) tail++;
    snprintf(to, room, "%.*s ... %s", (int)head, text, text + tail);
}

/* A sentence that has no room: so the name of a file is shortened, and the reason is there. */
GI_PRINTS(3, 0)
static __attribute__((noinline)) void gi_error_write_ends(char *to, size_t room, const char *format, va_list args)
{
    char whole[6000]; /* PATH_MAX, and some words */
    vsnprintf(whole, sizeof whole, format, args);
    gi_write_ends(to, room, whole);
}

/* Keeps the first error of this thread as a sentence and tells it. Always returns NULL. */
GI_SHARED void *gi_fail(const char *site, ga_status status, const char *format, ...)
{
    if (gi_error_status != GA_OK) return NULL;
    gi_error_status = status;
    int     used    = gi_error_write_site(gi_error_text, sizeof gi_error_text, site);
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const locale_t points = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); /* for numbers with a decimal point */
    const locale_t before = points ? uselocale(points) : (locale_t)0;
    if (used >= 0 && (size_t)used < sizeof gi_error_text) {
        const size_t room = sizeof gi_error_text - (size_t)used;
        const int    n    = vsnprintf(gi_error_text + used, room, format, args);
        if (n >= (int)room) gi_error_write_ends(gi_error_text + used, room, format, again);
    }
    if (points) {
        uselocale(before);
        freelocale(points);
    }
    va_end(again);
    va_end(args);
    gi_error_tell(!gi_error_printed);
    return NULL;
}

/* What a call was doing when it began to hold back the errors of the calls that it makes. */
typedef struct gi_error_held {
    bool quiet, before; /* there had been an error */
} gi_error_held;

/* Errors of this thread are not told until gi_error_let_go, which may add to the first one. */
static gi_error_held gi_error_hold(void)
{
    const gi_error_held held = { gi_error_quiet, gi_error_status != GA_OK };
    gi_error_quiet           = true;
    return held;
}

/* The error without the site, if it begins with it. */
static const char *gi_error_behind(const char *site)
{
    char      begin[sizeof gi_error_text];
    const int n = gi_error_write_site(begin, sizeof begin, site);
    return n > 0 && n < (int)sizeof begin && strncmp(gi_error_text, begin, (size_t)n) == 0 ? gi_error_text + n : gi_error_text;
}

/* Is there an error, and does it contain the text? */
static bool gi_error_has(const char *text) { return gi_error_status != GA_OK && strstr(gi_error_text, text); }

/* Tells the error that has come since gi_error_hold, with `more` behind it. */
static void gi_error_let_go(gi_error_held held, const char *more)
{
    gi_error_quiet = held.quiet;
    if (held.before || gi_error_status == GA_OK) return;
    const size_t used = strlen(gi_error_text);
    (void)snprintf(gi_error_text + used, sizeof gi_error_text - used, "%s", more);
    gi_error_tell(gi_error_to_print);
}

/* A function of the program's, a task or one for chunks, has come back content, with an error that it has not cleared: told now, as nobody
   else will. */
static void gi_error_left_behind(void)
{
    if (gi_error_status == GA_OK || !gi_error_quiet) return;
    gi_error_quiet = false;
    gi_error_tell(true);
    gi_error_quiet  = true;
    gi_error_unread = false; /* it is counted, and the next error is another one */
    gi_error_status = GA_OK;
}

/* "(3, 4)" for messages; the text lives in one of a few buffers of this thread, so one message may hold several. */
GI_SHARED const char *gi_shape_text(int ndim, const int64_t *n)
{
    enum { BUFFERS = 4, ROOM = 24 * GPUARR_MAX_DIMS + 4 };
    static __thread char text[BUFFERS][ROOM];
    static __thread int  turn;
    char                *s = text[turn = (turn + 1) % BUFFERS];
    if (ndim < 0 || ndim > GPUARR_MAX_DIMS) return snprintf(s, ROOM, "(of %d dimensions)", ndim), s;
    int used = snprintf(s, ROOM, "(");
    for (int d = 0; d < ndim; d++) used += snprintf(s + used, (size_t)(ROOM - used), d ? ", %lld" : "%lld", (long long)n[d]);
    snprintf(s + used, (size_t)(ROOM - used), ndim == 1 ? ",)" : ")");
    return s;
}
