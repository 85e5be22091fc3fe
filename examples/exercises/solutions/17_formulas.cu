/*  Exercise 17: formulas                                                                     make exercise-17

    You learn   ga_eval("(a + b) * c", (a, b, c)) is ga_multiply(ga_add(a, b), c), written as in NumPy. Of
                nested calls each writes a whole array, which the next one reads again, and memory is slower
                than arithmetic. A formula takes one pass on the processor: what lies in between never is an
                array. The line is the same on the GPU, where it is one kernel that reads the formula
                step by step; ga_formula_c writes it as a GA_ELEMENTWISE (exercise 14), which is compiled.
    You write   A formula in place of what stands there, which is right, but long:
                1. star: how a telescope sees a star, exp(-((x - column)^2 + (y - row)^2) / (2 width^2)), in
                   place of the nested calls.
                2. edges: of each pixel inside its four neighbours, less four times itself, in place of the
                   loops; it is written into the array that is given.
                3. misfit: the sum of all ((image - model) / sigma)^2, for one image of several.
    Hint        x**2 is ga_square(x). Operands that are plain names have these names in the formula; others,
                as image[k], are $1, $2 ... by their places. u[1:-1, 2:] is the slice of NumPy: all rows but
                the first and the last, all columns but the first two, so the neighbours to the right.
                .out = out behind the operands says where the result goes. sum(x) adds up everything, and
                ga_item makes a number of its result. A mistake in a formula is told with its place.
    At first    the checker says: "star is right, but it takes memory for"                                   */
#include "exercise.h"
#include "gpuarr.h"

/* x is a row of columns' numbers, y a column of rows' numbers: together they make a picture. */
static ga_array *star(const ga_array *x, const ga_array *y, float column, float row, float width)
{
    /* ---- your code here ---- */
    return ga_eval("exp(-((x - column)**2 + (y - row)**2) / (2 * width**2))", (x, y, column, row, width));
    /* ---- end of your code ---- */
}

/* out has two rows and two columns less than u. */
static void edges(const ga_array *u, ga_array *out)
{
    /* ---- your code here ---- */
    ga_eval("u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4*u[1:-1, 1:-1]", (u), .out = out);
    /* ---- end of your code ---- */
}

static double misfit(ga_array *const *image, int k, const ga_array *model, float sigma)
{
    /* ---- your code here ---- */
    return ga_item(ga_eval("sum((($1 - model) / sigma)**2)", (image[k], model, sigma)));
    /* ---- end of your code ---- */
}

/* ---- The rest compares it with loops, on both devices. From here on you need not change anything. ---- */

const int   ROWS = 120, COLUMNS = 150; /* of the picture */
const float COLUMN = 41.5f, ROW = 30.25f, WIDTH = 6, SIGMA = 0.25f;

typedef std::vector<float> pixels;

static pixels on_processor(const ga_array *a)
{
    ga_array *here = ga_to(a, GA_CPU);
    float    *p    = (float *)ga_data(here, GA_F32);
    return p ? pixels(p, p + here->size) : pixels();
}

static pixels star_by_loops()
{
    pixels p;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double dx = j - COLUMN, dy = i - ROW;
            p.push_back((float)std::exp(-(dx * dx + dy * dy) / (2 * WIDTH * WIDTH)));
        }
    return p;
}

static pixels edges_by_loops(const pixels &u)
{
    pixels e;
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++) {
            const float *p = &u[(size_t)i * COLUMNS + j];
            e.push_back(p[-COLUMNS] + p[COLUMNS] + p[-1] + p[1] - 4 * p[0]);
        }
    return e;
}

static double misfit_by_loops(const pixels &image, const pixels &model)
{
    double sum = 0;
    for (size_t i = 0; i < image.size(); i++) sum += std::pow((image[i] - model[i]) / SIGMA, 2);
    return sum;
}

/* Arrays of a picture's size that a call had at the same time. */
template <class F> static double arrays_of(F call)
{
    ga_memory_reset_peak();
    int64_t before = ga_memory_stats().used_bytes;
    call();
    return (double)(ga_memory_stats().peak_bytes - before) / (ROWS * COLUMNS * sizeof(float));
}

/* Did a right result take one pass, so that nothing but the result itself was an array? (On the GPU the arrays lie there.) */
static bool one_pass(const char *name, double arrays, int enough)
{
    if (arrays < enough + 0.5) return true;
    ex_wrong("%s is right, but it takes memory for %.0f arrays as large as the picture, where %s", name, arrays,
             enough ? "1 would do, that of the result" : "none is needed");
    ex_hint("each call writes one, and the next call reads it again: write one formula");
    return false;
}

/* Has gpuarr nothing to say? */
static bool no_error(const char *name, ga_device device)
{
    if (!ga_error()) return true;
    ex_wrong("in %s gpuarr says: %s", name, ga_error());
    if (device == GA_CUDA) ex_hint("on the processor it was right: loops work there alone, formulas where their arrays lie");
    return false;
}

/* True if all three are right for arrays on the device. */
static bool right_on(ga_device device)
{
    ga_array *x = ga_arange(0, COLUMNS, 1, .dtype = GA_F32, .device = device), *model = NULL;
    ga_array *y        = ga_reshape(ga_arange(0, ROWS, 1, .dtype = GA_F32, .device = device), (ROWS, 1));
    ga_array *out      = ga_full((ROWS - 2, COLUMNS - 2), -1, .dtype = GA_F32, .device = device);
    ga_array *image[2] = { x, ga_random((ROWS, COLUMNS), .dtype = GA_F32, .device = device, .seed = 5) };
    double    sum = 0, arrays = arrays_of([&] { model = star(x, y, COLUMN, ROW, WIDTH); });
    if (!no_error("star", device)) return false;
    if (!model) return ex_wrong("star returned no array");
    if (model->device != device || model->dtype != GA_F32 || model->ndim != 2 || model->size != ROWS * COLUMNS)
        return ex_wrong("star should return a float32 array of shape (%d, %d), where x and y lie", ROWS, COLUMNS);
    pixels light = on_processor(model), noise = on_processor(image[1]);
    if (!ex_same_values("star", light, star_by_loops(), 1e-5, COLUMNS) || !one_pass("star", arrays, 1)) return false;

    arrays = arrays_of([&] { edges(model, out); });
    if (!no_error("edges", device)) return false;
    if (!ex_same_values("edges", on_processor(out), edges_by_loops(light), 1e-5, COLUMNS - 2)) return false;
    if (!one_pass("edges", arrays, 0)) return false;

    arrays = arrays_of([&] { sum = misfit(image, 1, model, SIGMA); });
    if (!no_error("misfit", device)) return false;
    double expected = misfit_by_loops(noise, light);
    if (!(std::fabs(sum - expected) <= 1e-4 * expected)) return ex_wrong("misfit of image 1 is %g, expected %g", sum, expected);
    return one_pass("misfit", arrays, 0);
}

int main()
{
    int rows = ex_size(ROWS, 1500, 6000), columns = ex_size(COLUMNS, 2000, 6000);
    ga_set_error_handler(ga_ignore_error, NULL); /* what it would print is told above */
    ga_scope {
        if (right_on(GA_CPU)) right_on(GA_CUDA);
        ga_array *model = ga_random((rows, columns), .dtype = GA_F32, .seed = 6);
        ga_array *image = ga_random((rows, columns), .dtype = GA_F32, .seed = 7);
        ex_time("misfit, one formula", [&] {
            ga_scope {
                misfit(&image, 0, model, SIGMA);
            }
        });
        ex_time("misfit, call by call", [&] {
            ga_scope {
                ga_sum(ga_square(ga_divide(ga_subtract(image, model), SIGMA)));
            }
        });
    }
    return ex_end();
}
