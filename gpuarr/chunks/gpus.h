/* ---- GPUs that help --------------------------------------------------------------------------------------------------------------- */
/*  A thread of its own drives each GPU. It takes units as the others do; its worker pulls to the GPU, where the calls then run as kernels.  */

#define GI_GPU_BYTES GI_AUTO_BYTES /* of what a GPU is given at a time, at least, if there is enough for everybody */

static struct {
    bool known;        /* all atomic; before: what the environment says */
    int  first, count; /* these devices */
} gi_helpers;

/* Makes the helpers n GPUs from the selected one on, -1: all. Each is tried. False with an error. */
static bool gi_choose_gpus(const char *site, int n, const char *who)
{
    int there = n == 0 ? 0 : ga_cuda_count(); /* who wants none does not wait for the driver either */
    int first = ga_cuda_selected(), count = n == -1 ? there - first : n;
    if (n < -1) return gi_fail(site, GA_BAD_ARGUMENT, "%s %d GPUs: give a number, or -1 for all there are", who, n) != NULL;
    if (n > 0 && !gi_device_check(site, GA_CUDA)) return false;
    if (n > 0 && count > there - first)
        return gi_fail(site, GA_BAD_DEVICE, "%s %d GPUs from number %d on, and there %s %d", who, n, first,
                       there == 1 ? "is" : "are", there) != NULL;
    gi_scope *scope  = gi_current_scope;
    bool      ok     = true;
    gi_current_scope = NULL;
    for (int k = 0; k < count && ok; k++) { /* can a kernel run there? */
        const int64_t one    = 1;
        const double  number = 1;
        gi_gpu->turn_to(first + k);
        ga_array *tried = gi_array_new(site, GA_F64, GA_CUDA, 1, &one);
        ok              = tried && gi_gpu->fill(site, tried, &number);
        ga_free(tried);
    }
    if (count > 0) gi_gpu->turn_to(first);
    gi_current_scope = scope;
    if (!ok) return false;
    __atomic_store_n(&gi_helpers.first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&gi_helpers.count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&gi_helpers.known, true, __ATOMIC_RELEASE);
    return true;
}

/* Is it known how many GPUs help? False with an error: the environment asks for what there is not. */
static bool gi_know_gpus(const char *site)
{
    if (__atomic_load_n(&gi_helpers.known, __ATOMIC_ACQUIRE)) return true;
    const char *asked = getenv("GPUARR_NUM_GPUS");
    return gi_choose_gpus(site, asked ? (int)strtol(asked, NULL, 10) : 0, "GPUARR_NUM_GPUS asks for");
}

void ga_set_num_gpus(int n) { (void)gi_choose_gpus("\tga_set_num_gpus", n, "this asks for"); }

int ga_get_num_gpus(void)
{
    return gi_know_gpus("\tga_get_num_gpus") ? __atomic_load_n(&gi_helpers.count, __ATOMIC_RELAXED) : 0;
}

/* The worker of this thread. */
static gi_worker gi_worker_new(void)
{
    if (gi_this_gpu > 0) gi_gpu->turn_to(gi_this_gpu - 1); /* a function of the user's may have selected another */
    gi_worker w = { NULL, 0, gi_this_gpu > 0 ? GA_CUDA : GA_CPU, gi_this_gpu > 0 };
    return w;
}

typedef struct gi_driver {
    gi_task   task;
    void     *job;
    int       ordinal;
    pthread_t thread;
} gi_driver;

static void *gi_drive_gpu(void *driver)
{
    const gi_driver *d = (const gi_driver *)driver;
    gi_parallel_inside = true;
    gi_this_gpu        = d->ordinal + 1;
    gi_gpu->turn_to(d->ordinal);
    d->task(0, 1, d->job);
    return NULL;
}

/* Calls task(.., .., job) on each thread, and on the threads of at most so many GPUs. */
static void gi_worker_run_all(int64_t gpus, gi_task task, void *job)
{
    gi_driver driver[GI_MOST_GPUS];
    int       driven = 0;
    for (int64_t k = 0; k < gpus && k < ga_get_num_gpus(); k++) {
        gi_driver *d = &driver[driven];
        d->task      = task;
        d->job       = job;
        d->ordinal   = __atomic_load_n(&gi_helpers.first, __ATOMIC_RELAXED) + (int)k;
        if (gi_thread_create(&d->thread, false, gi_drive_gpu, d) == 0) driven++; /* or there are no more threads to be had */
    }
    gi_parallel(ga_get_num_threads(), 1, task, job);
    for (int k = 0; k < driven; k++) (void)pthread_join(driver[k].thread, NULL);
}

/* Units that threads and GPUs take one by one. */
typedef struct gi_shared_work {
    int64_t gpus,
        kept; /* the first `gpus` are for the GPUs, so that each does one; kept (atomic): the first that is left of them */
    int64_t units, next; /* next (atomic): the first of the others that is left */
    gi_task task;
    void   *job;
} gi_shared_work;

static void gi_take_shared(int64_t begin, int64_t end, void *work)
{
    gi_shared_work *s    = (gi_shared_work *)work;
    int64_t         unit = gi_this_gpu > 0 ? __atomic_fetch_add(&s->kept, 1, __ATOMIC_RELAXED) : s->gpus;
    (void)begin, (void)end;
    if (unit < s->gpus) s->task(unit, unit + 1, s->job);
    while ((unit = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->units) s->task(unit, unit + 1, s->job);
}

static int64_t gi_own_workers(void) { return ga_get_num_threads() + ga_get_num_gpus(); }
