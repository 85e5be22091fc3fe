/* cudasim: atomic functions.
 *
 * All threads of a kernel run in one OS thread, and the timer that makes a thread give way does not interrupt the section in
 * which these functions lie, so a plain read-modify-write is atomic.  They are not instrumented; the checker is told instead. */
#ifndef CUDASIM_ATOMICS_H
#define CUDASIM_ATOMICS_H

extern "C" void cudasim_atomic(const void *pointer, int size, int is_compare_and_swap, void *caller);

#define CUDASIM_UNINSTRUMENTED __attribute__((no_sanitize_thread, noinline, section("cudasim_atomics")))

#define CUDASIM_ATOMIC_SCOPES(NAME, T, EXPRESSION)                                                                             \
    CUDASIM_ATOMIC(NAME, T, EXPRESSION)                                                                                        \
    CUDASIM_ATOMIC(NAME##_block, T, EXPRESSION)                                                                                \
    CUDASIM_ATOMIC(NAME##_system, T, EXPRESSION)

#define CUDASIM_ATOMIC(NAME, T, EXPRESSION)                                                                                    \
    CUDASIM_UNINSTRUMENTED static inline __attribute__((unused)) T NAME(T *pointer, T value)                                   \
    {                                                                                                                          \
        cudasim_atomic(pointer, (int)sizeof(T), 0, __builtin_return_address(0));                                               \
        T old    = *pointer;                                                                                                   \
        *pointer = (T)(EXPRESSION);                                                                                            \
        return old;                                                                                                            \
    }

#define CUDASIM_ATOMIC_INTEGERS(NAME, EXPRESSION)                                                                              \
    CUDASIM_ATOMIC_SCOPES(NAME, int, EXPRESSION)                                                                               \
    CUDASIM_ATOMIC_SCOPES(NAME, unsigned int, EXPRESSION)                                                                      \
    CUDASIM_ATOMIC_SCOPES(NAME, unsigned long long, EXPRESSION)

CUDASIM_ATOMIC_SCOPES(atomicAdd, int, (unsigned)old + (unsigned)value)
CUDASIM_ATOMIC_SCOPES(atomicAdd, unsigned int, old + value)
CUDASIM_ATOMIC_SCOPES(atomicAdd, unsigned long long, old + value)
CUDASIM_ATOMIC_SCOPES(atomicAdd, float, old + value)
CUDASIM_ATOMIC_SCOPES(atomicAdd, double, old + value)
CUDASIM_ATOMIC_SCOPES(atomicSub, int, (unsigned)old - (unsigned)value)
CUDASIM_ATOMIC_SCOPES(atomicSub, unsigned int, old - value)
CUDASIM_ATOMIC_INTEGERS(atomicExch, value)
CUDASIM_ATOMIC_SCOPES(atomicExch, float, value)
CUDASIM_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
CUDASIM_ATOMIC_SCOPES(atomicMin, long long, value < old ? value : old)
CUDASIM_ATOMIC_INTEGERS(atomicMax, value > old ? value : old)
CUDASIM_ATOMIC_SCOPES(atomicMax, long long, value > old ? value : old)
CUDASIM_ATOMIC_INTEGERS(atomicAnd, old &value)
CUDASIM_ATOMIC_SCOPES(atomicAnd, long long, old &value)
CUDASIM_ATOMIC_INTEGERS(atomicOr, old | value)
CUDASIM_ATOMIC_SCOPES(atomicOr, long long, old | value)
CUDASIM_ATOMIC_INTEGERS(atomicXor, old ^ value)
CUDASIM_ATOMIC_SCOPES(atomicXor, long long, old ^ value)
CUDASIM_ATOMIC_SCOPES(atomicInc, unsigned int, old >= value ? 0u : old + 1u)
CUDASIM_ATOMIC_SCOPES(atomicDec, unsigned int, old == 0u || old > value ? value : old - 1u)

#define CUDASIM_ATOMIC_CAS(NAME, T)                                                                                            \
    CUDASIM_UNINSTRUMENTED static inline __attribute__((unused)) T NAME(T *pointer, T expected, T value)                       \
    {                                                                                                                          \
        cudasim_atomic(pointer, (int)sizeof(T), 1, __builtin_return_address(0));                                               \
        T old = *pointer;                                                                                                      \
        if (old == expected) *pointer = value;                                                                                 \
        return old;                                                                                                            \
    }
#define CUDASIM_ATOMIC_CAS_SCOPES(T)                                                                                           \
    CUDASIM_ATOMIC_CAS(atomicCAS, T)                                                                                           \
    CUDASIM_ATOMIC_CAS(atomicCAS_block, T)                                                                                     \
    CUDASIM_ATOMIC_CAS(atomicCAS_system, T)
CUDASIM_ATOMIC_CAS_SCOPES(int)
CUDASIM_ATOMIC_CAS_SCOPES(unsigned int)
CUDASIM_ATOMIC_CAS_SCOPES(unsigned long long)
CUDASIM_ATOMIC_CAS_SCOPES(unsigned short)

#endif
