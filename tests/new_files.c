/* Under a name is the old file or the new one, whatever happens: each writer is killed at each system call that changes files (by ptrace, as
   `strace -e inject` does), runs out of disk, and finds links, and folders and files of others in its way. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* for unshare */
#endif
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static char folder[200];

static const char *in_folder(const char *name) /* eight at a time */
{
    static char paths[8][300];
    static int  turn;
    char       *path = paths[turn = (turn + 1) % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static bool has_text(const char *path, const char *text)
{
    char  found[100] = "";
    FILE *f          = fopen(path, "r");
    bool  read       = f && fgets(found, sizeof found, f);
    if (f) fclose(f);
    return read && !strcmp(found, text);
}

static bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

static void remove_tree(const char *path)
{
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    CHECK(system(command) == 0);
}

static void clean_folder(void)
{
    remove_tree(folder);
    CHECK(mkdir(folder, 0777) == 0);
}

/* How many names are there in the folder beside `name`? */
static int others(const char *name)
{
    DIR *list = opendir(folder);
    int  n    = 0;
    for (struct dirent *e; list && (e = readdir(list)) != NULL;) n += e->d_name[0] != '.' && strcmp(e->d_name, name) != 0;
    if (list) closedir(list);
    return n;
}

/* ---- the writers -------------------------------------------------------------------------------------------------- */
/*  Each writes 200 x 100 numbers of which all say which time it was. */

static ga_array *numbers(int time) { return ga_full((200, 100), time, .dtype = GA_U8); }

static bool write_npy(const char *path, int time) { return ga_save(path, numbers(time)); }
static bool write_npz(const char *path, int time)
{
    const ga_array *arrays[2] = { numbers(time), numbers(time) };
    return ga_savez(path, 2, NULL, arrays);
}
static bool write_text(const char *path, int time) { return ga_savetxt(path, numbers(time), .fmt = "%d"); }
static bool write_raw(const char *path, int time) { return ga_tofile(numbers(time), path); }
static bool write_png(const char *path, int time) { return ga_imsave(path, numbers(time)); }
static bool write_fits(const char *path, int time) { return ga_fits_write(path, numbers(time)); }
static bool write_svg(const char *path, int time)
{
    ga_array *x = ga_chunked(ga_zeros((100)), 100 / time);
    return ga_visualize(ga_sin(x), path);
}
static bool store_npy(const char *path, int time) { return ga_store(numbers(time), path, .chunks = ga_chunks(100, 100)); }
static bool resume_npy(const char *path, int time)
{
    return ga_store(numbers(time), path, .chunks = ga_chunks(100, 100), .resume = true);
}
static bool store_zarr(const char *path, int time)
{
    return ga_store(numbers(time), path, .chunks = ga_chunks(100, 50), .overwrite = true);
}
static bool resume_zarr(const char *path, int time)
{
    return ga_store(numbers(time), path, .chunks = ga_chunks(100, 50), .resume = true, .overwrite = true);
}

/* Which time was it? -1: the file is damaged, 0: it is not there. */
static int time_of(const ga_array *a)
{
    if (!a || a->ndim != 2 || a->shape[0] != 200 || a->shape[1] != 100) return -1;
    int time = *(const unsigned char *)a->data;
    return ga_array_equal(a, numbers(time)) ? time : -1;
}
static int read_npy(const char *path) { return time_of(ga_load(path)); }
static int read_npz(const char *path)
{
    int time = time_of(ga_load_from(path, "arr_0"));
    return time == time_of(ga_load_from(path, "arr_1")) ? time : -1;
}
static int read_text(const char *path) { return time_of(ga_loadtxt(path, .dtype = GA_U8)); }
static int read_raw(const char *path)
{
    ga_array *a = ga_fromfile(path, .dtype = GA_U8);
    return a && a->size == 20000 ? time_of(ga_reshape(a, (200, 100))) : -1;
}
static int read_fits(const char *path) { return time_of(ga_fits_read(path)); }
static int read_zarr(const char *path)
{
    ga_array *a = ga_open(path);
    return a ? time_of(ga_compute(a)) : -1;
}
/* Of pictures only whether they are whole is asked: their time is that of the file with the same bytes, which the test keeps. */
static int read_bytes(const char *path)
{
    for (int time = 1; time <= 2; time++) {
        char command[700];
        snprintf(command, sizeof command, "cmp -s '%s' '%s/.is.%d'", path, folder, time);
        if (system(command) == 0) return time;
    }
    return -1;
}

typedef struct writer {
    const char *name;
    bool (*write)(const char *path, int time);
    int (*read)(const char *path);
    bool (*anew)(const char *path, int time); /* the same, where the other goes on with what a killed one has left */
} writer;

static const writer writers[] = {
    { "a.npy", write_npy, read_npy, write_npy },      { "a.npz", write_npz, read_npz, write_npz },
    { "a.png", write_png, read_bytes, write_png },    { "a.fits", write_fits, read_fits, write_fits },
    { "a.txt", write_text, read_text, write_text },   { "a.bin", write_raw, read_raw, write_raw },
    { "a.svg", write_svg, read_bytes, write_svg },    { "s.npy", store_npy, read_npy, store_npy },
    { "r.npy", resume_npy, read_npy, store_npy },     { "s.zarr", store_zarr, read_zarr, store_zarr },
    { "r.zarr", resume_zarr, read_zarr, store_zarr },
};
enum { WRITERS = sizeof writers / sizeof *writers };

/* Is the library there that the writer needs? */
static bool can_write(const writer *w)
{
    static bool told[WRITERS];
    bool        missing = false;
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_scope
        missing = !w->write(in_folder(w->name), 1) && ga_error_status() == GA_NO_LIBRARY;
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();
    if (missing && !told[w - writers]) test_skip(w->name, 1), told[w - writers] = true;
    return !missing;
}

static int read_back(const writer *w)
{
    int  time = 0;
    char old[300];
    snprintf(old, sizeof old, "%s/%s.gpuarr.old", folder, w->name); /* ga_open finds it */
    if (exists(in_folder(w->name)) || exists(old))
        ga_scope
            time = w->read(in_folder(w->name));
    return time;
}

/* Pictures are told by the bytes that each time has. */
static void keep_bytes(const writer *w)
{
    for (int time = 1; time <= 2 && w->read == read_bytes; time++) {
        char kept[300];
        snprintf(kept, sizeof kept, "%s/.is.%d", folder, time);
        ga_scope
            CHECK(w->write(in_folder(w->name), time));
        CHECK(rename(in_folder(w->name), kept) == 0);
    }
}

/* ---- killed at each system call ------------------------------------------------------------------------------------ */

static bool changes_files(long call)
{
    static const long calls[] = {
        SYS_write,     SYS_pwrite64, SYS_writev,   SYS_openat,  SYS_fsync, SYS_fdatasync, SYS_syncfs, SYS_ftruncate,
        SYS_renameat2, SYS_fchmod,   SYS_unlinkat, SYS_mkdirat, SYS_close,
#ifdef SYS_open
        SYS_open,      SYS_rename,   SYS_renameat, SYS_unlink,  SYS_rmdir, SYS_mkdir,     SYS_creat,  SYS_chmod,
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (call == calls[i]) return true;
    return false;
}

/* No exchange of names, as on file systems that cannot. */
static void forbid_exchange(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 2 /* RENAME_EXCHANGE */, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof lines / sizeof *lines, lines };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(3);
}

static bool synced = true; /* do those processes wait for the disk? */

enum { WROTE, BUSY, ELSE }; /* how a writer ends: BUSY if it says that another program is writing */

static int how_it_ended(bool ok) { return ok ? WROTE : strstr(ga_error(), "another program is writing it") ? BUSY : ELSE; }

/* Writes in a process that is stopped when it begins the n-th of those calls; 0: it came to its end before, with WROTE. *works: can
   processes be traced here? */
static pid_t stopped_at(int n, const writer *w, int time, bool exchange, bool *works)
{
    pid_t child = fork();
    if (child == 0) {
        ga_set_num_threads(1);
        ga_set_fsync(synced);
        if (!exchange) forbid_exchange();
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(3);
        raise(SIGSTOP);
        ga_scope
            _exit(how_it_ended(w->write(in_folder(w->name), time)));
    }
    int  status = 0, calls = 0;
    bool inside = false;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        *works = false;
        return 0;
    }
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    for (int signal = 0;; signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status)) {
        if (ptrace(PTRACE_SYSCALL, child, NULL, (void *)(uintptr_t)signal) != 0 || waitpid(child, &status, 0) != child) break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) break;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
        inside = !inside;
        struct __ptrace_syscall_info about;
        if (!inside) continue;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof about, &about) < 0) {
            *works = false;
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return 0;
        }
        if (about.op == PTRACE_SYSCALL_INFO_ENTRY && changes_files((long)about.entry.nr) && ++calls == n) return child;
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WROTE);
    return 0;
}

/* The same, and it is killed there. True if it came so far. */
static bool killed_at(int n, const writer *w, int time, bool exchange, bool *works)
{
    int   status;
    pid_t child = stopped_at(n, w, time, exchange, works);
    if (child == 0) return false;
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) == child && !WIFSIGNALED(status) && !WIFEXITED(status))
        ptrace(PTRACE_CONT, child, NULL, NULL);
    return true;
}

static void kill_writer(const writer *w, bool exchange, bool *works)
{
    int  n = 1, olds = 0, news = 0, left = 0;
    bool came_so_far = true;
    for (int old = 0; old < 2; old++) { /* is there an old file? */
        for (n = 1, came_so_far = true; came_so_far; n++) {
            ga_clear_error();
            ga_scope
                CHECK(!old || w->anew(in_folder(w->name), 1));
            came_so_far = killed_at(n, w, 2, exchange, works);
            if (!*works) return;
            int time = read_back(w), beside = others(w->name);
            if (!CHECK(old ? time == 1 || time == 2 : time == 0 || time == 2))
                printf("killed at call %d of writing %s over %s%s: %s\n", n, w->name, old ? "an old file" : "nothing",
                       exchange ? "" : ", without exchange", time == -1 ? "damaged" : "lost");
            olds += time == 1;
            news += time == 2;
            if (beside > left) left = beside;
            ga_clear_error();
            ga_scope
                CHECK(w->write(in_folder(w->name), 2)); /* what is left is in nobody's way, and goes */
            CHECK(read_back(w) == 2 && others(w->name) == 0);
            if (!old) remove_tree(in_folder(w->name));
        }
    }
    CHECK(news >= 4 && olds >= 4 && left >= 1 && left <= 2); /* the test tests */
    printf("%s%s%s: killed at %d calls, %d times the old file was there, %d times the new one; at most %d others\n", w->name,
           exchange ? "" : ", without exchange", synced ? "" : ", without fsync", n - 2, olds, news, left);
}

static void kills(void)
{
    bool works = true;
    for (int i = 0; i < WRITERS && works; i++) {
        const writer *w = &writers[i];
        clean_folder();
        if (!can_write(w)) continue;
        keep_bytes(w);
        remove_tree(in_folder(w->name));
        ga_set_error_handler(ga_ignore_error, NULL);
        kill_writer(w, true, &works);
        clean_folder();
        if (w->read == read_zarr && works) kill_writer(w, false, &works);
        if (w->read == read_zarr || w->read == read_bytes || !works) continue;
        clean_folder();
        synced = false; /* then files exchange names, too */
        kill_writer(w, true, &works);
        synced = true;
        ga_set_error_handler(NULL, NULL);
        ga_clear_error();
    }
    if (!works) test_skip("killed at each call: processes cannot be traced here (ptrace)", 1);
}

/* ---- without waiting for the disk ---------------------------------------------------------------------------------- */

/* The disk fails whoever waits for it. */
static void fail_syncs(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_syncfs, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
    };
    struct sock_fprog program = { sizeof lines / sizeof *lines, lines };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(3);
}

/* How a writer ends where the disk fails. */
static int ended_without_disk(const writer *w, int time, bool waits)
{
    int   status = 0;
    pid_t child  = fork();
    if (child == 0) {
        fail_syncs();
        ga_set_fsync(waits);
        ga_scope
            _exit(how_it_ended(w->write(in_folder(w->name), time)));
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static void without_fsync(void)
{
    CHECK(ga_get_fsync());
    ga_set_error_handler(ga_ignore_error, NULL);
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        clean_folder();
        if (!can_write(w)) continue;
        keep_bytes(w);
        ga_scope
            CHECK(w->write(in_folder(w->name), 1));
        const bool resumes = w->write == resume_npy || w->write == resume_zarr; /* a journal tells of what is on the disk */
        CHECK(ended_without_disk(w, 2, true) == ELSE);
        CHECK(read_back(w) == 1);
        CHECK(ended_without_disk(w, 2, false) == (resumes ? ELSE : WROTE));
        CHECK(read_back(w) == (resumes ? 1 : 2) && (resumes || others(w->name) == 0));
    }
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();
}

/* ---- several programs write the same --------------------------------------------------------------------------------- */

static int  told[2], asked[2]; /* pipes: the second program is in the middle; it may go on */
static bool stop_in_the_middle(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    char c = 'm';
    (void)n, (void)user;
    if (where->number == 2 && (write(told[1], &c, 1) != 1 || read(asked[0], &c, 1) != 1)) return false;
    return ga_copyto(out, in[0]) != NULL;
}

/* A second program that stores, and waits in the middle of that, or as soon as it must. */
static pid_t begin_second(const char *path)
{
    CHECK(pipe(told) == 0 && pipe(asked) == 0);
    pid_t child = fork();
    if (child == 0) {
        ga_set_num_threads(1);
        ga_set_fsync(synced);
        close(told[0]), close(asked[1]);
        ga_scope {
            ga_array *x = ga_map_blocks(ga_chunked(numbers(2), 100, 50), stop_in_the_middle, NULL);
            _exit(how_it_ended(ga_store(x, path, .overwrite = true)));
        }
    }
    close(told[1]);
    struct pollfd middle = { told[0], POLLIN, 0 };
    CHECK(poll(&middle, 1, 50) >= 0);
    return child;
}

static int end_of(pid_t child)
{
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* One program is stopped at each of its calls until another one is in the middle of the same array. */
static void store_in_turns(const writer *w, bool exchange, bool *works)
{
    int  ended[2][3] = { { 0 } }, first, second;
    char go          = 'g';
    clean_folder();
    for (int n = 1;; n++) {
        ga_scope
            CHECK(n > 1 || w->write(in_folder(w->name), 3));
        pid_t stopped = stopped_at(n, w, 1, exchange, works);
        if (stopped == 0 || !*works) break;
        pid_t other = begin_second(in_folder(w->name));
        ptrace(PTRACE_DETACH, stopped, NULL, NULL);
        ended[0][first = end_of(stopped)]++;
        CHECK(write(asked[1], &go, 1) == 1);
        ended[1][second = end_of(other)]++;
        close(told[0]), close(asked[0]), close(asked[1]);
        if (!CHECK(first != ELSE && second != ELSE && read_back(w) == (second == WROTE ? 2 : 1) && others(w->name) == 0))
            printf("stopped at call %d: %d and %d; the array is of %d, and there are %d others\n", n, first, second,
                   read_back(w), others(w->name));
        ga_clear_error();
    }
    if (!*works) return;
    printf("%s by two programs%s%s: the first wrote %d times and was busy %d times, the second %d and %d\n", w->name,
           exchange ? "" : ", without exchange", synced ? "" : ", without fsync", ended[0][WROTE], ended[0][BUSY],
           ended[1][WROTE], ended[1][BUSY]);
    const int least = w->read == read_zarr ? 5 : 3; /* an .npy file takes fewer calls */
    CHECK(ended[0][WROTE] > 5 && ended[1][WROTE] > least && ended[0][BUSY] > 0 && ended[1][BUSY] > 5); /* the test tests */
}

/* CFITSIO makes its files itself: where gpuarr has removed the part for it, another program may make one; and what it has made, another
   program may take for one that was left. */
static void fits_in_turns(bool *works)
{
    const writer *w = &writers[3];
    char          part[300];
    clean_folder();
    if (!can_write(w)) return;
    ga_set_error_handler(ga_ignore_error, NULL);
    snprintf(part, sizeof part, "%s/%s.gpuarr.part", folder, w->name);
    for (int n = 1, changes = 0; *works && changes < 3; n++) { /* made by gpuarr, removed, made by CFITSIO */
        pid_t stopped = stopped_at(n, w, 1, true, works);
        if (!CHECK(stopped != 0 || !*works) || !*works) return;
        const bool there = exists(part), changed = there == (changes % 2 == 0);
        changes += changed;
        const bool make = changed && changes == 2, take = changed && changes == 3;
        const int  other = make ? open(part, O_RDWR | O_CREAT | O_EXCL, 0666) : -1;
        CHECK(!make || flock(other, LOCK_EX) == 0);
        CHECK(!take || unlink(part) == 0);
        ptrace(PTRACE_DETACH, stopped, NULL, NULL);
        CHECK(end_of(stopped) == (make || take ? BUSY : WROTE) && exists(part) == make);
        if (make) CHECK(close(other) == 0 && unlink(part) == 0);
    }
}

static void several_programs(void)
{
    bool works = true;
    ga_set_error_handler(ga_ignore_error, NULL);
    store_in_turns(&writers[WRITERS - 2], true, &works);
    if (works) store_in_turns(&writers[WRITERS - 2], false, &works);
    synced = false;
    if (works) store_in_turns(&writers[7], true, &works);
    synced = true;
    if (works) fits_in_turns(&works);
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();
    if (!works) test_skip("several programs write the same: processes cannot be traced here (ptrace)", 1);
}

/* ---- a full disk ----------------------------------------------------------------------------------------------------- */

static void full_disk(void)
{
    clean_folder();
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("tmpfs", folder, "tmpfs", 0, "size=200k") != 0)
            _exit(100);
        test_failed = test_passed = 0;
        ga_set_num_threads(1);
        for (int i = 0; i < WRITERS; i++) {
            const writer *w = &writers[i];
            if (!can_write(w)) continue;
            remove_tree(in_folder(w->name));
            ga_scope {
                keep_bytes(w);
                CHECK(w->write(in_folder(w->name), 1));
                FILE       *rest = fopen(in_folder("rest"), "w"); /* all but a little that is left, of the disk */
                static char page[4096];
                for (int n = 0; rest && fwrite(page, 1, sizeof page, rest) == sizeof page && fflush(rest) == 0; n++) continue;
                if (rest) fclose(rest);
                CHECK_FAILS(w->write(in_folder(w->name), 2), strerror(ENOSPC));
                CHECK(others(w->name) == (w->write == w->anew ? 1 : 3)); /* what is to be gone on with stays */
                CHECK(unlink(in_folder("rest")) == 0);
                CHECK(read_back(w) == 1);
                CHECK(w->write(in_folder(w->name), 2) && read_back(w) == 2 && others(w->name) == 0);
            }
            remove_tree(in_folder(w->name));
        }
        printf("on a full disk: %d checks\n", test_passed);
        fflush(stdout);
        _exit(test_failed > 99 ? 99 : test_failed);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == 100) test_skip("a full disk: no file system can be mounted here (run it as root)", 1);
    else CHECK(WEXITSTATUS(status) == 0);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------- */

/* The system opens nothing more, for want of memory. */
static void forbid_opening(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_open
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof lines / sizeof *lines, lines };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(100);
}

static void no_memory(void)
{
    clean_folder();
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        if (!can_write(w)) continue;
        remove_tree(in_folder(w->name));
        ga_scope
            CHECK(w->write(in_folder(w->name), 1));
        pid_t child = fork();
        if (child == 0) {
            test_failed = test_passed = 0;
            ga_set_num_threads(1);
            ga_set_error_handler(ga_ignore_error, NULL);
            forbid_opening();
            ga_scope {
                CHECK(!w->write(in_folder(w->name), 2) && ga_error_status() == GA_NO_MEMORY);
                ga_clear_error();
                if (w->read == read_bytes ? w->write == write_png && ga_imread(in_folder(w->name))
                                          : w->read(in_folder(w->name)) != -1)
                    CHECK(!"it was read");
                CHECK(w->write == write_svg || ga_error_status() == GA_NO_MEMORY);
                if (test_failed) printf("%s: %s\n", w->name, ga_error() ? ga_error() : "no error");
            }
            fflush(stdout);
            _exit(test_failed);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
        if (WEXITSTATUS(status) == 100) test_skip("no memory to open a file: system calls cannot be refused here (seccomp)", 1);
        else CHECK(WEXITSTATUS(status) == 0);
    }
}

/* ---- links, and what others have put there ------------------------------------------------------------------------------ */

/* Every writer has the same status for the same cause, and the system's words. */
static void refused(const writer *w, const char *path, int error)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_scope
        CHECK(!w->write(path, 1));
    ga_set_error_handler(NULL, NULL);
    CHECK(ga_error_status() == GA_NO_FILE && strstr(ga_error(), strerror(error)));
    ga_clear_error();
}

static void causes(void)
{
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        clean_folder();
        if (!can_write(w)) continue;
        remove_tree(in_folder(w->name));
        CHECK(symlink(w->name, in_folder(w->name)) == 0);
        refused(w, in_folder(w->name), ELOOP);
        char far[300];
        snprintf(far, sizeof far, "%s/none/%s", folder, w->name);
        refused(w, far, ENOENT);
        if (!strstr(w->name, ".svg")) refused(w, "", ENOENT); /* it must end in .svg or .dot */
        CHECK(remove(in_folder(w->name)) == 0 && others(w->name) == 0);
    }
    ga_scope {
        ga_set_error_handler(ga_ignore_error, NULL);
        const ga_array *none = ga_fits_read("");
        ga_set_error_handler(NULL, NULL);
        if (!none && ga_error_status() == GA_NO_LIBRARY) test_skip("ga_fits_read of an empty path: there is no CFITSIO", 1);
        else CHECK(!none && ga_error() && strstr(ga_error(), strerror(ENOENT)));
        ga_clear_error();
    }
}

static void links(void)
{
    struct stat about;
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        clean_folder();
        if (w->read == read_bytes || !can_write(w)) continue;
        remove_tree(in_folder(w->name));
        char far[300], link[300];
        snprintf(far, sizeof far, "%s/inner/%s", folder, w->name);
        snprintf(link, sizeof link, "inner/%s", w->name);
        CHECK(mkdir(in_folder("inner"), 0777) == 0);
        ga_scope {
            CHECK(symlink(link, in_folder(w->name)) == 0); /* to nothing yet; relative to its folder */
            for (int time = 1; time <= 2; time++) {
                CHECK(w->write(in_folder(w->name), time) && w->read(far) == time);
                CHECK(lstat(in_folder(w->name), &about) == 0 && S_ISLNK(about.st_mode));
            }
        }
        CHECK(others(w->name) == 1);
    }
    clean_folder();
    CHECK(symlink("b", in_folder("a")) == 0 && symlink("a", in_folder("b")) == 0);
    ga_scope {
        CHECK_FAILS(write_npy(in_folder("a"), 1), strerror(ELOOP));
        CHECK(write_npy(in_folder("c.npy"), 1) && chmod(in_folder("c.npy"), 0640) == 0);
        CHECK(write_npy(in_folder("c.npy"), 2) && stat(in_folder("c.npy"), &about) == 0 && (about.st_mode & 07777) == 0640);
        if (geteuid() == 0) {
            CHECK(chown(in_folder("c.npy"), 12345, 23456) == 0 && write_npy(in_folder("c.npy"), 1));
            CHECK(stat(in_folder("c.npy"), &about) == 0 && about.st_uid == 12345 && about.st_gid == 23456);
        } else {
            CHECK(chmod(in_folder("c.npy"), 0444) == 0);
            CHECK_FAILS(write_npy(in_folder("c.npy"), 1), "Permission denied");
        }
        CHECK(mkfifo(in_folder("pipe"), 0666) == 0);
        int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
        CHECK(ga_save(in_folder("pipe"), ga_zeros((3)))); /* what is no file is written to as it is */
        char start[6];
        CHECK(read(reader, start, 6) == 6 && !memcmp(start, "\x93NUMPY", 6) && stat(in_folder("pipe"), &about) == 0 &&
              S_ISFIFO(about.st_mode));
        close(reader);
        int  out = open(in_folder("out"), O_RDWR | O_CREAT | O_TRUNC, 0666);
        char number[30];
        snprintf(number, sizeof number, "/dev/fd/%d", out);
        CHECK(ga_save(number, ga_zeros((3))) && pread(out, start, 6, 0) == 6 &&
              !memcmp(start, "\x93NUMPY", 6)); /* the descriptor's file */
        close(out);
    }
}

/* Names that leave no room for the part's, folders that nobody may write, and a working directory that changes meanwhile. */
static bool go_elsewhere(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n;
    return (where->number != 2 || chdir((const char *)user) == 0) && ga_copyto(out, in[0]) != NULL;
}

static void names(void)
{
    char name[300], here[300];
    clean_folder();
    ga_scope {
        ga_array *x = ga_chunked(ga_arange(0, 60000, 1), 10000);
        for (int n = 242; n <= 257; n++) {
            memset(name, 'n', sizeof name);
            strcpy(name + n - 4, ".npy");
            const char *path = in_folder(name);
            if (n <= 243) CHECK(ga_save(path, ga_zeros((3))) && ga_store(x, path));
            else CHECK_FAILS(ga_save(path, ga_zeros((3))), n <= 255 ? "at most 243 are possible" : strerror(ENAMETOOLONG));
            if (n > 243) CHECK_FAILS(ga_store(x, path), n <= 255 ? "at most 243 are possible" : strerror(ENAMETOOLONG));
        }
        clean_folder();
        CHECK_FAILS(ga_store(x, in_folder("y.zarr/")), "leave that out");
        CHECK(getcwd(here, sizeof here) && mkdir(in_folder("a"), 0777) == 0 && mkdir(in_folder("b"), 0777) == 0);
        static const char *const files[] = { "x.npy", "x.zarr" };
        for (int k = 0; k < 2; k++) {
            CHECK(chdir(in_folder("a")) == 0);
            CHECK(ga_store(ga_map_blocks(x, go_elsewhere, (void *)(uintptr_t)in_folder("b")), files[k]));
            CHECK(!exists(files[k]) && chdir(in_folder("a")) == 0 && exists(files[k]));
            const char     *same[2] = { files[k], k ? "./x.zarr" : "../a/x.npy" };
            const ga_array *both[2] = { x, x };
            CHECK_FAILS(ga_store_n(2, both, same, .overwrite = true), "arrays 0 and 1 have the same path");
        }
        CHECK(chdir(here) == 0);
    }
    CHECK(ga_store(ga_zeros((3)), in_folder("a/locked.zarr")) && chmod(in_folder("a"), 0777) == 0);
    pid_t child = fork();
    if (child == 0) {
        if (chmod(in_folder("b"), 0555) != 0 || chmod(in_folder("a/locked.zarr"), 0555) != 0 ||
            (geteuid() == 0 && setuid(65534) != 0))
            _exit(3);
        bool said = false;
        ga_set_error_handler(ga_ignore_error, NULL);
        if (ga_store(ga_ones((3)), in_folder("a/locked.zarr"), .overwrite = true) || !strstr(ga_error(), strerror(EACCES)))
            _exit(6);
        ga_clear_error();
        for (int k = 0; k < 2; k++) {
            if (ga_store(ga_chunked(ga_zeros((3)), 1), in_folder(k ? "b/x.zarr" : "b/x.npy"))) _exit(4);
            said = (said || k == 0) && strstr(ga_error(), "so its folder must be writable");
            ga_clear_error();
        }
        _exit(said ? 0 : 5);
    }
    CHECK(end_of(child) == 0 && chmod(in_folder("b"), 0777) == 0);
    CHECK(chmod(in_folder("a/locked.zarr"), 0777) == 0 && !exists(in_folder("a/locked.zarr.gpuarr.part")));
}

/* A Zarr array that is open, while it is replaced or removed: what is missing of it then is no fill_value. */
static void replaced_while_open(void)
{
    clean_folder();
    ga_scope {
        char dir[300];
        strcpy(dir, in_folder("x.zarr")); /* longer than in_folder keeps it */
        ga_array *old, *as_before = ga_full((4), 5.0);
        CHECK(ga_store(as_before, dir, .chunks = ga_chunks(2)) && (old = ga_open(dir)) != NULL);
        CHECK(ga_store(ga_add(old, 1), dir, .overwrite = true));
        CHECK_FAILS(ga_compute(old), "was replaced or removed after it was opened");
        CHECK(ga_allclose(ga_compute(ga_open(dir)), 6));
        old = ga_open(dir);
        CHECK(unlink(in_folder("x.zarr/1")) == 0 && ga_array_equal(ga_compute(old), ga_from(((double[]){ 6, 6, 0, 0 }), (4))));
        /* a program that was killed while it removed an array has left this */
        CHECK(rename(dir, in_folder("x.zarr.gpuarr.part")) == 0 &&
              rename(in_folder("x.zarr.gpuarr.part/.zarray"), in_folder("x.zarr.gpuarr.part/.zarray.gone")) == 0);
        CHECK_FAILS(ga_compute(old), "was replaced or removed after it was opened");
        for (int resume = 0; resume < 2; resume++) {
            CHECK(ga_store(as_before, dir, .resume = resume) && ga_allclose(ga_compute(ga_open(dir)), 5));
            CHECK(others("x.zarr") == 0 && !exists(in_folder("x.zarr/.zarray.gone")));
            CHECK(rename(dir, in_folder("x.zarr.gpuarr.part")) == 0 &&
                  rename(in_folder("x.zarr.gpuarr.part/.zarray"), in_folder("x.zarr.gpuarr.part/.zarray.gone")) == 0);
        }
    }
}

/* What stands where gpuarr puts its part, and it did not make, is neither followed nor emptied: an error, before any work. */
static bool worked; /* has the function of the blocks run? */
static bool work(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)where, (void)user;
    worked = true;
    return ga_negative(in[0], .out = out) != NULL;
}

static void in_the_way(void)
{
    char part[300];
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        for (int what = 0; what < 3; what++) {
            clean_folder();
            if (!can_write(w)) continue;
            remove_tree(in_folder(w->name));
            snprintf(part, sizeof part, "%s/%s.gpuarr.part", folder, w->name);
            if (what == 0) { /* a link to a file or folder of value */
                put_text(in_folder("value"), "precious");
                CHECK(symlink(w->read == read_zarr ? "." : "value", part) == 0);
            } else if (what == 1) { /* a folder of somebody's */
                char inner[400];
                CHECK(mkdir(part, 0777) == 0);
                snprintf(inner, sizeof inner, "%s/value", part);
                put_text(inner, "precious");
            } else {
                CHECK(symlink("nowhere", part) == 0);
            }
            ga_scope
                CHECK_FAILS(w->write(in_folder(w->name), 1), "is in the way, and gpuarr did not make it");
            CHECK(!exists(in_folder(w->name)) && exists(part));
            if (what == 0) CHECK(has_text(in_folder("value"), "precious"));
            if (what == 1) CHECK(has_text(strcat(part, "/value"), "precious"));
        }
    }
    clean_folder();
    char npy[300], dir[300];
    snprintf(npy, sizeof npy, "%s/x.npy", folder);
    snprintf(dir, sizeof dir, "%s/x.zarr", folder);
    ga_scope {
        ga_array *x = ga_map_blocks(ga_chunked(ga_zeros((20, 10)), 10, 10), work, NULL);
        /* files of others with such names: gpuarr's have .gpuarr in theirs */
        static const char *const foreign[] = { "x.npy.part",  "x.npy.journal", "x.npy.old",
                                               "x.zarr.part", "x.zarr.old",    "x.zarr.journal" };
        for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) put_text(in_folder(foreign[i]), "precious");
        for (int again = 0; again < 2; again++) CHECK(ga_store(x, npy) && ga_store(x, dir, .overwrite = true));
        for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) CHECK(has_text(in_folder(foreign[i]), "precious"));
        worked = false;
        put_text(in_folder("x.zarr.gpuarr.old"), "precious");
        CHECK_FAILS(ga_store(x, dir, .overwrite = true), "is in the way, and gpuarr did not make it");
        CHECK(has_text(in_folder("x.zarr.gpuarr.old"), "precious") && unlink(in_folder("x.zarr.gpuarr.old")) == 0);
        CHECK(mkdir(in_folder("x.npy.gpuarr.part"), 0777) == 0);
        CHECK_FAILS(ga_store(x, npy), "is in the way, and gpuarr did not make it");
        CHECK(!worked && rmdir(in_folder("x.npy.gpuarr.part")) == 0);
        /* what an overwritten array had in its folder goes with it; a leftover of the same name is in nobody's way */
        put_text(in_folder("x.zarr/.zattrs"), "{}");
        CHECK(mkdir(in_folder("x.zarr.gpuarr.old"), 0777) == 0);
        put_text(in_folder("x.zarr.gpuarr.old/.zarray"), "{}");
        CHECK(ga_store(x, dir, .overwrite = true) && !exists(in_folder("x.zarr/.zattrs")) &&
              !exists(in_folder("x.zarr.gpuarr.old")));
        /* two programs write the same file: ga_store says so, the short writers wait */
        int at_work = open(in_folder("x.npy.gpuarr.part"), O_RDWR | O_CREAT, 0666);
        CHECK(flock(at_work, LOCK_EX) == 0);
        worked = false;
        CHECK_FAILS(ga_store(x, npy), "another program is writing it");
        CHECK(!worked);
        pid_t child = fork();
        if (child == 0) {
            flock(at_work, LOCK_UN);
            close(at_work);
            _exit(!ga_save(npy, ga_ones((7))));
        }
        close(at_work); /* the child has it, until it lets it go */
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && ga_load(npy)->size == 7);
    }
}

int main(void)
{
    /* In memory where that is possible: the calls are the same. */
    snprintf(folder, sizeof folder, "%s/gpuarr_new_files.%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (int)getpid());
    clean_folder();
    causes();
    links();
    names();
    replaced_while_open();
    in_the_way();
    several_programs();
    full_disk();
    no_memory();
    without_fsync();
    kills();
    remove_tree(folder);
    return test_end();
}
