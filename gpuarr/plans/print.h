/* ---- were two objects compiled alike? -------------------------------------------------------------------------------- */

/* The sizes of what they hand to each other, the rows of the table, and the dtypes. */
#define GI_ONE_MORE_DTYPE(TAG, tag, T, name) +1
/* clang-format off */
#define GI_GPU_PRINT                                                                                                           \
    { { sizeof(gi_gpu_port), sizeof(ga_array), sizeof(gi_buffer), sizeof(gi_job), sizeof(gi_lines), sizeof(gi_order),          \
        sizeof(gi_correlation), sizeof(gi_window), sizeof(gi_product), sizeof(gi_linear_job), sizeof(gi_distances),            \
        sizeof(gi_reducing), sizeof(gi_stencil), sizeof(gi_program), GA_OP_COUNT, 0 GI_EACH_STAMPED(GI_ONE_MORE_DTYPE) } }
/* clang-format on */
