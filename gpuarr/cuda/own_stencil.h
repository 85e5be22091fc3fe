/* ---- >>cuda own stencils -------------------------------------------------------------------------------------------------- */
/*  A block computes a tile of results from a copy of their neighbourhood in shared memory, in which borders are settled. A formula with
    so large a reach that this does not fit reads each neighbour where it lies.                                                  */

typedef struct gi_cuda_stencil {
    const char *in;
    char       *out;
    int64_t     shape[3]; /* planes, rows, columns */
    int64_t     first;    /* tile of the launch */
    ga_border   border;
    int        *beyond;
    alignas(16) char constant[16], operand[GI_MOST_OPERANDS][16];
} gi_cuda_stencil;

/* How many planes of results, at most, fit into the room with those around them; 0: too few. */
constexpr int64_t gi_cuda_depth(int64_t most, int64_t plane, int64_t around, int64_t room)
{
    return plane * (most + around) <= room ? most : most > 2 ? gi_cuda_depth(most / 2, plane, around, room) : 0;
}

/* The tiles of a stencil, in elements. K is what the GPU knows of it (gpuarr.h, GI_CUDA_STENCIL). */
template <class K> struct gi_cuda_tile {
    static constexpr int64_t ROOM    = (48 << 10) / sizeof(typename K::T);
    static constexpr int64_t WIDTH   = K::ndim == 1 ? 2048 : K::ndim == 2 ? 128 : 32;
    static constexpr int64_t HEIGHT  = K::ndim == 3 ? 8 : 1;
    static constexpr int64_t MOST    = K::ndim == 1 ? 1 : K::ndim == 2 ? 16 : 8;
    static constexpr int64_t ROW     = WIDTH + 2 * K::columns;
    static constexpr int64_t PLANE   = ROW * (HEIGHT + 2 * K::rows); /* of the copy */
    static constexpr int64_t DEPTH   = gi_cuda_depth(MOST, PLANE, 2 * K::planes, ROOM);
    static constexpr bool    COPIES  = DEPTH > 0;
    static constexpr int64_t PLANES  = COPIES ? DEPTH : MOST;
    static constexpr int64_t COPIED  = COPIES ? PLANE * (DEPTH + 2 * K::planes) : 1;
    static constexpr int64_t RESULTS = PLANES * HEIGHT * WIDTH;
};

/* Neighbours in the copy, and where they lie. */
template <class T, int64_t PLANE, int64_t ROW> struct gi_cuda_copied {
    const T *at;
};
template <class T> struct gi_cuda_lying {
    const gi_cuda_stencil &m;
    int64_t                plane, row, column;
};

template <class T> GI_DEVICE T gi_cuda_element(const gi_cuda_stencil &m, int64_t plane, int64_t row, int64_t column)
{
    plane  = gi_border_index(plane, m.shape[0], m.border);
    row    = gi_border_index(row, m.shape[1], m.border);
    column = gi_border_index(column, m.shape[2], m.border);
    if (plane < 0 || row < 0 || column < 0) return *(const gi_stored<T> *)m.constant;
    return ((const gi_stored<T> *)m.in)[(plane * m.shape[1] + row) * m.shape[2] + column];
}

template <class T>
GI_FORMULA T gi_own_neighbour(const T *const *rows, int64_t at, int64_t plane, int64_t row, int64_t column, int64_t height)
{
    return ((const gi_stored<T> *)rows[plane * height + row])[at + column];
}
template <class T, int64_t PLANE, int64_t ROW>
GI_DEVICE T gi_own_neighbour(gi_cuda_copied<T, PLANE, ROW> from, int64_t, int64_t plane, int64_t row, int64_t column, int64_t)
{
    return from.at[(int)plane * (int)PLANE + (int)row * (int)ROW + (int)column];
}
template <class T>
GI_DEVICE T gi_own_neighbour(const gi_cuda_lying<T> &from, int64_t, int64_t plane, int64_t row, int64_t column, int64_t)
{
    return gi_cuda_element<T>(from.m, from.plane + plane, from.row + row, from.column + column);
}

/* The elements around a tile whose first result is `first`. */
template <class K> GI_DEVICE void gi_cuda_copy_tile(const gi_cuda_stencil &m, const int64_t (&first)[3], typename K::T *tile)
{
    typedef gi_cuda_tile<K> S;
    typedef typename K::T   T;
    const int64_t           plane = first[0] - K::planes, row = first[1] - K::rows, column = first[2] - K::columns;
    const bool              inside = plane >= 0 && first[0] + S::PLANES + K::planes <= m.shape[0] && row >= 0 &&
                        first[1] + S::HEIGHT + K::rows <= m.shape[1] && column >= 0 &&
                        first[2] + S::WIDTH + K::columns <= m.shape[2];
    const gi_stored<T> *from = (const gi_stored<T> *)m.in + ((plane * m.shape[1] + row) * m.shape[2] + column);
    if (inside) {
#pragma unroll 4
        for (int e = (int)threadIdx.x; e < (int)S::COPIED; e += GI_CUDA_THREADS) {
            const int i = e / (int)S::PLANE, j = e % (int)S::PLANE / (int)S::ROW, k = e % (int)S::PLANE % (int)S::ROW;
            tile[e] = from[(i * m.shape[1] + j) * m.shape[2] + k];
        }
    } else {
#pragma unroll 1
        for (int e = (int)threadIdx.x; e < (int)S::COPIED; e += GI_CUDA_THREADS) {
            const int i = e / (int)S::PLANE, j = e % (int)S::PLANE / (int)S::ROW, k = e % (int)S::PLANE % (int)S::ROW;
            tile[e] = gi_cuda_element<T>(m, plane + i, row + j, column + k);
        }
    }
}

template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_own_stencil(const __grid_constant__ gi_cuda_stencil m)
{
    typedef gi_cuda_tile<K> S;
    typedef typename K::T   T;
    const int64_t           number = m.first + blockIdx.x, columns = (m.shape[2] + S::WIDTH - 1) / S::WIDTH,
                  rows = (m.shape[1] + S::HEIGHT - 1) / S::HEIGHT, above = number / columns;
    const int64_t first[3] = { above / rows * S::PLANES, above % rows * S::HEIGHT, number % columns * S::WIDTH };
    GI_BLOCK_SHARED(T, tile, [S::COPIED]);
    if constexpr (S::COPIES) {
        gi_cuda_copy_tile<K>(m, first, &tile[0]);
        __syncthreads();
    }
#pragma unroll 1
    for (int e = (int)threadIdx.x; e < (int)S::RESULTS; e += GI_CUDA_THREADS) {
        const int     i = e / (int)(S::HEIGHT * S::WIDTH), j = e / (int)S::WIDTH % (int)S::HEIGHT, k = e % (int)S::WIDTH;
        const int64_t plane = first[0] + i, row = first[1] + j, column = first[2] + k;
        if (plane >= m.shape[0] || row >= m.shape[1] || column >= m.shape[2]) continue;
        T *const to = (T *)m.out + ((plane * m.shape[1] + row) * m.shape[2] + column);
        if constexpr (S::COPIES) {
            const int here = (i + (int)K::planes) * (int)S::PLANE + (j + (int)K::rows) * (int)S::ROW + k + (int)K::columns;
            *to            = K::of(&m, gi_cuda_copied<T, S::PLANE, S::ROW>{ &tile[0] + here });
        } else {
            *to = K::of(&m, gi_cuda_lying<T>{ m, plane, row, column });
        }
    }
}
