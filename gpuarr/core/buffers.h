/* ---- arrays ------------------------------------------------------------------------------------------------------ */

#ifdef GPUARR_STATIC
/* Each file has its own arrays; another file of the program does not accept them. */
static char gi_this_file;
#define GI_ALIVE ((uint32_t)(uintptr_t)&gi_this_file)
enum { GI_DEAD = 0 };
#else
enum { GI_ALIVE = 0x6A5EA11Eu % 0x7FFFFFFF, GI_DEAD = 0x0DEADA55 };
#endif

typedef enum gi_memory { GI_ORDINARY, GI_PINNED, GI_MANAGED } gi_memory;

/* Makes elements as they are read, where no memory holds them: what a formula folds. */
typedef struct gi_maker {
    void (*make)(const void *job, int64_t first, int64_t n, void *to); /* those from number `first` on, in C order */
    void (*fetch)(const void *job, int64_t first, int64_t n);          /* brings near what they are made of */
    const void *job;
    double      bytes;   /* as which an element counts that is moved, */
    int64_t     cost;    /* as so many simple operations one that is made */
    const void *program; /* on a GPU, in place of all this: a gi_fed_program */
} gi_maker;

struct gi_buffer {
    int64_t references; /* atomic */
    void   *base;
    size_t  bytes;
    void (*release)(void *p, void *user); /* wrapped memory: told when the last view is gone */
    void     *user;
    bool      wrapped;
    int64_t   below; /* bytes before `base`, of wrapped memory with negative strides: `bytes` begin there */
    ga_device device;
    gi_memory memory;
    int       ordinal; /* which GPU */
    /* on a GPU */
    ga_stream   stream;  /* the last one that was given work on this memory */
    const void *thread;  /* the thread that gave it; NULL: several have */
    bool        crowded; /* several threads have, on several streams */
    /* on the CPU */
    ga_event copied;  /* behind the last copy that was not waited for */
    bool     copying; /* atomic: perhaps it is not done yet */

    struct gi_lazy *node;  /* of chunked arrays: what they are views of; there is no memory then (see deferred.h) */
    const gi_maker *maker; /* of an array in C order that only a fold reads; there is no memory then either */
};
typedef struct gi_lazy gi_lazy;
