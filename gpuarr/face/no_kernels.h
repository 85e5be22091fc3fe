/*  no_kernels.h -- what the macros for kernels of one's own say in a file that has not asked for them. */
#ifdef __GNUC__
#pragma GCC system_header /* so that gcc shows the line of the file */
#endif
#ifdef __cplusplus
#define GI_SAYS static_assert
#else
#define GI_SAYS _Static_assert
#endif
#define GI_NO_KERNELS(...)                                                                                                     \
    GI_SAYS(0, "gpuarr: a file with kernels of its own says #define GPUARR_KERNELS before #include \"gpuarr.h\"");
#define GA_ELEMENTWISE   GI_NO_KERNELS
#define GA_ELEMENTWISE_T GI_NO_KERNELS
#define GA_REDUCTION     GI_NO_KERNELS
#define GA_REDUCTION_T   GI_NO_KERNELS
#define GA_STENCIL       GI_NO_KERNELS
