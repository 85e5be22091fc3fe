/*  gentable.c -- prints what the preprocessor cannot: the front macros of the table's rows, and gpuarr/rows/README.md's table.
    It has no parser: it includes gpuarr.h and walks the same table.

        cc -I. tools/gentable.c -o build/gentable && build/gentable front|docs                                               */
#include <stdio.h>
#include <string.h>

#include "gpuarr.h"

static void front_line(const char *shape, const char *name, const char *options)
{
    printf("#define ga_%s(...) %s(ga_%s, %s, GI_SITE(\"ga_%s(\" #__VA_ARGS__ \")\"), __VA_ARGS__, )\n", name, shape, name,
           options, name);
}

static void print_front(void)
{
#define GA_UNARY(name, ...)       front_line("GI_1", #name, "ga_map_options");
#define GA_ELEMENTARY(name, ...)  front_line("GI_1", #name, "ga_map_options");
#define GA_BINARY(name, ...)      front_line("GI_NN", #name, "ga_map_options");
#define GA_ELEMENTARY2(name, ...) front_line("GI_NN", #name, "ga_map_options");
#define GA_TERNARY(name, ...)     front_line("GI_NNN", #name, "ga_map_options");
#define GA_FOLD(name, ...)        front_line("GI_1", #name, "ga_reduce_options");
#define GA_TABLE
#include "gpuarr.h"
}

static void docs_line(const char *name, const char *operands, const char *dtypes, const char *example, const char *doc)
{
    printf("| `ga_%s(%s)` | %s | `%s` | ", name, operands, dtypes, example);
    for (; *doc; doc++) {
        if (*doc == '|') putchar('\\'); /* or the bar would end the cell */
        putchar(*doc);
    }
    puts(" |");
}

static void print_docs(void)
{
    puts("| call | dtypes | example: operands, result | what it computes |");
    puts("| --- | --- | --- | --- |");
#define GA_UNARY(name, dtypes, result, formula, example, doc)   docs_line(#name, "x", #dtypes, #example, doc);
#define GA_ELEMENTARY(name, dtypes, example, doc)               docs_line(#name, "x", #dtypes, #example, doc);
#define GA_BINARY(name, dtypes, result, formula, example, doc)  docs_line(#name, "x, y", #dtypes, #example, doc);
#define GA_ELEMENTARY2(name, dtypes, example, doc)              docs_line(#name, "x, y", #dtypes, #example, doc);
#define GA_TERNARY(name, dtypes, result, formula, example, doc) docs_line(#name, "x, y, z", #dtypes, #example, doc);
#define GA_FOLD(name, dtypes, acc, result, start, of, join, end, example, doc)                                                 \
    docs_line(#name, "a", #dtypes, "{1, 2, 3} gives " #example, doc);
#define GA_TABLE
#include "gpuarr.h"
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "front") == 0) {
        print_front();
    } else if (argc > 1 && strcmp(argv[1], "docs") == 0) {
        print_docs();
    } else {
        fputs("usage: gentable front|docs\n", stderr);
        return 2;
    }
    return 0;
}
