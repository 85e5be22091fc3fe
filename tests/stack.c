/* Any test in a small thread: linked to it with -Wl,--wrap=main, this runs its main in a thread of 64 KiB, and says how much of that was used.
   More than 48 KB fails, beside the largest function of the test itself (GPUARR_TEST_OWN_STACK, in bytes).
   cc -Wl,--wrap=main tests/impl.c tests/stack.c tests/rows.c -lm -lpthread */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 65536, STACK = 64 << 10, MOST = 48 << 10, PAINT = 0xA5 };

static struct {
    int            argc, status;
    char         **argv;
    unsigned char *begin;
} call;

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static void *run(void *unused)
{
    call.begin  = (unsigned char *)__builtin_frame_address(0);
    call.status = __real_main(call.argc, call.argv);
    return unused;
}

int __wrap_main(int argc, char **argv)
{
    pthread_t      thread;
    pthread_attr_t attributes;
    unsigned char *guard = (unsigned char *)mmap(NULL, GUARD + STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *stack = guard + GUARD, *deepest = stack;
    if ((void *)guard == MAP_FAILED || mprotect(stack, STACK, PROT_READ | PROT_WRITE) != 0) return 1;
    memset(stack, PAINT, STACK);
    call.argc = argc;
    call.argv = argv;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, STACK) != 0 || pthread_create(&thread, &attributes, run, NULL) != 0 ||
        pthread_join(thread, NULL) != 0) {
        printf("FAIL there is no thread of %d bytes\n0 passed, 1 failed, 0 skipped\n", (int)STACK);
        return 1;
    }
    while (deepest < stack + STACK && *deepest == PAINT) deepest++;
    long        used = (long)(call.begin - deepest);
    const char *own  = getenv("GPUARR_TEST_OWN_STACK");
    long        most = MOST + (own ? atol(own) : 0);
    if (used > most) printf("FAIL %ld bytes of stack were used; at most %ld are allowed\n", used, most);
    fprintf(stderr, "%ld bytes of stack were used\n", used);
    return call.status != 0 ? call.status : used > most;
}
