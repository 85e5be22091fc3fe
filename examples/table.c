/*  A table of measurements: read from CSV, computed by column, and written.

    cc -O2 -I. examples/table.c -lm -lpthread && ./a.out                                                                    */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

static const char measured[] = "# station, hours, temperature, humidity\n"
                               "3, 0, 11.5, 81\n"
                               "3, 6, 10.2, \n" /* nobody was there */
                               "3, 12, 18.9, 55\n"
                               "7, 0, 9.75, 90\n"
                               "7, 12, NA, 61\n"
                               "7, 18, 14.0, 70\n";

int main(void)
{
    ga_on_error(GA_EXIT);
    FILE *f = fopen("measured.csv", "w");
    if (!f || fputs(measured, f) < 0 || fclose(f) != 0) return 1;
    ga_scope {
        /* Each column is an array of its own dtype; what is missing becomes NaN. */
        const ga_dtype dtypes[4] = { GA_I32, GA_F64, GA_F64, GA_F64 };
        ga_array      *column[4];
        ga_genfromtxt_n("measured.csv", 4, dtypes, column, .delimiter = ",");
        ga_array *station = column[0], *hours = column[1], *temperature = column[2], *humidity = column[3];
        printf("%.2f degrees on average, %.1f %% humidity\n", ga_item(ga_nanmean(temperature)), ga_item(ga_nanmean(humidity)));

        /* The dew point, by the formula of Magnus; NaN where one of the two is missing. */
        ga_array *h = humidity, *t = temperature;
        ga_array *dew    = ga_eval("g = log(h / 100) + 17.62*t / (243.12 + t); 243.12*g / (17.62 - g)", (h, t));
        ga_array *result = ga_column_stack((station, hours, dew));
        ga_savetxt("dew.csv", result, .fmt = "%d, %g, %.2f", .header = "station, hours, dew point");

        /* As one array: the columns of numbers that no line lacks, and only the rows of station 7. */
        ga_array *table = ga_loadtxt("measured.csv", .delimiter = ",", .usecols = ga_axes(0, 1));
        ga_print(ga_compress(ga_equal(ga_index(table, ":, 0"), 7), table, .axis = 0));
    }
    return 0;
}
