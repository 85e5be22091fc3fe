/* ---- a row of the table, as the calls of it see it ------------------------------------------------------------------- */

typedef enum gi_result { GI_RETURNS_SAME, GI_RETURNS_BOOL, GI_RETURNS_BYTE, GI_RETURNS_PART } gi_result;
enum { GI_CHEAP = 1, GI_COSTLY = 8 }; /* elements of elementary functions take about as long as eight sums */

typedef enum gi_end { GI_ENDS_SUM, GI_ENDS_AVERAGE, GI_ENDS_SAME, GI_ENDS_BOOL, GI_ENDS_COUNT } gi_end;

typedef struct gi_row gi_row;

/* Some operands of a row go another way than through its kernel. *done: these did, and NULL is an error. */
typedef ga_array *(*gi_row_special)(const gi_row *row, const ga_arg *in, ga_dtype loop, ga_dtype result,
                                    const ga_map_options *o, bool *done);

struct gi_row {
#ifdef GPUARR_STATIC
    bool (*find)(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold); /* of this row alone, or in formulas */
    bool in_formulas;                                                         /* which have GPUARR_EVAL_DTYPES alone */
#endif
    ga_op       op;
    const char *name;    /* of the public function */
    unsigned    dtypes;  /* bits: those it has, compiled or not */
    gi_result   returns; /* elementwise rows */
    int         cost;
    gi_end      ends; /* reductions */
    int         start;
    const gi_row *(*without_nan)(void); /* the row that does the same to dtypes without NaN, or NULL */
    const gi_row *(*of_bool)(void);     /* a row that does the same to bool, quicker or with results 0 and 1, or NULL */
    const gi_row *(*exchanged)(void);   /* the row that does the same to the operands in the other order, or NULL */
    gi_row_special special;             /* or NULL */
};

#ifdef GPUARR_STATIC
/* A program names few rows, but its formulas may name every one. */
static bool gi_find_for_formulas(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
    return GI_LOOP_OF(find)(op, dtype, kernel, fold);
}
#define GI_FIND_IN(row, dtype, kernel, fold) ((row)->find((row)->op, dtype, kernel, fold))
#define GI_FINDER(in, name)                  GI_FINDER_##in(name)
#define GI_FINDER_formula(name)
#define GI_FINDER_row(name)  GI_FINDER_ALONE(row, name)
#define GI_FINDER_wide(name) GI_FINDER_ALONE(wide, name)
#define GI_FINDER_ALONE(in, name)                                                                                              \
    static bool gi_found_##in##_##name(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)                             \
    {                                                                                                                          \
        (void)op;                                                                                                              \
        return GI_LOOP_OF(in##_##name)(dtype, kernel, fold);                                                                   \
    }
#define GI_FOUND_BY(in, name)     GI_FOUND_BY_##in(name)
#define GI_FOUND_BY_row(name)     gi_found_row_##name, false,
#define GI_FOUND_BY_wide(name)    gi_found_wide_##name, false,
#define GI_FOUND_BY_formula(name) gi_find_for_formulas, true,
#else
#define GI_FIND_IN(row, dtype, kernel, fold) (GI_LOOP_OF(find)((row)->op, dtype, kernel, fold))
#define GI_FINDER(in, name)
#define GI_FOUND_BY(in, name)
#endif

/* The kernel of an elementwise row for a dtype; NULL if it has none. What is the same for all numbers takes no kernel for each. */
static gi_kernel gi_row_kernel(const gi_row *row, ga_dtype dtype)
{
    gi_kernel kernel = NULL;
    gi_fold   unused;
    const int constant = gi_row_constant(row->op, dtype);
    if (constant >= 0) return constant ? gi_kernel_true : gi_kernel_false;
    if (!GI_FIND_IN(row, dtype, &kernel, &unused)) return NULL;
    return row->op == GA_OP_imag && dtype < GA_C64 ? gi_kernel_zeros(ga_itemsize(dtype)) : kernel;
}

/* How a reduction folds a dtype; false if its row does not have it. */
static bool gi_row_fold(const gi_row *row, ga_dtype dtype, gi_fold *fold)
{
    gi_kernel      unused;
    const ga_dtype part = gi_dtype_real(dtype);
    fold->item_bytes    = (int)ga_itemsize(dtype);
    fold->start         = row->start;
    fold->block         = NULL;
    fold->at_once       = NULL;
    fold->rows_onto     = NULL;
    fold->none[0]       = gi_none_word(part == GA_F32 ? 4 : part == GA_F64 ? 8 : 0, row->start);
    fold->none[1]       = fold->none[0];
    return GI_FIND_IN(row, dtype, &unused, fold);
}
