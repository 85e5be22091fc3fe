/* ---- ranks: processes that compute together -------------------------------------------------------------------------------------------- */
/*  A call that computes begins and ends with a meeting of all ranks; in between the units of each run are shared out, and what they have
    made is given to everybody, so that all go on with the same results. An error of one rank becomes that of all.              */

/* The threads that the units are for: with several ranks those of all. */
static int64_t gi_compute_threads(void) { return gi_computing.threads > 0 ? gi_computing.threads : gi_own_workers(); }

/* All ranks come here before they go on. False on all of them, with the same error, if one of them has failed. */
static bool gi_ranks_agree(const char *site, bool ok)
{
    if (ga_ranks() == 1 || gi_computing.apart) return ok;
    int64_t threads = 0, limit = 0;
    ok                 = gi_ranks->meet(site, ok, 0, &threads, &limit);
    gi_computing.apart = !ok && gi_computing.threads > 0;
    return ok;
}

/* Is it so on all ranks? */
static bool gi_ranks_all_say(const char *site, bool yes)
{
    int64_t threads = 0, all = yes ? 2 : 1; /* of which the least is told */
    if (ga_ranks() > 1 && !gi_ranks->meet(site, true, 0, &threads, &all)) return false;
    return all == 2;
}

/* The first meeting of a call that computes: `print` is the fingerprint of what is computed. */
static bool gi_ranks_begin(const char *site, bool ok, uint64_t print)
{
    gi_computing.apart   = false;
    gi_computing.threads = gi_own_workers();
    gi_computing.limit   = ga_memory_stats().limit_bytes;
    ok                   = gi_ranks->meet(site, ok, print, &gi_computing.threads, &gi_computing.limit);
    gi_computing.apart   = !ok;
    return ok;
}

static bool gi_ranks_end(const char *site, bool ok)
{
    ok                   = gi_ranks_agree(site, ok);
    gi_computing.threads = gi_computing.limit = 0;
    gi_computing.apart                        = false;
    return ok;
}

/* Box number `number` of those that fill a shape, in C order. */
static gi_box gi_box_number(int ndim, const int64_t *shape, const int64_t *lengths, int64_t number)
{
    gi_box b;
    memset(&b, 0, sizeof b);
    for (int d = ndim - 1; d >= 0; d--) {
        int64_t n  = (shape[d] + lengths[d] - 1) / lengths[d];
        b.start[d] = number % n * lengths[d];
        b.count[d] = shape[d] - b.start[d] < lengths[d] ? shape[d] - b.start[d] : lengths[d];
        b.step[d]  = 1;
        number /= n;
    }
    return b;
}

/* "3.2 GiB"; the text lives in one of a few buffers of this thread. */
static const char *gi_bytes_text(int64_t bytes)
{
    static __thread char     text[8][24];
    static __thread int      turn;
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" };
    char                    *t       = text[turn = (turn + 1) % 8];
    double                   v       = (double)bytes;
    int                      u       = 0;
    while (v >= 1024 && u < 5) {
        v /= 1024;
        u++;
    }
    snprintf(t, sizeof text[0], "%s %s", gi_with_decimals(v, u == 0 || v >= 100 ? 0 : 1), units[u]);
    return t;
}

/* Makes units larger, up to so many elements, where a GPU helps: whole multiples, from the last axis on, and enough for all who work. */
static void gi_grow_units(int ndim, const int64_t *shape, int64_t *unit, int64_t most)
{
    int64_t share = gi_shape_size(ndim, shape) / (4 * gi_own_workers()), elements = 1;
    if (ga_get_num_gpus() == 0 || ga_ranks() > 1) return; /* ranks have the same units, whoever has a GPU */
    if (most > share) most = share;
    for (int d = 0; d < ndim; d++) elements *= unit[d];
    for (int d = ndim - 1; d >= 0 && elements < most; d--) {
        int64_t times = most / elements, all = (shape[d] + unit[d] - 1) / unit[d];
        if (times > all) times = all;
        elements *= times;
        unit[d] = unit[d] * times < shape[d] ? unit[d] * times : shape[d];
        if (times < all) break;
    }
}
