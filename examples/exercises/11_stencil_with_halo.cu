/*  Exercise 11: a stencil in two dimensions, with a halo                                     make exercise-11

    You learn   Heat flows from each place to its four neighbours. A block that computes a tile of 16 x 16
                places needs the tile and, around it, a border one place wide: the halo. Read into shared
                memory once, each value serves up to five threads.
    You write   The part that fills the tile, halo included: tile[r][c] holds u at row first_row + r - 1,
                column first_column + c - 1, for r and c from 0 to 17. Places outside of the plate do not
                exist: leave them alone, nobody asks for them. Then what must come between filling and
                reading. The corners of the halo are not needed, but may be read.
    Hint        18 x 18 places and 16 x 16 threads: let each thread fill more than one place. Number the
                places 0 to 323 and go through them in a loop, as in exercise 03 but inside of the block; k /
                18 is the row and k % 18 the column. Every place of u is to be read at most once by a block: a
                loop with an if at each edge is easily wrong there.
    At first    the checker says: "reads a place of shared memory that no thread of its block has written"   */
#include "exercise.h"

const int TILE = 16;

__global__ void heat(floats u, float *v, int rows, int columns, float speed)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int              first_row = (int)blockIdx.y * TILE, first_column = (int)blockIdx.x * TILE;
    int              row = first_row + (int)threadIdx.y, column = first_column + (int)threadIdx.x;
    int              r = (int)threadIdx.y + 1, c = (int)threadIdx.x + 1; /* the place of this thread in the tile */
    /* ---- your code here ---- */
    if (row < rows && column < columns) tile[r][c] = u[row * columns + column];
    __syncthreads();
    /* ---- end of your code ---- */
    if (row >= rows || column >= columns) return;
    bool  edge = row == 0 || column == 0 || row == rows - 1 || column == columns - 1; /* the edge keeps its temperature */
    float here = tile[r][c];
    v[row * columns + column] =
        edge ? here : here + speed * (tile[r - 1][c] + tile[r + 1][c] + tile[r][c - 1] + tile[r][c + 1] - 4 * here);
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

int main()
{
    int                rows = ex_size(50, 500, 8192), columns = ex_size(70, 1000, 8192), n = rows * columns;
    std::vector<float> values = ex_floats(n), expected = values;
    for (int r = 1; r < rows - 1; r++)
        for (int c = 1; c < columns - 1; c++) {
            const float *p            = &values[r * columns + c];
            expected[r * columns + c] = p[0] + 0.2f * (p[-columns] + p[columns] + p[-1] + p[1] - 4 * p[0]);
        }
    float    *memory = ex_input(values), *v = ex_output<float>(n);
    dim3      block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    ex_watch *watch = ex_mode("check") ? ex_watch_begin(1, 1) : nullptr;
    floats    u     = { memory, watch };
    heat<<<grid, block>>>(u, v, rows, columns, 0.2f);
    ex_ran("heat");
    ex_same("v", v, expected, 1e-5, columns);
    unsigned long long most = (unsigned long long)grid.x * grid.y * (TILE + 2) * (TILE + 2);
    if (watch && !ex_failures && watch->total > most) {
        ex_wrong("the result is right, but u was read %llu times: %u tiles with their halo have %llu places", watch->total,
                 grid.x * grid.y, most);
        ex_hint("read each place into the tile once; the formula takes it from there");
    }
    u.watch = nullptr;
    ex_time("heat", [&] { heat<<<grid, block>>>(u, v, rows, columns, 0.2f); });
    return ex_end();
}
