/* ---- ranks: the port to the processes that compute together --------------------------------------------------------------- */
/*  Every rank runs the same program, so all of them come to the same calls. gpuarr_mpi.h says how they talk to each other; without it
    this process is alone.                                                                                                       */

struct gi_computation;

typedef struct gi_ranks_port {
    int (*rank)(void);
    int (*ranks)(void);
    /* All ranks come here before they go on. False on all of them, with the same error, if one is not `ok` or has another print. Of the
       threads they learn the sum, of the limits the least that is not 0. */
    bool (*meet)(const char *site, bool ok, uint64_t print, int64_t *threads, int64_t *limit);
    /* bytes that rank 0 has, for all */
    void (*from_first)(const char *site, void *data, int64_t bytes);
    /* the units of a run, shared out among several ranks; then each has all results */
    void (*run)(struct gi_computation *r, gi_task task);
    /* bytes, to give each other results of which units have so many */
    int64_t (*windows)(int64_t largest, int64_t all);
} gi_ranks_port;

#ifdef GPUARR_USE_MPI
extern const gi_ranks_port        gi_mpi_port;
static const gi_ranks_port *const gi_ranks = &gi_mpi_port;
#else
static int  gi_only_rank(void) { return 0; }
static int  gi_one_rank(void) { return 1; }
static bool gi_meet_nobody(const char *site, bool ok, uint64_t print, int64_t *threads, int64_t *limit)
{
    (void)site, (void)print, (void)threads, (void)limit;
    return ok;
}
static void    gi_knows_already(const char *site, void *data, int64_t bytes) { (void)site, (void)data, (void)bytes; }
static int64_t gi_no_windows(int64_t largest, int64_t all) { return (void)largest, (void)all, 0; }

static const gi_ranks_port gi_alone_port = { gi_only_rank, gi_one_rank, gi_meet_nobody, gi_knows_already, NULL, gi_no_windows };
static const gi_ranks_port *const gi_ranks = &gi_alone_port;
#endif

int ga_rank(void) { return gi_ranks->rank(); }
int ga_ranks(void) { return gi_ranks->ranks(); }
