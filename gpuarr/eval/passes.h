/* ---- passes: elementwise steps that are computed together ----------------------------------------------------------------- */
/*  A pass computes the elements of one step, and on the way all that only it needs, a tile at a time, so that nothing in between leaves
    the nearest caches. Its leaves are arrays that are there: operands, and what other passes and calls have made. What a call
    needs (an index, a median) is made by a pass before it; other folds are fed by theirs (folds.h).                           */

enum {
    GI_PASS_STEPS     = 200,
    GI_PASS_OPS       = 96,
    GI_PASS_LEAVES    = 20,
    GI_PASS_NUMBERS   = 24,
    GI_PASS_TILES     = 16,
    GI_PASS_OPERANDS  = 3, /* of an op */
    GI_PASS_SEQUENCES = 8,
    GI_MOST_PASSES    = 6
};

/* Where the loops of a pass find their elements: a leaf, a number, a tile; those of the last one go to GI_SLOT_OUT. */
enum {
    GI_SLOT_NUMBER = GI_PASS_LEAVES,
    GI_SLOT_TILE   = GI_SLOT_NUMBER + GI_PASS_NUMBERS,
    GI_SLOT_OUT    = GI_SLOT_TILE + GI_PASS_TILES,
    GI_FUSED_SLOTS
};

/* A loop over the elements of a tile. */
typedef struct gi_pass_op {
    gi_op_kind    kind;
    int           power;    /* which easy power */
    gi_kernel     kernel;   /* NULL: a conversion */
    const gi_row *row;      /* whose loop that is, or NULL */
    ga_dtype      from, to; /* of the conversion, equal: a copy; else that of the loop, that of the result */
    int           n, out, x[GI_PASS_OPERANDS], size[GI_PASS_OPERANDS]; /* size: bytes from element to element of an input */
    gi_kernel     with_number;               /* the same where numbers are one element each, or NULL */
    int           ordered[GI_PASS_OPERANDS]; /* its inputs */
    int           root;                      /* the op whose sequence computes it, or -1 */
    int           sequence;                  /* which one takes its place, or -1 */
} gi_pass_op;

/* A sequence (sequences.h), and where its operands are. */
typedef struct gi_pass_sequence {
    gi_sequence_loop loop;
    int              slot[GI_SEQUENCE_OPERANDS];
    gi_sequence      q;
} gi_pass_sequence;

typedef struct gi_pass_number {
    int      step;
    ga_dtype dtype;
    char    *tile;   /* copies of it that are kept with the formula; NULL: they are made for each call */
    bool     copied; /* false: no loop needs copies */
} gi_pass_number;

typedef struct gi_fused {
    int              root;                                  /* the step whose elements are made */
    int              leaves, leaf[GI_PASS_LEAVES];          /* steps */
    int              numbers, ops, tiles, sequences, parts; /* parts: ops that are computed by the sequence of the last one */
    int              cost, widest;                          /* of an element: simple operations, bytes of the largest dtype */
    bool             divides;                               /* does it divide, or take roots? */
    ga_dtype         dtype;
    gi_pass_number   number[GI_PASS_NUMBERS];
    gi_pass_sequence sequence[GI_PASS_SEQUENCES];
    gi_pass_op       op[GI_PASS_OPS];
} gi_fused;

/* How a formula is computed: which steps are made as arrays (or numbers), and by which pass. */
typedef struct gi_passes {
    bool     any;   /* false: call by call */
    bool     folds; /* does it go on with what a fold makes? */
    int      count;
    bool     stored[GI_PASS_STEPS];
    int      last[GI_PASS_STEPS]; /* the last stored step that needs it */
    int      by[GI_PASS_STEPS];   /* the pass that makes it, or, of a fold, its input; -1: a call */
    gi_typed typed[GI_PASS_STEPS];
    gi_fused pass[GI_MOST_PASSES];
} gi_passes;

enum {
    GI_PASS_TILE_BYTES = 4096, /* of the widest dtype, where the caches hold all, */
    GI_PASS_FAR_BYTES =
        2048, /* and where not (measured: of longer tiles a processor waits for memory, or computes, not both at once), */
    GI_PASS_DIVIDED_BYTES = 1024,    /* and near, of what divides: the divider is still busy while the next tile begins */
    GI_PASS_PIECE         = 512,     /* and what is computed between reading ahead or streaming, */
    GI_PASS_LONGER_PIECE  = 1024,    /* or by a sequence */
    GI_PASS_NEAR          = 2 << 20, /* what the nearest caches of a thread hold */
    GI_PASS_APART         = 64       /* between tiles, against equal addresses */
};

/* Does an op compute so long that memory can be read meanwhile? */
static bool gi_pass_is_long(const gi_pass_op *op)
{
    return op->sequence < 0 && op->root < 0 && op->row && op->row->cost >= GI_COSTLY;
}

static int64_t gi_pass_tile(const gi_fused *p, bool far)
{
    return (far ? GI_PASS_FAR_BYTES : p->divides ? GI_PASS_DIVIDED_BYTES : GI_PASS_TILE_BYTES) / p->widest;
}
