/* ---- waiting and measuring ------------------------------------------------------------------------------------------------- */

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

/* Two events around a call, on this thread's stream. Without a GPU in use nothing is measured. */
static bool gi_cuda_clock_start(gi_cuda_clock *c)
{
    if (gi_gpus.forked || !gi_cuda_is_known(gi_cuda_selected)) return false;
    if (!c->from) c->from = gi_cuda_new_event(c->site);
    if (!c->to) c->to = gi_cuda_new_event(c->site);
    return c->from && c->to && gi_cuda_record(c->site, c->from, ga_get_stream()) && gi_cuda_reach(c->site, c->from);
}

static bool gi_cuda_clock_stop(gi_cuda_clock *c, double *seconds)
{
    if (!gi_cuda_record(c->site, c->to, ga_get_stream()) || !gi_cuda_reach(c->site, c->to)) return false;
    *seconds = ga_event_elapsed(c->from, c->to);
    return *seconds >= 0;
}

static void gi_cuda_clock_free(gi_cuda_clock *c)
{
    ga_event_free(c->from);
    ga_event_free(c->to);
}
