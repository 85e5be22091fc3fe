/* ---- the kernels of elementwise operations, for those who plan jobs -------------------------------------------------- */

static gi_gpu_kernel gi_cuda_find_row(ga_op op, ga_dtype dtype) { return (gi_gpu_kernel)gi_cuda_row(op, dtype); }
static gi_gpu_kernel gi_cuda_find_choice(int64_t itemsize) { return (gi_gpu_kernel)gi_cuda_choice(itemsize); }

static gi_gpu_kernel gi_cuda_find_closeness(bool complex_, bool nan_is_close)
{
    if (complex_ && nan_is_close) return (gi_gpu_kernel)gi_cuda_map3<ga_c128, ga_c128, ga_c128, bool, gi_close_c128_nan>;
    if (complex_) return (gi_gpu_kernel)gi_cuda_map3<ga_c128, ga_c128, ga_c128, bool, gi_close_c128>;
    if (nan_is_close) return (gi_gpu_kernel)gi_cuda_map3<double, double, ga_c128, bool, gi_close_f64_nan>;
    return (gi_gpu_kernel)gi_cuda_map3<double, double, ga_c128, bool, gi_close_f64>;
}

static gi_gpu_kernel gi_cuda_find_mixed_signs(ga_op op)
{
#define GI_CASE(name, relation)                                                                                                \
    if (op == GA_OP_##name) return (gi_gpu_kernel)gi_cuda_map2<int64_t, uint64_t, bool, gi_signs_##name>;
    GI_EACH_COMPARISON(GI_CASE)
#undef GI_CASE
    return NULL;
}

static gi_gpu_kernel gi_cuda_find_next_half(ga_op op, ga_dtype half)
{
    const bool f16 = half == GA_F16;
    if (op == GA_OP_spacing)
        return (gi_gpu_kernel)(f16 ? gi_cuda_map1<uint16_t, uint16_t, gi_spacing_f16>
                                   : gi_cuda_map1<uint16_t, uint16_t, gi_spacing_bf16>);
    return (gi_gpu_kernel)(f16 ? gi_cuda_map2<uint16_t, uint16_t, uint16_t, gi_nextafter_f16>
                               : gi_cuda_map2<uint16_t, uint16_t, uint16_t, gi_nextafter_bf16>);
}

static gi_gpu_kernel gi_cuda_find_easy_power(double exponent, ga_dtype dtype)
{
#define GI_CASE(name, value)                                                                                                   \
    if (exponent == value && dtype == GA_F32) return (gi_gpu_kernel)gi_cuda_map1<float, float, gi_power_##name##_f32>;         \
    if (exponent == value) return (gi_gpu_kernel)gi_cuda_map1<double, double, gi_power_##name##_f64>;
    GI_EASY_POWERS(GI_CASE)
#undef GI_CASE
    return NULL;
}

static gi_gpu_kernel gi_cuda_find_whole(void) { return (gi_gpu_kernel)gi_cuda_map1<double, double, gi_whole>; }
