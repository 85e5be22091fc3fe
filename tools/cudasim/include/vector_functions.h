/* cudasim: make_char1 .. make_double4. */
#ifndef CUDASIM_VECTOR_FUNCTIONS_H
#define CUDASIM_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__
#include "vector_types.h"

#define CUDASIM_MAKE_VECTOR(T, NAME)                                                                                           \
    static inline NAME##1 make_##NAME##1(T x)                                                                                  \
    {                                                                                                                          \
        NAME##1 v = { x };                                                                                                     \
        return v;                                                                                                              \
    }                                                                                                                          \
    static inline NAME##2 make_##NAME##2(T x, T y)                                                                             \
    {                                                                                                                          \
        NAME##2 v = { x, y };                                                                                                  \
        return v;                                                                                                              \
    }                                                                                                                          \
    static inline NAME##3 make_##NAME##3(T x, T y, T z)                                                                        \
    {                                                                                                                          \
        NAME##3 v = { x, y, z };                                                                                               \
        return v;                                                                                                              \
    }                                                                                                                          \
    static inline NAME##4 make_##NAME##4(T x, T y, T z, T w)                                                                   \
    {                                                                                                                          \
        NAME##4 v = { x, y, z, w };                                                                                            \
        return v;                                                                                                              \
    }

CUDASIM_MAKE_VECTOR(signed char, char)
CUDASIM_MAKE_VECTOR(unsigned char, uchar)
CUDASIM_MAKE_VECTOR(short, short)
CUDASIM_MAKE_VECTOR(unsigned short, ushort)
CUDASIM_MAKE_VECTOR(int, int)
CUDASIM_MAKE_VECTOR(unsigned int, uint)
CUDASIM_MAKE_VECTOR(long, long)
CUDASIM_MAKE_VECTOR(unsigned long, ulong)
CUDASIM_MAKE_VECTOR(long long, longlong)
CUDASIM_MAKE_VECTOR(unsigned long long, ulonglong)
CUDASIM_MAKE_VECTOR(float, float)
CUDASIM_MAKE_VECTOR(double, double)

#endif
