/* ---- the end: of the program, or of a library that is unloaded -------------------------------------------------------------- */

static void (*gi_chunks_forget)(void); /* atomic: gives back what the chunks' layer keeps longer than a call; NULL: nothing */
static void (*gi_eval_forget)(void);   /* atomic: the same of the formulas' */
static void (*gi_ops_forget)(void);    /* atomic: and of the operations' */

void ga_shutdown(void)
{
    if (gi_is_inside_run()) {
        gi_fail("\tga_shutdown", GA_BAD_ARGUMENT,
                "a task, or a function for chunks or for progress, cannot end the thread that runs it");
        return;
    }
    gi_threads_end();
    void (*forget)(void) = __atomic_load_n(&gi_chunks_forget, __ATOMIC_RELAXED);
    if (forget) forget();
    forget = __atomic_load_n(&gi_eval_forget, __ATOMIC_RELAXED);
    if (forget) forget();
    forget = __atomic_load_n(&gi_ops_forget, __ATOMIC_RELAXED);
    if (forget) forget();
    if (gi_gpu) gi_gpu->shutdown();
    gi_arena_shutdown();
    ga_memory_trim();
}

/*  exit() calls gi_at_exit first and then the destructor; dlclose calls the destructor first. So they know which of the two it is. At exit
    nothing is freed: other threads may be in the middle of a call, and CUDA may be gone. The constructor comes before those of C++, so
    gi_at_exit comes after all that static objects do with arrays when they are destroyed. */
static bool gi_exiting, gi_unloading;

static void gi_at_exit(void)
{
    gi_exiting = true;
    if (__atomic_load_n(&gi_errors_unread, __ATOMIC_RELAXED) > 0)
        fputs("gpuarr: this program went on after the error above and never asked for it, so its results may be wrong: "
              "see ga_on_error(GA_EXIT) and ga_error()\n",
              stderr);
    if (gi_unloading) ga_shutdown();
}

__attribute__((constructor(101))) static void gi_expect_exit(void) { (void)atexit(gi_at_exit); }
__attribute__((destructor)) static void       gi_expect_unloading(void) { gi_unloading = !gi_exiting; }
