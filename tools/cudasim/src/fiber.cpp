/* Fibers: one stack per simulated thread, and the switch between them.
 *
 * x86-64 and aarch64 have a switch of a few instructions that saves the registers the calling convention keeps.  Elsewhere, or
 * with -DCUDASIM_UCONTEXT, swapcontext() does the same, some fifty times slower. */
#include "internal.h"

#if !defined(CUDASIM_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define CUDASIM_UCONTEXT 1
#endif

namespace cudasim {

struct Fiber {
    void  *stack_pointer = nullptr;
    char  *stack         = nullptr; /* lowest usable byte */
    size_t size          = 0;
    size_t colour        = 0;       /* bytes left free at the top, so that the stacks do not share cache sets */
    void  *fake_stack    = nullptr; /* AddressSanitizer's */
    bool   fresh         = true;
#ifdef CUDASIM_UCONTEXT
    ucontext_t context;
#endif
};

Fiber  main_fiber;
Fiber *current_fiber = &main_fiber;

static Immortal<std::vector<Fiber *>>         idle_fibers;
static Immortal<std::map<uintptr_t, Fiber *>> fibers_by_stack;

void run_fiber(); /* block.cpp: the life of a fiber; never returns */

/* ------------------------------------------------------------------ the switch */

#ifndef CUDASIM_UCONTEXT
extern "C" void cudasim_switch(void **save, void *to);

#if defined(__x86_64__)
constexpr int saved_words = 6; /* plus the return address */
__asm__(".text\n"
        ".globl cudasim_switch\n"
        ".type cudasim_switch,@function\n"
        "cudasim_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size cudasim_switch,.-cudasim_switch\n");
#else
constexpr int saved_words = 20; /* x19-x30 and d8-d15 */
__asm__(".text\n"
        ".globl cudasim_switch\n"
        ".type cudasim_switch,%function\n"
        "cudasim_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size cudasim_switch,.-cudasim_switch\n");
#endif
#endif

/* See launch.h.  Where the place of a result is not passed like a first argument, the registers are put in that order. */
#if defined(__aarch64__)
__asm__(".text\n"
        ".globl cudasim_return_bytes\n"
        ".type cudasim_return_bytes,%function\n"
        "cudasim_return_bytes:\n"
        "    mov x2, x1\n"
        "    mov x1, x0\n"
        "    mov x0, x8\n"
        "    b memcpy\n"
        ".size cudasim_return_bytes,.-cudasim_return_bytes\n");
#else
extern "C" void *cudasim_return_bytes(void *object, const void *bytes, size_t size) { return memcpy(object, bytes, size); }
#endif

static void after_switch(void *fake_stack)
{
#if CUDASIM_ASAN
    const void *bottom;
    size_t      size;
    __sanitizer_finish_switch_fiber(fake_stack, &bottom, &size);
#else
    (void)fake_stack;
#endif
}

/* First function on a new stack. */
static void enter_fiber()
{
    after_switch(nullptr);
    run_fiber();
}

#if CUDASIM_ASAN
/* The bounds of the stack that launched the kernel: AddressSanitizer wants them when we return to it. */
static void note_main_stack()
{
    static thread_local void  *bottom = nullptr;
    static thread_local size_t size   = 0;
    if (!bottom) {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &bottom, &size);
        pthread_attr_destroy(&attributes);
    }
    main_fiber.stack = (char *)bottom;
    main_fiber.size  = size;
}
#endif

void switch_to(Fiber *to)
{
    Fiber *from   = current_fiber;
    current_fiber = to;
#if CUDASIM_ASAN
    if (from == &main_fiber) note_main_stack();
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->size);
#endif
#ifdef CUDASIM_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    cudasim_switch(&from->stack_pointer, to->stack_pointer);
#endif
    after_switch(from->fake_stack);
}

/* ------------------------------------------------------------------ stacks */

constexpr size_t guard_size = 4096, colours = 32, colour_step = 192;

/* Makes the fiber start over in enter_fiber() when it is next switched to. */
static void reset_fiber(Fiber *f)
{
    ASAN_UNPOISON_MEMORY_REGION(f->stack, f->size);
#ifdef CUDASIM_UCONTEXT
    getcontext(&f->context);
    f->context.uc_stack.ss_sp   = f->stack;
    f->context.uc_stack.ss_size = f->size - f->colour;
    f->context.uc_link          = nullptr;
    makecontext(&f->context, enter_fiber, 0);
#else
    void **top = (void **)(f->stack + f->size - f->colour);
#if defined(__x86_64__)
    *--top     = nullptr; /* the return address of enter_fiber, which never returns: ends a backtrace */
    *--top     = (void *)enter_fiber;
    for (int i = 0; i < saved_words; i++) *--top = nullptr;
#else
    for (int i = 0; i < saved_words; i++) *--top = nullptr;
    top[11] = (void *)enter_fiber; /* x30 */
#endif
    f->stack_pointer = top;
#endif
    f->fake_stack = nullptr;
}

static Fiber *make_fiber()
{
    static size_t made = 0;
    Fiber        *f    = new Fiber;
    f->size            = (options.stack + guard_size - 1) / guard_size * guard_size;
    char *memory =
        (char *)mmap(nullptr, f->size + guard_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("cudasim: no memory for another thread's stack");
        exit(2);
    }
    mprotect(memory, guard_size, PROT_NONE);
    f->stack  = memory + guard_size;
    f->colour = made++ % colours * colour_step;
    reset_fiber(f);
    (*fibers_by_stack)[(uintptr_t)f->stack] = f;
    return f;
}

Fiber *take_fiber()
{
    if (idle_fibers->empty()) return make_fiber();
    Fiber *f = idle_fibers->back();
    idle_fibers->pop_back();
    return f;
}

void park_fiber(Fiber *fiber) { idle_fibers->push_back(fiber); }

void abandon_fiber(Fiber *fiber)
{
    reset_fiber(fiber);
    park_fiber(fiber);
}

bool on_fiber_stack(const Fiber *fiber, const void *pointer)
{
    return fiber != &main_fiber && (size_t)((const char *)pointer - fiber->stack) < fiber->size;
}

bool is_other_fiber_stack(const void *pointer)
{
    auto it = fibers_by_stack->upper_bound((uintptr_t)pointer);
    return it != fibers_by_stack->begin() && on_fiber_stack(std::prev(it)->second, pointer);
}

bool is_stack_overflow(const void *pointer)
{
    return current_fiber != &main_fiber && (size_t)(current_fiber->stack - (const char *)pointer) <= guard_size &&
           (const char *)pointer < current_fiber->stack;
}

} // namespace cudasim
