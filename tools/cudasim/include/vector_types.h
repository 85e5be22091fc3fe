/* cudasim: the built-in vector types (char1 .. double4) and dim3.  C11 and C++17. */
#ifndef CUDASIM_VECTOR_TYPES_H
#define CUDASIM_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#define CUDASIM_VECTOR(T, NAME, ALIGN2, ALIGN4)                                                                                \
    struct NAME##1 { T x; };                                                                                                   \
    struct __attribute__((aligned(ALIGN2))) NAME##2 { T x, y; };                                                               \
    struct NAME##3 { T x, y, z; };                                                                                             \
    struct __attribute__((aligned(ALIGN4))) NAME##4 { T x, y, z, w; };                                                         \
    typedef struct NAME##1 NAME##1;                                                                                            \
    typedef struct NAME##2 NAME##2;                                                                                            \
    typedef struct NAME##3 NAME##3;                                                                                            \
    typedef struct NAME##4 NAME##4;

CUDASIM_VECTOR(signed char, char, 2, 4)
CUDASIM_VECTOR(unsigned char, uchar, 2, 4)
CUDASIM_VECTOR(short, short, 4, 8)
CUDASIM_VECTOR(unsigned short, ushort, 4, 8)
CUDASIM_VECTOR(int, int, 8, 16)
CUDASIM_VECTOR(unsigned int, uint, 8, 16)
CUDASIM_VECTOR(long, long, (2 * sizeof(long)), 16)
CUDASIM_VECTOR(unsigned long, ulong, (2 * sizeof(long)), 16)
CUDASIM_VECTOR(long long, longlong, 16, 16)
CUDASIM_VECTOR(unsigned long long, ulonglong, 16, 16)
CUDASIM_VECTOR(float, float, 8, 16)
CUDASIM_VECTOR(double, double, 16, 16)

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{ x, y, z }; }
#endif
};
typedef struct dim3 dim3;

#endif
