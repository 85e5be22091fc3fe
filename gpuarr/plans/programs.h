/* ---- programs: elementwise operations one after another, as a GPU computes them in one kernel ------------------------------- */
/*  An op computes one result of at most three operands: the result of the op before it, an element of an array (a leaf), a number, or
    an earlier result that was kept.                                                                                        */

/* The parameters of a kernel are at most 4 KB: of many dimensions there is room for fewer arrays. */
enum { GI_PROGRAM_OPS = 64, GI_PROGRAM_LEAVES = GPUARR_MAX_DIMS > 16 ? 4 : 8, GI_PROGRAM_NUMBERS = 16, GI_PROGRAM_KEPT = 6 };

/* Where an op finds an operand. */
enum {
    GI_FROM_LAST   = 0,
    GI_FROM_LEAF   = 1,
    GI_FROM_NUMBER = GI_FROM_LEAF + GI_PROGRAM_LEAVES,
    GI_FROM_KEPT   = GI_FROM_NUMBER + GI_PROGRAM_NUMBERS
};

typedef enum gi_op_kind {
    GI_OP_ROW,    /* row `what` of the table, of `dtype` */
    GI_OP_POWER,  /* easy power `what`, of `dtype` */
    GI_OP_CHOICE, /* the second operand where the first is true, else the third; of `dtype` */
    GI_OP_CAST    /* `from` to `dtype` */
} gi_op_kind;

typedef struct gi_program_op {
    uint16_t what;
    uint8_t  kind, dtype, from;
    uint8_t  operands, x[3];
    uint8_t  keep; /* where the result is kept, or GI_FROM_LAST: nowhere */
} gi_program_op;

typedef struct gi_program_view {
    char    *data;
    int64_t  strides[GPUARR_MAX_DIMS];
    ga_dtype dtype;
    int      size;    /* of an element */
    bool     vectors; /* set for each launch: may neighbours be moved together? */
} gi_program_view;

typedef struct gi_program {
    int             ndim, leaves, ops;
    bool            masked;
    int64_t         shape[GPUARR_MAX_DIMS];
    gi_program_view leaf[GI_PROGRAM_LEAVES], out, mask;
    uint64_t        number[GI_PROGRAM_NUMBERS]; /* the bits of each in its dtype, those of little significance first */
    gi_program_op   op[GI_PROGRAM_OPS];
} gi_program;

/* A program whose results a fold reads, with the dimensions of its lines. A dimension is kept, and then an index further is `line` lines
   further, or reduced, and then it is `place` elements of a line further; the other number is 0. */
typedef struct gi_fed_program {
    gi_program program; /* without `out` */
    int64_t    line[GPUARR_MAX_DIMS], place[GPUARR_MAX_DIMS];
} gi_fed_program;

/* Which easy power is it? -1: none. */
static int gi_easy_power_index(double exponent)
{
    int index = 0;
#define GI_CASE(name, value)                                                                                                   \
    if (exponent == value) return index;                                                                                       \
    index++;
    GI_EASY_POWERS(GI_CASE)
#undef GI_CASE
    return -1;
}
