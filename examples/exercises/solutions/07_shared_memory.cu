/*  Exercise 07: shared memory                                                                make exercise-07

    You learn   The threads of a block have a small, fast memory in common: __shared__. It helps where data is
                used several times, or where it must be read in one order and written in another. Here it is
                the second: to transpose a matrix, rows are read and columns are written, and only one of the
                two can be coalesced (exercise 06), unless a tile of the matrix is turned in shared memory.
    You write   transpose: out[column][row] = in[row][column]. Each block of 16 x 16 threads reads a tile of
                16 x 16 elements into shared memory, row by row, waits until all are there, and writes it row
                by row of the result.
    Hint        There are two pairs of indices: where this thread reads, and where it writes. For the second,
                the numbers of the block change places, and those of the thread do not: threadIdx.x still goes
                along a row of what is written. Which element of the tile does the thread need then, and who
                has put it there? Mind the edges: the sizes are no multiples of 16.
    At first    the checker says: "a warp needs 16 sectors"                                                  */
#include "exercise.h"

const int TILE = 16;

__global__ void transpose(floats in, floats out, int rows, int columns)
{
    /* ---- your code here ---- */
    __shared__ float tile[TILE][TILE + 1]; /* the column too many keeps a column of the tile from lying in one memory bank */

    int x = (int)blockIdx.x * TILE + (int)threadIdx.x, y = (int)blockIdx.y * TILE + (int)threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();

    x = (int)blockIdx.y * TILE + (int)threadIdx.x, y = (int)blockIdx.x * TILE + (int)threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
    /* ---- end of your code ---- */
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

int main()
{
    int                rows = ex_size(40, 500, 8000), columns = ex_size(72, 1000, 8000), n = rows * columns;
    std::vector<float> values = ex_floats(n), expected(n);
    for (int i = 0; i < n; i++) expected[i % columns * rows + i / columns] = values[i];

    float    *in_gpu = ex_input(values), *out_gpu = ex_output<float>(n);
    dim3      block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    ex_watch *reads  = ex_mode("check") ? ex_watch_begin(grid.x * grid.y * TILE * TILE, 4) : nullptr;
    ex_watch *writes = ex_mode("check") ? ex_watch_begin(grid.x * grid.y * TILE * TILE, 4) : nullptr;
    floats    in = { in_gpu, reads }, out = { out_gpu, writes };
    transpose<<<grid, block>>>(in, out, rows, columns);
    ex_ran("transpose");
    ex_same("out", out_gpu, expected, 0, rows);
    if (reads && !ex_failures) ex_coalesced("in", reads);
    if (writes && !ex_failures) ex_coalesced("out", writes);
    in.watch = out.watch = nullptr;
    ex_time("transpose", [&] { transpose<<<grid, block>>>(in, out, rows, columns); });
    return ex_end();
}
