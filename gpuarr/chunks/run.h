/* ---- runs: what the threads share ---------------------------------------------------------------------------------------------------- */

enum { GI_FOLDS_AT_ONCE = 8 };

typedef struct gi_computation gi_computation;
struct gi_computation {
    const char     *site;
    pthread_mutex_t lock;
    bool            failed; /* atomic */
    ga_status       status;
    char            text[sizeof gi_error_text + 256]; /* of the first error */
    /* what comes of it: arrays of one shape, of which a unit is a box of `unit`, worked out in pieces; */
    int                    arrays, ndim;
    const ga_array *const *of; /* of these, or of reductions */
    ga_array *const       *to;
    int64_t                shape[GPUARR_MAX_DIMS], unit[GPUARR_MAX_DIMS], piece[GPUARR_MAX_DIMS];
    /* or records, `records` lists of one for each unit */
    char   *record;
    int64_t records, record_bytes;
    /* or files; and then what is to be done about a unit that another rank has written */
    bool (*written)(gi_computation *r, int64_t unit);
    /* the reductions, of one array along the same axes */
    int             folds, kept, reduced;
    gi_lazy       **fold;
    const ga_array *a;
    gi_layout       lines;         /* of a: the kept axes, then the reduced ones */
    int64_t         length, parts; /* of a line: elements, and branches */
    int64_t         beside;        /* how many lines that lie across are taken together, along the last of the kept axes */
    int64_t         rows;          /* not 0: so many of their elements at a time */
    gi_fold_part   *part;          /* fold by fold, unit by unit, line by line */
    int64_t         units, done;   /* done: atomic */
    double          begun, told;   /* when it began, and when its progress was told */
};

/* What the call that computes has to itself. */
static struct {
    pthread_mutex_t busy;           /* held by that call: values lie in the nodes meanwhile */
    uint64_t        mark;           /* of the nodes that it has seen */
    bool            of_ranks;       /* fingerprints are compared between machines: not what files are called there */
    int64_t         threads, limit; /* with several ranks: of all of them, and the least memory limit; else 0 */
    bool            apart;          /* the ranks know that the call has failed: they do not meet again in it */
    bool            alone;          /* each rank does all of the work */
    gi_error_held   errors;         /* those of that call are told when it has ended: the program's handler may compute, too */
    int64_t         folds;          /* nodes that have values until then: so many, */
    gi_lazy       **fold;           /* these */
} gi_computing = { PTHREAD_MUTEX_INITIALIZER, 0, false, 0, 0, false, false, { false, false }, 0, NULL };

static bool gi_compute_is_inside(const char *site)
{
    const bool inside = gi_is_inside_run();
    if (inside)
        gi_fail(site, GA_BAD_ARGUMENT, "this runs inside the computing of a chunked array, where nothing else can be computed");
    return inside;
}

/* The way to gi_computing. False with an error where waiting for it would be waiting for ever: inside of the call that has it. */
static bool gi_computing_take(const char *site)
{
    if (gi_compute_is_inside(site)) return false;
    pthread_mutex_lock(&gi_computing.busy);
    gi_computing.errors = gi_error_hold();
    gi_in_run           = true;
    return true;
}

static void gi_computing_give(void)
{
    const gi_error_held errors = gi_computing.errors;
    gi_in_run                  = false;
    pthread_mutex_unlock(&gi_computing.busy);
    gi_error_let_go(errors, "");
}

/* The child of a process of which another thread computed: the nodes have no values then, and nobody has gi_computing. */
static void gi_computing_forked(void)
{
    if (gi_in_run) return; /* this thread computed, and goes on in the child */
    for (int64_t i = 0; i < gi_computing.folds; i++) {
        ga_array *value             = gi_computing.fold[i]->value;
        gi_computing.fold[i]->value = NULL;
        ga_free(value);
    }
    gi_computing.folds   = 0;
    gi_computing.threads = gi_computing.limit = 0;
    gi_computing.apart = gi_computing.alone = gi_computing.of_ranks = false;
    pthread_mutex_init(&gi_computing.busy, NULL);
}
