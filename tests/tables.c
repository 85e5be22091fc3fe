/* Text and raw files: ga_loadtxt, ga_genfromtxt, ga_savetxt, ga_fromfile, ga_tofile, on worked examples, and each error with its sentence.
   cc tests/impl.c tests/tables.c -lm -lpthread */
#include "errors.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const path = "build/tests/table.tmp";

static void put(const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, n, f) == n && fclose(f) == 0);
}

static const char *table(const char *text) { return put(text, strlen(text)), path; }

/* Is this all that the file has? */
static bool has(const char *text)
{
    char   found[1000];
    FILE  *f = fopen(path, "rb");
    size_t n = f ? fread(found, 1, sizeof found - 1, f) : 0;
    if (f) fclose(f);
    found[n] = 0;
    if (strcmp(found, text) != 0) printf("want %s\ngot  %s\n", text, found);
    return f && strcmp(found, text) == 0;
}

static void test_loadtxt(void)
{
    CHECK_IS(ga_loadtxt(table("# x y\n1 2.5\n\n  -3\t4e1 # said\n")), GA_F64, (2, 2), 1, 2.5, -3, 40);
    CHECK_IS(ga_loadtxt(table("1,2\r\n3,4"), .delimiter = ",", .dtype = GA_I16), GA_I16, (2, 2), 1, 2, 3, 4);
    CHECK_IS(ga_loadtxt(table("1\r2\r3\r")), GA_F64, (3), 1, 2, 3);
    CHECK_IS(ga_loadtxt(table("\xEF\xBB\xBF"
                              "1 2 3")),
             GA_F64, (3), 1, 2, 3);
    CHECK_IS(ga_loadtxt(path, .ndmin = 2), GA_F64, (1, 3), 1, 2, 3);
    CHECK_IS(ga_loadtxt(table("1\n2\n"), .ndmin = 2), GA_F64, (2, 1), 1, 2);
    CHECK_SCALAR(ga_loadtxt(table("7")), GA_F64, 7);
    CHECK_IS(ga_loadtxt(path, .ndmin = 1), GA_F64, (1), 7);
    CHECK_IS(ga_loadtxt(table("1 2 3\n4 5 6\n"), .usecols = ga_axes(-1, 0)), GA_F64, (2, 2), 3, 1, 6, 4);
    CHECK_IS(ga_loadtxt(path, .skiprows = 1, .dtype = GA_U8), GA_U8, (3), 4, 5, 6);
    CHECK_IS(ga_loadtxt(path, .max_rows = 1), GA_F64, (3), 1, 2, 3);
    CHECK_IS(ga_loadtxt(table("1;// 2\n// 3\n4;5"), .comments = "//", .delimiter = ";", .usecols = ga_axes(0)), GA_F64, (2), 1,
             4);
    CHECK_IS(ga_loadtxt(table("\"1\",\"2\"\n\"3\",4"), .delimiter = ",", .quotechar = "\""), GA_F64, (2, 2), 1, 2, 3, 4);
    CHECK_IS(ga_loadtxt(table("0 -3 25"), .dtype = GA_BOOL), GA_BOOL, (3), 0, 1, 1);
    ga_scope {
        const char *const empty[]   = { "", "# nothing\n", "\n\n", " " };
        const ga_dtype    dtypes[2] = { GA_I32, GA_C64 };
        ga_array         *columns[2], *z, *x;
        for (int i = 0; i < 4; i++) {
            z = ga_loadtxt(table(empty[i]));
            CHECK(z && z->ndim == 1 && z->shape[0] == 0 && z->dtype == GA_F64);
        }
        z = ga_loadtxt(path, .ndmin = 2, .usecols = ga_axes(0, 3));
        CHECK(z && z->ndim == 2 && z->shape[0] == 0 && z->shape[1] == 2);
        CHECK(ga_loadtxt_n(table("1 1+2j\n-3 (4-.5j)\n5 6j"), 2, dtypes, columns));
        CHECK(ga_array_equal(columns[0], ga_ints(1, -3, 5)) && columns[0]->dtype == GA_I32 && columns[1]->dtype == GA_C64);
        CHECK(ga_item_complex_at(columns[1], 1).re == 4 && ga_item_complex_at(columns[1], 1).im == -0.5);
        CHECK(ga_item_complex_at(columns[1], 2).re == 0 && ga_item_complex_at(columns[1], 2).im == 6);
        x = ga_loadtxt(table("nan -inf 1e999 5e-324 2.4703282292062327208e-324 2.4703282292062328e-324 9007199254740993 -0"));
        const double *p = (const double *)ga_data(x, GA_F64);
        CHECK(isnan(p[0]) && p[1] == -INFINITY && p[2] == INFINITY && p[3] == 0x1p-1074 && p[4] == 0 && p[5] == 0x1p-1074);
        CHECK(p[6] == 9007199254740992.0 && p[7] == 0 && signbit(p[7]));
    }
}

/* Numbers as strtod reads them, bit by bit: of all sizes, halfway between two floats, with thousands of digits. */
static void test_numbers_are_strtods(void)
{
    static char text[20000];
    uint64_t    seed = 1;
    int         bad  = 0;
    for (int i = 0; i < 3000; i++) {
        int n = 0;
        seed  = seed * 6364136223846793005u + 1442695040888963407u;
        double x;
        memcpy(&x, &seed, sizeof x);
        const int kind = i % 6;
        if (!isfinite(x)) continue;
        if (kind == 0) n = snprintf(text, sizeof text, "%.17g", x);
        if (kind == 1) n = snprintf(text, sizeof text, "%.25e", x);
        if (kind == 2) n = snprintf(text, sizeof text, "%llue%d", (unsigned long long)seed, (int)(seed >> 40) % 700 - 350);
        if (kind == 3) n = snprintf(text, sizeof text, "%llu.5", (unsigned long long)(seed >> 11 | (uint64_t)1 << 52));
        if (kind == 4) n = snprintf(text, sizeof text, "%.1080f", ldexp(x, -ilogb(x) - 1000));
        if (kind == 5) n = snprintf(text, sizeof text, "%.0f%0*d.%0*d1", fabs(x), i % 900, 0, i, 0);
        ga_array *a = ga_loadtxt(table(text));
        double    y = strtod(text, NULL), got = ga_item(a);
        bad += n <= 0 || memcmp(&got, &y, sizeof y) != 0;
        ga_free(a);
    }
    CHECK(bad == 0);
    memset(text, '7', 10000);
    strcpy(text + 10000, "e-9990");
    ga_array *a = ga_loadtxt(table(text));
    CHECK(ga_item(a) == strtod(text, NULL));
    ga_free(a);
}

static void test_genfromtxt(void)
{
    ga_scope {
        const ga_dtype dtypes[3] = { GA_F64, GA_I32, GA_BOOL };
        ga_array      *columns[3];
        ga_array      *x = ga_genfromtxt(table("a,b,c\n1,,3\n4,NA,-999\n"), .delimiter = ",", .names = true,
                                         .missing_values = "NA,-999", .filling_values = 7);
        CHECK(ga_array_equal(x, ga_reshape(ga_values(1, 7, 3, 4, 7, 7), (2, 3))));
        x = ga_genfromtxt(path, .delimiter = ",", .skip_header = 1);
        CHECK(isnan(ga_item_at(x, 0, 1)) && ga_item_at(x, 1, 2) == -999 && isnan(ga_item_at(x, 1, 1)));
        CHECK(ga_genfromtxt_n(table("1.5,2,True\n,,\nfoot"), 3, dtypes, columns, .delimiter = ",", .skip_footer = 1));
        CHECK(ga_item_at(columns[0], 0) == 1.5 && isnan(ga_item_at(columns[0], 1)));
        CHECK(ga_item_int_at(columns[1], 0) == 2 && ga_item_int_at(columns[1], 1) == -1);
        CHECK(ga_item_int_at(columns[2], 0) == 1 && ga_item_int_at(columns[2], 1) == 0);
        x = ga_genfromtxt(table("# x y\n1 2\n"), .names = true);
        CHECK(ga_array_equal(x, ga_values(1, 2)));
        x = ga_genfromtxt(table(" 1  3 \n \n # x\n4 5 6 # y\n"), .delimiter = " "); /* blanks at the ends are none */
        CHECK(ga_array_equal(x, ga_reshape(ga_values(1, NAN, 3, 4, 5, 6), (2, 3)), .equal_nan = true));
        x = ga_genfromtxt(table("1 2\n3 4 5\n"), .usecols = ga_axes(-1)); /* the last one of the first row */
        CHECK(ga_array_equal(x, ga_values(2, 4)));
    }
}

/* Delimiters and comments that look like parts of numbers. */
static void test_cut_numbers(void)
{
    CHECK_IS(ga_loadtxt(table("1.5\n-2.25"), .delimiter = "."), GA_F64, (2, 2), 1, 5, -2, 25);
    CHECK_IS(ga_loadtxt(table("1e5e-2"), .delimiter = "e", .dtype = GA_F32), GA_F32, (3), 1, 5, -2);
    CHECK_IS(ga_loadtxt(table("102\n304"), .delimiter = "0"), GA_F64, (2, 2), 1, 2, 3, 4);
    CHECK_IS(ga_loadtxt(table("1e5\n2e6"), .comments = "e"), GA_F64, (2), 1, 2);
    CHECK_IS(ga_loadtxt(table("1 2.5\n3 4"), .comments = ".5"), GA_F64, (2, 2), 1, 2, 3, 4);
    CHECK_IS(ga_genfromtxt(table("1-2"), .comments = "-2"), GA_F64, (), 1);
}

/* Delimiters of several characters, and fields of fixed widths. */
static void test_delimiters(void)
{
    CHECK_IS(ga_genfromtxt(table("1, 2.5, -3\n4,5, 6, 7\n"), .delimiter = ", ", .loose = true), GA_F64, (2, 3), 1, 2.5, -3, NAN,
             6, 7);
    CHECK_IS(ga_genfromtxt(table("a::b\n1::2 # x\n3::4"), .delimiter = "::", .names = true), GA_F64, (2, 2), 1, 2, 3, 4);
    CHECK_IS(ga_genfromtxt(table("1 | 2\n 3 |  4 \n"), .delimiter = " | "), GA_F64, (2, 2), 1, 2, 3, 4);
    CHECK_IS(ga_genfromtxt(table("1--2\n3---4"), .delimiter = "--", .usecols = ga_axes(1)), GA_F64, (2), 2, -4);
    CHECK_IS(ga_genfromtxt(table("1234 56\n-1 2.5 \n 7\n"), .widths = "3, 2, 2"), GA_F64, (3, 3), 123, 4, 56, -1, 2, 5, 7, NAN,
             NAN);
    CHECK_IS(ga_genfromtxt(table("123456#9\n654321\n"), .widths = "2", .dtype = GA_I32), GA_I32, (2, 3), 12, 34, 56, 65, 43,
             21);
    CHECK_IS(ga_genfromtxt(table("1234567\n"), .widths = "1,3", .usecols = ga_axes(1)), GA_F64, (), 234);
    FAILS(GA_BAD_ARGUMENT, ga_genfromtxt(path, .widths = "1, x"), "is no list of positive numbers");
    FAILS(GA_BAD_ARGUMENT, ga_genfromtxt(path, .widths = ""), "is no list of positive numbers");
    FAILS(GA_BAD_ARGUMENT, ga_genfromtxt(path, .widths = "3, 0"), "is no list of positive numbers");
    FAILS(GA_BAD_ARGUMENT, ga_genfromtxt(path, .widths = "3", .delimiter = ","), "use one of them");
    FAILS(GA_BAD_ARGUMENT, ga_genfromtxt(path, .delimiter = ",\n"), "within a line");
    FAILS(GA_BAD_ARGUMENT, ga_genfromtxt(path, .delimiter = ""), "one or more characters");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(path, .delimiter = ", "), "ga_genfromtxt takes more");
    /* blanks are fields without numbers, and so is an empty line where each field has its width; of comments nothing is left */
    CHECK_IS(ga_genfromtxt(table("# c\n  12\n    \n\n  3 # c\n"), .widths = "2, 2"), GA_F64, (4, 2), NAN, 12, NAN, NAN, NAN,
             NAN, NAN, 3);
    CHECK_IS(ga_genfromtxt(table("  12\r\n    \r\n\r\n  34"), .widths = "2"), GA_F64, (3, 2), NAN, 12, NAN, NAN, NAN, 34);
    /* integers as NumPy's genfromtxt takes them */
    CHECK_IS(ga_genfromtxt(table("5.1 -5.9 1e3 -0.5 nan"), .dtype = GA_I16), GA_I16, (5), 5, -5, 1000, 0, -1);
    CHECK_IS(ga_genfromtxt(table("5.1 1e3 inf 7"), .dtype = GA_I64), GA_I64, (4), -1, -1, -1, 7);
    FAILS(GA_BAD_FILE, ga_genfromtxt(table("5.1 7"), .dtype = GA_I64, .loose = false), "column 1: '5.1' is no int64");
    FAILS(GA_BAD_FILE, ga_genfromtxt(table("1 3e5"), .dtype = GA_I16), "line 1, column 2: '3e5' does not fit int16");
    FAILS(GA_BAD_FILE, ga_genfromtxt(table("1\n-1.5"), .dtype = GA_U8), "line 2, column 1: '-1.5' does not fit uint8");
}

/* "1 2\n" and "3 4\n", each packed by gzip, the second with a name and the time of its file. */
static const unsigned char packed[] = { 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x33, 0x54, 0x30, 0xe2,
                                        0x02, 0x00, 0x57, 0xbb, 0x3b, 0x5c, 0x04, 0x00, 0x00, 0x00, 0x1f, 0x8b, 0x08, 0x08,
                                        0x00, 0xca, 0x9a, 0x3b, 0x02, 0xff, 0x74, 0x2e, 0x74, 0x78, 0x74, 0x00, 0x33, 0x56,
                                        0x30, 0xe1, 0x02, 0x00, 0x5a, 0xd4, 0x68, 0xa0, 0x04, 0x00, 0x00, 0x00 };

static void test_gzip(void)
{
    unsigned char damaged[sizeof packed];
    put((const char *)packed, sizeof packed);
    CHECK_IS(ga_loadtxt(path), GA_F64, (2, 2), 1, 2, 3, 4);
    CHECK_IS(ga_genfromtxt(path, .dtype = GA_U8, .usecols = ga_axes(1)), GA_U8, (2), 2, 4);
    for (size_t i = 0; i < sizeof packed;
         i++) { /* whatever is cut off or changed, nothing but an error or the same table comes of it */
        for (int cut = 0; cut < 2; cut++) {
            memcpy(damaged, packed, sizeof packed);
            damaged[i] ^= 0x40;
            put((const char *)(cut ? packed : damaged), cut ? i : sizeof packed);
            ga_array *a = ga_loadtxt(path);
            if (a) CHECK(a->size <= 4);
            else CHECK(ga_error_status() != GA_OK);
            ga_clear_error();
            ga_free(a);
        }
    }
    memcpy(damaged, packed, sizeof packed);
    damaged[sizeof packed - 6] ^= 1;
    put((const char *)damaged, sizeof packed);
    FAILS(GA_BAD_FILE, ga_loadtxt(path), "is damaged: it cannot be unpacked");
    static const unsigned char blocks[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x32, 0x54, 0x30, 0xe2, 0x02,
        0x08, 0x30, 0x63, 0x05, 0x13, 0x2e, 0x00, 0x57, 0x00, 0xd6, 0x61, 0x08, 0x00, 0x00, 0x00
    }; /* of the same codes */
    put((const char *)blocks, sizeof blocks);
    CHECK_IS(ga_loadtxt(path), GA_F64, (2, 2), 1, 2, 3, 4);
    put((const char *)packed, 12);
    FAILS(GA_BAD_FILE, ga_loadtxt(path), "is damaged: it cannot be unpacked");
    put((const char *)packed, 2);
    FAILS(GA_BAD_FILE, ga_loadtxt(path), "is damaged: it cannot be unpacked");
    const char *const name = "build/tests/table.txt.gz";
    ga_scope {
        ga_array *x = ga_reshape(ga_divide(ga_arange(0, 30000, 1), 7), (10000, 3));
        if (ga_savetxt(name, x, .fmt = "%.17g", .header = "a b c", .footer = "end")) {
            ga_array *y = ga_loadtxt(name);
            FILE     *f = fopen(name, "rb");
            CHECK(f && getc(f) == 0x1f && getc(f) == 0x8b && fclose(f) == 0);
            CHECK(test_same_bits(x, y));
        } else {
            CHECK(strstr(ga_error(), "apt-get install zlib1g-dev"));
            printf("SKIP built without zlib: no text is packed\n");
            ga_clear_error();
        }
        (void)remove(name);
    }
}

static void test_savetxt(void)
{
    ga_scope {
        ga_array *x = ga_reshape(ga_values(1.5, -2.25, NAN, -INFINITY), (2, 2)), *i = ga_ints(1, -20);
        CHECK(ga_savetxt(path, x) && has("1.500000000000000000e+00 -2.250000000000000000e+00\nnan -inf\n"));
        CHECK(ga_savetxt(path, x, "%08.2f", ",") && has("00001.50,-0002.25\n00000nan,-0000inf\n"));
        CHECK(ga_savetxt(path, x, .fmt = "%5.1f|%-9.2e|") && has("  1.5|-2.25e+00|\n  nan|-inf     |\n"));
        CHECK(ga_savetxt(path, i, .fmt = "%5.3d", .header = "two\nlines", .footer = "end") &&
              has("# two\n# lines\n  001\n -020\n# end\n"));
        CHECK(ga_savetxt(path, ga_transpose(x), .fmt = "%s", .newline = "\r\n") && has("1.5 nan\r\n-2.25 -inf\r\n"));
        CHECK(ga_savetxt(path, ga_index(x, "0"), .fmt = "x%+i") && has("x+1\nx-2\n"));
        CHECK(ga_savetxt(path, ga_full((1, 2), ga_complex(1, -2)), .fmt = "%.1f") && has(" (1.0-2.0j)  (1.0-2.0j)\n"));
        CHECK(ga_savetxt(path, ga_full((1, 1), ga_complex(1, -2)), .fmt = "%g;%.2f") && has("1;-2.00\n"));
        CHECK(ga_savetxt(path, ga_astype(ga_ints(0, 2), GA_BOOL), .fmt = "%s") && has("False\nTrue\n"));
        CHECK(ga_savetxt(path, ga_values(9.9999, 0.5, 1e22, 0), .fmt = "%.0e") && has("1e+01\n5e-01\n1e+22\n0e+00\n"));
        CHECK(ga_savetxt(path, ga_values(0.125, 2.5, 999.9996), .fmt = "%.2f") && has("0.12\n2.50\n1000.00\n"));
        CHECK(ga_savetxt(path, ga_zeros((0, 3))) && has(""));
        CHECK(ga_savetxt(path, ga_zeros((2, 0))) && has("\n\n"));
        ga_array *random = ga_random_normal(0, 1e5, (3000, 7), .seed = 3);
        CHECK(ga_savetxt(path, random) && ga_array_equal(ga_loadtxt(path), random)); /* several pieces, some threads */
        CHECK(ga_savetxt(path, random, .fmt = "%.17g", .delimiter = ";") &&
              ga_array_equal(ga_loadtxt(path, .delimiter = ";"), random));
    }
}

static void test_large_tables(void)
{
    ga_scope {
        ga_array *wide =
            ga_reshape(ga_astype(ga_arange(0, 1000000, 1), GA_F32), (1, 1000000)); /* a line is longer than a block */
        CHECK(ga_savetxt(path, wide, .fmt = "%.1f") && ga_array_equal(ga_loadtxt(path, .dtype = GA_F32, .ndmin = 2), wide));
        ga_array *tall = ga_reshape(wide, (1000000, 1));
        CHECK(ga_savetxt(path, tall, .fmt = "%d") && ga_array_equal(ga_loadtxt(path, .dtype = GA_F32, .ndmin = 2), tall));
        CHECK(ga_savetxt(path, tall, .fmt = "%d", .footer = "bad", .comments = ""));
        FAILS(GA_BAD_FILE, ga_loadtxt(path), "line 1000001, column 1: 'bad' is no float64");
    }
}

static void test_locales(void)
{
    static const char *const comma[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8" };
    for (int i = 0; i < 3 && !setlocale(LC_ALL, comma[i]); i++) continue;
    ga_scope {
        ga_array *x = ga_values(0.5, 1.0 / 3);
        CHECK(ga_savetxt(path, x, .fmt = "%.4g") && has("0.5\n0.3333\n"));
        CHECK(ga_savetxt(path, x) && ga_array_equal(ga_loadtxt(path), x));
        CHECK(ga_item(ga_loadtxt(table("4503599627370497.5"))) ==
              4503599627370498.0); /* halfway, which the C library decides */
        CHECK_IS(ga_genfromtxt(table("1.5,x"), .delimiter = ",", .missing_values = "x", .filling_values = 2.5), GA_F64, (2),
                 1.5, 2.5);
        FAILS(GA_BAD_FILE, ga_genfromtxt(path, .dtype = GA_U8, .delimiter = ",", .filling_values = -0.5), "-0.5");
        ga_clear_error();
    }
    setlocale(LC_ALL, "C");
}

static void test_raw(void)
{
    ga_scope {
        const ga_c64 z[1] = { { 1, 2 } };
        put("\0\1\0\2\0\3", 6);
        CHECK_IS(ga_fromfile(path, .dtype = GA_U16, .swapped = true), GA_U16, (3), 1, 2, 3);
        CHECK_IS(ga_fromfile(path, .dtype = GA_U16, .offset = 2, .count = 1, .swapped = true), GA_U16, (1), 2);
        CHECK_IS(ga_fromfile(path, GA_U8, 2), GA_U8, (2), 0, 1);
        CHECK_IS(ga_fromfile(path, .dtype = GA_BOOL, .swapped = true), GA_BOOL, (6), 0, 1, 0, 1, 0, 1);
        CHECK(ga_fromfile(path, .offset = 6)->size == 0);
        CHECK(ga_tofile(ga_from(z, (1)), path, .swapped = true));
        CHECK_IS(ga_fromfile(path, .dtype = GA_U8), GA_U8, (8), 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0);
        ga_array *x = ga_reshape(ga_arange(0, 6, 1), (2, 3));
        CHECK(ga_tofile(ga_transpose(x), path) && ga_array_equal(ga_fromfile(path, GA_I64), ga_ints(0, 3, 1, 4, 2, 5)));
        CHECK(ga_tofile(x, path, .swapped = true) &&
              ga_array_equal(x, ga_reshape(ga_arange(0, 6, 1), (2, 3)))); /* x is as it was */
        CHECK(ga_array_equal(ga_fromfile(path, GA_I64, .swapped = true), ga_ravel(x)));

        /* numbers of another machine, in memory: the caller's are left as they are */
        const uint32_t words[2] = { 0x0000803f, 0x000000c0 };
        CHECK_IS(ga_from((const float *)(const void *)words, (2), .swapped = true), GA_F32, (2), 1, -2);
        CHECK_IS(ga_from(words, (2), .dtype = GA_F64, .swapped = true), GA_F64, (2), 0x3f800000, 0xc0000000);
        ga_c64 z2;
        memcpy(&z2, "\x3f\x80\0\0\x40\0\0\0", sizeof z2);
        const ga_c128 item = ga_item_complex(ga_from(&z2, (1), .swapped = true));
        CHECK(item.re == 1 && item.im == 2);
        CHECK(words[0] == 0x0000803f && words[1] == 0x000000c0);

        /* halves are 2 bytes each */
        ga_array *halves = ga_astype(ga_values(1, -2), GA_F16);
        CHECK(ga_tofile(halves, path));
        CHECK_IS(ga_fromfile(path, GA_U16), GA_U16, (2), 0x3c00, 0xc000);
        CHECK(ga_array_equal(ga_fromfile(path, GA_F16), halves));
    }
}

static void test_bad_tables(void)
{
    const ga_dtype           dtypes[2] = { GA_F64, GA_F64 };
    ga_array                *columns[2];
    static const char *const no_numbers[] = { "0x10", "1_000", "1,5", "1e", "--1",   "nan(1)",
                                              "1d5",  ".",     "+",   "e5", "1.2.3", "infinit" };
    for (size_t k = 0; k < sizeof no_numbers / sizeof *no_numbers; k++)
        FAILS(GA_BAD_FILE, ga_loadtxt(table(no_numbers[k])), "line 1, column 1", no_numbers[k], "is no float64");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("# c\n1 2\n3 x4 5\n")), path, "line 3, column 2: 'x4' is no float64");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("1 2\n\n3\n")), "line 3 has 1 column, and 2 are expected", ".usecols");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("1 2\n3\n"), .usecols = ga_axes(1)), "line 2 has 1 column", ".usecols = (1,)");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("1,2")), "'1,2' is no float64: is a .delimiter missing?");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("1,,2"), .delimiter = ","), "column 2: '' is no float64", "ga_genfromtxt");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("300"), .dtype = GA_U8), "'300' does not fit uint8");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("-1"), .dtype = GA_U64), "'-1' does not fit uint64");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("1.5"), .dtype = GA_I32), "'1.5' is no int32");
    FAILS(GA_BAD_FILE, ga_loadtxt(table("1+2i"), .dtype = GA_C128), "'1+2i' is no complex128");
    put("1 \0\n2", 5);
    FAILS(GA_BAD_FILE, ga_loadtxt(path), "line 1, column 2: '?' is no float64");
    FAILS(GA_BAD_FILE, ga_genfromtxt(table("1,x"), .delimiter = ",", .loose = false), "'x' is no float64: .missing_values");
    FAILS(GA_BAD_FILE, ga_genfromtxt(table("1,"), .delimiter = ",", .dtype = GA_U8),
          "-1, does not fit uint8: use .filling_values");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(path, .delimiter = ",,"), ".delimiter is ',,'", "one character");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(path, .quotechar = ""), ".quotechar is ''");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(path, .delimiter = "#"), "must begin differently");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(path, .ndmin = 3), ".ndmin = 3");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(path, .skiprows = -1), "negative: -1");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(path, .usecols = ga_axes()), ".usecols names no column");
    FAILS(GA_BAD_ARGUMENT, ga_genfromtxt(path, .skip_footer = 1, .max_rows = 1), ".skip_footer and .max_rows");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt_n(table("1 2 3"), 2, dtypes, columns), "2 arrays for 3 columns");
    CHECK(!columns[0] && !columns[1]);
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt_n(path, 0, dtypes, columns), "no arrays");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt_n(path, 2, NULL, columns), "dtypes or columns is NULL");
    FAILS(GA_BAD_ARGUMENT, ga_loadtxt(NULL), "NULL");
    FAILS(GA_NO_FILE, ga_loadtxt("/no such file"), "No such file");
    FAILS(GA_NO_FILE, ga_genfromtxt("build"), "no regular file");
    FAILS(GA_NO_FILE, ga_loadtxt("/proc/self/stat"), "/proc/self/stat");
}

static void test_bad_formats(void)
{
    static const char *const formats[] = {
        "%n", "%*d", "%c", "%p", "%x", "%r", "%5", "%", "%1001d", "%.1001f", "%999999999999d", "%$d", "%(a)d", "%'d"
    };
    ga_scope {
        ga_array *x = ga_values(1.5, NAN), *m = ga_ones((2, 3));
        remove(path);
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
            FAILS(GA_BAD_ARGUMENT, ga_savetxt(path, x, .fmt = formats[k]), formats[k], "is no format of numbers");
        FAILS(GA_BAD_ARGUMENT, ga_savetxt(path, m, .fmt = "%d %d"), "2 times %", "3 numbers");
        FAILS(GA_BAD_ARGUMENT, ga_savetxt(path, m, .fmt = "abc"), "0 times %");
        FAILS(GA_BAD_ARGUMENT, ga_savetxt(path, x, .fmt = "%d"), "row 1 has a number that is not finite");
        FAILS(GA_BAD_ARGUMENT, ga_savetxt(path, x, .fmt = NULL), "is NULL");
        FAILS(GA_BAD_SHAPE, ga_savetxt(path, ga_scalar(1)), "()", "1 or 2 dimensions");
        FAILS(GA_BAD_SHAPE, ga_savetxt(path, ga_ones((1, 1, 1))), "(1, 1, 1)");
        FAILS(GA_BAD_ARGUMENT, ga_savetxt("/tmp/x.npy", x), "ends in .npy");
        FAILS(GA_BAD_ARGUMENT, ga_savetxt(path, ga_chunked(m, 1, 1)), "ga_compute it first");
        FAILS(GA_BAD_ARGUMENT, ga_tofile(ga_chunked(m, 1, 1), path), "ga_compute it first");
        FAILS(GA_BAD_ARGUMENT, ga_tofile(x, "/tmp/x.npy"), "ends in .npy");
        FAILS(GA_NO_FILE, ga_savetxt("/no such folder/x", x), "No such file");
        FAILS(GA_NO_FILE, ga_tofile(x, "/no such folder/x"), "No such file");
        CHECK(access(path, F_OK) != 0);
        table("0123456789");
        FAILS(GA_BAD_FILE, ga_fromfile(path), "10 bytes", "no whole number of float64: .count = 1");
        FAILS(GA_BAD_FILE, ga_fromfile(path, .count = 2), ".count = 2 of float64 need more");
        FAILS(GA_BAD_FILE, ga_fromfile(path, .count = INT64_MAX), "need more");
        FAILS(GA_BAD_ARGUMENT, ga_fromfile(path, .offset = 11), ".offset = 11 lies behind them");
        FAILS(GA_BAD_ARGUMENT, ga_fromfile(path, .offset = -1), "negative");
        FAILS(GA_BAD_ARGUMENT, ga_fromfile(path, .count = -2), "negative");
        FAILS(GA_NO_FILE, ga_fromfile("build"), "no regular file");
        remove(path);
        CHECK(mkfifo(path, 0600) == 0);
        FAILS(GA_NO_FILE, ga_loadtxt(path), "no regular file: copy what it gives to one");
        if (geteuid() != 0) {
            remove(path);
            table("1");
            CHECK(chmod(path, 0) == 0);
            FAILS(GA_NO_FILE, ga_loadtxt(path), "Permission denied");
        }
    }
}

/* A text with a few bytes changed, left out, doubled or exchanged; returns its length. */
static size_t mutate(const char *text, size_t n, char *to, size_t room)
{
    static const char bytes[] = " ,;\t\"'#\n\r\0e+-.0123456789naNIf()jJx_%\xEF\xBB\xBF\xFF";
    memcpy(to, text, n);
    for (int64_t k = 1 + test_below(4); k > 0; k--) {
        const size_t at     = n > 0 ? (size_t)test_below((int64_t)n) : 0,
                     length = n > 0 ? 1 + (size_t)test_below((int64_t)(n - at)) : 0;
        const char byte     = bytes[test_below(sizeof bytes - 1)];
        switch (n > 0 ? test_below(6) : 5) {
        case 0: to[at] = byte; break;
        case 1: to[at] = (char)(to[at] ^ 1 << test_below(8)); break;
        case 2: /* a piece is left out, */
            memmove(to + at, to + at + length, n - at - length);
            n -= length;
            break;
        case 3: /* or stands there twice */
            if (n + length > room) break;
            memmove(to + at + length, to + at, n - at);
            n += length;
            break;
        case 4: n = at; break;
        default:
            if (n + 1 > room) break;
            memmove(to + at + 1, to + at, n - at);
            to[at] = byte;
            n++;
        }
    }
    return n;
}

/* An array that is there to its last element, or a sentence. */
static bool is_sound(ga_array *a)
{
    bool sound = a ? !ga_error() && a->ndim <= 2 && ga_is_contiguous(a) : ga_error() && strlen(ga_error()) > 20;
    if (a) ga_free(ga_copy(a));
    ga_free(a);
    ga_clear_error();
    return sound;
}

static bool are_sound(bool read, ga_array **columns)
{
    return read ? is_sound(columns[0]) && is_sound(columns[1]) : !columns[0] && !columns[1] && is_sound(NULL);
}

/* Damaged tables, read in every way. */
static void test_mutated(void)
{
    static const char *const seeds[] = {
        "# x y\n1 2.5\n-3 4e1 # said\n",  "a,b\r\n1,2\r\n3,-inf\r\n,NA\r\n",
        "\"1\";\"2,5\"\n\"-3e-320\";4\n", "(1+2j) 3j\nnan (-inf-0.5j)\n",
        "  12 34567\n 345  890\n",        "9007199254740993 1e-320 123456789012345678901234567890.5e-12\n"
    };
    const ga_dtype dtypes[2] = { GA_F64, GA_I16 };
    const int64_t  times     = test_small() ? 300 : 3000;
    char           text[512];
    bool           sound  = true;
    const int64_t  arrays = ga_memory_stats().arrays;
    for (int64_t k = 0; k < times && sound; k++) {
        const char    *seed = seeds[k % 6];
        ga_array      *columns[2];
        const size_t   n     = mutate(seed, strlen(seed), text, sizeof text);
        const char    *comma = k % 6 == 1 ? "," : k % 6 == 2 ? ";" : NULL, *quote = k % 6 == 2 ? "\"" : NULL;
        const ga_dtype dtype = (ga_dtype)(GA_BOOL + test_below(GA_C128));
        put(text, n);
        sound =
            is_sound(ga_loadtxt(path, .dtype = dtype, .delimiter = comma, .quotechar = quote)) &&
            is_sound(ga_loadtxt(path, .dtype = GA_C128, .skiprows = 1, .max_rows = 2, .usecols = ga_axes(-1, 0), .ndmin = 2)) &&
            is_sound(ga_genfromtxt(path, .dtype = dtype, .delimiter = comma, .skip_footer = 1, .missing_values = "NA,-3")) &&
            is_sound(ga_genfromtxt(path, .dtype = GA_F64, .delimiter = comma, .names = true, .loose = false)) &&
            is_sound(ga_genfromtxt(path, .dtype = GA_F64, .filling_values = 7, .widths = "4, 3, 2")) &&
            are_sound(ga_loadtxt_n(path, 2, dtypes, columns, .delimiter = comma), columns) &&
            are_sound(ga_genfromtxt_n(path, 2, dtypes, columns, .delimiter = comma), columns);
        if (!sound) printf("     table %lld: %.*s\n", (long long)k, (int)n, text);
    }
    CHECK(sound);
    CHECK(ga_memory_stats().arrays == arrays);
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    test_begin();
    test_loadtxt();
    test_numbers_are_strtods();
    test_genfromtxt();
    test_delimiters();
    test_gzip();
    test_cut_numbers();
    test_savetxt();
    test_large_tables();
    test_locales();
    test_raw();
    test_bad_tables();
    test_bad_formats();
    remove(path);
    test_mutated();
    remove(path);
    CHECK(ga_report_leaks(stdout) == 0);
    return test_end();
}
