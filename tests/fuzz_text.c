/* libFuzzer target: tables as ga_loadtxt and ga_genfromtxt read them, and formats of ga_savetxt. The first byte chooses among these.
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz_text.c -o build/fuzz_text -lm -lpthread
   build/fuzz_text -max_total_time=20 build/corpus/text   (an empty folder gets a few valid files) */
#include "fuzz.h"

static void write_seeds(const char *dir)
{
    static const char *const seeds[] = {
        "0# x\n1 2.5\n-3 4e1 # y\n",  "A1,2\r\n3,-inf",     "B(1+2j),3j\n", "C1;;x\n2;nan;3\n", "D\"1\",2\n",
        "E9007199254740993 1e-320\n", "F%5.1f, %+d;%-8.3e", "F%s",          "G300 -7"
    };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char name[20];
        snprintf(name, sizeof name, "seed%zu", i);
        fuzz_write(dir, name, seeds[i], strlen(seeds[i]));
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    fuzz_seed(*argc, *argv, write_seeds);
    fuzz_begin();
    return 0;
}

static void judge(ga_array *a)
{
    fuzz_judge(a);
    if (a) fuzz_read(a);
    ga_free(a);
}

/* A format must be refused, or write each number. */
static void try_format(const char *bytes, size_t n)
{
    char  *fmt  = (char *)malloc(n + 1);
    double v[4] = { 1.5, -0.1, NAN, 1e300 };
    if (!fmt) return;
    memcpy(fmt, bytes, n);
    fmt[n]      = 0;
    ga_array *a = ga_wrap(v, (2, 2));
    if (ga_savetxt("/dev/null", a, .fmt = fmt) != !ga_error()) abort();
    ga_free(a);
    free(fmt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    ga_clear_error();
    if (n == 0) return 0;
    if (data[0] == 'F') {
        try_format((const char *)data + 1, n - 1);
    } else {
        gi_table t;
        memset(&t, 0, sizeof t);
        const unsigned how = data[0];
        t.site             = "fuzz\tga_loadtxt(data)";
        t.path             = "data";
        t.source.bytes     = data + 1;
        t.source.size      = (int64_t)n - 1;
        t.usecols.ndim     = how & 8 ? 2 : -1;
        t.usecols.n[1]     = -1;
        t.fills = t.loose = (how & 2) != 0;
        t.skip            = how & 16 ? 1 : 0;
        t.most            = INT64_MAX;
        t.filling         = GA_REAL_DEFAULT;
        t.missing         = how & 32 ? "NA,7" : NULL;
        if (gi_set_rules(&t, "#", how & 1 ? (how & 2 ? ";" : ",") : NULL, how & 4 ? "\"" : NULL)) {
            (void)gi_read_table(&t, (ga_dtype)(GA_BOOL + how % GA_C128), 0, 0);
            judge(t.all);
        }
    }
    fuzz_nothing_is_left();
    return 0;
}
