/* ---- waiting ------------------------------------------------------------------------------------------------- */

/* Waits for every device that has been used. */
static void gi_cuda_synchronize(const char *site)
{
    if (gi_gpus.forked) return;
    for (int d = 0; d < GI_MOST_GPUS; d++)
        if (gi_cuda_is_known(d) && d != gi_cuda_selected && gi_cuda_use(site, d))
            (void)GI_CUDA_OK(site, cudaDeviceSynchronize());
    int own = gi_cuda_selected; /* last, so that it stays the current device */
    if (gi_cuda_is_known(own) && gi_cuda_use(site, own)) (void)GI_CUDA_OK(site, cudaDeviceSynchronize());
}
