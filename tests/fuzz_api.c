/*  Random calls of every public function with random arguments of the right types: arrays of any shape, dtype and strides, chunked ones,
    NULL, numbers that are too large, too small or none, enumerators that do not exist. The calls come from tests/fuzz_api.py, by the
    header's own prototypes. Under AddressSanitizer and UndefinedBehaviorSanitizer none may crash, hang, leak, or fail without a sentence.

    fuzz_api [--calls N] [--seed S]     so many calls, and how many of each function's succeeded: some must
    fuzz_api --seed S --program P       one program of them once more, as a failure says

    A program is some 40 calls, drawn from (seed, program, number of the call), with nothing left of the one before. Of one that fails the
    calls without which it fails as well are dropped, and the rest is printed. */
#define GPUARR_KERNELS
#include "test.h"

#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

void __asan_poison_memory_region(void const volatile *p, size_t bytes);
void __asan_unpoison_memory_region(void const volatile *p, size_t bytes);
void __sanitizer_set_death_callback(void (*callback)(void));
void __sanitizer_set_report_fd(void *fd);
void __sanitizer_print_stack_trace(void);
void __lsan_do_leak_check(void);

enum {
    CALLS_OF_A_PROGRAM = 40,
    SECONDS_OF_A_CALL  = 20,      /* more is a hang */
    SUCCESSES          = 1,       /* of each function in 100000 calls, at the least */
    LISTED             = 64,      /* room in lists */
    SLOTS              = 24,      /* arrays at hand */
    SMALL              = 1 << 14, /* elements of those that are kept and read */
};

/* Reports go where the calls are printed; what cannot be had is NULL, and no report. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:print_legend=0:detect_stack_use_after_return=0:max_allocation_size_mb=2000";
}
const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }

/* ---- what the processes share ---------------------------------------------------------------------------------------- */

static struct shared {
    int64_t program; /* that is worked on */
    int     call;    /* of it; -1: what comes behind the last */
    bool    omitted[CALLS_OF_A_PROGRAM];
    int64_t called[1000], succeeded[1000]; /* by the number of the function */
    char    fault[400];                    /* of a program that failed, in a line */
} * shared;

static uint64_t seed = 1;
static FILE    *report;          /* stdout, before the calls print there */
static bool     quiet;           /* while a program is made smaller */
static int      function_number; /* of the call */
static char     folder[200];     /* of the files */

/* ---- random numbers ---------------------------------------------------------------------------------------------------- */

static uint64_t state; /* splitmix64 */
static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static uint64_t bits(void) { return mixed(state += 0x9e3779b97f4a7c15u); }
static int      below(int n) { return (int)(bits() % (uint64_t)n); }
static bool     chance(int percent) { return below(100) < percent; }
#define ONE_OF(...) one_of((const double[]){ __VA_ARGS__ }, (int)(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)))
static double one_of(const double *values, int n) { return values[below(n)]; }

static bool hostile_call; /* some arguments of this call make no sense */
static bool hostile(void) { return hostile_call && chance(12); }

/* ---- the text of the calls: they are also the places that errors and arrays name, so they live as long as the program ------------------ */

static char  text[1 << 20];
static int   used, line_start;
static char *lines[4 * CALLS_OF_A_PROGRAM];
static int   line_count;
static bool  first_argument;

__attribute__((format(printf, 1, 2))) static void write_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + used, sizeof text - (size_t)used, format, args);
    va_end(args);
    used += n;
    if (used > (int)sizeof text - 1) used = (int)sizeof text - 1;
}
static void begin_line(const char *name)
{
    line_start     = used;
    first_argument = true;
    write_text("fuzz\t%s(", name);
}
#define ARGUMENT(...) (write_text("%s", first_argument ? "" : ", "), first_argument = false, write_text(__VA_ARGS__))

/* The call is written; what `.out` adds is written behind a copy of it. */
static char *site(void)
{
    char *line = text + line_start;
    write_text(")");
    used++;
    if (line_count < (int)(sizeof lines / sizeof *lines)) lines[line_count++] = line;
    return line;
}

static void print_calls(void)
{
    if (quiet) return;
    fprintf(report, "the calls of program %lld with seed %llu, the last one fails:\n", (long long)shared->program,
            (unsigned long long)seed);
    for (int i = 0; i < line_count; i++) fprintf(report, "    %s\n", strchr(lines[i], '\t') + 1);
    if (line_count == 0 || text + line_start != lines[line_count - 1])
        fprintf(report, "    %.*s ...\n", used - line_start - 5, text + line_start + 5);
    fflush(report);
}

static bool failed; /* this program */

/* The call did what none may do: the program ends there. */
__attribute__((format(printf, 1, 2))) static void fault(const char *format, ...)
{
    if (failed) return;
    failed = true;
    va_list args;
    va_start(args, format);
    vsnprintf(shared->fault, sizeof shared->fault, format, args);
    va_end(args);
    if (quiet) return;
    fprintf(report, "FAIL %s\n", shared->fault);
    print_calls();
}

static void died(void)
{
    if (!shared->fault[0]) snprintf(shared->fault, sizeof shared->fault, "a sanitizer's report, above");
    print_calls();
}

static void hangs(int signal)
{
    (void)signal;
    snprintf(shared->fault, sizeof shared->fault, "a call takes more than %d s", SECONDS_OF_A_CALL);
    if (!quiet) {
        fprintf(report, "FAIL %s\n", shared->fault);
        fflush(report);
        __sanitizer_print_stack_trace();
    }
    print_calls();
    _exit(3);
}

static const char     *functions_name(void); /* of the function that is called */
static const ga_graph *draw_graph(const char *name);

#include "fuzz_api_values.h"

/* ---- what a call gave ----------------------------------------------------------------------------------------------------------- */

/* A call has ended. Is what it says of itself, in the error and in the rooms for arrays, right? `works`: it gave something. */
static void end_call(bool works)
{
    const char *error = ga_error();
    if (error) {
        size_t n = strlen(error);
        if (n < 20 || n > 1023 || error[n - 1] == '\n' || error[n - 1] == ' ' || ga_error_status() <= GA_OK ||
            ga_error_status() > GA_STOPPED)
            fault("no sentence: status %d, \"%s\"", (int)ga_error_status(), error);
        works = false;
    } else if (dead_given) fault("an array that was freed is taken");
    for (int r = 0; r < room_count; r++)
        for (int i = 0; i < LISTED; i++) {
            ga_array *a = rooms[r][i], *before = rooms_before[r][i];
            if (a == before || !a) continue;
            if (!works) fault("the call failed, and left an array, or what is none, in room[%d][%d]", r, i);
            else adopt(a);
        }
    room_count = 0;
    shared->called[function_number]++;
    if (works) shared->succeeded[function_number]++;
}

static void end_pointer(const void *p, bool question)
{
    const char *error = ga_error();
    if (!p && !error && !question) fault("NULL without an error");
    if (p && error) fault("something is returned, and an error kept: %s", error);
    end_call(p || question);
}
static void end_array(ga_array *a)
{
    bool given_null = strcmp(text + line_start, "fuzz\tga_keep(NULL)") == 0; /* NULL in, NULL out */
    end_pointer(a, given_null);
    adopt(a);
}
static void end_bool(bool ok, bool question)
{
    const char *error = ga_error();
    if (!ok && !error && !question) fault("false without an error");
    if (ok && error) fault("true is returned, and an error kept: %s", error);
    end_call(ok || question);
}
static void end_double(double d)
{
    if (ga_error() && !isnan(d)) fault("%g is returned, and an error kept: %s", d, ga_error());
    end_call(true);
}

/* Shall the call be made once more, with its result's likeness as .out? */
static bool again(const ga_array *r)
{
    if (failed || !r || !known(r) || out_given || ga_is_chunked(r) || chance(70)) return false;
    used = line_start = (int)(lines[line_count - 1] + strlen(lines[line_count - 1]) + 1 - text);
    write_text("%.*s", (int)strlen(lines[line_count - 1]) - 1, lines[line_count - 1]);
    return true;
}
static ga_array *like_result;
static ga_array *draw_like(const ga_array *r)
{
    like_result = ga_zeros_like(r);
    write_text(", .out = /* %s */", like_result ? looks_of(like_result) : "NULL");
    return like_result;
}
static void end_same(const ga_array *r, ga_array *out)
{
    end_pointer(out, false);
    if (out && out != like_result) fault("another array than .out is returned");
    else if (out && known(r) && !test_same_bits(r, out)) fault("with .out other elements than without");
    ga_free(like_result);
}

/* ---- programs ------------------------------------------------------------------------------------------------------------------------ */

#include "fuzz_api_calls.h" /* written by fuzz_api.py */

#include "fuzz_api_by_hand.h"

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *functions_name(void) { return functions[function_number].name; }

static bool files_written;

static void empty_folder(void)
{
    char command[600];
    if (!files_written) return;
    snprintf(command, sizeof command, "rm -rf '%s'/* '%s'/.[!.]*", folder, folder);
    if (system(command) != 0) fault("%s", command);
    files_written = false;
}

/* Files that can be read. */
static void write_files(void)
{
    if (files_written) return;
    files_written       = true;
    ga_array         *a = ga_arange(0, 24, 1, .dtype = GA_F32), *m = ga_reshape(a, (4, 6));
    const ga_array   *both[]  = { m, a };
    const char *const names[] = { "x", "y" };
    bool              ok      = ga_save("a.npy", m) && ga_savez("a.npz", 2, names, both) &&
              ga_store(m, "a.zarr", .chunks = ga_chunks(2, 4), .overwrite = true) && ga_savetxt("a.txt", m, "%g") &&
              ga_tofile(a, "a.bin");
    FILE *f = fopen("text", "w");
    if (f) fputs("a text\n", f), fclose(f);
    ok = ok && f;
    if (ga_fits_write("a.fits", m)) ok = ok && ga_fits_write("b.fits", a);
    ga_clear_error();
    ga_free(a);
    ga_free(m);
    if (!ok) fault("the files cannot be written");
}

/* What a call may have set. */
static void settle(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_set_progress(stop_late, NULL);
    ga_memory_limit((int64_t)48 << 20);
    ga_clear_error();
}

static void run_call(int number)
{
    state = mixed(seed * 0x9e3779b97f4a7c15u + (uint64_t)shared->program) + (uint64_t)number * 0x9e3779b97f4a7c15u * 1000;
    function_number = below(FUNCTIONS);
    hostile_call    = chance(45);
    like.ndim       = -1;
    like_dtype      = GA_DTYPE_DEFAULT;
    out_given = option = dead_given = false;
    memset(in_use, 0, sizeof in_use);
    turn = number * 5 % SLOTS; /* so that dropping a call leaves the slots of the others as they are */
    settle();
    begin_line(functions[function_number].name);
    call_begin = ga_now();
    alarm(SECONDS_OF_A_CALL);
    functions[function_number].call();
    alarm(0);
}

/* Runs a program; false: it failed. */
static bool run_program(int64_t program)
{
    shared->program = program;
    used = line_count = turn = 0;
    line_start               = 0;
    failed                   = false;
    ga_set_num_threads(2);
    for (int i = 0; i < CALLS_OF_A_PROGRAM && !failed; i++) {
        shared->call = i;
        if (!shared->omitted[i]) run_call(i);
    }
    shared->call = -1;
    for (int i = 0; i < SLOTS; i++) {
        ga_free(pool[i]);
        pool[i] = NULL;
    }
    empty_graves();
    for (int i = 0; i < 2; i++) ga_graph_free(graphs[i].graph);
    memset(graphs, 0, sizeof graphs);
    ga_set_device(GA_CPU);
    ga_memory left = ga_memory_stats();
    if (!failed && (left.arrays != 0 || left.used_bytes != 0 || left.spilled_bytes != 0))
        fault("not all is freed: %lld arrays and %lld bytes are left, and %lld in files", (long long)left.arrays,
              (long long)left.used_bytes, (long long)left.spilled_bytes);
    empty_folder();
    return !failed;
}

/* The programs first .. end - 1, in a process of its own, which ends with the first that fails. 0: none did. */
static int run_programs(int64_t first, int64_t end, bool silent)
{
    fflush(report);
    shared->fault[0] = 0;
    pid_t child      = fork();
    if (child != 0) {
        int status = 1;
        if (child < 0) perror("fork");
        else waitpid(child, &status, 0);
        files_written = true; /* by a process that died, perhaps */
        empty_folder();
        return status;
    }
    quiet = silent;
    if (silent && dup2(open("/dev/null", O_WRONLY), fileno(report)) < 0) _exit(2);
    if (!silent && dup2(fileno(report), 2) < 0) _exit(2); /* where UBSan reports */
    signal(SIGALRM, hangs);
    __sanitizer_set_report_fd((void *)(intptr_t)fileno(report));
    __sanitizer_set_death_callback(died);
    ga_set_allocator(fuzz_alloc, fuzz_free, NULL);
    for (int64_t p = first; p < end; p++)
        if (!run_program(p)) _exit(1);
    shared->program = end;
    ga_memory_trim();
    fflush(NULL);
    __lsan_do_leak_check();
    _exit(0);
}

/* The calls of the program that are needed to fail in the same way; then the failure in full. */
static void reduce_program(int64_t program)
{
    char fault_before[sizeof shared->fault];
    memcpy(fault_before, shared->fault, sizeof fault_before);
    int last = shared->call < 0 ? CALLS_OF_A_PROGRAM : shared->call + 1;
    for (int i = 0; i < CALLS_OF_A_PROGRAM; i++) shared->omitted[i] = i >= last;
    if (!strstr(fault_before, "takes more than"))
        for (int i = last - 1; i >= 0; i--) {
            shared->omitted[i] = true;
            if (run_programs(program, program + 1, true) == 0 || strncmp(shared->fault, fault_before, 16) != 0)
                shared->omitted[i] = false;
        }
    run_programs(program, program + 1, false);
    memset(shared->omitted, 0, sizeof shared->omitted);
}

int main(int argc, char **argv)
{
    int64_t calls = 100000, program = -1, most_failures = 20;
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t value = atoll(argv[i + 1]);
        if (strcmp(argv[i], "--calls") == 0) calls = value;
        else if (strcmp(argv[i], "--seed") == 0) seed = (uint64_t)value;
        else if (strcmp(argv[i], "--program") == 0) program = value;
        else if (strcmp(argv[i], "--failures") == 0) most_failures = value;
    }
    report = fdopen(dup(1), "w");
    shared = (struct shared *)mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(folder, sizeof folder, "%s/fuzz_api.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!report || shared == MAP_FAILED || !mkdtemp(folder) || chdir(folder) != 0 || !freopen("/dev/null", "w", stdout) ||
        !freopen("/dev/null", "w", stderr))
        return 2;

    int64_t programs = (calls + CALLS_OF_A_PROGRAM - 1) / CALLS_OF_A_PROGRAM, failures = 0, start = program >= 0 ? program : 0;
    if (program >= 0) programs = program + 1;
    fprintf(report, "%lld calls with seed %llu\n", (long long)calls, (unsigned long long)seed);
    for (int64_t p = start; p < programs && failures < most_failures; p = shared->program + 1) {
        shared->program = -1;
        if (run_programs(p, programs, true) == 0) break;
        failures++;
        if (shared->program == programs) { /* none failed, but memory has been lost that is no array's */
            run_programs(p, programs, false);
            break;
        }
        reduce_program(shared->program);
        fprintf(report, "again: --seed %llu --program %lld\n\n", (unsigned long long)seed, (long long)shared->program);
    }
    rmdir(folder);

    int64_t total = 0, wanted = SUCCESSES * calls / 100000, never = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        total += shared->called[i];
        if (program >= 0) continue;
        if (!functions[i].may_fail && shared->succeeded[i] < wanted) {
            never++;
            fprintf(report, "FAIL %s succeeded in %lld of %lld calls\n", functions[i].name, (long long)shared->succeeded[i],
                    (long long)shared->called[i]);
        }
        fprintf(report, "%-32s %6lld of %6lld calls succeeded\n", functions[i].name, (long long)shared->succeeded[i],
                (long long)shared->called[i]);
    }
    fprintf(report, "%lld calls of %d functions\n", (long long)total, (int)FUNCTIONS);
    fprintf(report, "%lld passed, %lld failed, 0 skipped\n", (long long)FUNCTIONS - never, (long long)(failures + never));
    return failures + never > 0;
}
