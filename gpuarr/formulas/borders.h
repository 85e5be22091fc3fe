/* ---- convolutions: which element stands for one outside ------------------------------------------------------------- */

/* Where the distance (i, j > i) of n points lies in a vector of all pairs. */
GI_FORMULA int64_t gi_pair_place(int64_t n, int64_t i, int64_t j) { return i * (2 * n - i - 3) / 2 + j - 1; }

/* The index of the element that is taken for number i of n, which may lie outside; -1: none, but a constant. */
GI_FORMULA int64_t gi_border_index(int64_t i, int64_t n, ga_border border)
{
    if (i >= 0 && i < n) return i;
    if (border == GA_BORDER_CONSTANT || n <= 0) return -1;
    if (border == GA_BORDER_NEAREST || n == 1) return i < 0 ? 0 : n - 1;
    int64_t period = border == GA_BORDER_WRAP ? n : border == GA_BORDER_MIRROR ? 2 * n - 2 : 2 * n;
    i              = i % period;
    if (i < 0) i += period;
    return i < n ? i : border == GA_BORDER_MIRROR ? period - i : period - 1 - i;
}

#define GI_BLOCK 1024 /* elements: of the documented tree of reductions */

/* What a formula of the user's can ask for while it is computed (section >>own kernels). */
typedef struct gi_here {
    int64_t  index;
    bool     exact; /* rare arguments are looked for at once; else all is computed again if there was one: */
    uint32_t rare_f32;
    uint64_t rare_f64;
    int      beyond; /* the reach of a stencil: something was read there */
} gi_here;
