/* ---- the port: what this folder does for the rest (gpuarr/core/gpu.h) ------------------------------------------------ */

/* Gives back what is kept on each GPU for later calls. */
static void gi_cuda_shutdown(void)
{
    int current = 0;
    if (gi_gpus.forked) return;
    for (int d = 0; d < GI_MOST_GPUS; d++) {
        if (!gi_cuda_is_known(d) || cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(d) != cudaSuccess) continue;
#if defined(GPUARR_USE_CUBLAS) && !defined(__CUDASIM__)
        if (gi_cublas_handles[d]) (void)cublasDestroy(gi_cublas_handles[d]);
        gi_cublas_handles[d] = NULL;
#endif
#if GI_HAS_CUSOLVER
        gi_solver_close(d);
#endif
        gi_cuda_trim(d);
        (void)cudaSetDevice(current);
    }
}

const gi_gpu_port gi_cuda_port = {
    .print              = GI_GPU_PRINT,
    .count              = gi_cuda_count,
    .selected           = gi_cuda_get_selected,
    .turn_to            = gi_cuda_turn_to,
    .select             = gi_cuda_select,
    .use                = gi_cuda_use_selected,
    .properties         = gi_cuda_properties,
    .memory_stats       = gi_cuda_memory_stats,
    .memory_reset_peak  = gi_cuda_memory_reset_peak,
    .memory_limit       = gi_cuda_memory_limit,
    .memory_trim        = gi_cuda_memory_trim,
    .lock               = gi_cuda_lock,
    .unlock             = gi_cuda_unlock,
    .forked             = gi_cuda_forked,
    .shutdown           = gi_cuda_shutdown,
    .alloc_buffer       = gi_cuda_alloc_buffer,
    .finish_buffer      = gi_cuda_finish_buffer,
    .release_buffer     = gi_cuda_release_buffer,
    .await_buffer       = gi_cuda_await_buffer,
    .settle             = gi_cuda_settle,
    .owner              = gi_cuda_owner,
    .adopt              = gi_cuda_adopt,
    .ordinal            = gi_cuda_ordinal,
    .touch              = gi_cuda_touch_all,
    .touch_on           = gi_cuda_touch_stream,
    .hand_over          = gi_cuda_hand_over,
    .managed_data       = gi_cuda_managed_data,
    .bring              = gi_cuda_bring,
    .upload             = gi_cuda_upload,
    .read               = gi_cuda_read_element,
    .fill               = gi_cuda_fill,
    .clear              = gi_cuda_clear,
    .convert            = gi_cuda_convert,
    .new_stream         = gi_cuda_new_stream,
    .free_stream        = gi_cuda_free_stream,
    .set_stream         = gi_cuda_set_stream,
    .stream             = gi_cuda_get_stream,
    .finish_stream      = gi_cuda_finish_stream,
    .query_stream       = gi_cuda_query_stream,
    .wait_event         = gi_cuda_wait_event,
    .new_event          = gi_cuda_new_event,
    .free_event         = gi_cuda_free_event,
    .record             = gi_cuda_record,
    .reach              = gi_cuda_reach,
    .query_event        = gi_cuda_query_event,
    .elapsed            = gi_cuda_elapsed,
    .synchronize        = gi_cuda_synchronize,
    .in_use             = gi_cuda_in_use,
    .launch_begin       = gi_cuda_launch_begin,
    .launch_end         = gi_cuda_launch_end,
    .row                = gi_cuda_find_row,
    .choice             = gi_cuda_find_choice,
    .closeness          = gi_cuda_find_closeness,
    .mixed_signs        = gi_cuda_find_mixed_signs,
    .next_half          = gi_cuda_find_next_half,
    .easy_power         = gi_cuda_find_easy_power,
    .whole              = gi_cuda_find_whole,
    .run                = gi_cuda_run,
    .takes_program      = gi_cuda_takes_program,
    .run_program        = gi_cuda_run_program,
    .generate           = gi_cuda_generate,
    .folds_wider        = gi_cuda_folds_wider,
    .reduce             = gi_cuda_reduce,
    .acc_bytes          = gi_cuda_acc_bytes,
    .block_accs         = gi_cuda_block_accs,
    .moment             = gi_cuda_real_moment,
    .join_parts         = gi_cuda_join_parts,
    .find_places        = gi_cuda_find_places,
    .reduce_own         = gi_cuda_reduce_own,
    .dot                = gi_cuda_dot,
    .sort               = gi_cuda_sort,
    .order              = gi_cuda_order,
    .unique             = gi_cuda_unique,
    .take               = gi_cuda_take,
    .scatter            = gi_cuda_scatter,
    .bisect             = gi_cuda_bisect,
    .chosen             = gi_cuda_chosen,
    .keep_between       = gi_cuda_keep_between,
    .between            = gi_cuda_between,
    .count_bins         = gi_cuda_count_bins,
    .scan               = gi_cuda_scan,
    .product            = gi_cuda_product,
    .linear             = gi_cuda_linear,
    .distances          = gi_cuda_distances,
    .squareform         = gi_cuda_squareform,
    .correlate          = gi_cuda_correlate,
    .correlate_factored = gi_cuda_correlate_factored,
    .fourier            = gi_cuda_fourier,
#if GI_HAS_CUFFT
    .correlate_fft = gi_cuda_correlate_fft,
#endif
#if GI_HAS_CUSOLVER
    .factor = gi_cuda_factor,
#endif
    .window        = gi_cuda_window,
    .stencil_steps = gi_cuda_stencil_steps,
    .label         = gi_cuda_label,
    .measure       = gi_cuda_measure_arrays,
};
