/* ---- matrices that lie across: squares of them are turned round in registers (gi_turn, below) ---------------------------- */
#define GI_Q GI_JOIN(GI_Q_, GA_TAG)
#if GI_ISA_BYTES == 64
#define GI_Q_f32 __m512
#define GI_Q_f64 __m512d
#else
#define GI_Q_f32 __m256
#define GI_Q_f64 __m256d
#endif
#define GI_Q_MM_f32(name) GI_JOIN(GI_ISA_MM, name##_ps)
#define GI_Q_MM_f64(name) GI_JOIN(GI_ISA_MM, name##_pd)
#define GI_Q_MM           GI_JOIN(GI_Q_MM_, GA_TAG)
#define GI_SIDE           ((int)(16 / sizeof(GA_T)))         /* elements of each line that are turned at once, */
#define GI_LINES          (GI_ISA_BYTES / (int)sizeof(GA_T)) /* and of how many lines */
#define GI_TURN           GI_JOIN(gi_turn_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA)))

/* out[l][i] = in[i][l], rows of out `next` elements apart, rows of in `step` bytes */
static void GI_LOOP(gi_pack_across)(int64_t lines, int64_t n, void *out_, int64_t next, const char *in, int64_t step)
{
    GA_T *out = (GA_T *)out_;
#if GI_ISA_BYTES == 64
    if (n < GI_LINES) {
        GI_LOWER(turn)((int)sizeof(GA_T))(lines, n, out_, next, in, step);
        return;
    }
#endif
    if (lines < GI_SIDE || n < GI_LINES) {
        for (int64_t l = 0; l < lines; l++)
            for (int64_t i = 0; i < n; i++) out[l * next + i] = ((const GA_T *)(const void *)(in + i * step))[l];
        return;
    }
    for (int64_t i = 0; i < n; i = gi_next_square(i, GI_LINES, n))
        for (int64_t l = 0; l < lines; l = gi_next_square(l, GI_SIDE, lines)) {
            GI_Q turned[GI_SIDE];
            GI_TURN(in + i * step + l * (int64_t)sizeof(GA_T), step, turned);
            GI_UNROLL
            for (int s = 0; s < GI_SIDE; s++) GI_Q_MM(storeu)(out + (l + s) * next + i, turned[s]);
        }
}

/* Adds the products of a square, elements `from` and on of lines of a and of b, to their sums; those before `first` are left out. */
static GI_INLINE void GI_LOOP(gi_square_of)(const int times, const bool shared, const gi_chaining *j, const char *a,
                                            const char *b, int64_t from, int64_t first, GI_Q *sums)
{
    GI_Q x[GI_SIDE], y[GI_SIDE];
    GI_TURN(a + from * (int64_t)sizeof(GA_T), j->a_next, x);
    if (!shared) GI_TURN(b + from * (int64_t)sizeof(GA_T), j->b_next, y);
    GI_UNROLL
    for (int s = 0; s < GI_SIDE; s++) {
        const char *factor = b + (from + s) * j->b_step;
        if (from + s < first) continue;
        GI_UNROLL
        for (int t = 0; t < times; t++) {
            if (shared) y[s] = GI_Q_MM(set1)(*(const GA_T *)(const void *)(factor + t * j->b_again));
            sums[t] = GI_Q_MM(fmadd)(x[s], y[s], sums[t]);
        }
    }
}

/* gi_chains of lines that are packed: groups * GI_LINES of them, b packed as well, or shared by all and `times` lines of it. few: how many
   lines there are, if fewer than two groups, so that some are in both; else 0. */
static GI_INLINE void GI_LOOP(gi_lines_of)(const int groups, const int times, const bool shared, int64_t few, int64_t n,
                                           char *out, const char *a, const char *b, const gi_chaining *j)
{
    const int64_t second  = few ? few - GI_LINES : GI_LINES;       /* how far the second group is behind the first */
    const bool    short_  = GI_ISA_BYTES < 64 && j->a_next < 4096; /* too short for the processor to see what comes next */
    const int64_t a_group = second * j->a_next, b_group = shared ? 0 : second * j->b_next;
    GI_Q          sums[2][3];
    GA_T          sum[3][2 * GI_LINES];
    int64_t       k = 0;
    GI_UNROLL
    for (int g = 0; g < groups; g++) {
        GI_UNROLL
        for (int t = 0; t < times; t++) {
            for (int i = 0; i < GI_LINES && j->before; i++)
                sum[t][i] = *(const GA_T *)(const void *)(out + (g * second + i) * j->out_next + t * j->out_again + j->before);
            sums[g][t] = j->before ? GI_Q_MM(loadu)(sum[t]) : GI_Q_MM(set1)(GA_FN(nothing)());
        }
    }
    for (; k + 4 * GI_SIDE <= n; k += 4 * GI_SIDE) { /* whole cache lines: those of all lines may compete for one place */
        const int64_t at = k * (int64_t)sizeof(GA_T);
        GI_UNROLL
        for (int g = 0; g < groups; g++) {
            GI_UNROLL
            for (int i = 0; i < GI_LINES && short_; i++)
                __builtin_prefetch(a + ((g + groups) * GI_LINES + i) * j->a_next + at, 0, 2);
            GI_UNROLL
            for (int part = 0; part < 4; part++)
                GI_LOOP(gi_square_of)(times, shared, j, a + g * a_group, b + g * b_group, k + part * GI_SIDE, k, sums[g]);
        }
    }
    for (; k < n; k += GI_SIDE) { /* the last ones together with some before them */
        const int64_t from = k + GI_SIDE <= n ? k : n - GI_SIDE;
        GI_UNROLL
        for (int g = 0; g < groups; g++)
            GI_LOOP(gi_square_of)(times, shared, j, a + g * a_group, b + g * b_group, from, k, sums[g]);
    }
    GI_UNROLL
    for (int g = 0; g < groups; g++) {
        GI_UNROLL
        for (int t = 0; t < times; t++) GI_Q_MM(storeu)(&sum[t][g * GI_LINES], sums[g][t]);
    }
    for (int t = 0; t < times; t++)
        for (int i = 0; i < groups * GI_LINES; i++) {
            const int64_t line                                             = few && i >= GI_LINES ? i - GI_LINES + second : i;
            *(GA_T *)(void *)(out + line * j->out_next + t * j->out_again) = sum[t][i];
        }
}

/* Functions of their own: without optimisation, each inlined call would keep stack of its own. */
#define GI_LINES_OF(name, groups, times, shared, few)                                                                          \
    static void GI_LOOP(name)(int64_t lines, int64_t n, char *out, const char *a, const char *b, const gi_chaining *j)         \
    {                                                                                                                          \
        (void)lines;                                                                                                           \
        GI_LOOP(gi_lines_of)(groups, times, shared, few, n, out, a, b, j);                                                     \
    }
GI_LINES_OF(gi_lines_one, 1, 1, false, 0)
GI_LINES_OF(gi_lines_one_by_1, 1, 1, true, 0)
GI_LINES_OF(gi_lines_one_by_2, 1, 2, true, 0)
GI_LINES_OF(gi_lines_one_by_3, 1, 3, true, 0)
GI_LINES_OF(gi_lines_two, 2, 1, false, 0)
GI_LINES_OF(gi_lines_two_by_1, 2, 1, true, 0)
GI_LINES_OF(gi_lines_two_by_2, 2, 2, true, 0)
GI_LINES_OF(gi_lines_two_by_3, 2, 3, true, 0)
GI_LINES_OF(gi_lines_few, 2, 1, false, lines)
GI_LINES_OF(gi_lines_few_by_1, 2, 1, true, lines)
#undef GI_LINES_OF

/* All of the chains, if they can be computed so, the last ones together with some before them; returns how many were. */
static int64_t GI_LOOP(gi_lines)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b,
                                 const gi_chaining *j)
{
    const bool shared = j->b_next == 0;
    /* more lines would compete for places in the cache */
    const bool far = GI_ISA_BYTES == 64 && (j->a_next >= (GI_SIDE == 4 ? 2048 : 8192) || j->a_next % 4096 == 0);
    static void (*const loops[3][4])(int64_t, int64_t, char *, const char *, const char *, const gi_chaining *) = {
        { GI_LOOP(gi_lines_one), GI_LOOP(gi_lines_one_by_1), GI_LOOP(gi_lines_one_by_2), GI_LOOP(gi_lines_one_by_3) },
        { GI_LOOP(gi_lines_two), GI_LOOP(gi_lines_two_by_1), GI_LOOP(gi_lines_two_by_2), GI_LOOP(gi_lines_two_by_3) },
        { GI_LOOP(gi_lines_few), GI_LOOP(gi_lines_few_by_1) },
    };
    if (count < GI_LINES || n < 4 * GI_SIDE || j->a_step != (int64_t)sizeof(GA_T) ||
        (!shared && j->b_step != (int64_t)sizeof(GA_T)))
        return 0;
    for (int64_t i = 0, left = count; left > 0; left = count - i) {
        if (left < GI_LINES) i = count - GI_LINES;
        const bool pair   = left >= 2 * GI_LINES ? !far : left > GI_LINES && times == 1 && n >= 128 && (!far || left == count);
        const int  groups = !pair ? 1 : left < 2 * GI_LINES ? 3 : 2;
        loops[groups - 1][shared ? times : 0](left, n, out + i * j->out_next, a + i * j->a_next, b + i * j->b_next, j);
        i += (groups == 1 ? 1 : 2) * GI_LINES;
    }
    return count;
}
