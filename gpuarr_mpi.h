/* gpuarr_mpi.h: chunked arrays on several processes and machines, by MPI (Open MPI, MPICH)

       #define GPUARR_IMPLEMENTATION
       #include "gpuarr_mpi.h"              in one file of the program, instead of gpuarr.h

       mpicc -O2 program.c -o program -lm -lpthread
       mpirun -n 4 ./program

   Every process (a rank) runs the whole program, so all ranks must make the same calls with the same arrays (those made by ga_arange,
   ga_random, ga_open ... are the same). The calls that compute chunked arrays (ga_compute, ga_persist, ga_store) distribute their
   chunks dynamically to idle ranks, and return the same results on all ranks, bit for bit those of one process. With ga_store every
   rank writes what it has computed into the one file, which must be in a folder that all machines share. Each rank does everything
   else, such as work on arrays in memory, for itself; print and save with `if (ga_rank() == 0)`.

   Different calls, or different numbers, on different ranks are an error. An error on one rank is an error on all. If a rank is
   silent for GA_TIMEOUT seconds (in the environment; default 300), because it is lost or busy elsewhere, the job ends with a sentence;
   ga_store with .resume continues from there when the program is run again, with any number of ranks.

   The first call that needs MPI starts it, and it ends at exit, unless the program does this itself (with MPI_Init_thread, at least
   MPI_THREAD_FUNNELED). Call ga_compute and the like from the thread that started MPI. Each rank has as many threads as processors of
   its own, or GPUARR_NUM_THREADS.                                                                                               */
#ifndef GPUARR_MPI_H
#define GPUARR_MPI_H
#define GPUARR_USE_MPI 1
#include "gpuarr.h"
#endif

#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_MPI_IMPLEMENTED)
#define GPUARR_MPI_IMPLEMENTED

#define OMPI_SKIP_MPICXX  1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <signal.h>

/* ==== notes ======================================================================================================= */
/*  The ranks talk by short notes. Rank 0 leads: the others write to it alone, and it to all of them. Each meeting and each run is a step;
    since nobody goes on from a step before rank 0 has said so, all are in the same one. A note of an earlier step is of no interest any
    more. In every wait notes are answered, so that who is silent for long is lost, or not in any of these calls.               */

enum { GI_GIVERS = 4 }; /* ranks that give their results to the others at the same time */
enum { GI_NOTE_TEXT = 1400, GI_NOTE_TAG = 7, GI_NOTE_UNITS = GI_NOTE_TEXT / 8 };

typedef enum gi_note_kind {
    GI_NOTE_HERE, /* to rank 0: I have come to a meeting */
    GI_NOTE_ASK,  /* I need units */
    GI_NOTE_DONE, /* units are done */
    GI_NOTE_FAIL, /* I have failed */
    GI_NOTE_BYE,  /* my program ends */
    GI_NOTE_GIVE, /* from rank 0: units */
    GI_NOTE_GO,   /* the step is over */
    GI_NOTE_STOP, /* the call has failed */
    GI_NOTE_ALIVE /* either way: I am still here */
} gi_note_kind;

typedef struct gi_note {
    int64_t step;
    int32_t kind, status, length; /* of the text, or of what else lies there */
    int32_t failed;
    int64_t a, b, c;
    char    text[GI_NOTE_TEXT];
} gi_note;

static struct {
    int       rank, ranks;
    MPI_Comm  comm;
    pthread_t thread;   /* that may call MPI */
    double    patience; /* seconds of silence */
    int64_t   step;
    double    called; /* when everybody was last told that this rank is alive */
    double   *heard;  /* when each rank was last heard of */
    bool     *left;   /* which ranks have ended their programs */
    int       leavers;
    char (*host)[MPI_MAX_PROCESSOR_NAME];
    gi_note note; /* at hand */
} gi_mpi = { 0, 1, MPI_COMM_NULL, 0, 300, 0, 0, NULL, NULL, 0, NULL, { 0, 0, 0, 0, 0, 0, 0, 0, { 0 } } };

/* The job cannot go on. Does not return. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3), noreturn))
#endif
static void
gi_mpi_give_up(const char *site, const char *format, ...)
{
    char    text[1024];
    int     n = gi_error_write_site(text, sizeof text, site);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    fprintf(stderr, "gpuarr: %s; what ga_store has journalled is kept: run the program again\n", text);
    fflush(stderr);
    struct timespec nap = { 0, 300000000 }; /* mpirun loses what is not read before it ends the job */
    nanosleep(&nap, NULL);
    signal(SIGALRM, SIG_DFL);
    alarm(5); /* in case that MPI_Abort waits for whom nobody can reach */
    MPI_Abort(MPI_COMM_WORLD, 75);
    _exit(75);
}

static void gi_mpi_check(int error, const char *site)
{
    if (error == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int  length                     = 0;
    MPI_Error_string(error, text, &length);
    gi_mpi_give_up(site, "rank %d on %s: MPI: %s", gi_mpi.rank, gi_mpi.host ? gi_mpi.host[gi_mpi.rank] : "?", text);
}

/* Sleeps a little longer each time that nothing has happened. */
static void gi_mpi_rest(int *turn)
{
    struct timespec nap = { 0, 0 };
    nap.tv_nsec         = *turn < 20 ? 20000 : *turn < 300 ? 100000 : 1000000;
    (*turn)++;
    nanosleep(&nap, NULL);
}

/* Waits for MPI to have done something that all ranks take part in. */
static void gi_mpi_wait(const char *site, MPI_Request *request, const char *what)
{
    double begun = ga_now();
    int    there = 0, turn = 0;
    for (;;) {
        gi_mpi_check(MPI_Test(request, &there, MPI_STATUS_IGNORE), site);
        if (there) return;
        if (ga_now() - begun > gi_mpi.patience)
            gi_mpi_give_up(site, "rank %d on %s waited %.0f s %s: another rank is lost, or GA_TIMEOUT is too short",
                           gi_mpi.rank, gi_mpi.host ? gi_mpi.host[gi_mpi.rank] : "?", gi_mpi.patience, what);
        if (turn++ < 200) sched_yield(); /* most of what is waited for is short */
        else gi_mpi_rest(&turn);
    }
}

static void gi_send_note(const char *site, int to, gi_note *note)
{
    MPI_Request request;
    note->step = gi_mpi.step;
    gi_mpi_check(MPI_Isend(note, (int)offsetof(gi_note, text) + note->length, MPI_BYTE, to, GI_NOTE_TAG, gi_mpi.comm, &request),
                 site);
    gi_mpi_wait(site, &request, "to send a note");
}

/* To rank 0, or from it to all others. */
static void gi_call_out(const char *site, gi_note *note)
{
    if (gi_mpi.rank > 0) gi_send_note(site, 0, note);
    for (int k = 1; k < gi_mpi.ranks && gi_mpi.rank == 0; k++) gi_send_note(site, k, note);
    gi_mpi.called = ga_now();
}

static gi_note gi_new_note(gi_note_kind kind)
{
    gi_note note;
    memset(&note, 0, offsetof(gi_note, text) + 1);
    note.kind = (int32_t)kind;
    return note;
}

static void gi_note_says(gi_note *note, const char *text)
{
    size_t length = strlen(text);
    if (length > GI_NOTE_TEXT - 1) length = GI_NOTE_TEXT - 1;
    memcpy(note->text, text, length);
    note->text[length] = 0;
    note->length       = (int32_t)length + 1;
}

/* The next note that has come, in gi_mpi.note. Returns who wrote it; -1: there is none yet. */
static int gi_take_note(const char *site)
{
    MPI_Status about;
    int        there = 0;
    gi_mpi_check(MPI_Iprobe(MPI_ANY_SOURCE, GI_NOTE_TAG, gi_mpi.comm, &there, &about), site);
    if (!there) return -1;
    int from = about.MPI_SOURCE;
    gi_mpi_check(MPI_Recv(&gi_mpi.note, (int)sizeof gi_mpi.note, MPI_BYTE, from, GI_NOTE_TAG, gi_mpi.comm, MPI_STATUS_IGNORE),
                 site);
    gi_mpi.heard[from] = ga_now();
    if (gi_mpi.note.kind == GI_NOTE_BYE && !gi_mpi.left[from]) {
        gi_mpi.left[from] = true;
        gi_mpi.leavers++;
    }
    return from;
}

/* The next one of this step that asks for something. */
static int gi_next_note(const char *site)
{
    for (;;) {
        int from = gi_take_note(site);
        if (from < 0 || (gi_mpi.note.step == gi_mpi.step && gi_mpi.note.kind != GI_NOTE_ALIVE)) return from;
    }
}

/* Tells the others now and then that this rank is there, and sees whether they are. */
static void gi_mpi_keep_in_touch(const char *site)
{
    double now = ga_now();
    if (now - gi_mpi.called > gi_mpi.patience / 4) {
        gi_note note = gi_new_note(GI_NOTE_ALIVE);
        gi_call_out(site, &note);
    }
    for (int k = 0; k < (gi_mpi.rank > 0 ? 1 : gi_mpi.ranks); k++)
        if (k != gi_mpi.rank && now - gi_mpi.heard[k] > gi_mpi.patience)
            gi_mpi_give_up(
                site,
                "rank %d on %s has not heard of rank %d on %s for %.0f s: it is lost, or busy with something else than "
                "the calls that compute (GA_TIMEOUT=seconds waits longer)",
                gi_mpi.rank, gi_mpi.host[gi_mpi.rank], k, gi_mpi.host[k], gi_mpi.patience);
}

static void gi_next_step(void)
{
    gi_mpi.step++;
    for (int k = 0; k < gi_mpi.ranks; k++) gi_mpi.heard[k] = ga_now();
}

/* ==== beginning and end =========================================================================================== */

/* At exit: MPI is ended when all ranks have come. Who is still waiting for this one in a call is told that it will not come. */
static void gi_mpi_leave(void)
{
    const char *site  = "\tthe end of the program";
    int         ended = 0, turn = 0;
    MPI_Finalized(&ended);
    if (ended || !pthread_equal(pthread_self(), gi_mpi.thread)) return;
    gi_mpi.step++;
    if (gi_mpi.rank > 0) {
        gi_note note = gi_new_note(GI_NOTE_BYE);
        gi_call_out(site, &note);
    }
    while (gi_mpi.rank > 0 ||
           gi_mpi.leavers < gi_mpi.ranks - 1) { /* without a limit: others may have much to do without this rank */
        int from = gi_take_note(site);
        if (from < 0) {
            gi_mpi_rest(&turn);
            continue;
        }
        turn = 0;
        if (gi_mpi.rank > 0 && gi_mpi.note.kind == GI_NOTE_BYE) break;
        if (gi_mpi.rank == 0 && (gi_mpi.note.kind == GI_NOTE_HERE || gi_mpi.note.kind == GI_NOTE_ASK)) {
            gi_note stop = gi_new_note(GI_NOTE_STOP);
            int64_t mine = gi_mpi.step;
            stop.status  = GA_STOPPED;
            gi_mpi.step  = gi_mpi.note.step;
            gi_note_says(&stop, "rank 0 has come to the end of the program, so this cannot be computed together");
            gi_send_note(site, from, &stop);
            gi_mpi.step = mine;
        }
    }
    if (gi_mpi.rank == 0) {
        gi_note note = gi_new_note(GI_NOTE_BYE);
        gi_call_out(site, &note);
    }
    MPI_Finalize();
}

static void gi_mpi_begin(void)
{
    const char *site = "\tgpuarr_mpi.h", *patience = getenv("GA_TIMEOUT");
    char       *end;
    int         is = 0, ended = 0, level = MPI_THREAD_SINGLE, length = 0, ranks = 1;
    MPI_Request request;
    MPI_Finalized(&ended);
    if (ended) return; /* alone, then */
    MPI_Initialized(&is);
    if (is) MPI_Query_thread(&level);
    else MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    gi_mpi.thread = pthread_self();
    if (!is) atexit(gi_mpi_leave); /* who has started MPI ends it */
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1) return;
    if (level < MPI_THREAD_FUNNELED)
        gi_mpi_give_up(site, "MPI was started without threads: use MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level)");
    MPI_Comm_rank(MPI_COMM_WORLD, &gi_mpi.rank);
    if (patience && gi_read_real(patience, &end) > 0) gi_mpi.patience = gi_read_real(patience, &end);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    gi_mpi_check(MPI_Comm_idup(MPI_COMM_WORLD, &gi_mpi.comm, &request), site);
    gi_mpi_wait(site, &request, "for the others to begin");
    MPI_Comm_set_errhandler(gi_mpi.comm, MPI_ERRORS_RETURN);
    char name[MPI_MAX_PROCESSOR_NAME]   = "";
    gi_mpi.heard                        = (double *)calloc((size_t)ranks, sizeof *gi_mpi.heard);
    gi_mpi.left                         = (bool *)calloc((size_t)ranks, sizeof *gi_mpi.left);
    char(*host)[MPI_MAX_PROCESSOR_NAME] = (char(*)[MPI_MAX_PROCESSOR_NAME])calloc((size_t)ranks, sizeof *host);
    if (!gi_mpi.heard || !gi_mpi.left || !host) gi_mpi_give_up(site, "no memory");
    MPI_Get_processor_name(name, &length);
    gi_mpi_check(
        MPI_Iallgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, host, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, gi_mpi.comm, &request),
        site);
    gi_mpi_wait(site, &request, "for the names of the others");
    gi_mpi.host   = host;
    gi_mpi.ranks  = ranks;
    gi_mpi.called = ga_now();
}

static pthread_once_t gi_mpi_once = PTHREAD_ONCE_INIT;

static int gi_mpi_rank(void)
{
    pthread_once(&gi_mpi_once, gi_mpi_begin);
    return gi_mpi.rank;
}

static int gi_mpi_ranks(void)
{
    pthread_once(&gi_mpi_once, gi_mpi_begin);
    return gi_mpi.ranks;
}

/* ==== meetings ==================================================================================================== */

/* The error of all ranks becomes that of this one. `printed`: somebody has said it. */
static bool gi_fail_alike(const gi_note *stop)
{
    gi_error_status = (ga_status)stop->status;
    snprintf(gi_error_text, sizeof gi_error_text, "%.*s", (int)sizeof gi_error_text - 1, stop->text);
    gi_error_tell(!stop->failed && gi_mpi.rank == 0);
    return false;
}

/* Rank 0: the call has failed, with this error; `failed`: by a rank that has printed it. Everybody is told; the note is left in gi_mpi.note. */
static void gi_stop_all(const char *site, int status, bool failed, const char *text)
{
    gi_note note = gi_new_note(GI_NOTE_STOP);
    note.status  = status;
    note.failed  = failed;
    gi_note_says(&note, text);
    gi_call_out(site, &note);
    gi_mpi.note = note;
}

/* Rank 0: has a rank come to the end of its program? Then no call succeeds any more, and all are told so. */
static bool gi_someone_left(const char *site)
{
    if (gi_mpi.rank > 0 || gi_mpi.leavers == 0) return false;
    char text[GI_NOTE_TEXT];
    int  k = 1, used = gi_error_write_site(text, sizeof text, site);
    while (!gi_mpi.left[k]) k++;
    snprintf(text + used, sizeof text - (size_t)used,
             "rank %d on %s has come to the end of the program: nothing can be computed together any more", k, gi_mpi.host[k]);
    gi_stop_all(site, GA_STOPPED, false, text);
    return true;
}

/* Rank 0, in a meeting: is the note in gi_mpi.note, of rank k, like its own? If not, all are told what is wrong. */
static bool gi_is_alike(const char *site, int k, const gi_note *mine)
{
    gi_note other = gi_mpi.note;
    char    text[GI_NOTE_TEXT];
    int     used = gi_error_write_site(text, sizeof text, site);
    if (other.kind == GI_NOTE_FAIL || (other.kind == GI_NOTE_HERE && other.failed)) {
        gi_stop_all(site, other.status, true, other.text);
        return false;
    }
    if (other.kind != GI_NOTE_HERE || strcmp(other.text, mine->text) != 0) {
        char there[300] = "somewhere else: ";
        if (other.kind == GI_NOTE_HERE) gi_error_write_site(there, sizeof there, other.text);
        snprintf(text + used, sizeof text - (size_t)used,
                 "rank 0 has come here, and rank %d on %s to %sall ranks must come to the same calls that compute, in the "
                 "same order",
                 k, gi_mpi.host[k], there);
    } else if (other.a != mine->a) {
        snprintf(text + used, sizeof text - (size_t)used,
                 "rank %d on %s has other numbers, or another expression, than rank 0: make them alike on all ranks", k,
                 gi_mpi.host[k]);
    } else return true;
    gi_stop_all(site, GA_BAD_ARGUMENT, false, text);
    return false;
}

/* All ranks come together, with the fingerprint of what they compute (0: of nothing). False on all of them, with the same error, if
   one of them is not `ok` or is not like the others. Else `threads` become their sum, and `limit` the least that is not 0. */
static bool gi_mpi_meet(const char *site, bool ok, uint64_t print, int64_t *threads, int64_t *limit)
{
    if (!pthread_equal(pthread_self(), gi_mpi.thread))
        gi_mpi_give_up(site, "this thread is not the one that started MPI: compute in that one");
    gi_note mine = gi_new_note(GI_NOTE_HERE);
    int     come = 1, turn = 0;
    mine.failed = !ok;
    mine.status = ok ? 0 : (int32_t)gi_error_status;
    mine.a      = (int64_t)print;
    mine.b      = *threads;
    mine.c      = *limit;
    gi_note_says(&mine, !ok ? gi_error_text : site ? site : "");
    gi_next_step();
    if (gi_mpi.rank > 0) gi_call_out(site, &mine);
    else if (!ok) gi_stop_all(site, mine.status, true, mine.text);
    if (gi_mpi.rank == 0 && !ok) return false;
    while (gi_mpi.rank > 0 || come < gi_mpi.ranks) {
        int from = gi_next_note(site);
        if (gi_someone_left(site)) return gi_fail_alike(&gi_mpi.note);
        if (from < 0) {
            gi_mpi_keep_in_touch(site);
            gi_mpi_rest(&turn);
        } else if (gi_mpi.rank == 0) {
            if (!gi_is_alike(site, from, &mine)) return gi_fail_alike(&gi_mpi.note);
            come++;
            mine.b += gi_mpi.note.b;
            if (gi_mpi.note.c > 0 && (mine.c == 0 || gi_mpi.note.c < mine.c)) mine.c = gi_mpi.note.c;
        } else if (gi_mpi.note.kind == GI_NOTE_STOP) {
            return gi_fail_alike(&gi_mpi.note);
        } else if (gi_mpi.note.kind == GI_NOTE_GO) {
            *threads = gi_mpi.note.b;
            *limit   = gi_mpi.note.c;
            return true;
        }
    }
    gi_note go = gi_new_note(GI_NOTE_GO);
    *threads = go.b = mine.b;
    *limit = go.c = mine.c;
    gi_call_out(site, &go);
    return true;
}

/* Bytes that the first rank has, for all. Nobody may fail in between. */
static void gi_mpi_from_first(const char *site, void *data, int64_t bytes)
{
    const int64_t most = (int64_t)1 << 30;
    for (int64_t at = 0; at < bytes; at += most) {
        MPI_Request request;
        gi_mpi_check(
            MPI_Ibcast((char *)data + at, (int)(bytes - at < most ? bytes - at : most), MPI_BYTE, 0, gi_mpi.comm, &request),
            site);
        gi_mpi_wait(site, &request, "for what rank 0 knows");
    }
}

/* ==== runs ======================================================================================================== */
/*  The threads of a rank take units from its hand; the thread that may call MPI keeps the hand filled, by asking rank 0 for more before
    it is empty, and reports what is done. Rank 0 deals larger shares first and single units at the end. When all units are done,
    whoever has made results gives them to the others.                                                                          */

typedef struct gi_mpi_hand {
    gi_computation *r;
    gi_task         task;
    pthread_mutex_t lock;
    pthread_cond_t  more, news;          /* for the threads, and for the one that calls MPI */
    int64_t         at, end;             /* the units at hand, */
    int64_t         next, next_end;      /* and those after them */
    bool            over, at_rest;       /* no more will come; all threads have ended */
    int64_t         done[GI_NOTE_UNITS]; /* and not reported yet */
    int             dones;
    bool            asked, told; /* for more units; that this rank has failed */
    int32_t        *owner;       /* rank 0: who does which unit, */
    int64_t         dealt, left; /* how many are dealt, and how many are not done */
} gi_mpi_hand;

static bool gi_has_failed(const gi_computation *r) { return __atomic_load_n(&r->failed, __ATOMIC_RELAXED); }

/* A thread's part, or a GPU's. */
static void gi_take_units(int64_t begin, int64_t end, void *job)
{
    gi_mpi_hand *h = (gi_mpi_hand *)job;
    (void)begin, (void)end;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (h->at == h->end && !h->over && !gi_has_failed(h->r)) pthread_cond_wait(&h->more, &h->lock);
        if (h->at == h->end || gi_has_failed(h->r)) break;
        int64_t unit = h->at++;
        if (h->at == h->end) {
            h->at   = h->next;
            h->end  = h->next_end;
            h->next = h->next_end = 0;
        }
        pthread_mutex_unlock(&h->lock);
        h->task(unit, unit + 1, h->r);
        pthread_mutex_lock(&h->lock);
        while (h->dones == GI_NOTE_UNITS && !gi_has_failed(h->r)) pthread_cond_wait(&h->more, &h->lock);
        if (!gi_has_failed(h->r)) h->done[h->dones++] = unit;
        pthread_cond_signal(&h->news);
    }
    pthread_mutex_unlock(&h->lock);
}

static void *gi_mpi_worker(void *job)
{
    gi_mpi_hand *h = (gi_mpi_hand *)job;
    gi_worker_run_all(h->r->units, gi_take_units, h);
    pthread_mutex_lock(&h->lock);
    h->at_rest = true;
    pthread_cond_signal(&h->news);
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* No more units will come: all are done, or the run has failed, as `stop` says. */
static void gi_lay_down(gi_mpi_hand *h, const gi_note *stop)
{
    gi_computation *r = h->r;
    if (stop) {
        pthread_mutex_lock(&r->lock);
        r->status = (ga_status)stop->status;
        snprintf(r->text, sizeof r->text, "%.*s", (int)sizeof r->text - 1, stop->text);
        __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&r->lock);
        gi_computing.apart = true;
    }
    pthread_mutex_lock(&h->lock);
    h->over = true;
    pthread_cond_broadcast(&h->more);
    pthread_mutex_unlock(&h->lock);
}

static void gi_pick_up(gi_mpi_hand *h, int64_t from, int64_t end)
{
    pthread_mutex_lock(&h->lock);
    if (h->at == h->end) {
        h->at  = from;
        h->end = end;
    } else {
        h->next     = from;
        h->next_end = end;
    }
    pthread_cond_broadcast(&h->more);
    pthread_mutex_unlock(&h->lock);
}

/* Rank 0: the next units are for rank `to`; none if all are dealt. */
static void gi_deal(gi_mpi_hand *h, int to, int64_t *from, int64_t *end)
{
    int64_t rest = h->r->units - h->dealt, share = rest / (4 * gi_compute_threads());
    if (share < 1) share = rest > 0;
    *from = h->dealt;
    *end  = h->dealt += share;
    for (int64_t unit = *from; unit < *end; unit++) h->owner[unit] = to;
}

/* Why a unit has failed, and where. */
static void gi_why_failed(gi_computation *r, gi_note *note)
{
    pthread_mutex_lock(&r->lock);
    note->status = (int32_t)r->status;
    snprintf(note->text, sizeof note->text, "%s, on rank %d (%s)", r->text, gi_mpi.rank, gi_mpi.host[gi_mpi.rank]);
    note->length = (int32_t)strlen(note->text) + 1;
    pthread_mutex_unlock(&r->lock);
}

/* Rank 0's part of a turn: counts what is done, deals what there is, and sees when it is over. */
static void gi_lead(gi_mpi_hand *h, int dones, bool hungry)
{
    const char     *site = h->r->site;
    gi_note         why  = gi_new_note(GI_NOTE_FAIL);
    gi_thread_state aside; /* errors are put aside here as they are in the threads */
    int             from;
    bool            ok = !gi_has_failed(h->r);
    if (!ok) gi_why_failed(h->r, &why);
    gi_thread_put_aside(&aside);
    h->left -= dones;
    while (ok && (from = gi_next_note(site)) >= 0) {
        const gi_note *note = &gi_mpi.note;
        if (note->kind == GI_NOTE_ASK) {
            gi_note give = gi_new_note(GI_NOTE_GIVE);
            gi_deal(h, from, &give.a, &give.b);
            gi_send_note(site, from, &give);
        } else if (note->kind == GI_NOTE_DONE) {
            int64_t unit[GI_NOTE_UNITS], n = note->length / (int64_t)sizeof *unit;
            memcpy(unit, note->text, (size_t)note->length);
            for (int64_t i = 0; i < n && ok && h->r->written; i++) ok = h->r->written(h->r, unit[i]);
            h->left -= n;
            ok = ok && gi_watch_progress(h->r, n);
            if (!ok) {
                why.status = (int32_t)gi_error_status;
                gi_note_says(&why, gi_error_text);
            }
        } else {
            ok  = false;
            why = *note;
            if (note->kind == GI_NOTE_HERE && !note->failed) {
                why.status = GA_BAD_ARGUMENT;
                gi_note_says(&why, "the ranks compute different things: their programs differ");
            }
        }
    }
    gi_thread_take_back(&aside);
    if (ok && hungry && h->dealt < h->r->units) {
        int64_t begin, end;
        gi_deal(h, 0, &begin, &end);
        gi_pick_up(h, begin, end);
    }
    if (!ok) gi_stop_all(site, why.status, false, why.text);
    if (!ok || gi_someone_left(site)) {
        gi_lay_down(h, &gi_mpi.note);
    } else if (h->left == 0) {
        gi_note go = gi_new_note(GI_NOTE_GO);
        gi_call_out(site, &go);
        gi_lay_down(h, NULL);
    }
}

/* Another rank's. */
static void gi_follow(gi_mpi_hand *h, const int64_t *done, int dones, bool hungry)
{
    const char *site = h->r->site;
    if (gi_has_failed(h->r) && !h->told) {
        gi_note note = gi_new_note(GI_NOTE_FAIL);
        gi_why_failed(h->r, &note);
        gi_call_out(site, &note);
        h->told = true;
    } else if (dones > 0) {
        gi_note note = gi_new_note(GI_NOTE_DONE);
        note.length  = dones * (int32_t)sizeof *done;
        memcpy(note.text, done, (size_t)note.length);
        gi_call_out(site, &note);
    }
    if (hungry && !h->asked && !gi_has_failed(h->r)) {
        gi_note note = gi_new_note(GI_NOTE_ASK);
        gi_call_out(site, &note);
        h->asked = true;
    }
    while (!h->over && gi_next_note(site) >= 0) {
        const gi_note *note = &gi_mpi.note;
        if (note->kind == GI_NOTE_GO) gi_lay_down(h, NULL);
        else if (note->kind == GI_NOTE_STOP) gi_lay_down(h, note);
        else if (note->kind == GI_NOTE_GIVE && note->a < note->b) { /* else there are no more: asked once and for all */
            gi_pick_up(h, note->a, note->b);
            h->asked = false;
        }
    }
}

/* The run, but for the results, which are given to the others afterwards. */
static void gi_share_units(gi_mpi_hand *h)
{
    int64_t done[GI_NOTE_UNITS];
    for (int turn = 0;; turn++) {
        pthread_mutex_lock(&h->lock);
        int  dones  = h->dones;
        bool hungry = h->next == h->next_end, at_rest = h->at_rest;
        memcpy(done, h->done, (size_t)dones * sizeof *done);
        h->dones = 0;
        if (dones == GI_NOTE_UNITS) pthread_cond_broadcast(&h->more);
        pthread_mutex_unlock(&h->lock);
        if (h->over && at_rest) return;
        if (!h->over && gi_mpi.rank == 0) gi_lead(h, dones, hungry);
        else if (!h->over) gi_follow(h, done, dones, hungry);
        gi_mpi_keep_in_touch(h->r->site);
        if (dones > 0) turn = 0;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += turn < 20 ? 50000 : turn < 100 ? 200000 : 1000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_mutex_lock(&h->lock);
        if (h->dones == 0 && !h->at_rest) pthread_cond_timedwait(&h->news, &h->lock, &until);
        pthread_mutex_unlock(&h->lock);
    }
}

/* Copies a box of an array to packed bytes, or from them. */
static void gi_copy_box(const ga_array *a, const gi_box *box, char *bytes, bool in)
{
    const int64_t size = ga_itemsize(a->dtype), last = a->ndim - 1;
    int64_t       row = size, times = 1;
    bool          packed = last < 0 || a->strides[last] == size || box->count[last] == 1;
    for (int64_t d = 0; d <= last; d++) {
        if (d == last && packed) row *= box->count[d];
        else times *= box->count[d];
    }
    for (int64_t i = 0; i < times; i++, bytes += row) {
        char   *p    = (char *)a->data;
        int64_t rest = i;
        for (int64_t d = last; d >= 0; d--) {
            p += box->start[d] * a->strides[d];
            if (d == last && packed) continue;
            p += rest % box->count[d] * a->strides[d];
            rest /= box->count[d];
        }
        memcpy(in ? p : bytes, in ? bytes : p, (size_t)row);
    }
}

/* Copies what a unit has made to bytes, or from there to where it belongs. Returns how many bytes that is; NULL: nothing is copied. */
static int64_t gi_share_unit(const gi_computation *r, int64_t unit, char *bytes, bool in)
{
    int64_t n = 0;
    for (int64_t k = 0; k < r->records; k++, n += r->record_bytes) {
        char *p = r->record + (k * r->units + unit) * r->record_bytes;
        if (bytes) memcpy(in ? p : bytes + n, in ? bytes + n : p, (size_t)r->record_bytes);
    }
    if (r->arrays == 0) return n;
    gi_box box = gi_box_number(r->ndim, r->shape, r->unit, unit);
    for (int k = 0; k < r->arrays; k++) {
        if (bytes) gi_copy_box(r->to[k], &box, bytes + n, in);
        n += gi_shape_size(r->ndim, box.count) * ga_itemsize(r->to[k]->dtype);
    }
    return n;
}

/* Some ranks give what their units have made to all others at the same time: rank first + k uses bytes + k * room for what lies
   from unit[k] on, at most `room` bytes at a time. */
typedef struct gi_mpi_round {
    int64_t     unit[GI_GIVERS], end[GI_GIVERS], bytes[GI_GIVERS];
    MPI_Request request[GI_GIVERS];
} gi_mpi_round;

static void gi_share_results(const gi_computation *r, const int32_t *owner, int first, int givers, char *bytes, int64_t room)
{
    const int64_t most = (int64_t)1 << 30;
    gi_mpi_round  g;
    memset(&g, 0, sizeof g);
    for (bool some = true; some;) {
        some = false;
        for (int k = 0; k < givers; k++) {
            int64_t unit = g.unit[k], n = 0;
            for (; unit < r->units; unit++) {
                if (owner[unit] != first + k) continue;
                int64_t of_unit = gi_share_unit(r, unit, NULL, false);
                if (n + of_unit > room) break;
                if (first + k == gi_mpi.rank) gi_share_unit(r, unit, bytes + k * room + n, false);
                n += of_unit;
            }
            g.end[k]   = unit;
            g.bytes[k] = n;
            char *from = bytes + k * room;
            for (; n > most; n -= most, from += most) { /* a message of MPI's counts its bytes in an int */
                gi_mpi_check(MPI_Ibcast(from, (int)most, MPI_BYTE, first + k, gi_mpi.comm, &g.request[k]), r->site);
                gi_mpi_wait(r->site, &g.request[k], "for the results of another rank");
            }
            if (n > 0) gi_mpi_check(MPI_Ibcast(from, (int)n, MPI_BYTE, first + k, gi_mpi.comm, &g.request[k]), r->site);
        }
        for (int k = 0; k < givers; k++) {
            int64_t n = 0;
            if (g.bytes[k] > 0) gi_mpi_wait(r->site, &g.request[k], "for the results of another rank");
            for (int64_t unit = g.unit[k]; unit < g.end[k] && first + k != gi_mpi.rank; unit++)
                if (owner[unit] == first + k) n += gi_share_unit(r, unit, bytes + k * room + n, true);
            g.unit[k] = g.end[k];
            some      = some || g.unit[k] < r->units;
        }
    }
}

/* Remembers which rank worked out the chunks of each array that is worked out as a whole, for pictures. If there is no memory, it does not. */
static void gi_note_ranks(const gi_computation *r, const int32_t *owner)
{
    for (int k = 0; k < r->arrays && r->of; k++) {
        gi_lazy *n      = r->of[k]->owner->node;
        int64_t  chunks = gi_box_count(n->ndim, n->shape, n->chunk);
        if ((char *)r->of[k]->data != GI_NOWHERE || !gi_shape_equal(n->ndim, n->shape, r->ndim, r->shape) ||
            !gi_shape_equal(n->ndim, n->strides, r->ndim, r->of[k]->strides))
            continue;
        gi_thread_state aside;
        gi_thread_put_aside(&aside);
        if (!n->ranks) n->ranks = (int32_t *)gi_mem_alloc(r->site, (size_t)chunks * sizeof *n->ranks);
        gi_thread_take_back(&aside);
        for (int64_t chunk = 0; n->ranks && chunk < chunks; chunk++) {
            gi_box  box  = gi_box_number(n->ndim, n->shape, n->chunk, chunk);
            int64_t unit = 0;
            for (int d = 0; d < n->ndim; d++)
                unit = unit * ((r->shape[d] + r->unit[d] - 1) / r->unit[d]) + box.start[d] / r->unit[d];
            n->ranks[chunk] = owner[unit];
        }
    }
}

/* How many ranks give their results at the same time, and through how many bytes each. */
static int     gi_mpi_givers(void) { return gi_mpi.ranks < GI_GIVERS ? gi_mpi.ranks : GI_GIVERS; }
static int64_t gi_mpi_window(int64_t largest, int64_t all)
{
    const int64_t window = (int64_t)4 << 20, room = largest < window ? window : largest;
    return room < all ? room : all;
}

static int64_t gi_mpi_windows(int64_t largest, int64_t all)
{
    return ga_ranks() > 1 ? gi_bytes_times(gi_mpi_givers(), gi_mpi_window(largest, all)) : 0;
}

static void gi_mpi_run(gi_computation *r, gi_task task)
{
    const int64_t largest = gi_share_unit(r, 0, NULL, false); /* the first unit is the largest */
    const int64_t room    = gi_mpi_window(largest, largest * r->units);
    const int     givers  = gi_mpi_givers();
    gi_mpi_hand   h;
    memset(&h, 0, sizeof h);
    h.r         = r;
    h.task      = task;
    h.left      = r->units;
    h.owner     = (int32_t *)gi_mem_alloc(r->site, (size_t)r->units * sizeof *h.owner);
    char *bytes = largest > 0 && h.owner ? (char *)gi_mem_alloc(r->site, (size_t)(room * givers)) : NULL;
    if (!gi_ranks_agree(r->site, h.owner && (bytes || largest == 0))) {
        r->failed = true;
        r->status = gi_error_status;
    } else {
        pthread_t thread;
        pthread_mutex_init(&h.lock, NULL);
        pthread_cond_init(&h.more, NULL);
        pthread_cond_init(&h.news, NULL);
        gi_next_step();
        int error = gi_thread_create(&thread, false, gi_mpi_worker, &h);
        if (error)
            gi_mpi_give_up(r->site, "rank %d on %s has no thread to compute with: %s", gi_mpi.rank, gi_mpi.host[gi_mpi.rank],
                           strerror(error));
        gi_share_units(&h);
        pthread_join(thread, NULL);
        pthread_cond_destroy(&h.news);
        pthread_cond_destroy(&h.more);
        pthread_mutex_destroy(&h.lock);
        if (!r->failed && largest > 0) {
            gi_mpi_from_first(r->site, h.owner, r->units * (int64_t)sizeof *h.owner);
            for (int k = 0; k < gi_mpi.ranks; k += givers)
                gi_share_results(r, h.owner, k, gi_mpi.ranks - k < givers ? gi_mpi.ranks - k : givers, bytes, room);
            gi_note_ranks(r, h.owner);
        }
    }
    if (bytes) gi_mem_release(bytes, (size_t)(room * givers));
    if (h.owner) gi_mem_release(h.owner, (size_t)r->units * sizeof *h.owner);
}

const gi_ranks_port gi_mpi_port = { gi_mpi_rank, gi_mpi_ranks, gi_mpi_meet, gi_mpi_from_first, gi_mpi_run, gi_mpi_windows };

#endif
