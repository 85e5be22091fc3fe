/* ==== rows whose operand is a number =============================================================================== */
/*  x + c, c / x, x * c + z: the loops of float32 and float64 that keep the number in a register, where those of rows would read as many
    copies of it; x / c is a sequence. The number's operand points to one element. Which of two NaNs a result is, compilers choose, here as
    elsewhere.                                                                                                              */

/* Short loops: half of the time would go into counting. */
#if defined(__GNUC__) && !defined(__clang__)
#define GI_VECTORIZE_4 _Pragma("GCC unroll 4") GI_VECTORIZE
#else
#define GI_VECTORIZE_4 GI_VECTORIZE
#endif

/* `number` is the operand that is one, `other` another one or the same; the formula of elements, GI_NTH(x), or `c` and `d`. */
#define GI_NTH(operand) ((const element *)operand)[i]
#define GI_WITH_TWO(name, tag, T, R, vectorize, number, other, ...)                                                            \
    static void GI_FIND(gi_##name##_##tag)(int64_t n, void *out, const void *x, const void *y, const void *z)                  \
    {                                                                                                                          \
        typedef T     element;                                                                                                 \
        const element c = *(const element *)number, d = *(const element *)other;                                               \
        (void)x, (void)y, (void)z, (void)c, (void)d;                                                                           \
        const int64_t whole                                        = GI_IN_VECTORS(n, sizeof(R));                              \
        vectorize for (int64_t i = 0; i < whole; i++)((R *)out)[i] = __VA_ARGS__;                                              \
        for (int64_t i = whole; i < n; i++) {                                                                                  \
            GI_ONE_BY_ONE((R *)out)[i] = __VA_ARGS__;                                                                          \
        }                                                                                                                      \
    }
#define GI_WITH_NUMBER(name, tag, T, R, vectorize, number, ...)                                                                \
    GI_WITH_TWO(name, tag, T, R, vectorize, number, number, __VA_ARGS__)
#define GI_WITH_NUMBERS(tag, T)                                                                                                \
    GI_WITH_NUMBER(add_number, tag, T, T, GI_VECTORIZE_4, y, gi_op_add_##tag(GI_NTH(x), c))                                    \
    GI_WITH_NUMBER(subtract_number, tag, T, T, GI_VECTORIZE_4, y, gi_op_subtract_##tag(GI_NTH(x), c))                          \
    GI_WITH_NUMBER(number_subtract, tag, T, T, GI_VECTORIZE_4, x, gi_op_subtract_##tag(c, GI_NTH(y)))                          \
    GI_WITH_NUMBER(multiply_number, tag, T, T, GI_VECTORIZE_4, y, gi_op_multiply_##tag(GI_NTH(x), c))                          \
    GI_WITH_NUMBER(number_divide, tag, T, T, GI_VECTORIZE_4, x, gi_op_divide_##tag(c, GI_NTH(y)))                              \
    GI_WITH_NUMBER(less_number, tag, T, bool, GI_VECTORIZE, y, gi_op_less_##tag(GI_NTH(x), c))                                 \
    GI_WITH_NUMBER(number_less, tag, T, bool, GI_VECTORIZE, x, gi_op_less_##tag(c, GI_NTH(y)))                                 \
    GI_WITH_NUMBER(less_equal_number, tag, T, bool, GI_VECTORIZE, y, gi_op_less_equal_##tag(GI_NTH(x), c))                     \
    GI_WITH_NUMBER(number_less_equal, tag, T, bool, GI_VECTORIZE, x, gi_op_less_equal_##tag(c, GI_NTH(y)))                     \
    GI_WITH_NUMBER(multiply_add_number, tag, T, T, GI_VECTORIZE_4, z, gi_op_multiply_add_##tag(GI_NTH(x), GI_NTH(y), c))       \
    GI_WITH_NUMBER(multiply_number_add, tag, T, T, GI_VECTORIZE_4, y, gi_op_multiply_add_##tag(GI_NTH(x), c, GI_NTH(z)))       \
    GI_WITH_TWO(multiply_add_numbers, tag, T, T, GI_VECTORIZE_4, y, z, gi_op_multiply_add_##tag(GI_NTH(x), c, d))
GI_WITH_NUMBERS(f32, float)
GI_WITH_NUMBERS(f64, double)
#undef GI_WITH_NUMBERS

#undef GI_WITH_NUMBER
#undef GI_WITH_TWO
#undef GI_NTH

/* The loop of a row whose operands `numbers` (bits; 1: x) are numbers; NULL: there is none. */
#define GI_NUMBER_CASE(row, bits, name)                                                                                        \
    case 16 * GA_OP_##row + bits: return dtype == GA_F32 ? GI_FIND(gi_##name##_f32) : GI_FIND(gi_##name##_f64);
static gi_kernel GI_FIND(gi_with_number)(ga_op op, int numbers, ga_dtype dtype)
{
    if (dtype != GA_F32 && dtype != GA_F64) return NULL;
    switch (16 * (int)op + numbers) {
        GI_NUMBER_CASE(add, 2, add_number)
        GI_NUMBER_CASE(subtract, 2, subtract_number)
        GI_NUMBER_CASE(subtract, 1, number_subtract)
        GI_NUMBER_CASE(multiply, 2, multiply_number)
        GI_NUMBER_CASE(divide, 1, number_divide)
        GI_NUMBER_CASE(less, 2, less_number)
        GI_NUMBER_CASE(less, 1, number_less)
        GI_NUMBER_CASE(less_equal, 2, less_equal_number)
        GI_NUMBER_CASE(less_equal, 1, number_less_equal)
        GI_NUMBER_CASE(multiply_add, 4, multiply_add_number)
        GI_NUMBER_CASE(multiply_add, 2, multiply_number_add)
        GI_NUMBER_CASE(multiply_add, 6, multiply_add_numbers)
    default: return NULL;
    }
}
#undef GI_NUMBER_CASE
#undef GI_VECTORIZE_4
