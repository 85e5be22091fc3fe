/* ---- reductions and stencils of the user's ------------------------------------------------------------------------- */

/* A reduction: see ops/own_reduce.h */
typedef struct gi_reducing {
    const ga_reduction *k;
    ga_dtype            dtype[GPUARR_MAX_INPUTS]; /* of its parameters */
    gi_own_kernel       map;
    void (*join)(int64_t n, void *accs, const void *more);
    gi_lines in[GPUARR_MAX_INPUTS]; /* of the broadcast inputs: their lines have the same numbers and lengths */
    int64_t  lines, length, blocks;
    int64_t  columns, width; /* as in gi_reduction */
    int64_t  from;           /* GA_INDEX of the first element, of parts of a line */
    char    *accs, *result;
} gi_reducing;

/* A stencil: see ops/stencils.h */
typedef struct gi_stencil {
    gi_own_kernel loop;
    bool          exact;
    gi_elements   e;                  /* the numbers */
    int64_t       size;               /* of an element */
    int64_t       shape[3], reach[3]; /* planes, rows, columns */
    ga_border     border;
    char          constant[16];
    const char   *in;
    char         *out;
    int64_t       steps;               /* of a pass */
    int64_t       unit[3], units[3];   /* results of a unit; units along each axis */
    int64_t       around, ring, pitch; /* rows that a formula sees, planes of a ring, elements from a kept row to the next */
    int64_t       kept;                /* rows of a kept plane */
    gi_stream     stream;              /* how results go past the caches; NULL: they do not */
    int64_t       parts;               /* of the units, each with its scratch memory */
    int64_t       part_bytes;
    char         *scratch;
    int           beyond; /* atomic: has a formula read beyond its reach? */
} gi_stencil;
