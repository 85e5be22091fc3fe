/* ---- steps: what a formula is made of ---------------------------------------------------------------------------------- */

/* Over which axes a fold goes, and how. */
typedef struct gi_fold_along {
    int      count; /* of axes; -1: not given */
    int      axis[GPUARR_MAX_DIMS];
    bool     keepdims;
    ga_dtype dtype;
    int      ddof;
    int      where, initial; /* which inputs they are; 0: not given */
} gi_fold_along;

typedef enum gi_step_kind {
    GI_STEP_OPERAND,  /* number `operand` */
    GI_STEP_NUMBER,   /* `value` */
    GI_STEP_OPERATOR, /* `row` of its inputs, or Python's arithmetic if all are numbers */
    GI_STEP_CALL,     /* `word` of its inputs */
    GI_STEP_INDEX     /* the elements of its input that the text in brackets names */
} gi_step_kind;

/* One step of a formula; its inputs are steps before it. */
typedef struct gi_step {
    gi_step_kind   kind;
    int            at, length; /* of the sign or the name in the text; of an index what stands in brackets */
    int            n, x[3];    /* a fold's .where and .initial are behind its operand */
    int            last;       /* the last step that needs it */
    int            operand;
    ga_arg         value; /* of a number; of round the decimals */
    const gi_row  *row;
    const gi_word *word;
    gi_fold_along  along;
} gi_step;

/* A formula that was read: every step once, each behind its inputs; the last one is the result. */
typedef struct gi_steps {
    int     count;
    gi_step step[GI_FORMULA_STEPS]; /* where it is kept, only `count` of them */
} gi_steps;

static bool gi_along_same(const gi_fold_along *a, const gi_fold_along *b)
{
    bool same = a->count == b->count && a->keepdims == b->keepdims && a->dtype == b->dtype && a->ddof == b->ddof &&
                a->where == b->where && a->initial == b->initial;
    for (int k = 0; same && k < a->count; k++) same = a->axis[k] == b->axis[k];
    return same;
}

/* Is it the same computation? */
static bool gi_step_same(const char *text, const gi_step *a, const gi_step *b)
{
    if (a->kind != b->kind || a->n != b->n) return false;
    for (int k = 0; k < a->n; k++)
        if (a->x[k] != b->x[k]) return false;
    switch (a->kind) {
    case GI_STEP_OPERAND: return a->operand == b->operand;
    case GI_STEP_NUMBER:
        return a->value.kind == b->value.kind && a->value.i == b->value.i &&
               !memcmp(&a->value.re, &b->value.re, sizeof a->value.re) &&
               !memcmp(&a->value.im, &b->value.im, sizeof a->value.im);
    case GI_STEP_OPERATOR: return a->row == b->row;
    case GI_STEP_INDEX: return a->length == b->length && !strncmp(text + a->at, text + b->at, (size_t)a->length);
    default: return a->word == b->word && a->value.i == b->value.i && gi_along_same(&a->along, &b->along);
    }
}
