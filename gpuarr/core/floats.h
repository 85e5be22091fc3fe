/* ---- the floating-point environment ----------------------------------------------------------------------------------- */
/*  A program may round otherwise (fesetround), take subnormal numbers for 0 (a program linked with -ffast-math does), or trap (feenableexcept).
    Results have the same bits all the same, and loops may compute what nobody uses: around what computes the modes are C's, and afterwards
    those of the program.                                                                                                          */

#if defined(__x86_64__)
#define GI_FLOAT_MODES 0xFFC0u /* MXCSR: flush to zero, rounding, what does not trap, subnormal operands are 0 */
#define GI_FLOAT_C     0x1F80u /* C's: nothing traps */
static inline unsigned                gi_float_modes(void) { return (__builtin_ia32_stmxcsr() ^ GI_FLOAT_C) & GI_FLOAT_MODES; }
static __attribute__((noinline)) void gi_set_float_modes(unsigned modes)
{
    __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~GI_FLOAT_MODES) | (modes ^ GI_FLOAT_C));
}
#elif defined(__aarch64__)
#define GI_FLOAT_MODES 0x1C89F00u /* FPCR: flush to zero (also of half precision), rounding, traps */
static inline unsigned gi_float_modes(void)
{
    uint64_t all;
    __asm__ volatile("mrs %0, fpcr" : "=r"(all));
    return (unsigned)all & GI_FLOAT_MODES;
}
static __attribute__((noinline)) void gi_set_float_modes(unsigned modes)
{
    uint64_t all;
    __asm__ volatile("mrs %0, fpcr" : "=r"(all));
    all = (all & ~(uint64_t)GI_FLOAT_MODES) | modes;
    __asm__ volatile("msr fpcr, %0" : : "r"(all));
}
#else
static inline unsigned gi_float_modes(void) { return 0; }
static inline void     gi_set_float_modes(unsigned modes) { (void)modes; }
#endif

/* Sets C's modes (0), and returns the program's, for gi_floats_restore. */
static inline unsigned gi_floats_settle(void)
{
    const unsigned modes = gi_float_modes();
    if (modes) gi_set_float_modes(0);
    return modes;
}
static inline void gi_floats_restore(unsigned modes)
{
    if (modes) gi_set_float_modes(modes);
}

/* In a block: C's modes until its end. */
static inline void gi_floats_leave(const unsigned *modes) { gi_floats_restore(*modes); }
#define GI_SETTLE_FLOATS                                                                                                       \
    __attribute__((cleanup(gi_floats_leave), unused)) const unsigned gi_floats_of_program = gi_floats_settle()

/* The same for printf and strtod, which ask fegetround. */
typedef struct gi_rounding {
    int      program;
    unsigned modes;
} gi_rounding;

static inline gi_rounding gi_rounding_settle(void)
{
    const gi_rounding r = { fegetround(), gi_float_modes() };
    if (r.program != FE_TONEAREST) fesetround(FE_TONEAREST);
    return r;
}
static inline void gi_rounding_leave(const gi_rounding *r)
{
    if (r->program == FE_TONEAREST) return;
    fesetround(r->program);
    gi_set_float_modes(r->modes); /* which may have been settled before */
}
#define GI_SETTLE_ROUNDING                                                                                                     \
    __attribute__((cleanup(gi_rounding_leave), unused)) const gi_rounding gi_rounding_of_program = gi_rounding_settle()

/* strtod of a number with a decimal point, whatever the program's locale has in its place. */
static inline double gi_read_real(const char *from, char **end)
{
    GI_SETTLE_ROUNDING;
    const char  *point = localeconv()->decimal_point;
    const size_t n = strspn(from, "+-.0123456789eE"), before = strcspn(from, "."), wide = strlen(point);
    char         text[512], *stop;
    if (strcspn(from, "0123456789") >= n || n + wide >= sizeof text) return strtod(from, end); /* nan, inf; no number at all */
    memcpy(text, from, n);
    text[n] = 0;
    if (before < n) {
        memcpy(text + before, point, wide);
        memcpy(text + before + wide, from + before + 1, n - before - 1);
        text[n + wide - 1] = 0;
    }
    const double x  = strtod(text, &stop);
    const size_t at = (size_t)(stop - text);
    *end            = (char *)(uintptr_t)from + (before < n && at > before ? at - wide + 1 : at);
    return x;
}

/* A number that printf has written, with a decimal point in place of what the program's locale has. */
static inline void gi_point_text(char *text)
{
    const char *point = localeconv()->decimal_point;
    char       *at    = strstr(text, point);
    if (!at || point[0] == '.') return;
    *at = '.';
    memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
}

/* x with so many decimals and a decimal point, for files; the text lives in one of a few buffers of this thread. */
static inline const char *gi_with_decimals(double x, int decimals)
{
    static __thread char text[8][40];
    static __thread int  turn;
    char                *t = text[turn = (turn + 1) % 8];
    GI_SETTLE_ROUNDING;
    snprintf(t, sizeof text[0], "%.*f", decimals, x);
    gi_point_text(t);
    return t;
}
