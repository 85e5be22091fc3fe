/*  Exercise 06: coalescing                                                                   make exercise-06

    You learn   The 32 threads of a warp read memory together, and the GPU fetches it in sectors of 32 bytes,
                that is 8 floats. If thread 0 reads x[0], thread 1 x[1] and so on, 4 sectors serve the warp.
                If each of them reads from a row of its own, it takes 32 sectors, and 7 of 8 bytes that are
                fetched are thrown away.
    You write   Every row of an image is multiplied by the gain of that row. The kernel below is right, with
                one thread for each row, and slow. Write it, and its launch, so that neighbouring threads work
                on neighbouring elements.
    Hint        The elements of row r are image[r * columns] to image[r * columns + columns - 1]. Which of the
                two numbers, row or column, must come from threadIdx.x? A grid with a thread for each element
                will do; dim3 makes it two-dimensional. floats is a float * that notes, for the checker, which
                thread used which element.
    At first    the checker says: "a warp needs 32 sectors"                                                  */
#include "exercise.h"

__global__ void apply_gain(floats image, const float *gain, int rows, int columns)
{
    /* ---- your code here ---- */
    int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows)
        for (int column = 0; column < columns; column++) image[row * columns + column] *= gain[row];
    /* ---- end of your code ---- */
}

static void launch(floats image, const float *gain, int rows, int columns)
{
    /* ---- your code here ---- */
    apply_gain<<<(rows + 127) / 128, 128>>>(image, gain, rows, columns);
    /* ---- end of your code ---- */
}

/* ---- The rest starts it and looks at the result. From here on you need not change anything. ---- */

int main()
{
    int                rows = ex_size(70, 512, 8192), columns = ex_size(96, 1024, 8192), n = rows * columns;
    std::vector<float> values = ex_floats(n), gains = ex_floats(rows, 1), expected(n);
    for (int i = 0; i < n; i++) expected[i] = values[i] * gains[i / columns];

    float    *gain = ex_input(gains), *memory = ex_input(values);
    ex_watch *watch = ex_mode("check") ? ex_watch_begin(1 << 14, 128) : nullptr;
    floats    image = { memory, watch };
    launch(image, gain, rows, columns);
    ex_ran("apply_gain");
    ex_same("image", memory, expected, 0, columns);
    if (watch && !ex_failures) ex_coalesced("image", watch);
    image.watch = nullptr;
    ex_time("apply_gain", [&] { launch(image, gain, rows, columns); });
    return ex_end();
}
