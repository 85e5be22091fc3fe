/*  Two hidden periods: a line is fitted and taken away, and the Fourier transform of what is left shows them.
        cc spectrum.c -lm -lpthread && ./a.out                                                                                  */
#define GPUARR_STATIC
#define GPUARR_EVAL_DTYPES GA_F64
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

enum { DAYS = 3600 };

/* The line that is nearest to y, by least squares. */
static ga_array *fitted_line(const ga_array *t, const ga_array *y)
{
    ga_array *powers = ga_vander(t, .n = 2); /* a column of t, and one of ones */
    ga_array *line   = ga_lstsq(powers, y);
    printf("trend: %.2f a year\n", 360 * ga_item_at(line, 0));
    return ga_matmul(powers, line);
}

/* Where a line has its largest peaks: elements that are larger than both neighbours, the largest first. */
static ga_array *peaks(const ga_array *line)
{
    ga_array *middle = ga_index(line, "1:-1"), *before = ga_index(line, ":-2"), *behind = ga_index(line, "2:");
    ga_array *is_peak = ga_logical_and(ga_greater(middle, before), ga_greater(middle, behind));
    return ga_add(ga_argsort(ga_negative(ga_where(is_peak, middle, 0))), 1);
}

int main(void)
{
    ga_scope {
        /* ten years of 360 days, a measurement each: a trend, a yearly and a shorter period, and noise */
        ga_array *t     = ga_arange(0, DAYS, 1, .dtype = GA_F64);
        ga_array *noise = ga_random_normal(0, 1, (DAYS), .seed = 7);
        ga_array *y     = ga_eval("0.002*t + 3*sin(2*pi*t/360) + 0.5*cos(2*pi*t/7.2) + noise", (t, noise));
        ga_array *rest  = ga_subtract(y, fitted_line(t, y));
        ga_array *power = ga_square(ga_abs(ga_rfft(ga_multiply(rest, ga_hanning(DAYS)))));
        ga_array *found = peaks(power), *frequencies = ga_rfftfreq(DAYS);
        for (int k = 0; k < 2; k++) printf("a period of %.1f days\n", 1 / ga_item_at(frequencies, ga_item_int_at(found, k)));
    }
    return ga_error() != NULL;
}
