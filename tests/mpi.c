/*  mpi.c -- chunked arrays on several processes. Run by tests/mpi.sh, on each rank:

        mpi bits FOLDER      prints hashes of results, and stores some
        mpi errors FOLDER    what goes wrong on one rank goes wrong on all, and the next call works again
        mpi leave RANK       that rank ends its program early
        mpi silent RANK      that rank does something else for ever
        mpi cut PATH         computes on and on, and writes a line to PATH after a while: then somebody cuts the cable
        mpi resume PATH      stores, and kills rank 1 in the middle if KILL is in the environment                                   */
#include "chunked.h"

#include <sched.h>
#include <signal.h>

static uint64_t hash_of(const ga_array *a)
{
    uint64_t hash = 0xcbf29ce484222325u;
    if (!a || !ga_is_contiguous(a)) return 0;
    for (int64_t i = 0; i < a->size * ga_itemsize(a->dtype); i++)
        hash = (hash ^ ((const unsigned char *)a->data)[i]) * 0x100000001b3u;
    return hash;
}

static void tell(const char *name, ga_array *chunked)
{
    ga_array *r = ga_compute(chunked), *again = ga_compute(chunked);
    CHECK(r && ga_array_equal(r, again, .equal_nan = true));
    if (ga_rank() == 0) printf("HASH %s %016llx\n", name, (unsigned long long)hash_of(r));
}

/* Is a vertex of the picture white: has no rank worked that chunk out? */
static bool is_white(const char *path) { return count_in(path, "fill='#ffffff'") > 0; }

static void bits(const char *folder)
{
    char path[4096];
    ga_scope {
        ga_array *a          = ga_random((700, 900), .dtype = GA_F32, .chunks = ga_chunks(64, 90)),
                 *b          = ga_random_normal(1, 3, (700, 900), .chunks = ga_chunks(128, 128)),
                 *v          = ga_add(ga_multiply(ga_sin(a), ga_sin(a)), ga_cos(b)),
                 *long_lines = ga_random((2, 1500000), .seed = 5, .chunks = ga_chunks(0));
        tell("elementwise", v);
        tell("sum", ga_sum(v));
        tell("mean-0", ga_mean(v, .axis = 0));
        tell("std-1", ga_std(v, .axis = 1));
        tell("argmax", ga_argmax(b, .axis = 1));
        tell("long lines", ga_var(long_lines, .axis = 1));
        tell("percentile", ga_median(long_lines, .axis = 1));
        tell("normed",
             ga_astype(ga_multiply(ga_divide(255, ga_subtract(ga_max(v), ga_min(v))), ga_subtract(v, ga_min(v))), GA_U8));
        tell("slice", ga_index(v, "::-3, 5:800:7"));
        tell("cdist", ga_cdist(ga_index(b, ":200, :20"), ga_index(b, "200:450, :20")));
        tell("product", ga_matmul(ga_transpose(b), b));
        tell("convolved", ga_convolve2d(a, ga_ones((5, 5), .dtype = GA_F32), .mode = GA_SAME));
        tell("sorted", ga_sort(a, .axis = 0));
        CHECK(foreseen(v));
        CHECK(foreseen(ga_random((3000, 2000), .chunks = ga_chunks(500, 400)))); /* 45 MiB */
        ga_array *kept = ga_persist(v);
        tell("kept", ga_sqrt(ga_absolute(kept)));
        ga_array *tiles = ga_sqrt(ga_random((3000, 300), .chunks = ga_chunks(600, 100)));
        snprintf(path, sizeof path, "%s-ranks.svg", folder);
        CHECK(ga_rank() > 0 || (ga_visualize(tiles, path, .color = GA_COLOR_RANK) && is_white(path) == (ga_ranks() > 1)));
        tell("tiles", tiles);
        CHECK(ga_rank() > 0 || (ga_visualize(tiles, path, .color = GA_COLOR_RANK) && !is_white(path)));
        snprintf(path, sizeof path, "%s/v.npy", folder);
        CHECK(ga_store(v, path));
        snprintf(path, sizeof path, "%s/v.zarr", folder);
        CHECK(ga_store(v, path, .overwrite = true, .chunks = ga_chunks(100, 300)));
        tell("file", ga_add(ga_open(path), 1));
    }
}

static bool fails_in_one_place(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)user;
    return where->number != 17 && ga_add(in[0], 1, .out = out) != NULL;
}

static bool stops(const ga_progress *p, void *user)
{
    (void)p, (void)user;
    return false;
}

static void errors(const char *folder)
{
    char path[4096];
    bool last = ga_rank() == ga_ranks() - 1;
    snprintf(path, sizeof path, "%s/bad.npy", folder);
    ga_scope {
        ga_array *a = ga_random((400, 400), .chunks = ga_chunks(50, 50)), *m = ga_random((400, 400)), *v = ga_sin(a);
        ga_array *other = ga_chunked(ga_full((10, 10), ga_rank()), 5, 5);
        CHECK_FAILS(ga_compute(other), "has other numbers, or another expression, than rank 0");
        SAME(ga_sin(a), ga_sin(m));
        CHECK_FAILS(last ? ga_compute(ga_sqrt(a)) : ga_compute(ga_exp(a)), "all ranks must come to the same calls");
        if (last) CHECK_FAILS(ga_persist(v), "all ranks must come to the same calls");
        else CHECK_FAILS(ga_compute(v), "all ranks must come to the same calls");
        SAME(ga_sin(a), ga_sin(m));
        CHECK_FAILS(ga_compute(ga_map_blocks(a, fails_in_one_place, NULL)), "returned false for chunk number 17");
        CHECK_FAILS(ga_compute(ga_sum(ga_map_blocks(a, fails_in_one_place, NULL))), "for chunk number 17");
        CHECK_FAILS(ga_compute(ga_map_blocks(a, fails_in_one_place, NULL)), ", on rank ");
        SAME(ga_sin(a), ga_sin(m));
        ga_memory_trim();
        if (last) ga_memory_limit(ga_memory_stats().used_bytes + (100 << 10));
        CHECK_FAILS(ga_compute(v), "of ga_memory_limit's");
        CHECK_FAILS(ga_compute(last ? NULL : v), "is NULL");
        CHECK_FAILS(ga_persist(last ? NULL : v), "is NULL");
        CHECK_FAILS(ga_store(last ? NULL : v, path), "is NULL");
        ga_memory_limit(0);
        SAME(ga_sin(a), ga_sin(m));
        CHECK_FAILS(ga_store(v, "no/such/folder.npy"), "cannot write 'no/such/folder.npy'");
        CHECK_FAILS(ga_store(ga_map_blocks(a, fails_in_one_place, NULL), path), "for chunk number 17");
        if (ga_rank() == 0) CHECK(access(path, F_OK) != 0);
        ga_set_progress(stops, NULL); /* only rank 0 is asked */
        CHECK_FAILS(ga_compute(v), "the progress function stopped it");
        ga_set_progress(NULL, NULL);
        SAME(ga_sin(a), ga_sin(m));
        ga_memory_trim();
        ga_array *large = ga_sin(ga_random((1000, 3000), .chunks = ga_chunks(0))), *sum = ga_compute(ga_sum(large));
        if (last) ga_memory_limit(ga_memory_stats().used_bytes + (16 << 20)); /* there it does not fit */
        CHECK(ga_persist(large));
        CHECK(ga_array_equal(ga_compute(ga_sum(large)), sum));
        ga_memory_limit(0);
    }
}

static void leave(int who)
{
    ga_scope {
        ga_array *a = ga_random((300, 300), .chunks = ga_chunks(50, 50)), *m = ga_random((300, 300));
        SAME(ga_sin(a), ga_sin(m));
        if (ga_rank() == who) break;
        CHECK_FAILS(ga_compute(ga_sin(a)), "to the end of the program");
        CHECK_FAILS(ga_compute(ga_sum(a)), "to the end of the program");
        CHECK(ga_array_equal(ga_sin(m), ga_sin(m)));
    }
}

static int64_t calls; /* of the function below */

/* How many lines has the journal? */
static int64_t lines_of(const char *path)
{
    char    name[4096];
    int64_t n = 0;
    snprintf(name, sizeof name, "%s.gpuarr.journal", path);
    FILE *f = fopen(name, "r");
    for (int c; f && (c = getc(f)) != EOF;) n += c == '\n';
    if (f) fclose(f);
    return n;
}

/* With KILL in the environment rank 1 dies when some units are written down; rank 0 stops before all are. */
static bool dies(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)where;
    int64_t call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (getenv("KILL") && ga_rank() == 1) {
        while (lines_of((const char *)user) < 2) sched_yield();
        raise(SIGKILL);
    }
    if (getenv("KILL") && call > 8) pause();
    return ga_sqrt(in[0], .out = out) != NULL;
}

static void resume(const char *path)
{
    ga_scope {
        ga_array *a = ga_random((1000, 1000), .chunks = ga_chunks(50, 1000)),
                 *v = ga_map_blocks(a, dies, (void *)(uintptr_t)path);
        CHECK(ga_store(v, path, .resume = true));
        printf("CALLS %lld\n", (long long)calls);
        CHECK(ga_array_equal(ga_load(path), ga_sqrt(ga_random((1000, 1000)))));
    }
}

static void cut(const char *path)
{
    for (int k = 0;; k++) {
        if (k == 20 && ga_rank() == 0) {
            FILE *f = fopen(path, "w");
            fputs("now\n", f);
            fclose(f);
        }
        ga_scope
            CHECK(ga_compute(ga_sin(ga_random((1000, 300), .chunks = ga_chunks(50, 50)))));
    }
}

int main(int argc, char **argv)
{
    const char *part = argc > 2 ? argv[1] : "", *what = argc > 2 ? argv[2] : "";
    int         rank = ga_rank();
    if (!strcmp(part, "bits")) bits(what);
    else if (!strcmp(part, "errors")) errors(what);
    else if (!strcmp(part, "leave")) leave(atoi(what));
    else if (!strcmp(part, "resume")) resume(what);
    else if (!strcmp(part, "cut")) cut(what);
    else if (!strcmp(part, "silent") && rank == atoi(what)) pause();
    else if (!strcmp(part, "silent"))
        CHECK(ga_compute(ga_random((300, 300), .chunks = ga_chunks(50, 50))) == NULL); /* and never comes back */
    else {
        puts("mpi bits|errors|resume FOLDER, mpi leave|silent RANK");
        return 2;
    }
    return test_end();
}
