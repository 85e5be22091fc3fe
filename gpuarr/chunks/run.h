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
} gi_computing = { PTHREAD_MUTEX_INITIALIZER, 0, false, 0, 0, false, false };
