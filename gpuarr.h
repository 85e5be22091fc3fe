/*  gpuarr.h -- arrays for C, on the CPU and on CUDA, from one definition.

    In ONE source file of your program:          In every other file:
        #define GPUARR_IMPLEMENTATION                #include "gpuarr.h"
        #include "gpuarr.h"

    Build:   cc main.c -lm -lpthread             (gcc or clang, C11 and later, or C++20; no other flag is needed)
    GPU:     nvcc -c impl.cu, where impl.cu is the ONE file; the rest of the program stays C. See >>cuda.
    Faster builds: in a program of one file, #define GPUARR_STATIC before GPUARR_IMPLEMENTATION: unused functions are not compiled
             (g++ needs -O1 or higher for that). A program that calls ga_eval contains every operation of the table, for these dtypes:
             #define GPUARR_EVAL_DTYPES GA_BOOL, GA_U8, GA_I32, GA_I64, GA_F32, GA_F64 (the default; name others if you need them).
             -DGPUARR_FEW_DTYPES compiles the loops for bool, uint8, int32, int64, uint64, float32 and float64 only;
             -DGPUARR_BASELINE_ONLY omits those for AVX2 and AVX-512. nvcc: --split-compile=2.
             The ONE file can be compiled in parts, in parallel, or only the part that changed: -DGPUARR_PART=1, 2, 3 and 4 (below)
             make four objects, which together are the same library. nvcc need compile only the GPU's part: -DGPUARR_PART=5
             (nvcc -x cu); a C or C++ compiler makes the other parts, or the ONE file, with -DGPUARR_WITH_CUDA.
    More than 8 dimensions: #define GPUARR_MAX_DIMS before every include. -ffast-math and -mfpmath=387 are refused. Do not use
    -ffp-contract=fast with clang (it then ignores our pragmas). nvcc: -fmad=false if the program has kernels of its own.
    Optional libraries; the error of a call that needs a missing one names it:
             PNG, writing: stb_image_write.h, found automatically (GPUARR_NO_STB: not used)
             FITS: CFITSIO, with -DGPUARR_USE_CFITSIO and -lcfitsio
             compressed Zarr and text, writing: zlib, with -DGPUARR_USE_ZLIB and -lz; HDF5, reading: libhdf5, with -DGPUARR_USE_HDF5
             chunked arrays on several processes and machines: Open MPI or MPICH, with gpuarr_mpi.h instead of this file, and mpicc
             large matrix products: any CBLAS, with -DGPUARR_USE_CBLAS and -lopenblas; on the GPU -DGPUARR_USE_CUBLAS and -lcublas
             eigenvalues and singular values of large matrices: LAPACKE, with -DGPUARR_USE_LAPACKE and -llapacke -lopenblas;
                 on the GPU, and for QR: -DGPUARR_USE_CUSOLVER and -lcusolver
             convolution by Fourier transforms: FFTW, with -DGPUARR_USE_FFTW and -lfftw3 -lfftw3f; on a GPU -DGPUARR_USE_CUFFT and -lcufft
             (gpuarr has products and transforms of its own; the library's may be faster, but differ in the last bits)

    What a person needs to remember
      * Names, defaults and results are NumPy's and SciPy's, with ga_ in front. Where they differ, the README says so.
      * Shapes are written as in NumPy, in parentheses: ga_zeros((300, 600, 3)). The default dtype is float64.
      * Options have names, and all may be omitted: ga_sum(a, .axis = 0, .keepdims = true). In C++ keep the order of their declaration.
      * Operands are arrays or plain C numbers: ga_add(a, 2). A number adopts the dtype of the array.
      * Views share memory: ga_index(a, "::2, -1") costs nothing. Free each array, or let ga_scope { ... } do it.
      * A failed call prints a sentence that says why, and returns NULL. A call that is given NULL returns NULL. ga_error() is the first
        error. After ga_on_error(GA_EXIT) an error ends the program.

    To navigate, search for ">>". The public API below has the sections >>dtypes  >>array  >>errors  >>memory  >>creation  >>views
    >>elementwise  >>reductions  >>rearranging  >>products  >>linear algebra  >>fourier  >>convolution  >>filters  >>morphology
    >>interpolation  >>images  >>signals  >>distances  >>kernels (your own)  >>formulas  >>chunked  >>tasks  >>files
    >>exchange (DLPack)  >>timing  >>cuda (GPUs, streams, events). Each elementwise operation and simple reduction is one line of
    gpuarr/rows/table.h; gpuarr/rows/README.md lists them. The implementation is in the folder gpuarr/, one topic per file:
    gpuarr/README.md is its map. gpuarr_implementation.h includes the files in their order.                                      */

#if defined(_WIN32) || (defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ < 8)
#error "gpuarr: for 64-bit Linux only, not for Windows (there: in WSL) and not for 32 bits (-m32)"
#elif (defined(__cplusplus) && __cplusplus < 201402L) ||                                                                       \
    (!defined(__cplusplus) && defined(__STRICT_ANSI__) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L))
#error "gpuarr: C11 or later (not -ansi), or C++17 or later: -std=c11, -std=c++20"
#elif defined(GI_USER_TABLE) /* the table asks for the user's rows; GA_TABLE is defined meanwhile */
#include GPUARR_USER_TABLE
#elif defined(GA_TABLE)
#include "gpuarr/rows/table.h"
#elif defined(GI_USER_FORMULAS)
#include GPUARR_USER_FORMULAS
#else
#ifndef GPUARR_INCLUDED
#define GPUARR_INCLUDED

#if defined(__has_include) && !defined(GI_ONE_FILE)
#if !__has_include("gpuarr/rows/table.h")
#error "gpuarr: the folder gpuarr/ is missing beside gpuarr.h: cp -r gpuarr* there/"
#endif
#endif

/* What the file with GPUARR_IMPLEMENTATION compiles: everything, or one part. The loops (2, 3, 4) change least and take longest. Compile
   all parts with the same other flags, and link them together. */
#define GPUARR_ALL      0
#define GPUARR_RUNTIME  1 /* all but the loops */
#define GPUARR_BASELINE 2 /* the loops for any processor, */
#define GPUARR_AVX2     3 /* and these for x86; elsewhere the part is empty */
#define GPUARR_AVX512   4
#define GPUARR_GPU      5 /* the kernels and what launches them: nvcc -x cu; the others with -DGPUARR_WITH_CUDA */
#ifndef GPUARR_PART
#define GPUARR_PART GPUARR_ALL
#endif
#if GPUARR_PART < GPUARR_ALL || GPUARR_PART > GPUARR_GPU
#error "gpuarr: GPUARR_PART is 1, 2, 3, 4 or 5: see the first lines of gpuarr.h"
#endif

#if defined(GPUARR_IMPLEMENTATION) && !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* for mmap's MAP_ANONYMOUS, madvise and clock_gettime under -std=c11 */
#endif
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*  The default of an option: zero (GI_DEFAULT) or a value (GI_IS). In C++ the struct itself holds it; in C the macro of the call writes
    GI_DEFAULTS_..., defined below the struct, before the caller's options, which override it. Positional values begin at
    GI_BY_POSITION, to which C's initializer list is reset, and end at GI_BY_NAME, to which nothing converts.                          */
#ifdef __cplusplus
#define GI_DEFAULT = {}
#define GI_IS(...) = __VA_ARGS__
#define GI_BY_POSITION
struct gi_option_needs_its_name { /* what compilers say of a value behind the last position */
    constexpr explicit gi_option_needs_its_name(char c) : none(c) {}
    char none;
};
extern "C" {
#else
#define GI_DEFAULT
#define GI_IS(...)
#define GI_BY_POSITION gi_nothing gi_first;
__extension__ typedef struct gi_nothing {
} gi_nothing;
#ifdef __clang__
#define GI_TAKES_NONE
#else
#define GI_TAKES_NONE __attribute__((designated_init))
#endif
typedef struct GI_TAKES_NONE gi_option_needs_its_name {
    gi_nothing option_needs_its_name; /* what gcc says of a value behind the last position */
    char       none;
} gi_option_needs_its_name;
#endif
#define GI_BY_NAME      gi_option_needs_its_name by_name GI_IS(gi_option_needs_its_name(0));
#define GI_NOT_GIVEN(T) ((T *)(intptr_t)-1)

#if defined(GPUARR_STATIC) && defined(GPUARR_IMPLEMENTED)
#undef GPUARR_STATIC /* the implementation is linked */
#endif
#ifdef GPUARR_STATIC
#ifndef GPUARR_IMPLEMENTATION
#error "gpuarr: GPUARR_STATIC is for a program of one file: define GPUARR_IMPLEMENTATION there as well"
#undef GPUARR_STATIC
#endif
#endif
#ifdef GPUARR_STATIC
#define GI_STATIC
#if GPUARR_PART != GPUARR_ALL
#error "gpuarr: GPUARR_STATIC is for a program of one file: there are no parts of it"
#endif
#define GA_API static __attribute__((unused))
#else
#define GA_API
#endif

/* ==== >>dtypes ==================================================================================================== */

typedef struct ga_c64 {
    float re, im;
} ga_c64;

typedef struct ga_c128 {
    double re, im;
} ga_c128;

/* One line per element type: enumerator, tag, C type, NumPy's name. Everything else about a type is derived from these
   lists; their order is the order in which a smaller dtype looks for one that holds it. */
/* clang-format off */
#define GI_EACH_BOOL(X)     X( BOOL, b8,   bool,     "bool"       )
#define GI_EACH_INT(X)      X( I8,   i8,   int8_t,   "int8"       ) \
                            X( U8,   u8,   uint8_t,  "uint8"      ) \
                            X( I16,  i16,  int16_t,  "int16"      ) \
                            X( U16,  u16,  uint16_t, "uint16"     ) \
                            X( I32,  i32,  int32_t,  "int32"      ) \
                            X( U32,  u32,  uint32_t, "uint32"     ) \
                            X( I64,  i64,  int64_t,  "int64"      ) \
                            X( U64,  u64,  uint64_t, "uint64"     )
#define GI_EACH_FLT(X)      X( F32,  f32,  float,    "float32"    ) \
                            X( F64,  f64,  double,   "float64"    )
#define GI_EACH_COMPLEX(X)  X( C64,  c64,  ga_c64,   "complex64"  ) \
                            X( C128, c128, ga_c128,  "complex128" )
/* For storage in half the memory of float32. They have conversions, but no loops of their own: calls compute in float32. */
#define GI_EACH_HALF(X)     X( F16,  f16,  uint16_t, "float16"    ) \
                            X( BF16, bf16, uint16_t, "bfloat16"   )
/* clang-format on */
#define GI_EACH_DTYPE(X) GI_EACH_BOOL(X) GI_EACH_INT(X) GI_EACH_FLT(X) GI_EACH_COMPLEX(X)
/* Those for which loops and kernels are compiled. */
#ifdef GPUARR_FEW_DTYPES
#define GI_EACH_STAMPED(X)                                                                                                     \
    GI_EACH_BOOL(X)                                                                                                            \
    X(U8, u8, uint8_t, "uint8")                                                                                                \
    X(I32, i32, int32_t, "int32") X(I64, i64, int64_t, "int64") X(U64, u64, uint64_t, "uint64") GI_EACH_FLT(X)
#else
#define GI_EACH_STAMPED(X) GI_EACH_DTYPE(X)
#endif

#define GI_ENUM(TAG, tag, T, name) GA_##TAG,
typedef enum ga_dtype {
    GA_DTYPE_DEFAULT, /* an option that was not given */
    GI_EACH_DTYPE(GI_ENUM) GI_EACH_HALF(GI_ENUM) GA_DTYPE_COUNT
} ga_dtype;
#undef GI_ENUM
#ifdef __cplusplus
static_assert(sizeof(ga_dtype) == sizeof(int), "gpuarr: not with -fshort-enums: arrays would look otherwise");
#else
_Static_assert(sizeof(ga_dtype) == sizeof(int), "gpuarr: not with -fshort-enums: arrays would look otherwise");
#endif

/*  float16 and bfloat16 (GA_F16, GA_BF16) are for storage. A call computes in float32 and rounds a new result to nearest, ties to even;
    an .out of float32 receives it unrounded. (ga_spacing and ga_nextafter work in the half type itself, like NumPy's.) Supported are
    creation, conversions, views and calls that move elements, elementwise operations, reductions, medians, sort, sets, running sums,
    products (not ga_norm), ga_eval, chunked arrays, and .npy, .npz and Zarr files (bfloat16, which NumPy lacks, as GA_U16); other calls ask for
    ga_astype(a, GA_F32). An element is 2 bytes: to use your own memory, ga_view_as(ga_wrap(bits, (n)), GA_F16), where bits are uint16_t.
    They promote as in NumPy: with bool, int8 and uint8 to themselves, with each other to float32, with any other dtype as float32 does.
    int64 is converted by way of float64. A result that was rounded may lose the payload of a NaN.                                  */
/* "float32"; "?" if it is not a dtype. */
GA_API const char *ga_dtype_name(ga_dtype dtype);
/* Bytes of one element; 0 if it is not a dtype. */
GA_API int64_t ga_itemsize(ga_dtype dtype);
/* The dtype that both promote to, by NumPy's table: int64 and float32 give float64. */
GA_API ga_dtype ga_promote(ga_dtype a, ga_dtype b);
/* The limits of a float dtype (or of the parts of a complex one) and of an integer dtype, like numpy.finfo and numpy.iinfo; all 0 on error. */
typedef struct ga_float_info {
    int    bits, nmant, maxexp, minexp, precision;
    double eps, epsneg, max, min, tiny, smallest_subnormal, resolution; /* tiny: the smallest normal number */
} ga_float_info;
typedef struct ga_int_info {
    int      bits;
    int64_t  min;
    uint64_t max;
} ga_int_info;
GA_API ga_float_info(ga_finfo)(ga_dtype dtype, const char *site);
GA_API ga_int_info(ga_iinfo)(ga_dtype dtype, const char *site);
/* Is it of the kind "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" or "numeric"? */
GA_API bool(ga_isdtype)(ga_dtype dtype, const char *kind, const char *site);
/* Does every value of `from` survive in `to`? (NumPy's casting="safe") */
GA_API bool ga_can_cast(ga_dtype from, ga_dtype to);

/* One operation is one enumerator: GA_OP_add. */
typedef enum ga_op {
#define GA_UNARY(name, ...)       GA_OP_##name,
#define GA_ELEMENTARY(name, ...)  GA_OP_##name,
#define GA_BINARY(name, ...)      GA_OP_##name,
#define GA_ELEMENTARY2(name, ...) GA_OP_##name,
#define GA_TERNARY(name, ...)     GA_OP_##name,
#define GA_FOLD(name, ...)        GA_OP_##name,
#define GA_TABLE
#include "gpuarr/rows/table.h"
    GA_OP_COUNT
} ga_op;

/* ==== >>array ===================================================================================================== */

#ifndef GPUARR_MAX_DIMS
#define GPUARR_MAX_DIMS 8
#endif
#if GPUARR_MAX_DIMS < 4
#error "gpuarr: GPUARR_MAX_DIMS must be at least 4"
#endif
#define GI_JOIN_(a, b) a##b
#define GI_JOIN(a, b)  GI_JOIN_(a, b)
#if GPUARR_MAX_DIMS != 8 /* ga_array has another size: a file whose limit is not the implementation's does not link */
#define ga_free GI_JOIN(ga_free_dims_, GPUARR_MAX_DIMS)
#endif

typedef enum ga_device { GA_DEVICE_DEFAULT, GA_CPU, GA_CUDA } ga_device;

/* CUDA's own types: a cudaStream_t is a ga_stream. They are declared here so that C files need no CUDA header. */
typedef struct CUstream_st *ga_stream;
typedef struct CUevent_st  *ga_event;

/* A shape, or a list of axes: ndim numbers. */
typedef struct ga_shape {
    int     ndim;
    int64_t n[GPUARR_MAX_DIMS];
#ifdef __cplusplus /* ga_shape{ 2, { 3, 4 } } as in C, but .axes = 1 is none */
    ga_shape() = default;
    constexpr ga_shape(int dims, const int64_t (&lengths)[GPUARR_MAX_DIMS]) : ndim(dims), n{}
    {
        for (int d = 0; d < GPUARR_MAX_DIMS; d++) n[d] = lengths[d];
    }
#endif
} ga_shape;

typedef struct gi_buffer gi_buffer; /* shared, reference-counted memory */

/* An array: a typed, strided view of a buffer. Read the fields as you like; do not write them. */
typedef struct ga_array {
    void     *data; /* the first element; no address if the array is chunked (ga_is_chunked): use ga_compute first */
    ga_dtype  dtype;
    ga_device device;
    int       ndim;
    int64_t   shape[GPUARR_MAX_DIMS];
    int64_t   strides[GPUARR_MAX_DIMS]; /* bytes from one element to the next, as NumPy's; may be 0 or negative */
    int64_t   size;                     /* number of elements: the product of the shape */

    gi_buffer       *owner;       /* keeps the memory alive */
    uint32_t         alive;       /* a mark that ga_free clears */
    struct gi_scope *scope;       /* frees this array when it ends; NULL: you do */
    struct ga_array *prev, *next; /* the other arrays of that scope */
} ga_array;

/* An operand: an array or a plain number. GA_ARG makes one from either. */
typedef enum ga_kind { GA_KIND_ARRAY, GA_KIND_BOOL, GA_KIND_INT, GA_KIND_UINT, GA_KIND_REAL, GA_KIND_COMPLEX } ga_kind;
typedef struct ga_arg {
    const ga_array *array;
    ga_kind         kind;
    bool    single; /* a finite float (NAN and INFINITY are floats in C), or a ga_c64: by itself it is float32 or complex64 */
    int64_t i;      /* BOOL, INT; the bits of a UINT beyond INT64_MAX */
    double  re, im;
} ga_arg;

/* A complex number as an operand: ga_multiply(a, ga_complex(0, 1)). ga_c64, ga_c128, C's float complex and double complex, and C++'s
   std::complex are operands too. */
static inline ga_arg ga_complex(double re, double im)
{
    ga_arg z = { NULL, GA_KIND_COMPLEX, false, 0, re, im };
    return z;
}

/*  Options. Zero is a value like any other: an option that is not given has the default on its line, or else zero. Those before
    GI_BY_NAME may also be given by position, in NumPy's order. The macros set `site`, the place and the text of the call, for error
    messages. To call the function itself, (ga_sum)(a, o), start from the defaults: ga_reduce_options o = ga_reduce_defaults; o.axis = 0; */
#define GA_AXIS_DEFAULT   (-INT32_MAX - 1)          /* no axis was given: .axis = INT32_MIN says the same */
#define GA_LENGTH_DEFAULT INT64_MIN                 /* no length was given */
#define GA_REAL_DEFAULT   (-1.6180339887498949e308) /* no number was given */
#define GA_NO_ARRAY       GI_NOT_GIVEN(ga_array)    /* no array was given; NULL is what a call that failed has returned */
#define GA_NO_ARG                                                                                                              \
    {                                                                                                                          \
        GA_NO_ARRAY, GA_KIND_ARRAY, false, 0, 0, 0                                                                             \
    } /* no operand was given */
typedef struct ga_new_options {
    GI_BY_POSITION
    ga_dtype dtype GI_DEFAULT; /* default float64, or that of the prototype */
    GI_BY_NAME
    ga_device device GI_DEFAULT; /* default ga_get_device() */
    bool pinned      GI_DEFAULT; /* on the CPU: page-locked memory, for fast, asynchronous copies (ga_to); slow to allocate */
    bool managed     GI_DEFAULT; /* on the GPU: memory that the CPU may also use, through ga_data */
    ga_shape chunks  GI_DEFAULT; /* a chunked array: .chunks = ga_chunks(1000, 500); see >>chunked */
    const char *site GI_IS("");
} ga_new_options;
#define GI_DEFAULTS_ga_new_options

typedef struct ga_to_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array *out    GI_IS(GA_NO_ARRAY); /* copy into this array, of the same shape and dtype, on that device */
    ga_stream stream GI_DEFAULT;         /* copy on this stream; default ga_get_stream() */
    bool async       GI_DEFAULT;         /* if the memory on the CPU is pinned, do not wait for the copy; see >>cuda */
    const char *site GI_IS("");
} ga_to_options;
#define GI_DEFAULTS_ga_to_options  .out = GA_NO_ARRAY,

typedef struct ga_map_options {
    GI_BY_POSITION
    ga_array *out GI_IS(GA_NO_ARRAY); /* write the result there and return it; cast as by NumPy's "same_kind" */
    GI_BY_NAME
    const ga_array *where GI_IS(GA_NO_ARRAY); /* bool: compute only where true; elsewhere .out is unchanged, a new result 0 */
    ga_dtype dtype        GI_DEFAULT;         /* compute in this dtype */
    const char *site      GI_IS("");
} ga_map_options;
#define GI_DEFAULTS_ga_map_options .out = GA_NO_ARRAY, .where = GA_NO_ARRAY,

typedef struct ga_reduce_options {
    GI_BY_POSITION
    int axis       GI_IS(GA_AXIS_DEFAULT); /* default: all axes; negative: counted from the last */
    ga_dtype dtype GI_DEFAULT;             /* compute and return in this dtype */
    ga_array *out  GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    ga_shape axes GI_IS({ -1, {} }); /* several: .axes = ga_axes(0, 2) */
    bool keepdims GI_DEFAULT;        /* keep the reduced axes, with length 1 */
    int ddof      GI_DEFAULT;        /* std, var: divide by n - ddof */
    /* only the elements where this, broadcast to the shape of a, is nonzero; for mean, var, std, sum, prod, min, max, any, all,
       count_nonzero, nansum, nanprod, nanmin and nanmax */
    const ga_array *where GI_IS(GA_NO_ARRAY);
    ga_arg initial        GI_IS(GA_NO_ARG); /* sums, products, min and max: a start value, .initial = GA_ARG(0) */
    const char *site      GI_IS("");
} ga_reduce_options;
#define GI_DEFAULTS_ga_reduce_options                                                                                          \
    .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY, .axes = { -1, { 0 } }, .where = GA_NO_ARRAY, .initial = GA_NO_ARG,

/* How a quantile is interpolated between two elements: NumPy's methods, most of them by Hyndman and Fan (1996). */
typedef enum ga_quantile_method {
    GA_LINEAR,
    GA_LOWER,
    GA_HIGHER,
    GA_MIDPOINT,
    GA_NEAREST,
    GA_INVERTED_CDF,
    GA_AVERAGED_INVERTED_CDF,
    GA_CLOSEST_OBSERVATION,
    GA_INTERPOLATED_INVERTED_CDF,
    GA_HAZEN,
    GA_WEIBULL,
    GA_MEDIAN_UNBIASED,
    GA_NORMAL_UNBIASED
} ga_quantile_method;

typedef struct ga_order_options {
    GI_BY_POSITION
    int axis      GI_IS(GA_AXIS_DEFAULT);
    ga_array *out GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    ga_shape axes             GI_IS({ -1, {} });
    bool keepdims             GI_DEFAULT;
    ga_quantile_method method GI_DEFAULT; /* quantiles and percentiles: NumPy's method; default GA_LINEAR */
    const char *site          GI_IS("");
} ga_order_options;
#define GI_DEFAULTS_ga_order_options    .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY, .axes = { -1, { 0 } },

typedef struct ga_axis_options {
    GI_BY_POSITION
    int axis       GI_IS(GA_AXIS_DEFAULT); /* default: see the function */
    ga_dtype dtype GI_DEFAULT;
    ga_array *out  GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_axis_options;
#define GI_DEFAULTS_ga_axis_options     .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY,

typedef struct ga_axes_options {
    GI_BY_POSITION
    int axis GI_IS(GA_AXIS_DEFAULT); /* one axis, or */
    GI_BY_NAME
    ga_shape axes    GI_IS({ -1, {} }); /* several: .axes = ga_axes(2, 0, 1) */
    const char *site GI_IS("");
} ga_axes_options;
#define GI_DEFAULTS_ga_axes_options     .axis = GA_AXIS_DEFAULT, .axes = { -1, { 0 } },

/* ==== >>errors ==================================================================================================== */

typedef enum ga_status {
    GA_OK,
    GA_BAD_ARGUMENT, /* a value that makes no sense for the call */
    GA_BAD_SHAPE,
    GA_BAD_DTYPE,
    GA_BAD_DEVICE, /* arrays on different devices, or no such device */
    GA_NO_MEMORY,
    GA_NO_FILE,     /* cannot open, read or write */
    GA_BAD_FILE,    /* read, but not what it should be */
    GA_NO_LIBRARY,  /* an optional library is missing */
    GA_CUDA_FAILED, /* a call of the CUDA runtime, or a kernel */
    GA_STOPPED      /* by one of your functions */
} ga_status;

/* The first error of this thread since ga_clear_error: a sentence with the file, the line, the call and what to do; NULL if none. */
GA_API const char *ga_error(void);
GA_API ga_status   ga_error_status(void);
GA_API void        ga_clear_error(void);
/* Called with each first error instead of printing it to stderr, after the call has released its memory and locks: a handler may call
   gpuarr, for example to save results. NULL: print again. The handler `ga_ignore_error` prints nothing. */
typedef void (*ga_error_handler)(ga_status status, const char *sentence, void *user);
GA_API void ga_set_error_handler(ga_error_handler handler, void *user);
GA_API void ga_ignore_error(ga_status status, const char *sentence, void *user);

/*  What happens after a call has failed and the error was reported. With ga_on_error(GA_EXIT) at its beginning, a program need not check
    any call. If a program does not call ga_on_error, GPUARR_ON_ERROR=exit or =trap in the environment does the same. An error inside a
    task, or a function for chunks, counts when ga_run or ga_compute fails because of it. If a program continues and never looks at the
    error (ga_error, ga_error_status, ga_clear_error, or a handler), a line at its end says so. */
typedef enum ga_error_action {
    GA_CONTINUE, /* the call returns NULL or false */
    GA_EXIT,     /* exit(1) */
    GA_TRAP      /* stop in the debugger, at the call: raise(SIGTRAP) */
} ga_error_action;
GA_API void ga_on_error(ga_error_action action);

/* ==== >>memory ==================================================================================================== */

/* Releases the array; its memory is reused when its last view is freed. NULL: does nothing. */
GA_API void ga_free(ga_array *a);
/* Arrays made inside `ga_scope { ... }` are released at its end (return and break end it too, longjmp does not), except those passed to
   ga_keep, which then belong to the enclosing scope, or to you if there is none. Returns a. */
GA_API ga_array *ga_keep(ga_array *a);

typedef struct ga_memory {
    int64_t used_bytes;    /* in arrays */
    int64_t peak_bytes;    /* the most used since the start or ga_memory_reset_peak */
    int64_t total_bytes;   /* used, or cached for reuse */
    int64_t limit_bytes;   /* 0: no limit */
    int64_t arrays;        /* number of live arrays */
    int64_t spilled_bytes; /* in files: what ga_persist could not keep in memory */
} ga_memory;
GA_API ga_memory ga_memory_stats(void);
GA_API void      ga_memory_reset_peak(void);
/* An allocation beyond the limit fails with GA_NO_MEMORY. 0: no limit. */
GA_API void ga_memory_limit(int64_t bytes);
/* Returns cached memory to the system. */
GA_API void ga_memory_trim(void);
/* Allocates all later buffers and handles on the CPU by these functions (NULLs: the built-in ones); CUDA allocates GPU and pinned memory.
   alloc should return memory aligned to 64 bytes, or NULL. Fails, and changes nothing, while arrays are alive. */
typedef void *(*ga_alloc_function)(size_t bytes, void *user);
typedef void (*ga_free_function)(void *p, size_t bytes, void *user);
GA_API bool ga_set_allocator(ga_alloc_function alloc, ga_free_function release, void *user);
/* Lists the live arrays (shape, dtype, bytes, the call that made them); returns their number. */
GA_API int64_t ga_report_leaks(FILE *to);

GA_API void      ga_set_device(ga_device device);
GA_API ga_device ga_get_device(void);
/* Ends gpuarr's threads and releases all unused memory, of the GPUs too. Arrays remain valid, and a later call starts the threads again. An
   error inside a task. You need not call it: a library that contains gpuarr does when it is unloaded (dlclose); a program that exits does
   not, and frees nothing. */
GA_API void ga_shutdown(void);

/* The number of threads of the thread pool, 1 to 256 (default: GPUARR_NUM_THREADS, else the processors available). 1: the calling
   thread does everything. You may call gpuarr from any of your threads, but no thread may write an array while another uses it. Do not
   cancel a thread (pthread_cancel) that may be inside a call: the locks that it holds would stay locked. */
GA_API void ga_set_num_threads(int n);
GA_API int  ga_get_num_threads(void);
/* The instruction set in use: "avx512", "avx2" or "baseline". GPUARR_ISA=baseline in the environment selects a lower one. */
GA_API const char *ga_isa(void);

/* ==== >>creation: each returns a new array, or NULL on error ====================================================== */

GA_API ga_array *(ga_zeros)(ga_shape shape, ga_new_options o); /* all 0 */
GA_API ga_array *(ga_ones)(ga_shape shape, ga_new_options o);  /* all 1 */
GA_API ga_array *(ga_empty)(ga_shape shape, ga_new_options o); /* uninitialized */
GA_API ga_array *(ga_full)(ga_shape shape, ga_arg value,
                           ga_new_options o); /* all `value`; default dtype that of the value (C's `true` is an int) */
GA_API ga_array *(ga_zeros_n)(int ndim, const int64_t *shape, ga_new_options o); /* for shapes known at run time only */
GA_API ga_array *(ga_empty_n)(int ndim, const int64_t *shape, ga_new_options o);
GA_API ga_array *(ga_zeros_like)(const ga_array *a, ga_new_options o); /* the shape, dtype and device of a */
GA_API ga_array *(ga_ones_like)(const ga_array *a, ga_new_options o);
GA_API ga_array *(ga_empty_like)(const ga_array *a, ga_new_options o);
GA_API ga_array *(ga_full_like)(const ga_array *a, ga_arg value, ga_new_options o);
GA_API ga_array *(ga_scalar)(ga_arg value, ga_new_options o); /* 0-d */
GA_API ga_array *(ga_arange)(ga_arg start, ga_arg stop, ga_arg step,
                             ga_new_options o); /* start, start + step ... before stop; int64 for integers. Also
                                                   ga_arange(stop) and ga_arange(start, stop), without options */

typedef struct ga_linspace_options {
    GI_BY_POSITION
    bool endpoint GI_IS(true); /* stop is the last number */
    GI_BY_NAME
    double base      GI_IS(10); /* ga_logspace */
    ga_dtype dtype   GI_DEFAULT;
    ga_device device GI_DEFAULT;
    ga_shape chunks  GI_DEFAULT; /* a chunked array */
    const char *site GI_IS("");
} ga_linspace_options;
#define GI_DEFAULTS_ga_linspace_options .endpoint = true, .base = 10,
GA_API ga_array *(ga_linspace)(double start, double stop, int64_t num,
                               ga_linspace_options o); /* num evenly spaced numbers from start to stop */
GA_API ga_array *(ga_logspace)(double start, double stop, int64_t num, ga_linspace_options o); /* base ** linspace */
GA_API ga_array *(ga_geomspace)(double start, double stop, int64_t num,
                                ga_linspace_options o); /* each a constant multiple of the previous one */
/* Symmetric windows of m points, normalized to 1; float64 by default. */
GA_API ga_array *(ga_bartlett)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_blackman)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_hamming)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_hanning)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_kaiser)(int64_t m, double beta, ga_new_options o);

GA_API ga_array *(ga_eye)(int64_t rows, int64_t cols, int64_t k, ga_new_options o); /* ones on the k-th diagonal */
GA_API ga_array *(ga_identity)(int64_t n, ga_new_options o);                        /* ga_eye(n, n, 0) */
/* Ones at and below the k-th diagonal. */
GA_API ga_array *(ga_tri)(int64_t rows, int64_t cols, int64_t k, ga_new_options o);
typedef struct ga_diagonal_options {
    GI_BY_POSITION
    int64_t k GI_DEFAULT; /* which diagonal: > 0 above the main one, < 0 below it */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_diagonal_options;
#define GI_DEFAULTS_ga_diagonal_options
GA_API ga_array *(ga_diag)(const ga_array     *v,
                           ga_diagonal_options o); /* 1-D v: a matrix with that diagonal; 2-D: a view of one */
GA_API ga_array *(ga_diagflat)(const ga_array *v, ga_diagonal_options o); /* a matrix with v, flattened, as a diagonal */
GA_API ga_array *(ga_tril)(const ga_array *a, ga_diagonal_options o);     /* 0 above the k-th diagonal of the last two axes */
GA_API ga_array *(ga_triu)(const ga_array *a, ga_diagonal_options o);     /* 0 below it */
typedef struct ga_tri_options {
    GI_BY_POSITION
    int64_t k GI_DEFAULT;
    int64_t m GI_IS(GA_LENGTH_DEFAULT); /* columns; default n */
    GI_BY_NAME
    ga_device device GI_DEFAULT;
    const char *site GI_IS("");
} ga_tri_options;
#define GI_DEFAULTS_ga_tri_options .m = GA_LENGTH_DEFAULT,
/* Indices like ga_nonzero's, int64 (2, count), of the elements at and below, or at and above, the k-th diagonal of an n by m matrix. */
GA_API ga_array *(ga_tril_indices)(int64_t n, ga_tri_options o);
GA_API ga_array *(ga_triu_indices)(int64_t n, ga_tri_options o);
GA_API ga_array *(ga_diag_indices)(int64_t n, int ndim, const char *site); /* int64 (ndim, n) */
typedef struct ga_fill_options {
    GI_BY_POSITION
    bool wrap GI_DEFAULT; /* tall matrices: the diagonal starts again one row below each square, as in NumPy */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_fill_options;
#define GI_DEFAULTS_ga_fill_options
/* Writes a number, or the elements of an array, repeated as needed, to the main diagonal of a. Returns a, or NULL on error. */
GA_API ga_array *(ga_fill_diagonal)(ga_array *a, ga_arg value, ga_fill_options o);
typedef struct ga_vander_options {
    GI_BY_POSITION
    int64_t n       GI_IS(GA_LENGTH_DEFAULT); /* columns; default x->size */
    bool increasing GI_DEFAULT;               /* powers increase from left to right; default: the highest first */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_vander_options;
#define GI_DEFAULTS_ga_vander_options .n = GA_LENGTH_DEFAULT,
GA_API ga_array *(ga_vander)(const ga_array *x, ga_vander_options o); /* (x->size, n): a row of powers of each element */
/* Coordinate matrices of n 1-D arrays: new arrays in outs[0..n-1]. ij: indexing="ij"; else "xy", NumPy's default. On error false, and outs
   are NULL. */
GA_API bool(ga_meshgrid_n)(int n, const ga_array *const *in, ga_array **outs, bool ij, const char *site);
GA_API bool(ga_meshgrid)(const ga_array *x, const ga_array *y, ga_array **xx, ga_array **yy, bool ij, const char *site);
GA_API ga_array *(ga_indices)(ga_shape shape, ga_new_options o); /* (ndim, shape...): the index of every element, int64 */
GA_API ga_array *(ga_mgrid)(const char    *slices,
                            ga_new_options o); /* numpy.mgrid["0:300, 0:600:2"]; "0:1:5j" is five points from 0 to 1 */
GA_API ga_array *(ga_tile)(const ga_array *a, ga_shape reps, const char *site); /* a repeated along each axis */
/* Repeats each element along .axis (default: of the flattened array). repeats: an integer, or a 1-D array with one per element. */
GA_API ga_array *(ga_repeat)(const ga_array *a, ga_arg repeats, ga_axis_options o);

typedef struct ga_from_options {
    GI_BY_POSITION
    ga_dtype dtype GI_DEFAULT; /* of the array; default that of the numbers */
    GI_BY_NAME
    ga_device device GI_DEFAULT; /* as in ga_new_options, and so the next two */
    bool pinned      GI_DEFAULT;
    bool managed     GI_DEFAULT;
    bool swapped     GI_DEFAULT; /* the numbers have the other byte order: big-endian on a little-endian machine */
    const char *site GI_IS("");
} ga_from_options;
#define GI_DEFAULTS_ga_from_options
/* A new array with a copy of the numbers at p (dtype from the pointer type): ga_from(values, (2, 3)). */
GA_API ga_array *(ga_from)(const void *p, ga_dtype dtype, ga_shape shape, ga_from_options o);
/* The caller's memory as an array, not copied and never freed: ga_wrap(pixels, (height, width)). It must outlive the array and its views.
   Row-major (C order); ga_wrap_strided takes strides in bytes. release(p, user), if given, is called when the last view is freed. For GPU
   memory, .device = GA_CUDA; work that you have queued on it must be done, or be on this thread's stream. */
typedef struct ga_wrap_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_device device GI_DEFAULT;
    void (*release)(void *p, void *user) GI_DEFAULT;
    void *user       GI_DEFAULT;
    const char *site GI_IS("");
} ga_wrap_options;
#define GI_DEFAULTS_ga_wrap_options
GA_API ga_array *(ga_wrap)(void *p, ga_dtype dtype, ga_shape shape, ga_wrap_options o);
GA_API ga_array *(ga_wrap_strided)(void *p, ga_dtype dtype, ga_shape shape, ga_shape strides, ga_wrap_options o);

/* Random numbers: Philox4x32-10, counter-based. Element i of a call depends on (seed, stream, i) only: a seed gives the same numbers on any
   backend and with any number of threads. 0 is a seed like any other. */
typedef struct ga_random_options {
    GI_BY_POSITION
    ga_dtype dtype GI_DEFAULT; /* a float dtype, default float64; of integers, default int64 */
    GI_BY_NAME
    ga_device device GI_DEFAULT;
    uint64_t seed    GI_DEFAULT;
    uint64_t stream  GI_DEFAULT; /* an independent sequence for the same seed */
    ga_shape chunks  GI_DEFAULT; /* a chunked array of the same numbers */
    const char *site GI_IS("");
} ga_random_options;
#define GI_DEFAULTS_ga_random_options
GA_API ga_array *(ga_random)(ga_shape shape, ga_random_options o); /* uniform in [0, 1); float16, bfloat16 may round to 1 */
GA_API ga_array *(ga_random_integers)(int64_t low, int64_t high, ga_shape shape, ga_random_options o); /* low <= x < high */
GA_API ga_array *(ga_random_normal)(double mean, double sigma, ga_shape shape, ga_random_options o);
/* A parameter out of range is an error that states the range: a and b must be positive, n at most 2**53, lam at most 2**52. */
GA_API ga_array *(ga_random_exponential)(double scale, ga_shape shape, ga_random_options o);
GA_API ga_array *(ga_random_gamma)(double k, double scale, ga_shape shape,
                                   ga_random_options o); /* k is NumPy's argument shape */
GA_API ga_array *(ga_random_beta)(double a, double b, ga_shape shape, ga_random_options o);
GA_API ga_array *(ga_random_binomial)(int64_t n, double p, ga_shape shape,
                                      ga_random_options o); /* this and the next: int64 by default */
GA_API ga_array *(ga_random_poisson)(double lam, ga_shape shape, ga_random_options o);
typedef struct ga_permutation_options {
    GI_BY_POSITION
    int axis GI_DEFAULT;
    GI_BY_NAME
    uint64_t seed    GI_DEFAULT;
    uint64_t stream  GI_DEFAULT;
    const char *site GI_IS("");
} ga_permutation_options;
#define GI_DEFAULTS_ga_permutation_options
/* Permute the slices along an axis: a new array (if x is a number n: a permutation of 0 .. n - 1); or in place, returning a. */
GA_API ga_array *(ga_random_permutation)(ga_arg x, ga_permutation_options o);
GA_API ga_array *(ga_random_shuffle)(ga_array *a, ga_permutation_options o);
typedef struct ga_choice_options {
    GI_BY_POSITION
    bool replace      GI_IS(true);        /* false: draw none twice */
    const ga_array *p GI_IS(GA_NO_ARRAY); /* the probability of each, with sum 1; default: uniform */
    int axis          GI_DEFAULT;
    GI_BY_NAME
    uint64_t seed    GI_DEFAULT;
    uint64_t stream  GI_DEFAULT;
    const char *site GI_IS("");
} ga_choice_options;
#define GI_DEFAULTS_ga_choice_options .replace = true, .p = GA_NO_ARRAY,
/* Draws slices along an axis of x, or from 0 .. x - 1 if x is a number; `shape` replaces that axis. */
GA_API ga_array *(ga_random_choice)(ga_arg x, ga_shape shape, ga_choice_options o);
/* (shape..., n): normal vectors; mean (n), cov (n, n), symmetric and positive semidefinite. */
GA_API ga_array *(ga_random_multivariate_normal)(const ga_array *mean, const ga_array *cov, ga_shape shape,
                                                 ga_random_options o);

/* A copy in C order; with another dtype (float to integer saturates, NaN gives 0); on another device. */
GA_API ga_array *(ga_copy)(const ga_array *a, const char *site);
GA_API ga_array *(ga_astype)(const ga_array *a, ga_dtype dtype, const char *site);
GA_API ga_array *(ga_to)(const ga_array *a, ga_device device, ga_to_options o);
GA_API ga_array *(ga_ascontiguous)(const ga_array *a, const char *site); /* a view of a if it is C-contiguous, else a copy */

/* The number in an array of one element, or at an index: ga_item_at(a, 2, 3). NaN on error. */
GA_API double(ga_item)(const ga_array *a, const char *site);
GA_API int64_t(ga_item_int)(const ga_array *a, const char *site);
GA_API double(ga_item_at)(const ga_array *a, ga_shape index, const char *site);
GA_API ga_c128(ga_item_complex)(const ga_array *a, const char *site); /* .re and .im, of any dtype; NaN for both on error */
GA_API ga_c128(ga_item_complex_at)(const ga_array *a, ga_shape index, const char *site);
GA_API int64_t(ga_item_int_at)(const ga_array *a, ga_shape index, const char *site);
/* Writes a number at an index: ga_set_at(a, 0.5, 2, 3). False on error. */
GA_API bool(ga_set_at)(ga_array *a, ga_arg value, ga_shape index, const char *site);
/* A pointer to the elements: const float *p = ga_data(a, GA_F32). An error, and NULL, unless a is C-contiguous, on the CPU and of exactly
   this dtype. Waits until no GPU copies or uses them (pinned and managed arrays). */
GA_API void *(ga_data)(const ga_array *a, ga_dtype dtype, const char *site);

/* ==== >>views: no copy unless stated; each returns a new ga_array, which you free ================================== */

/* NumPy's index notation, with numbers as in printf: ga_index(a, "1:-1, ::2, %d, ..., newaxis", row). Always a view. Index arrays make a
   copy: ga_index_take(a, (rows), .index = "$1, ::2"). A text from elsewhere may have a "%" in it: ga_index(a, "%s", text). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
GA_API ga_array *(ga_index)(const char *site, const ga_array *a, const char *index, ...);
GA_API ga_array *(ga_view)(const ga_array *a, const char *site);                    /* the same elements */
GA_API ga_array *(ga_view_as)(const ga_array *a, ga_dtype dtype, const char *site); /* the same bytes as another dtype */
/* With a ga_shape made at run time: (ga_reshape)(a, shape, "here"). */
GA_API ga_array *(ga_reshape)(const ga_array *a, ga_shape shape,
                              const char *site);                       /* one length may be -1; a copy if necessary */
GA_API ga_array *(ga_ravel)(const ga_array *a, const char *site);      /* 1-D; a copy if necessary */
GA_API ga_array *(ga_flatten)(const ga_array *a, const char *site);    /* 1-D, always a copy */
GA_API ga_array *(ga_transpose)(const ga_array *a, ga_axes_options o); /* axes reversed, or in the order .axes */
GA_API ga_array *(ga_swapaxes)(const ga_array *a, int axis1, int axis2, const char *site);
GA_API ga_array *(ga_matrix_transpose)(const ga_array *a, const char *site); /* the last two axes swapped */
GA_API ga_array *(ga_moveaxis)(const ga_array *a, int source, int destination, const char *site);
GA_API ga_array *(ga_squeeze)(const ga_array *a, ga_axes_options o); /* without the axes of length 1, or the given ones */
GA_API ga_array *(ga_expand_dims)(const ga_array *a, int axis, const char *site);
GA_API ga_array *(ga_atleast_1d)(const ga_array *a, const char *site); /* missing axes are added, with length 1: */
GA_API ga_array *(ga_atleast_2d)(const ga_array *a, const char *site); /* (1, n) */
GA_API ga_array *(ga_atleast_3d)(const ga_array *a, const char *site); /* (1, n, 1), (m, n, 1) */
GA_API ga_array *(ga_broadcast_to)(const ga_array *a, ga_shape shape,
                                   const char *site); /* elements share memory: writing to it is an error */
/* n arrays broadcast to one shape: views in outs[0..n-1]. On error false, and outs are NULL. */
GA_API bool(ga_broadcast_arrays)(int n, const ga_array *const *arrays, ga_array **outs, const char *site);
GA_API ga_array *(ga_diagonal)(const ga_array *a, int64_t offset, const char *site); /* of axes 0 and 1, as the last axis */
GA_API ga_array *(ga_flip)(const ga_array *a, ga_axes_options o);                    /* all axes, or the given ones */
GA_API ga_array *(ga_fliplr)(const ga_array *a, const char *site);
GA_API ga_array *(ga_flipud)(const ga_array *a, const char *site);
/* Rotates by k * 90 degrees, from the first towards the second of two .axes (default 0 and 1). */
GA_API ga_array *(ga_rot90)(const ga_array *a, int k, ga_axes_options o);
/* All windows of a shape, over all axes or .axes: element [i, j] of ga_sliding_window_view(a, (3, 3)) is a[i : i + 3, j : j + 3]. Windows
   share elements, so they cannot be written to. Chunked arrays: use ga_map_overlap, or ga_compute first. */
GA_API ga_array *(ga_sliding_window_view)(const ga_array *a, ga_shape window_shape, ga_axes_options o);
/* Any shape and strides (in bytes), starting at the first element of a; an error if they leave the memory of which a is a view. */
GA_API ga_array *(ga_as_strided)(const ga_array *a, ga_shape shape, ga_shape strides, const char *site);

GA_API bool ga_is_contiguous(const ga_array *a); /* C order without gaps */
GA_API bool ga_same_shape(const ga_array *a, const ga_array *b);
GA_API bool ga_may_share_memory(const ga_array *a, const ga_array *b);

/* ==== >>elementwise: one function per row of the table ============================================================= */

#define GA_UNARY(name, ...)       GA_API ga_array *(ga_##name)(const ga_array *x, ga_map_options o);
#define GA_ELEMENTARY(name, ...)  GA_API ga_array *(ga_##name)(const ga_array *x, ga_map_options o);
#define GA_BINARY(name, ...)      GA_API ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o);
#define GA_ELEMENTARY2(name, ...) GA_API ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o);
#define GA_TERNARY(name, ...)     GA_API ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_arg z, ga_map_options o);
#define GA_TABLE
#include "gpuarr/rows/table.h"

GA_API ga_array *(ga_where)(const ga_array *condition, ga_arg x, ga_arg y,
                            ga_map_options o); /* x where condition is nonzero, else y */
typedef struct ga_round_options {
    GI_BY_POSITION
    int decimals  GI_DEFAULT; /* < 0: to tens, hundreds ... */
    ga_array *out GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_round_options;
#define GI_DEFAULTS_ga_round_options .out = GA_NO_ARRAY,
GA_API ga_array *(ga_round)(const ga_array *a, ga_round_options o); /* ties to even; complex: each part */
typedef struct ga_nan_options {
    GI_BY_POSITION
    GI_BY_NAME
    double nan       GI_DEFAULT;             /* replaces NaN, */
    double posinf    GI_IS(GA_REAL_DEFAULT); /* infinity (default: the largest number of the dtype), */
    double neginf    GI_IS(GA_REAL_DEFAULT); /* and -infinity (default: the smallest) */
    const char *site GI_IS("");
} ga_nan_options;
#define GI_DEFAULTS_ga_nan_options   .posinf = GA_REAL_DEFAULT, .neginf = GA_REAL_DEFAULT,
GA_API ga_array *(ga_nan_to_num)(const ga_array *x, ga_nan_options o); /* a new array */
GA_API ga_array *(ga_i0)(const ga_array *x, const char *site); /* the modified Bessel function of order 0: within 8 ulp */
/* The dtype that arrays and numbers promote to: ga_result_type((a, 2.5)); site: "", or the name of the call for errors. */
GA_API ga_dtype ga_result_type_n(int n, const ga_arg *operands, const char *site);
GA_API ga_array *(ga_sort_complex)(const ga_array *a, const char *site); /* along the last axis, as complex numbers */
GA_API ga_array *(ga_float_power)(ga_arg x, ga_arg y, ga_map_options o); /* ga_power in float64 or complex128 */
/* The floored quotient, and in *remainder (may be NULL) the remainder, a new array: ga_divmod(x, 3, &rest). */
GA_API ga_array *(ga_divmod)(ga_arg x, ga_arg y, ga_array **remainder, const char *site);
/* The fractional part, and in *whole (may be NULL) the integral part, a new array; both with the sign of x. */
GA_API ga_array *(ga_modf)(ga_arg x, ga_array **whole, const char *site);
/* m, 1/2 <= |m| < 1, and in *exponent (may be NULL) e, int32, a new array: x = ga_ldexp(m, e). For 0, infinity and NaN, m is x. */
GA_API ga_array *(ga_frexp)(ga_arg x, ga_array **exponent, const char *site);
typedef struct ga_angle_options {
    GI_BY_POSITION
    bool deg GI_DEFAULT; /* in degrees */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_angle_options;
#define GI_DEFAULTS_ga_angle_options
GA_API ga_array *(ga_angle)(ga_arg z, ga_angle_options o); /* the argument of complex numbers; of real ones 0 or pi */
/* For each element the first value whose condition (bool) is true, or `otherwise`: ga_select((a, b), (x, 1), 0). */
GA_API ga_array *(ga_select_n)(int n, const ga_array *const *conditions, int values, const ga_arg *list, ga_arg otherwise,
                               const char *site);
/* For each element the last value whose condition is true; else one more value, or 0. Of the dtype of x: ga_piecewise(x, (a, b), (y, z, 1)). */
GA_API ga_array *(ga_piecewise_n)(const ga_array *x, int n, const ga_array *const *conditions, int values, const ga_arg *list,
                                  const char *site);
/* The first of eight elements is the most significant bit, or the least significant. */
typedef enum ga_bit_order { GA_BITS_BIG, GA_BITS_LITTLE } ga_bit_order;
typedef struct ga_bits_options {
    GI_BY_POSITION
    int axis GI_IS(GA_AXIS_DEFAULT); /* default: of the flattened array */
    GI_BY_NAME
    ga_bit_order bitorder GI_DEFAULT;
    int64_t count         GI_IS(GA_LENGTH_DEFAULT); /* ga_unpackbits: how many bits; < 0: all but the last -count */
    const char *site      GI_IS("");
} ga_bits_options;
#define GI_DEFAULTS_ga_bits_options    .axis = GA_AXIS_DEFAULT, .count = GA_LENGTH_DEFAULT,
/* Packs eight elements, zero or nonzero, into the bits of a uint8; and unpacks them, as uint8 0 and 1. */
GA_API ga_array *(ga_packbits)(const ga_array *a, ga_bits_options o);
GA_API ga_array *(ga_unpackbits)(const ga_array *a, ga_bits_options o);
/* p[0] x^(n - 1) + ... + p[n - 1], by Horner's method; and the coefficients p of the polynomial with these roots. */
GA_API ga_array *(ga_polyval)(const ga_array *p, ga_arg x, const char *site);
GA_API ga_array *(ga_poly)(const ga_array *roots, const char *site);
GA_API ga_array *(ga_roots)(const ga_array *p,
                            const char *site); /* of such a polynomial: complex128; complex64 if p is float32 or complex64 */
typedef struct ga_polyfit_options {
    GI_BY_POSITION
    double rcond GI_IS(GA_REAL_DEFAULT); /* as for ga_lstsq; default x->size * eps */
    GI_BY_NAME
    const ga_array *w GI_IS(GA_NO_ARRAY); /* the weight of each point's residual (not of its square) */
    ga_array **cov
        GI_DEFAULT; /* a new array: the covariance matrix of the coefficients (for 2-D y k of them along the last axis) */
    bool unscaled    GI_DEFAULT; /* NumPy's cov="unscaled": the weights are 1 / sigma */
    int64_t *rank    GI_DEFAULT; /* the effective rank; NumPy warns if it is less than deg + 1 */
    const char *site GI_IS("");
} ga_polyfit_options;
#define GI_DEFAULTS_ga_polyfit_options .rcond = GA_REAL_DEFAULT, .w = GA_NO_ARRAY,
/* The deg + 1 coefficients, highest power first, of the least-squares polynomial through the points (x, y); of each column of a 2-D y. */
GA_API ga_array *(ga_polyfit)(const ga_array *x, const ga_array *y, int64_t deg, ga_polyfit_options o);
/*  NumPy's aliases are macros: ga_abs, ga_acos, ga_acosh, ga_asin, ga_asinh, ga_atan, ga_atanh, ga_atan2, ga_pow, ga_mod, ga_conjugate,
    ga_true_divide, ga_fix (ga_trunc), ga_degrees, ga_radians, ga_around, ga_bitwise_not, ga_bitwise_invert, ga_bitwise_left_shift,
    ga_bitwise_right_shift, ga_amin, ga_amax, ga_concat, ga_permute_dims (.axes). ga_eval knows the elementwise ones, amin and amax. */

typedef struct ga_close_options {
    GI_BY_POSITION
    double rtol    GI_IS(1e-5);
    double atol    GI_IS(1e-8);
    bool equal_nan GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_close_options;
#define GI_DEFAULTS_ga_close_options   .rtol = 1e-5, .atol = 1e-8,
typedef struct ga_equal_options {
    GI_BY_POSITION
    bool equal_nan GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_equal_options;
#define GI_DEFAULTS_ga_equal_options
GA_API ga_array *(ga_isclose)(ga_arg a, ga_arg b, ga_close_options o); /* |a - b| <= atol + rtol * |b| */
GA_API bool(ga_allclose)(ga_arg a, ga_arg b, ga_close_options o);      /* the arrays may be on different devices */
GA_API bool(ga_array_equal)(ga_arg a, ga_arg b, ga_equal_options o);   /* same shape and elements */

/* Copies src, broadcast and cast, into dst, or into its elements where `.where` is nonzero: ga_copyto(ga_index(rgb, ":4, :9, 2"), 1). They
   may overlap. Returns dst, or NULL on error. */
typedef struct ga_copyto_options {
    GI_BY_POSITION
    GI_BY_NAME
    const ga_array *where GI_IS(GA_NO_ARRAY);
    const char *site      GI_IS("");
} ga_copyto_options;
#define GI_DEFAULTS_ga_copyto_options .where = GA_NO_ARRAY,
GA_API ga_array *(ga_copyto)(ga_array *dst, ga_arg src, ga_copyto_options o);

/* ==== >>reductions: over all axes, or .axis = 1, or .axes = ga_axes(0, 2); .keepdims, .dtype, .out, .where, .initial == */
/*  Sums follow one fixed tree: blocks of 1024 elements from the start of the axis, each folded by halves in float64 (int64, uint64,
    complex128), and the blocks folded in the same way. Variances combine counts, means and squares by the update of Chan, Golub and
    LeVeque along the same tree. Threads, strides and the device do not change a bit of the result.                              */

#define GA_FOLD(name, ...) GA_API ga_array *(ga_##name)(const ga_array *a, ga_reduce_options o);
#define GA_TABLE
#include "gpuarr/rows/table.h"

GA_API ga_array *(ga_var)(const ga_array *a, ga_reduce_options o); /* variance; .ddof */
GA_API ga_array *(ga_std)(const ga_array *a, ga_reduce_options o); /* standard deviation; .ddof */
GA_API ga_array *(ga_nanmean)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanvar)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanstd)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_argmin)(const ga_array *a, ga_reduce_options o); /* int64: the index of the first minimum */
GA_API ga_array *(ga_argmax)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanargmin)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanargmax)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_median)(const ga_array *a, ga_order_options o);
GA_API ga_array *(ga_nanmedian)(const ga_array *a, ga_order_options o);
/* Percentiles and quantiles have the dtype of a if that is a float, else float64. By the methods that return an element (GA_LOWER,
   GA_INVERTED_CDF ...) they have the dtype of a. Without elements they are an error, as in NumPy; ga_nanpercentile and
   ga_nanquantile then are NaN (by those methods, if a is a float; else an error). */
GA_API ga_array *(ga_percentile)(const ga_array *a, ga_arg q,
                                 ga_order_options o); /* q in percent, a number or an array, whose axes come first */
GA_API ga_array *(ga_nanpercentile)(const ga_array *a, ga_arg q, ga_order_options o);
GA_API ga_array *(ga_quantile)(const ga_array *a, ga_arg q, ga_order_options o); /* q from 0 to 1 */
GA_API ga_array *(ga_nanquantile)(const ga_array *a, ga_arg q, ga_order_options o);

/* Summary statistics. */
typedef struct ga_statistics {
    int64_t count;
    double  mean, median, std, min, max; /* NaN where there are no elements */
} ga_statistics;
typedef struct ga_describe_options {
    GI_BY_POSITION
    GI_BY_NAME
    int ddof         GI_DEFAULT; /* std: divide by count - ddof */
    bool skip_nan    GI_DEFAULT; /* ignore NaN; else one NaN makes all of them NaN */
    const char *site GI_IS("");
} ga_describe_options;
#define GI_DEFAULTS_ga_describe_options
/* The statistics of all elements, bit for bit what ga_item(ga_mean(a)) and the like return; contiguous floats on the CPU are read only once.
   On error count is 0. */
GA_API ga_statistics(ga_describe)(const ga_array *a, ga_describe_options o);

GA_API ga_array *(ga_cumsum)(const ga_array *a,
                             ga_axis_options o); /* running sum along .axis; default: of the flattened array */
GA_API ga_array *(ga_cumprod)(const ga_array *a, ga_axis_options o);
GA_API ga_array *(ga_nancumsum)(const ga_array *a, ga_axis_options o); /* NaN counts as 0; in ga_nancumprod as 1 */
GA_API ga_array *(ga_nancumprod)(const ga_array *a, ga_axis_options o);
typedef struct ga_cumulative_options {
    GI_BY_POSITION
    GI_BY_NAME
    int axis             GI_IS(GA_AXIS_DEFAULT); /* may be omitted if a is 1-D */
    ga_dtype dtype       GI_DEFAULT;
    ga_array *out        GI_IS(GA_NO_ARRAY);
    bool include_initial GI_DEFAULT; /* the result begins with one more element: 0 for sums, 1 for products */
    const char *site     GI_IS("");
} ga_cumulative_options;
#define GI_DEFAULTS_ga_cumulative_options .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_cumulative_sum)(const ga_array *a, ga_cumulative_options o);
GA_API ga_array *(ga_cumulative_prod)(const ga_array *a, ga_cumulative_options o);

/* Differences. Write an operand that is an option as .prepend = GA_ARG(0), or GA_ARG(array). */
typedef struct ga_diff_options {
    GI_BY_POSITION
    int n          GI_IS(1);               /* how many times to take differences */
    int axis       GI_IS(GA_AXIS_DEFAULT); /* default: the last */
    ga_arg prepend GI_IS(GA_NO_ARG);       /* joined before a, or after it, along the axis: a number or an array */
    ga_arg append  GI_IS(GA_NO_ARG);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_diff_options;
#define GI_DEFAULTS_ga_diff_options       .n = 1, .axis = GA_AXIS_DEFAULT, .prepend = GA_NO_ARG, .append = GA_NO_ARG,
GA_API ga_array *(ga_diff)(const ga_array *a, ga_diff_options o); /* a[i + 1] - a[i]; bool: a[i + 1] != a[i] */
typedef struct ga_ediff_options {
    GI_BY_POSITION
    ga_arg to_end   GI_IS(GA_NO_ARG);
    ga_arg to_begin GI_IS(GA_NO_ARG);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_ediff_options;
#define GI_DEFAULTS_ga_ediff_options      .to_end = GA_NO_ARG, .to_begin = GA_NO_ARG,
GA_API ga_array *(ga_ediff1d)(const ga_array *a, ga_ediff_options o); /* of the flattened array */
typedef struct ga_gradient_options {
    GI_BY_POSITION
    GI_BY_NAME
    int axis         GI_IS(GA_AXIS_DEFAULT);
    int edge_order   GI_IS(1); /* 2: second-order accurate at the edges too */
    ga_arg spacing   GI_IS({ NULL, GA_KIND_INT, false, 1, 0,
                             0 }); /* between elements: .spacing = GA_ARG(0.1), or their coordinates along .axis */
    const char *site GI_IS("");
} ga_gradient_options;
#define GI_DEFAULTS_ga_gradient_options                                                                                        \
    .axis = GA_AXIS_DEFAULT, .edge_order = 1, .spacing = { NULL, GA_KIND_INT, false, 1, 0, 0 },
/* Derivatives by central differences, along .axis: the shape of f. Without .axis, along every axis: (ndim, shape of f); of 1-D f, its shape. */
GA_API ga_array *(ga_gradient)(const ga_array *f, ga_gradient_options o);
typedef struct ga_trapezoid_options {
    GI_BY_POSITION
    const ga_array *x GI_IS(GA_NO_ARRAY); /* the sample points; default: .dx apart */
    double dx         GI_IS(1);
    int axis          GI_IS(GA_AXIS_DEFAULT); /* default: the last */
    GI_BY_NAME
    double initial   GI_IS(GA_REAL_DEFAULT); /* 0: ga_cumulative_trapezoid inserts it at the beginning */
    const char *site GI_IS("");
} ga_trapezoid_options;
#define GI_DEFAULTS_ga_trapezoid_options .x = GA_NO_ARRAY, .dx = 1, .axis = GA_AXIS_DEFAULT, .initial = GA_REAL_DEFAULT,
GA_API ga_array *(ga_trapezoid)(const ga_array *y, ga_trapezoid_options o);            /* the integral along an axis */
GA_API ga_array *(ga_cumulative_trapezoid)(const ga_array *y, ga_trapezoid_options o); /* up to each element but the first */
GA_API ga_array *(ga_simpson)(const ga_array *y, ga_trapezoid_options o);              /* Simpson's rule */
typedef struct ga_unwrap_options {
    GI_BY_POSITION
    double discont GI_IS(GA_REAL_DEFAULT); /* smaller steps are unchanged; default period / 2 */
    int axis       GI_IS(GA_AXIS_DEFAULT); /* default: the last */
    GI_BY_NAME
    ga_arg period    GI_IS(GA_NO_ARG); /* default 2 pi; .period = GA_ARG(360) keeps integers */
    const char *site GI_IS("");
} ga_unwrap_options;
#define GI_DEFAULTS_ga_unwrap_options    .discont = GA_REAL_DEFAULT, .axis = GA_AXIS_DEFAULT, .period = GA_NO_ARG,
GA_API ga_array *(ga_unwrap)(const ga_array *p, ga_unwrap_options o); /* angles without jumps of a period */

GA_API ga_array *(ga_ptp)(const ga_array *a, ga_reduce_options o); /* maximum minus minimum */
typedef struct ga_average_options {
    GI_BY_POSITION
    int axis                GI_IS(GA_AXIS_DEFAULT);
    const ga_array *weights GI_IS(GA_NO_ARRAY); /* of the shape of a, or 1-D along .axis; default: all 1 */
    GI_BY_NAME
    ga_shape axes             GI_IS({ -1, {} });
    bool keepdims             GI_DEFAULT;
    ga_array **sum_of_weights GI_DEFAULT; /* a new array, as by NumPy's returned=True */
    const char *site          GI_IS("");
} ga_average_options;
#define GI_DEFAULTS_ga_average_options   .axis = GA_AXIS_DEFAULT, .weights = GA_NO_ARRAY, .axes = { -1, { 0 } },
GA_API ga_array *(ga_average)(const ga_array *a, ga_average_options o);
typedef struct ga_cov_options {
    GI_BY_POSITION
    const ga_array *y GI_IS(GA_NO_ARRAY); /* more variables */
    bool rowvar       GI_IS(true);        /* rows are variables, columns observations; false: the other way round */
    GI_BY_NAME
    bool bias                GI_DEFAULT;         /* divide by n; default: by n - 1, */
    int ddof                 GI_IS(INT32_MIN);   /* or by n - ddof */
    const ga_array *fweights GI_IS(GA_NO_ARRAY); /* how many times each observation counts */
    const ga_array *aweights GI_IS(GA_NO_ARRAY); /* its relative weight */
    ga_dtype dtype           GI_DEFAULT;
    const char *site         GI_IS("");
} ga_cov_options;
#define GI_DEFAULTS_ga_cov_options                                                                                             \
    .y = GA_NO_ARRAY, .rowvar = true, .ddof = INT32_MIN, .fweights = GA_NO_ARRAY, .aweights = GA_NO_ARRAY,
GA_API ga_array *(ga_cov)(const ga_array *m, ga_cov_options o);      /* the covariance matrix; of one variable: 0-d */
GA_API ga_array *(ga_corrcoef)(const ga_array *x, ga_cov_options o); /* Pearson's correlations; .y, .rowvar, .dtype */

typedef struct ga_norm_options {
    GI_BY_POSITION
    double ord    GI_IS(2); /* of vectors: 1, 2, 3.5, -1, INFINITY (math.h), -INFINITY; 0 counts the nonzero; of a matrix:
                               also GA_FRO, GA_NUC */
    int axis      GI_IS(GA_AXIS_DEFAULT);
    bool keepdims GI_DEFAULT;
    GI_BY_NAME
    ga_shape axes    GI_IS({ -1, {} });
    const char *site GI_IS("");
} ga_norm_options;
#define GI_DEFAULTS_ga_norm_options .ord = 2, .axis = GA_AXIS_DEFAULT, .axes = { -1, { 0 } },
GA_API ga_array *(ga_norm)(const ga_array *a, ga_norm_options o); /* the vector norm of all elements, or along .axis or .axes */

/* ==== >>rearranging =============================================================================================== */

/* n arrays: ga_concatenate((a, b, c), .axis = 1); for lists made at run time ga_concatenate_n. */
GA_API ga_array *(ga_concatenate_n)(int n, const ga_array *const *arrays, ga_axis_options o);
GA_API ga_array *(ga_stack_n)(int n, const ga_array *const *arrays, ga_axis_options o); /* along a new axis */
typedef struct ga_join_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_dtype dtype   GI_DEFAULT;
    const char *site GI_IS("");
} ga_join_options;
#define GI_DEFAULTS_ga_join_options
/* ga_hstack((a, b)) joins along axis 1 (1-D arrays: axis 0); ga_vstack along axis 0, 1-D arrays as rows; ga_dstack along axis 2;
   ga_column_stack 1-D arrays as columns. */
GA_API ga_array *(ga_hstack_n)(int n, const ga_array *const *arrays, ga_join_options o);
GA_API ga_array *(ga_vstack_n)(int n, const ga_array *const *arrays, ga_join_options o);
GA_API ga_array *(ga_dstack_n)(int n, const ga_array *const *arrays, ga_join_options o);
GA_API ga_array *(ga_column_stack_n)(int n, const ga_array *const *arrays, ga_join_options o);
/* parts[0..n-1] become n equal views along .axis (default 0); false on error. ga_split_at: split before each of the n - 1 indices. */
GA_API bool(ga_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o);
GA_API bool(ga_split_at)(const ga_array *a, int n, const int64_t *indices, ga_array **parts, ga_axis_options o);
GA_API bool(ga_array_split)(const ga_array *a, int n, ga_array **parts,
                            ga_axis_options o); /* the first parts may be longer by one */
GA_API bool(ga_hsplit)(const ga_array *a, int n, ga_array **parts,
                       const char *site); /* along axis 1; a 1-D array along axis 0 */
GA_API bool(ga_vsplit)(const ga_array *a, int n, ga_array **parts, const char *site); /* along axis 0 */
GA_API bool(ga_dsplit)(const ga_array *a, int n, ga_array **parts, const char *site); /* along axis 2 */
/* parts[0..n-1] become views of the slices along .axis (default 0), without that axis; n must be its length. */
GA_API bool(ga_unstack)(const ga_array *a, int n, ga_array **parts, ga_axis_options o);
/* Each returns a new array; without .axis, of the flattened a. Indices may be negative. ga_insert casts `values` to the dtype of a, which a
   number must fit. */
GA_API ga_array *(ga_append)(const ga_array *a, ga_arg values, ga_axis_options o);
GA_API ga_array *(ga_insert)(const ga_array *a, ga_arg where, ga_arg values,
                             ga_axis_options o); /* before an index, or each of an array of indices */
GA_API ga_array *(ga_delete)(const ga_array *a, ga_arg which,
                             ga_axis_options o); /* without an index, an array of indices, or where a mask is true */
GA_API ga_array *(ga_resize)(const ga_array *a, ga_shape shape, const char *site); /* the elements of a, repeated as needed */
typedef struct ga_trim_options {
    GI_BY_POSITION
    const char *trim GI_IS("fb"); /* "f": from the front, "b": from the back */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_trim_options;
#define GI_DEFAULTS_ga_trim_options .trim = "fb",
GA_API ga_array *(ga_trim_zeros)(const ga_array *a, ga_trim_options o);          /* 1-D: a view */
GA_API ga_array *(ga_roll)(const ga_array *a, int64_t shift, ga_axis_options o); /* default .axis: as if flattened */
typedef enum ga_pad_mode { GA_PAD_CONSTANT, GA_PAD_EDGE, GA_PAD_REFLECT, GA_PAD_SYMMETRIC, GA_PAD_WRAP } ga_pad_mode;
typedef struct ga_pad_options {
    GI_BY_POSITION
    ga_pad_mode mode GI_DEFAULT;
    GI_BY_NAME
    double value     GI_DEFAULT; /* GA_PAD_CONSTANT */
    ga_shape after   GI_DEFAULT; /* widths after each axis; default: `before` */
    const char *site GI_IS("");
} ga_pad_options;
#define GI_DEFAULTS_ga_pad_options
GA_API ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o); /* one width for all axes, or one per axis */
GA_API ga_array *(ga_sort)(const ga_array *a, ga_axis_options o);    /* ascending, NaN last, stable; default .axis: the last */
GA_API ga_array *(ga_argsort)(const ga_array *a, ga_axis_options o); /* int64 */
typedef struct ga_unique_options {
    GI_BY_POSITION
    ga_array **index   GI_DEFAULT; /* a new array: the index of the first occurrence of each value */
    ga_array **inverse GI_DEFAULT; /* for each element of a, the index of its value */
    ga_array **counts  GI_DEFAULT;
    int axis           GI_IS(GA_AXIS_DEFAULT); /* the unique slices along it, in lexicographic order */
    GI_BY_NAME
    bool equal_nan   GI_IS(true); /* all NaNs are one value; false, or in slices: each NaN is different */
    const char *site GI_IS("");
} ga_unique_options;
#define GI_DEFAULTS_ga_unique_options .axis = GA_AXIS_DEFAULT, .equal_nan = true,
/* The unique values, sorted, 1-D; with .axis the unique slices. .inverse has the shape of a (with .axis 1-D); .index and .counts are 1-D. */
GA_API ga_array *(ga_unique)(const ga_array *a, ga_unique_options o);
GA_API ga_array *(ga_nonzero)(const ga_array *a,
                              const char     *site); /* int64 (ndim, count): row k holds the indices along axis k */
GA_API ga_array *(ga_argwhere)(const ga_array *a, const char *site);    /* int64 (count, ndim) */
GA_API ga_array *(ga_flatnonzero)(const ga_array *a, const char *site); /* int64 (count): indices into the flattened a */
GA_API ga_array *(ga_compress)(const ga_array *condition, const ga_array *a,
                               ga_axis_options o); /* the slices where the 1-D condition is nonzero */
GA_API ga_array *(ga_extract)(const ga_array *condition, const ga_array *a,
                              const char *site); /* 1-D: the elements where condition is nonzero, a[condition] */
typedef enum ga_take_mode { GA_TAKE_RAISE, GA_TAKE_WRAP, GA_TAKE_CLIP } ga_take_mode;
typedef struct ga_take_options {
    GI_BY_POSITION
    int axis GI_IS(GA_AXIS_DEFAULT); /* default: of the flattened array */
    GI_BY_NAME
    ga_take_mode mode GI_DEFAULT; /* indices out of range: an error (default), wrapped, or clipped */
    const char *site  GI_IS("");
} ga_take_options;
#define GI_DEFAULTS_ga_take_options   .axis = GA_AXIS_DEFAULT,
GA_API ga_array *(ga_take)(const ga_array *a, const ga_array *indices, ga_take_options o); /* a[indices] */

/*  Index arrays: ga_index_take(a, (rows, cols)) is a[rows, cols], a copy, and ga_index_take(a, (GA_COLON, cols)) is a[:, cols]. Integer
    arrays broadcast; a bool mask stands for its ga_nonzero; trailing axes may be omitted. To mix arrays with slices, integers and newaxis,
    name them $1, $2 ... : ga_index_take(a, (rows, cols), .index = "1:, $1, newaxis, $2, -1") is a[1:, rows, None, cols, -1]. Calls that
    write return `a`, or NULL with an error before anything is written. Values broadcast, and are cast as by ga_copyto; if an index
    repeats, the last value stays. Chunked arrays: ga_compute them first. */
#define GA_COLON                      GA_NO_ARRAY
typedef struct ga_index_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *index
        GI_DEFAULT; /* ga_index's notation (without %d), with $1, $2 ... ; default: the k-th array indexes the k-th axis */
    const char *site GI_IS("");
} ga_index_options;
#define GI_DEFAULTS_ga_index_options
GA_API ga_array *(ga_index_take_n)(const ga_array *a, int n, const ga_array *const *indices, ga_index_options o);
GA_API ga_array *(ga_index_put_n)(ga_array *a, int n, const ga_array *const *indices, ga_arg values,
                                  ga_index_options o); /* a[rows, cols] = values: ga_index_put(a, (rows, cols), values) */
GA_API ga_array *(ga_add_at_n)(ga_array *a, int n, const ga_array *const *indices, ga_arg values,
                               ga_index_options o); /* numpy.add.at: adds the values one by one, in order */
typedef struct ga_mode_options {
    GI_BY_POSITION
    ga_take_mode mode GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_mode_options;
#define GI_DEFAULTS_ga_mode_options
/* Element i is that of choice number a[i]; a and the choices broadcast: ga_choose(a, (x, y, 0)). */
GA_API ga_array *(ga_choose_n)(const ga_array *a, int n, const ga_arg *choices, ga_mode_options o);
typedef struct ga_along_options {
    GI_BY_POSITION
    int axis GI_IS(-1);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_along_options;
#define GI_DEFAULTS_ga_along_options        .axis = -1,
/* Indices along .axis, such as ga_argsort returns; their other axes are those of a, or have length 1. */
GA_API ga_array *(ga_take_along_axis)(const ga_array *a, const ga_array *indices, ga_along_options o);
GA_API ga_array *(ga_put_along_axis)(ga_array *a, const ga_array *indices, ga_arg values, ga_along_options o);
/* Write values, repeated as needed, at indices of the flattened a; or where the mask is true. */
GA_API ga_array *(ga_put)(ga_array *a, const ga_array *indices, ga_arg values, ga_mode_options o);
GA_API ga_array *(ga_place)(ga_array *a, const ga_array *mask, ga_arg values, const char *site);
typedef struct ga_histogram_options {
    GI_BY_POSITION
    GI_BY_NAME
    double low              GI_IS(GA_REAL_DEFAULT); /* range; default: from min to max */
    double high             GI_IS(GA_REAL_DEFAULT);
    const ga_array *weights GI_IS(GA_NO_ARRAY); /* of the shape of a */
    bool density            GI_DEFAULT;         /* normalize: the integral over the range is 1 */
    ga_array **edges        GI_DEFAULT;         /* a new array: the bins + 1 edges, float64 */
    const char *site        GI_IS("");
} ga_histogram_options;
#define GI_DEFAULTS_ga_histogram_options    .low = GA_REAL_DEFAULT, .high = GA_REAL_DEFAULT, .weights = GA_NO_ARRAY,
GA_API ga_array *(ga_histogram)(const ga_array *a, int64_t bins,
                                ga_histogram_options o); /* (bins): int64; the dtype of .weights; float64 with .density */
typedef struct ga_bincount_options {
    GI_BY_POSITION
    const ga_array *weights GI_IS(GA_NO_ARRAY);
    int64_t minlength       GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_bincount_options;
#define GI_DEFAULTS_ga_bincount_options     .weights = GA_NO_ARRAY,
GA_API ga_array *(ga_bincount)(const ga_array *a, ga_bincount_options o); /* of integers >= 0: int64; float64 with .weights */
GA_API ga_array *(ga_histogram_bin_edges)(const ga_array *a, int64_t bins, ga_histogram_options o); /* float64 (bins + 1) */
typedef struct ga_histogramdd_options {
    GI_BY_POSITION
    GI_BY_NAME
    const double *ranges    GI_IS(GI_NOT_GIVEN(const double)); /* low and high of each axis; GA_REAL_DEFAULT: from min to max */
    bool density            GI_DEFAULT;
    const ga_array *weights GI_IS(GA_NO_ARRAY);
    ga_array **edges        GI_DEFAULT; /* room for ndim new arrays: the edges of each axis */
    const char *site        GI_IS("");
} ga_histogramdd_options;
#define GI_DEFAULTS_ga_histogramdd_options  .ranges = GI_NOT_GIVEN(const double), .weights = GA_NO_ARRAY,
/* Counts, float64, of a sample (n, ndim): ga_histogramdd(sample, (10, 20)); of the points (x[i], y[i]): ga_histogram2d(x, y, (10, 20)),
   where (10) is (10, 10). */
GA_API ga_array *(ga_histogramdd)(const ga_array *sample, ga_shape bins, ga_histogramdd_options o);
GA_API ga_array *(ga_histogram2d)(const ga_array *x, const ga_array *y, ga_shape bins, ga_histogramdd_options o);

typedef enum ga_side { GA_LEFT, GA_RIGHT } ga_side;
typedef struct ga_searchsorted_options {
    GI_BY_POSITION
    ga_side side           GI_DEFAULT;         /* GA_LEFT: before equal elements, GA_RIGHT: after them */
    const ga_array *sorter GI_IS(GA_NO_ARRAY); /* indices that sort a: ga_argsort(a) */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_searchsorted_options;
#define GI_DEFAULTS_ga_searchsorted_options .sorter = GA_NO_ARRAY,
/* int64, the shape of v: the index at which to insert each element of v to keep the 1-D a sorted. Real numbers, NaN last. Fastest if v is
   ascending. */
GA_API ga_array *(ga_searchsorted)(const ga_array *a, ga_arg v, ga_searchsorted_options o);
typedef struct ga_digitize_options {
    GI_BY_POSITION
    bool right GI_DEFAULT; /* a bin includes its right edge, not its left one */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_digitize_options;
#define GI_DEFAULTS_ga_digitize_options
/* int64: the index of the bin of each element. The edges `bins` ascend or descend: 0 before the first, bins->size after the last. */
GA_API ga_array *(ga_digitize)(ga_arg x, const ga_array *bins, ga_digitize_options o);
typedef struct ga_interp_options {
    GI_BY_POSITION
    double left   GI_IS(GA_REAL_DEFAULT); /* the result before xp[0]; default fp[0] */
    double right  GI_IS(GA_REAL_DEFAULT); /* the result after the last xp; default the last fp */
    double period GI_IS(GA_REAL_DEFAULT); /* of xp, which then need not be sorted */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_interp_options;
#define GI_DEFAULTS_ga_interp_options .left = GA_REAL_DEFAULT, .right = GA_REAL_DEFAULT, .period = GA_REAL_DEFAULT,
/* Linear interpolation at x between the points (xp, fp), xp ascending: float64 or complex128, the shape of x. */
GA_API ga_array *(ga_interp)(ga_arg x, const ga_array *xp, const ga_array *fp, ga_interp_options o);

/* Sets are sorted 1-D arrays of unique values; elements are equal if ga_equal is true. */
typedef struct ga_isin_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool invert      GI_DEFAULT; /* true where it is not in `test` */
    const char *site GI_IS("");
} ga_isin_options;
#define GI_DEFAULTS_ga_isin_options
GA_API ga_array *(ga_isin)(ga_arg element, const ga_array *test,
                           ga_isin_options o); /* bool, the shape of element: is each one in `test`? */
typedef struct ga_intersect_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array **index_a GI_DEFAULT; /* new arrays: the index of its first occurrence in a, and in b */
    ga_array **index_b GI_DEFAULT;
    const char *site   GI_IS("");
} ga_intersect_options;
#define GI_DEFAULTS_ga_intersect_options
GA_API ga_array *(ga_intersect1d)(const ga_array *a, const ga_array *b, /* compared in the dtype that both promote to */
                                  ga_intersect_options o);
GA_API ga_array *(ga_union1d)(const ga_array *a, const ga_array *b, const char *site);
GA_API ga_array *(ga_setdiff1d)(const ga_array *a, const ga_array *b, const char *site); /* in a, not in b */
GA_API ga_array *(ga_setxor1d)(const ga_array *a, const ga_array *b, const char *site);  /* in only one of them */
/* ga_unique with .equal_nan = false. Pass NULL for what you do not need. */
GA_API ga_array *(ga_unique_all)(const ga_array *a, ga_array **index, ga_array **inverse, ga_array **counts, const char *site);
GA_API ga_array *(ga_unique_values)(const ga_array *a, const char *site);
GA_API ga_array *(ga_unique_counts)(const ga_array *a, ga_array **counts, const char *site);
GA_API ga_array *(ga_unique_inverse)(const ga_array *a, ga_array **inverse, const char *site);

/* int64: the indices that sort by the last of n keys, then by the one before it ...: ga_lexsort((minor, major)). Keys are 1-d, and in memory. */
GA_API ga_array *(ga_lexsort_n)(int n, const ga_array *const *keys, const char *site);
/* Along .axis (default: the last): the elements less than the one that ga_sort puts at index kth, then those equal to it, then the greater
   ones; NaN is the greatest. Each of the three keeps its order, which NumPy leaves undefined. Complex numbers are sorted. kth may be
   negative; it is ignored if a is empty. .out must not be given. */
GA_API ga_array *(ga_partition)(const ga_array *a, int64_t kth, ga_axis_options o);
GA_API ga_array *(ga_argpartition)(const ga_array *a, int64_t kth, ga_axis_options o);
/* Converts indices (ndim, ...), like ga_nonzero's, to flat indices in C order of an array of this shape, (...), and back; int64. */
GA_API ga_array *(ga_ravel_multi_index)(const ga_array *indices, ga_shape shape, ga_mode_options o);
GA_API ga_array *(ga_unravel_index)(ga_arg indices, ga_shape shape, const char *site);

/* ==== >>products =================================================================================================== */
/*  Any two dtypes, promoted as in arithmetic; integers wrap, for bool + is "or" and * is "and". Operands may be any views; transposed ones
    are not copied; .out may be one of them. An element of a matrix product adds its products (by fused multiply-adds, for floats) in the
    order of the summed axis, in the dtype of the result: its error grows with the length like that of a naive sum. A product whose
    result is 0-d, such as that of two vectors, is summed like ga_sum (see >>reductions), float32 in float64.
    With -DGPUARR_USE_CBLAS -lopenblas (apt-get install libopenblas-dev, or any CBLAS), on the GPU -DGPUARR_USE_CUBLAS -lcublas, that
    library computes large products of floats and complex numbers: perhaps faster, but with its own last bits. */

typedef struct ga_product_options {
    GI_BY_POSITION
    ga_array *out GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_product_options;
#define GI_DEFAULTS_ga_product_options   .out = GA_NO_ARRAY,
/* numpy.matmul: (..., m, k) times (..., k, n), where the leading axes broadcast; a vector is a row on the left, a column on the right. */
GA_API ga_array *(ga_matmul)(const ga_array *a, const ga_array *b, ga_product_options o);
/* numpy.dot: of vectors and matrices like ga_matmul; else over the last axis of a and the second-to-last of b. 0-d operands multiply. */
GA_API ga_array *(ga_dot)(const ga_array *a, const ga_array *b, ga_product_options o);
GA_API ga_array *(ga_inner)(const ga_array *a, const ga_array *b, ga_product_options o); /* over the last axes of both */
GA_API ga_array *(ga_outer)(const ga_array *a, const ga_array *b,
                            ga_product_options o);                                  /* (a->size, b->size): both flattened */
GA_API ga_array *(ga_vdot)(const ga_array *a, const ga_array *b, const char *site); /* 0-d: both flattened, a conjugated */
typedef struct ga_trace_options {
    GI_BY_POSITION
    int64_t offset GI_DEFAULT;
    int axis1      GI_DEFAULT;
    int axis2      GI_IS(1);
    ga_dtype dtype GI_DEFAULT;
    ga_array *out  GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_trace_options;
#define GI_DEFAULTS_ga_trace_options     .axis2 = 1, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_trace)(const ga_array *a, ga_trace_options o); /* the sum along a diagonal of two axes */
typedef struct ga_tensordot_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_shape axes_a  GI_DEFAULT; /* the axes to sum over, of a and of b: .axes_a = ga_axes(1, 0) */
    ga_shape axes_b  GI_DEFAULT;
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_tensordot_options;
#define GI_DEFAULTS_ga_tensordot_options .out = GA_NO_ARRAY,
/* numpy.tensordot: sums over the last `axes` axes of a and the first ones of b, unless the options name them. */
GA_API ga_array *(ga_tensordot)(const ga_array *a, const ga_array *b, int axes, ga_tensordot_options o);
/* numpy.einsum: ga_einsum("ik,kj->ij", (a, b)) multiplies along axes with the same letter and sums over letters that are not in the
   result. "ii->i" is a diagonal, "..." any axes; without "->" the result has the letters that appear once, in the order A to Z, a to z. Up
   to 8 operands, multiplied from left to right. A view if there is one operand and no sum. For lists made at run time ga_einsum_n. */
GA_API ga_array *(ga_einsum_n)(const char *subscripts, int n, const ga_array *const *arrays, ga_product_options o);

/* ==== >>fourier ==================================================================================================== */
/*  numpy.fft, with its names, signs and lengths. float32 and complex64 give complex64 (or float32), all other dtypes complex128 (or
    float64). Every length is fast: small prime factors directly, large ones by a convolution. .n, or .s for several axes, must be
    positive; it truncates the operand or pads it with zeros. Each line has the same bits whichever lines are transformed with it, and on
    a GPU. Chunked arrays are an error. .out must have the result's shape and kind; it may be the operand.                           */

typedef enum ga_fft_norm {
    GA_NORM_BACKWARD, /* inverse transforms are divided by n */
    GA_NORM_ORTHO,    /* both are divided by sqrt(n) */
    GA_NORM_FORWARD   /* forward transforms are divided by n */
} ga_fft_norm;
typedef struct ga_fft_options {
    GI_BY_POSITION
    int64_t n        GI_IS(GA_LENGTH_DEFAULT); /* default: the length of the axis; for irfft and hfft 2 (length - 1) */
    int axis         GI_IS(-1);
    ga_fft_norm norm GI_DEFAULT;
    ga_array *out    GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_fft_options;
#define GI_DEFAULTS_ga_fft_options       .n = GA_LENGTH_DEFAULT, .axis = -1, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_fft)(const ga_array *a, ga_fft_options o); /* n complex numbers; exactly symmetric if a is real */
GA_API ga_array *(ga_ifft)(const ga_array *a, ga_fft_options o);
GA_API ga_array *(ga_rfft)(const ga_array *a, ga_fft_options o);  /* of real numbers: the first n / 2 + 1 */
GA_API ga_array *(ga_irfft)(const ga_array *a, ga_fft_options o); /* its inverse: n real numbers. If n is odd, give .n */
GA_API ga_array *(ga_hfft)(const ga_array *a, ga_fft_options o);  /* n real numbers, whose inverse begins with a */
GA_API ga_array *(ga_ihfft)(const ga_array *a, ga_fft_options o);

typedef struct ga_fftn_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_shape s       GI_IS({ -1, {} }); /* lengths along the axes: .s = ga_axes(64, 100); -1: that of the operand */
    ga_shape axes    GI_IS({ -1, {} }); /* default: the last s.ndim axes, or all; for ga_fft2 and the like the last two */
    ga_fft_norm norm GI_DEFAULT;
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_fftn_options;
#define GI_DEFAULTS_ga_fftn_options      .s = { -1, { 0 } }, .axes = { -1, { 0 } }, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_fft2)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_ifft2)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_rfft2)(const ga_array *a, ga_fftn_options o); /* of real numbers; n / 2 + 1 along the last of the axes */
GA_API ga_array *(ga_irfft2)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_fftn)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_ifftn)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_rfftn)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_irfftn)(const ga_array *a, ga_fftn_options o);

typedef struct ga_fftfreq_options {
    GI_BY_POSITION
    double d GI_IS(1); /* the sample spacing */
    GI_BY_NAME
    ga_device device GI_DEFAULT;
    const char *site GI_IS("");
} ga_fftfreq_options;
#define GI_DEFAULTS_ga_fftfreq_options   .d = 1,
GA_API ga_array *(ga_fftfreq)(int64_t n, ga_fftfreq_options o);  /* the frequencies of ga_fft's n results, float64 */
GA_API ga_array *(ga_rfftfreq)(int64_t n, ga_fftfreq_options o); /* those of ga_rfft's n / 2 + 1 */
/* Moves the frequency 0 to the middle of all axes, or of the given ones; and back. Any dtype. */
GA_API ga_array *(ga_fftshift)(const ga_array *a, ga_axes_options o);
GA_API ga_array *(ga_ifftshift)(const ga_array *a, ga_axes_options o);
/* ==== >>linear algebra: by the names of numpy.linalg and scipy.linalg ============================================== */
/*  Of matrices, or stacks of them: the last two axes are rows and columns, the leading ones broadcast. Any dtype; results are float32 or
    complex64 if the arrays are, else float64 or complex128. All is computed in float64, with the same bits for any number of threads.
    A call that returns several results writes new arrays, which are yours, to the addresses it is given (NULL: not wanted). On error it
    writes NULL to all of them and returns false.
    Results are where the operands are, with the same bits on a GPU. The GPU computes ga_solve, ga_inv, ga_det, ga_slogdet, ga_cholesky,
    ga_solve_triangular and calls made of these and of products: ga_expm, ga_matrix_power, ga_tensorsolve, ga_tensorinv, ga_multi_dot,
    ga_kron, ga_cross, ga_vecdot, and norms without singular values. For ga_solve_banded, ga_eig and ga_roots, and without cuSOLVER (below)
    for ga_qr, ga_eigh, ga_svd and calls that need them (ga_lstsq, ga_pinv, ga_cond, ga_matrix_rank, ga_polyfit), the matrices are copied
    to the CPU, and the results back.
    With -DGPUARR_USE_LAPACKE -llapacke -lopenblas (apt-get install liblapacke-dev libopenblas-dev) that library computes eigh, eig, svd and
    calls that need them, such as lstsq, for matrices of more than 128 rows or columns, in float64 or complex128. That is faster; the last
    bits, the signs of vectors and the order of eig's eigenvalues are the library's, and eig of a graded matrix is less accurate.
    With -DGPUARR_USE_CUSOLVER -lcusolver (part of CUDA) arrays on a GPU stay there: that library computes ga_qr, ga_eigh, ga_eigvalsh,
    ga_svd, ga_svdvals and calls that need them (ga_lstsq, ga_pinv, ga_cond, ga_matrix_rank ...), and from 512 rows on ga_cholesky, ga_solve
    and ga_inv of one matrix, in the dtype of the result: float32 in float32. The matrices of a stack are computed one by one, except
    eigenvalues of up to 128 rows. Last bits and the signs of vectors are the library's. (This was compiled and linked with CUDA 13's
    library, but has run only with the stand-in of tools/cudasim, on no GPU so far.) */

GA_API ga_array *(ga_solve)(const ga_array *a, const ga_array *b, const char *site); /* x with a x = b; a 1-D b is a vector */
GA_API ga_array *(ga_inv)(const ga_array *a, const char *site);                      /* both: a singular matrix is an error */
GA_API ga_array *(ga_det)(const ga_array *a, const char *site);
/* det(a) is sign * exp(logabsdet); 0 and -inf for a singular matrix. */
GA_API bool(ga_slogdet)(const ga_array *a, ga_array **sign, ga_array **logabsdet, const char *site);
typedef struct ga_cholesky_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool upper GI_DEFAULT; /* U with U^H U = a, from the upper triangle of a; default: L with L L^H = a, from the lower one */
    const char *site GI_IS("");
} ga_cholesky_options;
#define GI_DEFAULTS_ga_cholesky_options
GA_API ga_array *(ga_cholesky)(const ga_array *a, ga_cholesky_options o); /* an error if a is not positive definite */
typedef struct ga_triangular_options {
    GI_BY_POSITION
    int trans          GI_DEFAULT; /* 1: a^T x = b, 2: a^H x = b */
    bool lower         GI_DEFAULT; /* a is lower triangular; default: upper. The other triangle is not read */
    bool unit_diagonal GI_DEFAULT; /* the diagonal is taken to be 1, and not read */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_triangular_options;
#define GI_DEFAULTS_ga_triangular_options
GA_API ga_array *(ga_solve_triangular)(const ga_array *a, const ga_array *b, ga_triangular_options o); /* x with a x = b */

/* scipy.linalg.solve_banded((l, u), ab, b): a has l diagonals below the main one and u above. ab (l + u + 1, n) holds them as rows, the
   uppermost first: ab[u + i - j, j] is a[i, j]. b is 1-D or 2-D; no stacks. */
GA_API ga_array *(ga_solve_banded)(int64_t l, int64_t u, const ga_array *ab, const ga_array *b, const char *site);
GA_API ga_array *(ga_expm)(const ga_array *a, const char *site); /* the matrix exponential */

typedef enum ga_qr_mode { GA_QR_REDUCED, GA_QR_COMPLETE } ga_qr_mode;
typedef struct ga_qr_options {
    GI_BY_POSITION
    ga_qr_mode mode GI_DEFAULT; /* q has min(m, n) columns, or m */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_qr_options;
#define GI_DEFAULTS_ga_qr_options
/* a = q r, a of (m, n); q has orthonormal columns, r is upper triangular. ga_qr(a, NULL, &r): r only. */
GA_API bool(ga_qr)(const ga_array *a, ga_array **q, ga_array **r, ga_qr_options o);

typedef struct ga_eigh_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool upper       GI_DEFAULT; /* read the upper triangle; default: the lower one */
    const char *site GI_IS("");
} ga_eigh_options;
#define GI_DEFAULTS_ga_eigh_options
/* Of symmetric or Hermitian matrices: w, the eigenvalues in ascending order, and v, whose columns are normalized eigenvectors. If an element
   is not finite, all results for its matrix are NaN. */
GA_API bool(ga_eigh)(const ga_array *a, ga_array **w, ga_array **v, ga_eigh_options o);
GA_API ga_array *(ga_eigvalsh)(const ga_array *a, ga_eigh_options o);
/* Of any square matrices, always complex: w, the eigenvalues in no particular order, and v, whose columns are normalized eigenvectors, the
   largest element of each real. By ga_eigvals, those of a real matrix are exactly real or exact conjugate pairs; by ga_eig too, unless it is
   nearly defective. An element that is not finite is an error. */
GA_API bool(ga_eig)(const ga_array *a, ga_array **w, ga_array **v, const char *site);
GA_API ga_array *(ga_eigvals)(const ga_array *a, const char *site);

typedef struct ga_svd_options {
    GI_BY_POSITION
    bool full_matrices GI_IS(true); /* u (m, m) and vh (n, n); false: u (m, k) and vh (k, n), k = min(m, n) */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_svd_options;
#define GI_DEFAULTS_ga_svd_options         .full_matrices = true,
/* a = u @ diag(s) @ vh, s in descending order; ga_svdvals returns s. If an element is not finite, all results for its matrix are NaN. */
GA_API bool(ga_svd)(const ga_array *a, ga_array **u, ga_array **s, ga_array **vh, ga_svd_options o);
GA_API ga_array *(ga_svdvals)(const ga_array *a, const char *site);

/* Matrix norms, .ord: the largest (1) or smallest (-1) column sum of absolute values, or row sum (INFINITY, -INFINITY); the largest (2) or
   smallest (-2) singular value, or the sum of them (GA_NUC); the square root of the sum of squares (GA_FRO). */
#define GA_FRO                             GA_REAL_DEFAULT
#define GA_NUC                             (-1.7320508075688772e308)
typedef struct ga_matrix_norm_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool keepdims    GI_DEFAULT;
    double ord       GI_IS(GA_FRO);
    const char *site GI_IS("");
} ga_matrix_norm_options;
#define GI_DEFAULTS_ga_matrix_norm_options .ord = GA_FRO,
GA_API ga_array *(ga_matrix_norm)(const ga_array *a, ga_matrix_norm_options o);
typedef struct ga_vector_norm_options {
    GI_BY_POSITION
    GI_BY_NAME
    int axis         GI_IS(GA_AXIS_DEFAULT); /* default: of all elements */
    ga_shape axes    GI_IS({ -1, {} });
    bool keepdims    GI_DEFAULT;
    double ord       GI_IS(2); /* as for ga_norm */
    const char *site GI_IS("");
} ga_vector_norm_options;
#define GI_DEFAULTS_ga_vector_norm_options .axis = GA_AXIS_DEFAULT, .axes = { -1, { 0 } }, .ord = 2,
GA_API ga_array *(ga_vector_norm)(const ga_array *a, ga_vector_norm_options o);
typedef struct ga_cond_options {
    GI_BY_POSITION
    double p GI_IS(2); /* the .ord of ga_matrix_norm */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_cond_options;
#define GI_DEFAULTS_ga_cond_options        .p = 2,
GA_API ga_array *(ga_cond)(const ga_array *a, ga_cond_options o); /* norm(a) * norm(inv(a)); infinite if a is singular */
typedef struct ga_rank_options {
    GI_BY_POSITION
    double tol GI_IS(GA_REAL_DEFAULT); /* count the singular values larger than this, */
    GI_BY_NAME
    double rtol      GI_IS(GA_REAL_DEFAULT); /* or than this times the largest; default max(m, n) * eps */
    const char *site GI_IS("");
} ga_rank_options;
#define GI_DEFAULTS_ga_rank_options        .tol = GA_REAL_DEFAULT, .rtol = GA_REAL_DEFAULT,
GA_API ga_array *(ga_matrix_rank)(const ga_array *a, ga_rank_options o); /* int64; of a vector 1, or 0 if it is all 0 */
typedef struct ga_pinv_options {
    GI_BY_POSITION
    double rcond GI_IS(1e-15); /* singular values up to this times the largest count as 0 */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_pinv_options;
#define GI_DEFAULTS_ga_pinv_options        .rcond = 1e-15,
GA_API ga_array *(ga_pinv)(const ga_array *a, ga_pinv_options o); /* the Moore-Penrose pseudo-inverse */
typedef struct ga_lstsq_options {
    GI_BY_POSITION
    double rcond GI_IS(GA_REAL_DEFAULT); /* as for ga_pinv; default max(m, n) * eps */
    GI_BY_NAME
    ga_array **residuals GI_DEFAULT; /* a new array: sum((b - a x)**2) of each column; empty unless rank = n < m */
    int64_t *rank        GI_DEFAULT;
    ga_array **s         GI_DEFAULT; /* a new array: the singular values of a */
    const char *site     GI_IS("");
} ga_lstsq_options;
#define GI_DEFAULTS_ga_lstsq_options       .rcond = GA_REAL_DEFAULT,
/* The least-squares solution x of a x = b, the one of least norm if there are several; a: one matrix (m, n); b: (m) or (m, k). */
GA_API ga_array *(ga_lstsq)(const ga_array *a, const ga_array *b, ga_lstsq_options o);

GA_API ga_array *(ga_matrix_power)(const ga_array *a, int64_t n, const char *site); /* n < 0: of the inverse */
/* The product of 2 to 64 matrices, ga_multi_dot((a, b, c)), in the order with the fewest multiplications; the first may be 1-D (a row), and
   the last (a column). For lists made at run time ga_multi_dot_n. */
GA_API ga_array *(ga_multi_dot_n)(int n, const ga_array *const *arrays, ga_product_options o);
GA_API ga_array *(ga_kron)(const ga_array *a, const ga_array *b, const char *site); /* the Kronecker product */
typedef struct ga_cross_options {
    GI_BY_POSITION
    int axisa GI_IS(-1); /* the axis of the vectors in a, in b, */
    int axisb GI_IS(-1);
    int axisc GI_IS(-1);              /* and in the result, */
    int axis  GI_IS(GA_AXIS_DEFAULT); /* or in all three */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_cross_options;
#define GI_DEFAULTS_ga_cross_options       .axisa = -1, .axisb = -1, .axisc = -1, .axis = GA_AXIS_DEFAULT,
GA_API ga_array *(ga_cross)(const ga_array *a, const ga_array *b, ga_cross_options o); /* of vectors of 3 elements */
typedef struct ga_vecdot_options {
    GI_BY_POSITION
    GI_BY_NAME
    int axis         GI_IS(-1);
    const char *site GI_IS("");
} ga_vecdot_options;
#define GI_DEFAULTS_ga_vecdot_options      .axis = -1,
GA_API ga_array *(ga_vecdot)(const ga_array *a, const ga_array *b,
                             ga_vecdot_options o); /* dot products of vectors along .axis, a conjugated */
typedef struct ga_tensorsolve_options {
    GI_BY_POSITION
    ga_shape axes GI_DEFAULT; /* axes of a to move to the end first */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_tensorsolve_options;
#define GI_DEFAULTS_ga_tensorsolve_options
GA_API ga_array *(ga_tensorsolve)(const ga_array *a, const ga_array *b,
                                  ga_tensorsolve_options o); /* x with tensordot(a, x, x.ndim) = b */
typedef struct ga_tensorinv_options {
    GI_BY_POSITION
    int ind GI_IS(2); /* the number of leading axes of a that are its rows */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_tensorinv_options;
#define GI_DEFAULTS_ga_tensorinv_options  .ind = 2,
GA_API ga_array *(ga_tensorinv)(const ga_array *a, ga_tensorinv_options o); /* r with tensordot(r, a, ind) the identity */

/* ==== >>convolution =============================================================================================== */
/*  Each result is one chain of fused multiply-adds in the row-major order of the weights, with the same bits on the CPU and the GPU. Beyond
    the edges are zeros, or what .boundary or .border says; they are weighted like any element, so an infinite weight makes them NaN.
    .out is written at the end, and may be a or v.                                                                                    */

typedef enum ga_mode {
    GA_MODE_DEFAULT,
    GA_FULL, /* where a and v overlap at all: n + m - 1 elements */
    GA_SAME, /* the center of that, with the shape of a */
    GA_VALID /* where one lies entirely inside the other */
} ga_mode;
typedef enum ga_method {
    GA_METHOD_AUTO,   /* one pass per axis if 2-D weights are separable; by FFTW if linked and 3 times as fast; else direct */
    GA_METHOD_DIRECT, /* by the definition */
    GA_METHOD_FFT     /* by Fourier transforms: rounding errors are relative to the largest result; NaN and inf spread */
} ga_method;
typedef enum ga_border {                     /* scipy.ndimage's mode: what is outside of a b c d */
                         GA_BORDER_REFLECT,  /* d c b a | a b c d | d c b a */
                         GA_BORDER_CONSTANT, /* k k k k | a b c d | k k k k with k = .cval */
                         GA_BORDER_NEAREST,  /* a a a a | a b c d | d d d d */
                         GA_BORDER_MIRROR,   /*   d c b | a b c d | c b a */
                         GA_BORDER_WRAP,     /* a b c d | a b c d | a b c d */
                         /* for interpolation only: between the last element and the next one, or k, it interpolates. (In interpolation,
                            GA_BORDER_CONSTANT is k right after the last element, and GA_BORDER_WRAP has a period shorter by 1) */
                         GA_BORDER_GRID_CONSTANT,
                         GA_BORDER_GRID_WRAP
} ga_border;

typedef struct ga_convolve_options {
    GI_BY_POSITION
    ga_mode mode     GI_DEFAULT;
    ga_method method GI_DEFAULT;
    GI_BY_NAME
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_convolve_options;
#define GI_DEFAULTS_ga_convolve_options   .out = GA_NO_ARRAY,
/* 1-D: numpy.convolve (default GA_FULL; GA_SAME has the length of the longer one). More dimensions: scipy.signal.convolve, of a and v with
   the same ndim. Integers wrap. See ga_fftconvolve. */
GA_API ga_array *(ga_convolve)(const ga_array *a, const ga_array *v, ga_convolve_options o);
/* 1-D: numpy.correlate (default GA_VALID). More dimensions: scipy.signal.correlate (default GA_FULL). v is conjugated. */
GA_API ga_array *(ga_correlate)(const ga_array *a, const ga_array *v, ga_convolve_options o);

typedef enum ga_boundary {
    GA_BOUNDARY_FILL, /* .fillvalue beyond the edges */
    GA_BOUNDARY_WRAP, /* periodic */
    GA_BOUNDARY_SYMM  /* mirrored at the edge: b a | a b */
} ga_boundary;
typedef struct ga_convolve2d_options {
    GI_BY_POSITION
    ga_mode mode         GI_DEFAULT; /* default GA_FULL */
    ga_boundary boundary GI_DEFAULT;
    double fillvalue     GI_DEFAULT;
    GI_BY_NAME
    ga_method method GI_DEFAULT;
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_convolve2d_options;
#define GI_DEFAULTS_ga_convolve2d_options .out = GA_NO_ARRAY,
/* scipy.signal.convolve2d and correlate2d, of 2-D arrays. Integers wrap; ga_correlate2d conjugates v. With GA_VALID one array must be at
   least as large as the other along both axes. */
GA_API ga_array *(ga_convolve2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o);
GA_API ga_array *(ga_correlate2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o);

typedef struct ga_ndconvolve_options {
    GI_BY_POSITION
    ga_array *out    GI_IS(GA_NO_ARRAY);
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT; /* the value outside with GA_BORDER_CONSTANT */
    GI_BY_NAME
    ga_shape origin
        GI_DEFAULT; /* shifts the weights, whose center is element n / 2: one number or one per axis, ga_axes(-1, 0) */
    ga_method method GI_DEFAULT;
    const char *site GI_IS("");
} ga_ndconvolve_options;
#define GI_DEFAULTS_ga_ndconvolve_options .out = GA_NO_ARRAY,
/* scipy.ndimage's convolve and correlate: `weights` has the ndim of a; the result has the shape and dtype of a (complex if the weights
   are). Integers are computed in float64 and truncated; ga_ndcorrelate conjugates the weights. */
GA_API ga_array *(ga_ndconvolve)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o);
GA_API ga_array *(ga_ndcorrelate)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o);

typedef struct ga_convolve1d_options {
    GI_BY_POSITION
    int axis         GI_IS(GA_AXIS_DEFAULT); /* default: the last */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;
    int64_t origin   GI_DEFAULT;
    GI_BY_NAME
    ga_method method GI_DEFAULT;
    const char *site GI_IS("");
} ga_convolve1d_options;
#define GI_DEFAULTS_ga_convolve1d_options .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY,
/* The same along one axis, with 1-D weights. */
GA_API ga_array *(ga_convolve1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o);
GA_API ga_array *(ga_correlate1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o);

/* ==== >>filters: of neighbourhoods, by the names of scipy.ndimage ================================================= */
/*  Results have the shape of a, and its dtype unless .out has another. .border says what is beyond the edges. float32 is computed in
    float32; integers in float64, truncated after each axis as in SciPy; results out of range saturate. Complex numbers are filtered part by
    part; filters that need an order refuse them. A NaN affects only the results whose window contains it. */

typedef struct ga_gaussian_options {
    GI_BY_POSITION
    GI_BY_NAME
    const double *
        sigmas       GI_IS(GI_NOT_GIVEN(const double)); /* one per axis; pass sigma = 0 then. An axis with 0 is not filtered */
    ga_shape order   GI_DEFAULT;                        /* of the derivative, for all axes or each: .order = ga_axes(0, 1) */
    double truncate  GI_IS(4);                          /* the radius of the weights in units of sigma, */
    ga_shape radius  GI_DEFAULT;                        /* or in elements, for all axes or each */
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT; /* the value outside with GA_BORDER_CONSTANT */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    int axis         GI_IS(GA_AXIS_DEFAULT); /* filter this axis only; ga_gaussian_filter1d: default the last */
    const char *site GI_IS("");
} ga_gaussian_options;
#define GI_DEFAULTS_ga_gaussian_options                                                                                        \
    .sigmas = GI_NOT_GIVEN(const double), .truncate = 4, .out = GA_NO_ARRAY, .axis = GA_AXIS_DEFAULT,
GA_API ga_array *(ga_gaussian_filter)(const ga_array *a, double sigma, ga_gaussian_options o);
GA_API ga_array *(ga_gaussian_filter1d)(const ga_array *a, double sigma, ga_gaussian_options o);
GA_API ga_array *(ga_gaussian_laplace)(const ga_array *a, double sigma,
                                       ga_gaussian_options o); /* the sum of second derivatives */
GA_API ga_array *(ga_gaussian_gradient_magnitude)(const ga_array *a, double sigma,
                                                  ga_gaussian_options o); /* sqrt of the sum of squared first derivatives */

typedef struct ga_edge_options {
    GI_BY_POSITION
    int axis         GI_IS(GA_AXIS_DEFAULT); /* default: the last; ga_laplace: all */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_edge_options;
#define GI_DEFAULTS_ga_edge_options      .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_sobel)(const ga_array *a, ga_edge_options o);   /* -1 0 1 along .axis, 1 2 1 along the others */
GA_API ga_array *(ga_prewitt)(const ga_array *a, ga_edge_options o); /* -1 0 1 along .axis, 1 1 1 along the others */
GA_API ga_array *(ga_laplace)(const ga_array *a, ga_edge_options o); /* the sum of 1 -2 1 along each axis */

typedef struct ga_uniform_options {
    GI_BY_POSITION
    ga_array *out    GI_IS(GA_NO_ARRAY);
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;
    GI_BY_NAME
    ga_shape sizes   GI_DEFAULT; /* one per axis: .sizes = ga_axes(3, 5); pass size = 0 then */
    ga_shape origin  GI_DEFAULT; /* shifts the window, whose center is element size / 2; one number or one per axis */
    const char *site GI_IS("");
} ga_uniform_options;
#define GI_DEFAULTS_ga_uniform_options   .out = GA_NO_ARRAY,
GA_API ga_array *(ga_uniform_filter)(const ga_array *a, int64_t size,
                                     ga_uniform_options o); /* the mean; the time hardly depends on size */

typedef struct ga_window_options {
    GI_BY_POSITION
    const ga_array *footprint GI_IS(GA_NO_ARRAY); /* the window is where this is true; pass size = 0 then */
    ga_array *out             GI_IS(GA_NO_ARRAY);
    ga_border border          GI_DEFAULT;
    double cval               GI_DEFAULT;
    GI_BY_NAME
    ga_shape sizes   GI_DEFAULT; /* one per axis; pass size = 0 then */
    ga_shape origin  GI_DEFAULT;
    const char *site GI_IS("");
} ga_window_options;
#define GI_DEFAULTS_ga_window_options    .footprint = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_minimum_filter)(const ga_array *a, int64_t size, ga_window_options o);
GA_API ga_array *(ga_maximum_filter)(const ga_array *a, int64_t size, ga_window_options o);
GA_API ga_array *(ga_median_filter)(const ga_array *a, int64_t size,
                                    ga_window_options o); /* of an even number, the upper median */
GA_API ga_array *(ga_percentile_filter)(const ga_array *a, double percentile, int64_t size,
                                        ga_window_options o); /* -20 is 80 */
GA_API ga_array *(ga_rank_filter)(const ga_array *a, int64_t rank, int64_t size,
                                  ga_window_options o); /* 0: the minimum, -1: the maximum */
/* Along one axis; default the last. */
GA_API ga_array *(ga_uniform_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o);
GA_API ga_array *(ga_minimum_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o);
GA_API ga_array *(ga_maximum_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o);
/* Calls the function with the n elements of each window, in row-major order; on the CPU, in one thread. */
typedef double (*ga_window_function)(const double *values, int64_t n, void *user);
GA_API ga_array *(ga_generic_filter)(const ga_array *a, ga_window_function function, void *user, int64_t size,
                                     ga_window_options o);

/* ==== >>morphology: of shapes in images, by the names of scipy.ndimage ============================================ */
/*  Binary: nonzero elements are true, and the result is bool. The structuring element says which neighbours count; its center is element
    n / 2 along each axis, which .origin shifts. On a GPU and on chunked arrays these are minimum and maximum filters.      */

/* bool (3, 3 ...), rank axes: true where at most `connectivity` coordinates differ from the center's. */
GA_API ga_array *(ga_generate_binary_structure)(int rank, int connectivity, const char *site);
/* A structure dilated with itself: what `iterations` dilations make of a single true element. */
GA_API ga_array *(ga_iterate_structure)(const ga_array *structure, int64_t iterations, const char *site);

typedef struct ga_binary_options {
    GI_BY_POSITION
    const ga_array *structure GI_IS(GA_NO_ARRAY); /* default: ga_generate_binary_structure(a->ndim, 1) */
    GI_BY_NAME
    int64_t iterations   GI_IS(1);           /* < 1: until nothing changes */
    const ga_array *mask GI_IS(GA_NO_ARRAY); /* change elements only where it is true */
    bool border_value    GI_DEFAULT;         /* the value outside */
    ga_shape origin      GI_DEFAULT;         /* one number or one per axis */
    ga_array *out        GI_IS(GA_NO_ARRAY);
    const char *site     GI_IS("");
} ga_binary_options;
#define GI_DEFAULTS_ga_binary_options    .structure = GA_NO_ARRAY, .iterations = 1, .mask = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_binary_erosion)(const ga_array *a, ga_binary_options o);
GA_API ga_array *(ga_binary_dilation)(const ga_array *a, ga_binary_options o);
GA_API ga_array *(ga_binary_opening)(const ga_array *a, ga_binary_options o); /* erosion, then dilation */
GA_API ga_array *(ga_binary_closing)(const ga_array *a, ga_binary_options o);
GA_API ga_array *(ga_binary_propagation)(const ga_array   *a,
                                         ga_binary_options o); /* dilations inside the mask until nothing changes */
GA_API ga_array *(ga_binary_fill_holes)(const ga_array *a, ga_binary_options o); /* only .structure, .origin, .out */
typedef struct ga_hit_options {
    GI_BY_POSITION
    const ga_array *structure1 GI_IS(GA_NO_ARRAY); /* which neighbours must be true; default as above */
    const ga_array *structure2 GI_IS(GA_NO_ARRAY); /* which must be false; default: those not in structure1 */
    ga_array *out              GI_IS(GA_NO_ARRAY);
    ga_shape origin1           GI_DEFAULT;
    ga_shape origin2           GI_DEFAULT; /* default: origin1 */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_hit_options;
#define GI_DEFAULTS_ga_hit_options       .structure1 = GA_NO_ARRAY, .structure2 = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_binary_hit_or_miss)(const ga_array *a, ga_hit_options o);

typedef struct ga_grey_options {
    GI_BY_POSITION
    const ga_array *footprint GI_IS(GA_NO_ARRAY); /* as for ga_minimum_filter; pass size = 0 then */
    const ga_array *structure GI_IS(GA_NO_ARRAY); /* heights: erosion subtracts, dilation adds them; pass size = 0 then */
    ga_array *out             GI_IS(GA_NO_ARRAY);
    ga_border border          GI_DEFAULT;
    double cval               GI_DEFAULT;
    GI_BY_NAME
    ga_shape sizes   GI_DEFAULT;
    ga_shape origin  GI_DEFAULT;
    const char *site GI_IS("");
} ga_grey_options;
#define GI_DEFAULTS_ga_grey_options      .footprint = GA_NO_ARRAY, .structure = GA_NO_ARRAY, .out = GA_NO_ARRAY,
/* The dtype of a; with heights computed in float64, and saturating. */
GA_API ga_array *(ga_grey_erosion)(const ga_array *a, int64_t size, ga_grey_options o); /* the minimum of each window */
GA_API ga_array *(ga_grey_dilation)(const ga_array *a, int64_t size,
                                    ga_grey_options o); /* the maximum of each mirrored window */
GA_API ga_array *(ga_grey_opening)(const ga_array *a, int64_t size, ga_grey_options o);
GA_API ga_array *(ga_grey_closing)(const ga_array *a, int64_t size, ga_grey_options o);
GA_API ga_array *(ga_morphological_gradient)(const ga_array *a, int64_t size, ga_grey_options o); /* dilation - erosion */
GA_API ga_array *(ga_morphological_laplace)(const ga_array *a, int64_t size, ga_grey_options o);  /* dilation + erosion - 2 a */
GA_API ga_array *(ga_white_tophat)(const ga_array *a, int64_t size,
                                   ga_grey_options o); /* a - opening; bool: where they differ */
GA_API ga_array *(ga_black_tophat)(const ga_array *a, int64_t size, ga_grey_options o); /* closing - a */

typedef struct ga_transform_options {
    GI_BY_POSITION
    int metric GI_IS(-1); /* a ga_metric: GA_EUCLIDEAN, GA_CITYBLOCK or GA_CHEBYSHEV */
    GI_BY_NAME
    const double *
        sampling       GI_IS(GI_NOT_GIVEN(const double)); /* the grid spacing along each axis, with GA_EUCLIDEAN; default 1 */
    ga_array **indices GI_DEFAULT; /* a new array, int32 (ndim, ...): the indices of the nearest 0, or of one of them */
    const char *site   GI_IS("");
} ga_transform_options;
#define GI_DEFAULTS_ga_transform_options .metric = -1, .sampling = GI_NOT_GIVEN(const double),
/* The exact distance of each nonzero element from the nearest 0; computed on the CPU. If a has no 0, it is infinite (float64), -1 (int32) or
   the largest uint32. */
GA_API ga_array *(ga_distance_transform_edt)(const ga_array *a, ga_transform_options o); /* GA_EUCLIDEAN, float64 */
GA_API ga_array *(ga_distance_transform_cdt)(const ga_array *a, ga_transform_options o); /* default GA_CHEBYSHEV, int32 */
GA_API ga_array *(ga_distance_transform_bf)(const ga_array      *a,
                                            ga_transform_options o); /* default GA_EUCLIDEAN, float64; else uint32 */

/* ==== >>interpolation: by splines, by the names of scipy.ndimage ================================================== */
/*  Computed on the CPU in float64, for spline orders 0 (nearest), 1 (linear) to 5. Results have the dtype of a (spline filters: float64,
    complex128); integers are rounded, ties away from 0, and saturate. A NaN coordinate gives NaN.                            */

typedef struct ga_spline_options {
    GI_BY_POSITION
    int order GI_IS(3);
    GI_BY_NAME
    int axis         GI_IS(GA_AXIS_DEFAULT); /* ga_spline_filter1d: default the last */
    ga_border border GI_IS(GA_BORDER_MIRROR);
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_spline_options;
#define GI_DEFAULTS_ga_spline_options    .order = 3, .axis = GA_AXIS_DEFAULT, .border = GA_BORDER_MIRROR, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_spline_filter)(const ga_array   *a,
                                    ga_spline_options o); /* the coefficients of the spline through the elements of a */
GA_API ga_array *(ga_spline_filter1d)(const ga_array *a, ga_spline_options o);

typedef struct ga_interpolation_options {
    GI_BY_POSITION
    ga_array *out    GI_IS(GA_NO_ARRAY);
    int order        GI_IS(3);
    ga_border border GI_IS(GA_BORDER_CONSTANT);
    double cval      GI_DEFAULT;
    bool prefilter   GI_IS(true); /* false: a is a result of ga_spline_filter */
    GI_BY_NAME
    const double *each GI_IS(GI_NOT_GIVEN(const double)); /* shift or zoom of each axis; pass 0 for the argument then */
    bool grid_mode     GI_DEFAULT;                        /* zoom: between the outer pixel edges, not the pixel centers */
    const char *site   GI_IS("");
} ga_interpolation_options;
#define GI_DEFAULTS_ga_interpolation_options                                                                                   \
    .out = GA_NO_ARRAY, .order = 3, .border = GA_BORDER_CONSTANT, .prefilter = true, .each = GI_NOT_GIVEN(const double),
/* Values of a at coordinates (a->ndim, ...), where coordinates[k] are along axis k; the result has the shape (...). */
GA_API ga_array *(ga_map_coordinates)(const ga_array *a, const ga_array *coordinates, ga_interpolation_options o);
GA_API ga_array *(ga_shift)(const ga_array *a, double shift, ga_interpolation_options o);
GA_API ga_array *(ga_zoom)(const ga_array *a, double zoom, ga_interpolation_options o);
typedef struct ga_affine_options {
    GI_BY_POSITION
    GI_BY_NAME
    const double *offset  GI_IS(GI_NOT_GIVEN(const double)); /* one number per axis of a; default 0 */
    ga_shape output_shape GI_DEFAULT;                        /* default: that of .out or a */
    ga_array *out         GI_IS(GA_NO_ARRAY);
    int order             GI_IS(3);
    ga_border border      GI_IS(GA_BORDER_CONSTANT);
    double cval           GI_DEFAULT;
    bool prefilter        GI_IS(true);
    const char *site      GI_IS("");
} ga_affine_options;
#define GI_DEFAULTS_ga_affine_options                                                                                          \
    .offset = GI_NOT_GIVEN(const double), .out = GA_NO_ARRAY, .order = 3, .border = GA_BORDER_CONSTANT, .prefilter = true,
/* Element i of the result is a at matrix @ i + offset. A 1-D matrix is a diagonal; an extra column is the offset. */
GA_API ga_array *(ga_affine_transform)(const ga_array *a, const ga_array *matrix, ga_affine_options o);
typedef struct ga_rotate_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_shape axes    GI_DEFAULT;  /* two; default 1, 0 */
    bool reshape     GI_IS(true); /* the result contains all of a; false: it has the shape of a */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    int order        GI_IS(3);
    ga_border border GI_IS(GA_BORDER_CONSTANT);
    double cval      GI_DEFAULT;
    bool prefilter   GI_IS(true);
    const char *site GI_IS("");
} ga_rotate_options;
#define GI_DEFAULTS_ga_rotate_options                                                                                          \
    .reshape = true, .out = GA_NO_ARRAY, .order = 3, .border = GA_BORDER_CONSTANT, .prefilter = true,
GA_API ga_array *(ga_rotate)(const ga_array *a, double angle,
                             ga_rotate_options o); /* by an angle in degrees, in the plane of .axes */

/* ==== >>images and sky ============================================================================================ */

typedef struct ga_label_options {
    GI_BY_POSITION
    GI_BY_NAME
    int connectivity
        GI_IS(1); /* how many coordinates of neighbours may differ: in 2-D, 1 is 4-connectivity, 2 is 8-connectivity */
    int64_t *count GI_DEFAULT; /* the number of objects */
    ga_dtype dtype GI_DEFAULT; /* of the labels, default int32 */
    double
        above GI_IS(GA_REAL_DEFAULT); /* objects are where a > above: like labelling ga_greater(a, above), without that array */
    const char *site GI_IS("");
} ga_label_options;
#define GI_DEFAULTS_ga_label_options .connectivity = 1, .above = GA_REAL_DEFAULT,
GA_API ga_array *(ga_label)(const ga_array  *a,
                            ga_label_options o); /* objects of nonzero elements, numbered from 1 in row-major order */

/* Element k of the result, float64, is over the elements of a whose label is index[k]; index NULL: 1 to the largest label. A label without
   elements has sum, size, minimum and maximum 0, and mean and center NaN, as in SciPy. Labels and index are whole numbers of any real dtype. */
GA_API ga_array *(ga_sum_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_mean_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_min_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_max_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_size_labels)(const ga_array *labels, const ga_array *index, const char *site); /* int64 */
typedef struct ga_center_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array **sums  GI_DEFAULT; /* a new array: what ga_sum_labels returns, at no extra cost */
    const char *site GI_IS("");
} ga_center_options;
#define GI_DEFAULTS_ga_center_options
/* float64 (n, ndim), in the order of the axes; labels NULL: of the whole array, (1, ndim). */
GA_API ga_array *(ga_center_of_mass)(const ga_array *a, const ga_array *labels, const ga_array *index, ga_center_options o);
/* int64 (n, ndim): the indices of the first minimum, or of the last maximum (without labels: the first), of each label; 0 if it has no
   elements. */
GA_API ga_array *(ga_minimum_position)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_maximum_position)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
/* The minima and maxima, of the dtype of a, and their positions, as new arrays; pass NULL for those you do not need. False on error. */
GA_API bool(ga_extrema)(const ga_array *a, const ga_array *labels, const ga_array *index, ga_array **minimum,
                        ga_array **maximum, ga_array **minimum_position, ga_array **maximum_position, const char *site);
GA_API ga_array *(ga_variance)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_standard_deviation)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
/* int64 (n, ndim, 2): the bounding box of each label from 1 to n, as start and stop along each axis; 0, 0 if the label does not occur. n is
   max_label, or the largest label if that is 0. */
GA_API ga_array *(ga_find_objects)(const ga_array *labels, int64_t max_label, const char *site);
/* Indices like ga_nonzero's, int64 (ndim, a->size), ordered by value; in *values the distinct values and in *counts how often each occurs,
   new arrays (NULL: not wanted). */
GA_API ga_array *(ga_value_indices)(const ga_array *a, ga_array **values, ga_array **counts, const char *site);
/* scipy.ndimage's watershed: markers grow over a (uint8 or uint16) until they meet, smaller steps first; negative ones are background.
   Options: .structure (of length 3 along each axis), .out. Computed on the CPU. */
GA_API ga_array *(ga_watershed_ift)(const ga_array *a, const ga_array *markers, ga_binary_options o);

typedef enum ga_clip_rule {
    GA_CLIP_LESSON, /* as astronomy courses teach it: keep what is strictly inside median +- sigma * std; repeat until nothing changes */
    GA_CLIP_ASTROPY /* keep what is inside or on the bounds, at most .maxiters times: astropy.stats.sigma_clip */
} ga_clip_rule;
typedef struct ga_sigma_options {
    GI_BY_POSITION
    double sigma      GI_IS(3);               /* the bounds, in standard deviations */
    double sigma_low  GI_IS(GA_REAL_DEFAULT); /* the lower and the upper bound; default: sigma */
    double sigma_high GI_IS(GA_REAL_DEFAULT);
    int maxiters      GI_IS(5); /* GA_CLIP_ASTROPY; -1: until nothing changes */
    GI_BY_NAME
    ga_clip_rule rule GI_DEFAULT;
    bool mean         GI_DEFAULT; /* clip around the mean instead of the median */
    ga_array **mask   GI_DEFAULT; /* a new array, bool, of the shape of a: what was rejected, NaN and infinity too */
    int *passes       GI_DEFAULT; /* the number of iterations */
    double *low       GI_DEFAULT; /* the last bounds */
    double *high      GI_DEFAULT;
    const char *site  GI_IS("");
} ga_sigma_options;
#define GI_DEFAULTS_ga_sigma_options       .sigma = 3, .sigma_low = GA_REAL_DEFAULT, .sigma_high = GA_REAL_DEFAULT, .maxiters = 5,
GA_API ga_array *(ga_sigma_clip)(const ga_array *a, ga_sigma_options o); /* 1-D: the elements that remain, in their order */

/* ==== >>signals: by the names of scipy.signal ====================================================================== */
/*  Results have single precision if x is float32 or complex64, else double precision. */

typedef struct ga_fftconvolve_options {
    GI_BY_POSITION
    ga_mode mode GI_DEFAULT; /* default GA_FULL */
    GI_BY_NAME
    int axis         GI_IS(GA_AXIS_DEFAULT); /* along this axis only, or */
    ga_shape axes    GI_IS({ -1, {} });      /* several; the other axes broadcast. Default: all */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_fftconvolve_options;
#define GI_DEFAULTS_ga_fftconvolve_options .axis = GA_AXIS_DEFAULT, .axes = { -1, { 0 } }, .out = GA_NO_ARRAY,
/* Like ga_convolve, computed by Fourier transforms; a and v have the same ndim. */
GA_API ga_array *(ga_fftconvolve)(const ga_array *a, const ga_array *v, ga_fftconvolve_options o);
typedef struct ga_lfilter_options {
    GI_BY_POSITION
    int axis           GI_IS(GA_AXIS_DEFAULT); /* default: the last */
    const ga_array *zi GI_IS(GA_NO_ARRAY);     /* initial filter delays, max(b->size, a->size) - 1 along .axis; default 0 */
    GI_BY_NAME
    ga_array **zf    GI_DEFAULT; /* a new array: the final delays, the .zi of the samples that follow */
    const char *site GI_IS("");
} ga_lfilter_options;
#define GI_DEFAULTS_ga_lfilter_options     .axis = GA_AXIS_DEFAULT, .zi = GA_NO_ARRAY,
/* y[i] = (b[0] x[i] + b[1] x[i - 1] ... - a[1] y[i - 1] ...) / a[0], with real b and a; computed in float64 on the CPU. */
GA_API ga_array *(ga_lfilter)(const ga_array *b, const ga_array *a, const ga_array *x, ga_lfilter_options o);
/* A cascade of second-order sections: each row of sos (n, 6) is b and a of one. .zi and .zf: (n, ..., 2, ...). */
GA_API ga_array *(ga_sosfilt)(const ga_array *sos, const ga_array *x, ga_lfilter_options o);
/* A median filter with zeros outside: ga_medfilt(a, (3, 5)); sizes are odd, one for all axes or one per axis. */
GA_API ga_array *(ga_medfilt)(const ga_array *a, ga_shape kernel_size, const char *site);
GA_API ga_array *(ga_hilbert)(const ga_array *x, ga_fft_options o); /* the analytic signal; .n, .axis */
/* Resamples an axis (default: the first) to num samples by Fourier transforms. */
GA_API ga_array *(ga_resample)(const ga_array *x, int64_t num, ga_axis_options o);
typedef enum ga_trend { GA_TREND_DEFAULT, GA_TREND_CONSTANT, GA_TREND_LINEAR, GA_TREND_NONE } ga_trend;
typedef struct ga_detrend_options {
    GI_BY_POSITION
    int axis           GI_IS(GA_AXIS_DEFAULT); /* default: the last */
    ga_trend type      GI_DEFAULT;             /* default GA_TREND_LINEAR */
    const ga_array *bp GI_IS(GA_NO_ARRAY);     /* break points: the indices where another line begins */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_detrend_options;
#define GI_DEFAULTS_ga_detrend_options     .axis = GA_AXIS_DEFAULT, .bp = GA_NO_ARRAY,
GA_API ga_array *(ga_detrend)(const ga_array *x, ga_detrend_options o); /* minus its mean, or the least-squares line */
typedef struct ga_savgol_options {
    GI_BY_POSITION
    int deriv    GI_DEFAULT;
    double delta GI_IS(1); /* the sample spacing, for derivatives */
    int axis     GI_IS(-1);
    int border   GI_IS(-1); /* a ga_border; default: SciPy's "interp", the polynomials of the first and the last window */
    double cval  GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_savgol_options;
#define GI_DEFAULTS_ga_savgol_options      .delta = 1, .axis = -1, .border = -1,
/* Savitzky-Golay: at each point the value of the polynomial that fits the window around it best, or of its .deriv-th derivative. */
GA_API ga_array *(ga_savgol_filter)(const ga_array *x, int64_t window_length, int polyorder, ga_savgol_options o);

typedef enum ga_scaling { GA_DENSITY, GA_SPECTRUM } ga_scaling; /* V**2/Hz, or V**2 */
typedef enum ga_averaging { GA_AVERAGE_MEAN, GA_AVERAGE_MEDIAN } ga_averaging;
/* The power spectral density; or the transform, its magnitude, its angle, or its angle unwrapped along the frequencies. */
typedef enum ga_spectrum_mode {
    GA_MODE_PSD,
    GA_MODE_COMPLEX,
    GA_MODE_MAGNITUDE,
    GA_MODE_ANGLE,
    GA_MODE_PHASE
} ga_spectrum_mode;
typedef struct ga_spectrum_options {
    GI_BY_POSITION
    double fs          GI_IS(1);   /* samples per second */
    const char *window GI_DEFAULT; /* the name of a window: "hann" and others, below; */
    GI_BY_NAME
    const ga_array *values GI_IS(GA_NO_ARRAY);       /* or its nperseg values */
    int64_t nperseg        GI_IS(GA_LENGTH_DEFAULT); /* samples per segment; default 256 */
    int64_t noverlap       GI_IS(GA_LENGTH_DEFAULT); /* samples shared with the next one; default 1/2, ga_spectrogram 1/8 */
    int64_t nfft           GI_IS(GA_LENGTH_DEFAULT); /* length with zero padding; default nperseg */
    ga_trend detrend       GI_DEFAULT;               /* of each segment; default GA_TREND_CONSTANT */
    bool return_onesided   GI_IS(true);              /* for real x: frequencies >= 0 only */
    ga_scaling scaling     GI_DEFAULT;
    ga_averaging average   GI_DEFAULT; /* ga_welch: over the segments; the median is divided by its bias */
    ga_spectrum_mode mode  GI_DEFAULT; /* ga_spectrogram; default GA_MODE_PSD */
    int axis               GI_IS(-1);
    ga_array **frequencies GI_DEFAULT; /* new arrays: in Hz, and the times of the segments in seconds */
    ga_array **times       GI_DEFAULT;
    const char *site       GI_IS("");
} ga_spectrum_options;
#define GI_DEFAULTS_ga_spectrum_options                                                                                        \
    .fs = 1, .values = GA_NO_ARRAY, .nperseg = GA_LENGTH_DEFAULT, .noverlap = GA_LENGTH_DEFAULT, .nfft = GA_LENGTH_DEFAULT,    \
    .return_onesided = true, .axis = -1,
/* .window, as for scipy.signal.get_window: "boxcar", "triang", "bartlett", "hann", "hamming", "blackman", "nuttall", "blackmanharris",
   "flattop", "parzen", "bohman", "barthann", "cosine", "lanczos" or "tukey" (of shape 0.5). */
GA_API ga_array *(ga_periodogram)(const ga_array *x, ga_spectrum_options o); /* of all samples; default window "boxcar" */
GA_API ga_array *(ga_welch)(const ga_array *x, ga_spectrum_options o);       /* averaged over segments; default "hann" */
GA_API ga_array *(ga_spectrogram)(const ga_array     *x,
                                  ga_spectrum_options o); /* (..., frequencies, times); default "tukey" of shape 0.25 */

/* The properties of the peaks, by SciPy's names: float64; bases, plateau sizes and edges int64. The arrays are yours. */
typedef struct ga_peaks {
    ga_array *peak_heights, *left_thresholds, *right_thresholds, *prominences, *left_bases, *right_bases, *widths,
        *width_heights, *left_ips, *right_ips, *plateau_sizes, *left_edges, *right_edges;
} ga_peaks;
typedef struct ga_peaks_options {
    GI_BY_POSITION
    double height       GI_IS(GA_REAL_DEFAULT); /* the minimum; .height_max is the maximum, and so for the others */
    double threshold    GI_IS(GA_REAL_DEFAULT); /* the height above both neighbours */
    double distance     GI_IS(1);               /* between two peaks, in samples; the higher one is kept */
    double prominence   GI_IS(GA_REAL_DEFAULT);
    double width        GI_IS(GA_REAL_DEFAULT);
    int64_t wlen        GI_IS(GA_LENGTH_DEFAULT); /* the window around a peak for its prominence; default: all samples */
    double rel_height   GI_IS(0.5);               /* the width is measured this share of the prominence below the top */
    double plateau_size GI_IS(GA_REAL_DEFAULT);
    GI_BY_NAME
    double height_max       GI_IS(GA_REAL_DEFAULT);
    double threshold_max    GI_IS(GA_REAL_DEFAULT);
    double prominence_max   GI_IS(GA_REAL_DEFAULT);
    double width_max        GI_IS(GA_REAL_DEFAULT);
    double plateau_size_max GI_IS(GA_REAL_DEFAULT);
    ga_peaks *found         GI_DEFAULT; /* the properties, as new arrays */
    const char *site        GI_IS("");
} ga_peaks_options;
#define GI_DEFAULTS_ga_peaks_options                                                                                           \
    .height = GA_REAL_DEFAULT, .threshold = GA_REAL_DEFAULT, .distance = 1, .prominence = GA_REAL_DEFAULT,                     \
    .width = GA_REAL_DEFAULT, .wlen = GA_LENGTH_DEFAULT, .rel_height = 0.5, .plateau_size = GA_REAL_DEFAULT,                   \
    .height_max = GA_REAL_DEFAULT, .threshold_max = GA_REAL_DEFAULT, .prominence_max = GA_REAL_DEFAULT,                        \
    .width_max = GA_REAL_DEFAULT, .plateau_size_max = GA_REAL_DEFAULT,
GA_API ga_array *(ga_find_peaks)(const ga_array  *x,
                                 ga_peaks_options o); /* int64: the indices of the local maxima of a 1-D x; on the CPU */

/* ==== >>distances ================================================================================================== */
/*  Between points: n points with f features (coordinates) each are an array (n, f). float32 is computed in float32 and returned as such
    (SciPy: float64), so squares beyond 3e38 are infinite; all other real dtypes in float64; complex ones are an error. Under
    GPUARR_STATIC the metrics from GA_BRAYCURTIS on are calls, so that only those a program names are compiled: they cannot be case labels,
    nor initialize static data.                                                                                                       */

typedef enum ga_metric {
    GA_EUCLIDEAN,
    GA_SQEUCLIDEAN, /* its square */
    GA_CITYBLOCK,   /* the sum of |x - y| */
    GA_CHEBYSHEV,   /* the largest |x - y|, NaN if any is NaN (SciPy ignores NaN) */
    GA_COSINE,      /* 1 - x.y / (|x| |y|), at least 0; NaN if a point is all 0 */
    GA_BRAYCURTIS,  /* the sum of |x - y| divided by the sum of |x + y| */
    GA_CANBERRA,    /* the sum of |x - y| / (|x| + |y|), where 0 / 0 counts as 0 */
    GA_CORRELATION, /* the cosine distance of the points minus their means */
    GA_HAMMING,     /* the fraction of features that differ */
    GA_JENSENSHANNON, /* of distributions: each point is divided by its sum. Infinite if that is 0 or a feature negative (NaN: NaN) */
    GA_MAHALANOBIS, /* the square root of (x - y) VI (x - y) */
    GA_MINKOWSKI,   /* the sum of |x - y|^p, to the power of 1 / p */
    GA_SEUCLIDEAN   /* the square root of the sum of (x - y)^2 / V */
} ga_metric;
typedef struct ga_distance_options {
    GI_BY_POSITION
    ga_metric metric GI_DEFAULT; /* default GA_EUCLIDEAN */
    GI_BY_NAME
    double p           GI_IS(2);           /* GA_MINKOWSKI: positive; INFINITY (math.h) is GA_CHEBYSHEV */
    const ga_array *V  GI_IS(GA_NO_ARRAY); /* GA_SEUCLIDEAN: the variance of each feature; default: of all points, ddof 1 */
    const ga_array *VI GI_IS(GA_NO_ARRAY); /* GA_MAHALANOBIS: the inverse covariance (f, f); default: of all points */
    const ga_array *w  GI_IS(GA_NO_ARRAY); /* a weight for each feature, like SciPy's; for all metrics but GA_JENSENSHANNON,
                                              GA_SEUCLIDEAN and GA_MAHALANOBIS. Under GPUARR_STATIC it needs
                                              .metric = (GA_MINKOWSKI, GA_COSINE) */
    ga_array *out      GI_IS(GA_NO_ARRAY);
    const char *site   GI_IS("");
} ga_distance_options;
#define GI_DEFAULTS_ga_distance_options   .p = 2, .V = GA_NO_ARRAY, .VI = GA_NO_ARRAY, .w = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_cdist)(const ga_array *x, const ga_array *y,
                            ga_distance_options o); /* (n, m): between each point of x and each of y */
/* 1-D: between each pair of points of x: (0, 1), (0, 2) ... (1, 2) ...; distance (i, j > i) is element i * (2 * n - i - 3) / 2 + j - 1. */
GA_API ga_array *(ga_pdist)(const ga_array *x, ga_distance_options o);
typedef struct ga_squareform_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool checks      GI_IS(true); /* an error if a matrix is not symmetric with a zero diagonal */
    const char *site GI_IS("");
} ga_squareform_options;
#define GI_DEFAULTS_ga_squareform_options .checks = true,
/* Converts ga_pdist's vector to the symmetric matrix of distances, and such a matrix to the vector. */
GA_API ga_array *(ga_squareform)(const ga_array *v, ga_squareform_options o);

/* ==== >>kernels: elementwise operations of your own ================================================================= */
/*  In the file with GPUARR_IMPLEMENTATION, or in any file that says #define GPUARR_KERNELS before the include:
        GA_ELEMENTWISE(axpy, float, (float a, float x, float y), a * x + y)
        GA_ELEMENTWISE(steps, int, (ga_c64 z), { int n = 0; while (...) n++; return n; })
        GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), { *r = GA_HYPOT(x, y); *phi = GA_ARCTAN2(y, x); })
        ga_array *o = ga_apply(axpy, (2, x, y), .where = mask);
    A formula is an expression, or a body in braces that returns the result. It may call GA_SIN(x) ..., one for each floating-point row of
    the table, in capitals, with the same bits as ga_sin; GA_FMA(a, b, c); and GA_INDEX, the flat index of the element in the result, in
    C order. Parameters: bool, int8_t ... uint64_t, int, unsigned, float, double, ga_c64, ga_c128; pointers to these are further results.
    GA_ELEMENTWISE_T(clamp, REAL, T, (T x, T low, T high), x < low ? low : x > high ? high : x) is compiled for each dtype of INT, FLT or
    REAL, and computes in the first that holds its operands of type T, as a row of the table does.
    In a .cu file the kernel works on both devices, in a .c file on the CPU. The sums and products of a formula are not fused, so the
    bits are the same on both (nvcc: with -fmad=false).                                                                            */

#define GPUARR_MAX_INPUTS            8 /* operands of a kernel */
#define GPUARR_MAX_OUTPUTS           4 /* results of a kernel */
#define GI_MOST_OPERANDS             (GPUARR_MAX_INPUTS + GPUARR_MAX_OUTPUTS)

typedef struct ga_parameter {
    ga_dtype    dtype;  /* GA_DTYPE_DEFAULT: T, or no parameter at all */
    bool        output; /* for the result of the formula: is there one? */
    const char *name;
} ga_parameter;

/* Adjacent elements, for which a kernel is run. */
typedef struct gi_elements {
    int64_t n;
    void   *operand[GI_MOST_OPERANDS]; /* of each parameter, contiguous; only outputs are written */
    void   *result;
    int64_t index, step; /* GA_INDEX of the first element, and its increment */

    const void *const *rows;   /* of a stencil, whose operands are single numbers: the first element in the rows around it */
    int               *beyond; /* set to 1 if it reads beyond its reach */
} gi_elements;

/* A formula, compiled for one dtype T. */
typedef struct gi_stamp {
    ga_dtype dtype;
    void (*cpu[3])(const gi_elements *e, bool exact); /* by instruction set; NULL: that of the one before */
    void (*cuda)(void);                               /* NULL: compiled by a C compiler */
} gi_stamp;

/* What GA_ELEMENTWISE defines. */
typedef struct ga_kernel {
    const char     *name, *formula, *site;
    int             parameters;
    ga_parameter    result, parameter[GI_MOST_OPERANDS];
    int             stamps; /* more than one: for different T */
    const gi_stamp *stamp;
} ga_kernel;

typedef struct ga_apply_options {
    GI_BY_POSITION
    ga_array *out GI_IS(GA_NO_ARRAY); /* write the first result there */
    GI_BY_NAME
    const ga_array *where GI_IS(GA_NO_ARRAY);         /* as for all elementwise calls */
    ga_array **outs  GI_IS(GI_NOT_GIVEN(ga_array *)); /* all results: arrays to write into; NULL entries receive new arrays */
    const char *site GI_IS("");
} ga_apply_options;
#define GI_DEFAULTS_ga_apply_options .out = GA_NO_ARRAY, .where = GA_NO_ARRAY, .outs = GI_NOT_GIVEN(ga_array *),
/* ga_apply(kernel, (a, 2.5, b)): arrays and numbers, broadcast and cast as in the functions of the table. Returns the first result. */
GA_API ga_array *(ga_apply_n)(const ga_kernel *kernel, int n, const ga_arg *operands, ga_apply_options o);

/* ---- reductions of your own --------------------------------------------------------------------------------------------- */
/*  GA_REDUCTION(name, result, (parameters), accumulator, start, map, join, finish)
        GA_REDUCTION(dot, double, (double x, double y), double, 0, x * y, a + b, a)
        GA_REDUCTION(norm, float, (float x), double, 0, (double)x * x, a + b, (float)GA_SQRT(a))
        ga_array *r = ga_reduce(dot, (matrix, row), .axis = 1);
    `map` computes an accumulator from the parameters and GA_INDEX, the flat index of the element along the reduced axes, in C order.
    `join` combines two accumulators, `a` and `b`, along the fixed tree (>>reductions): it should be associative and commutative, as
    elements are not joined in their order. `finish` computes the result from `a` and `n`, the number of elements; if there are none, `a` is the
    start. An accumulator may have any type of up to GPUARR_MAX_ACCUMULATOR bytes, structs included.
        GA_REDUCTION_T(energy, FLT, T, (T x), double, 0, (double)x * x, a + b, (T)a)
    is compiled for each dtype of INT, FLT or REAL, like GA_ELEMENTWISE_T; its accumulator is T or another number type. Define functions
    that formulas call with GA_FUNCTION instead of static: GA_FUNCTION double cube(double x) { return x * x * x; }                  */

#define GPUARR_MAX_ACCUMULATOR         64

typedef struct ga_reduction {
    ga_kernel map; /* its result is an accumulator */
    ga_dtype  result;
    int       acc_bytes;
    void (*join[3])(int64_t n, void *accs, const void *more); /* accs[i] is joined with more[i]; by instruction set */
    void (*start)(void *acc);
    void (*finish)(int64_t m, void *out, const void *accs, int64_t n); /* m results from the accumulators of n elements each */
    void (*cuda)(void), (*cuda_again)(void); /* kernels that fold elements, and accumulators; NULL: compiled by a C compiler */
} ga_reduction;

/* ga_reduce(dot, (a, b), .axis = 0): over all axes, .axis or .axes of the broadcast operands (arrays or numbers); .keepdims, .out. */
GA_API ga_array *(ga_reduce_n)(const ga_reduction *reduction, int n, const ga_arg *operands, ga_reduce_options o);

/* ---- stencils: each element from its neighbours ---------------------------------------------------------------------- */
/*      GA_STENCIL(heat, (1, 1), double, (double a),
                   GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
        ga_array *v = ga_stencil(heat, (u, 0.1), .border = GA_BORDER_NEAREST, .steps = 100);
    The arguments: the name; the reach of the formula along each of 1 to 3 axes; the type of the array and the result; further parameters,
    which are numbers, or (void); and the formula, as in GA_ELEMENTWISE. GA_AT(1, -2) is the element one row down and two columns left.
    Constant offsets beyond the reach do not compile; computed ones (GA_AT(k, 0) in a loop) make the call fail, for which on a GPU it waits
    for its results. .border says what is beyond the edges of the array. Like GA_ELEMENTWISE, a stencil in a .cu file works on both
    devices, with the same bits.                                                                                                 */

/* What GA_STENCIL defines. */
typedef struct ga_stencil_kernel {
    ga_kernel kernel;
    int       ndim;
    int64_t   reach[3]; /* along each axis */
    int64_t   tile[3];  /* the tile of a thread block on a GPU: planes, rows, columns */
} ga_stencil_kernel;

typedef struct ga_stencil_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;         /* the value outside with GA_BORDER_CONSTANT */
    int64_t steps    GI_IS(1);           /* the number of iterations */
    ga_array *out    GI_IS(GA_NO_ARRAY); /* may be the array itself */
    const char *site GI_IS("");
} ga_stencil_options;
#define GI_DEFAULTS_ga_stencil_options .steps = 1, .out = GA_NO_ARRAY,
/* ga_stencil(kernel, (array, number, ...)): a new array of the same shape. */
GA_API ga_array *(ga_stencil_n)(const ga_stencil_kernel *k, int n, const ga_arg *operands, ga_stencil_options o);

/* ==== >>formulas: given as text ====================================================================================== */
/*      ga_array *bell = ga_eval("exp(-(x - column)**2 / 100**2 - (y - row)**2 / 100**2)", (x, y, column, row));
        ga_eval("where(rgb > 1.3, sqrt(rgb), rgb)", (rgb), .out = rgb);
        double chi2    = ga_item(ga_eval("sum(((data - model) / sigma)**2)", (data, model, sigma)));
        ga_array *z    = ga_eval("d = x - mean(x, axis=0); d / sqrt(sum(d*d, axis=0))", (x));
    NumPy's expressions, with Python's precedence: + - * / // % ** << >> & | ^ ~ == != < <= > >= and parentheses. Functions, by NumPy's
    names (abs, acos, pow too): every elementwise operation and simple reduction of the table, and your own rows; where, clip,
    round(x, 2); var, std, median, percentile, argmin, argmax, and those that ignore NaN. Reductions take axis=0, axis=(0, 2),
    keepdims=True, dtype=float32, ddof=1, where=mask and initial=0 like their own calls. Conversions to all dtypes: float32(x) (a formula
    with float16 or bfloat16 is computed call by call). Numbers: 1e-3, 0xff, 2j, pi, e, inf, nan, True, False. NumPy's index notation for
    any array: u[1:-1, ::2], u[k]. Statements name = expression are separated by semicolons; the last expression is the result.
    A formula has at most 16384 characters and 1000 steps.

    Operands are up to 64 arrays and C numbers (12 in C's ga_eval); none: ga_eval_n("2**64 - 1", 0, NULL). A formula refers to operands
    that are plain names by these names, and to any of them, such as image[0] or 2 * c, by $1, $2 in order. It need not use all. Operands
    hide constants and functions of the same name.

    The result has the shape, dtype and bits of the nested calls, on the CPU, on the GPU and for chunked arrays. x**2 is ga_square(x).
    Arithmetic on numbers is Python's; the result adopts the dtype of an array as a C number does. Functions of numbers make 0-d arrays.
    Common subexpressions are computed once, unused names not at all.

    Elementwise operations are fused into one pass over memory; on the CPU their reductions are too (except medians and percentiles;
    round to decimals is a pass of its own). On the GPU a pass is one kernel, of up to 8 arrays and 63 operations on bool, uint8, int32,
    int64, float32 and float64 (arrays of other dtypes may be converted to these); otherwise operations run one by one. For chunked arrays
    a pass is one operation.

    The result is a new array, which is yours, or .out; NULL on error, which shows the place in the formula. The text may be made at run
    time; parsed formulas are cached.                                                                                            */

typedef struct ga_eval_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array *out         GI_IS(GA_NO_ARRAY); /* these three: the options of the formula's last operation. */
    const ga_array *where GI_IS(GA_NO_ARRAY); /* .out may be an operand, or overlap one; .where is for elementwise
                                                 operations only */
    ga_dtype dtype        GI_DEFAULT;
    const char *names     GI_DEFAULT; /* of the operands, "x, y"; for ga_eval_n, which does not see them */
    const char *site      GI_IS("");
} ga_eval_options;
#define GI_DEFAULTS_ga_eval_options    .out = GA_NO_ARRAY, .where = GA_NO_ARRAY,
/* What ga_eval(formula, (operands), ...) calls. */
GA_API ga_array *(ga_eval_n)(const char *formula, int n, const ga_arg *operands, ga_eval_options o);

/* The formula as C source, to be compiled: GA_ELEMENTWISE(name, ...), or GA_REDUCTION if its last operation is sum, prod or mean over all
   axes.
        char *source = ga_formula_c("bell", "exp(-(x - m)**2 / s)", "float x, float m, float s");
   The parameters are the kernel's, and name the operands of the formula; the bits are those of ga_eval on arrays of these dtypes.
   free() the text; NULL on error. */
GA_API char *(ga_formula_c)(const char *name, const char *formula, const char *parameters, const char *site);

/* ==== >>chunked: arrays that are computed piece by piece ============================================================ */
/*  A chunked array is a ga_array whose elements do not exist yet. Operations on it (elementwise operations, kernels of your own, views,
    reductions, joins, products, distances, convolutions, filters, stencils, sorts along an axis, running sums) return chunked arrays:
    they only record the expression. ga_compute evaluates it chunk by chunk on all threads. It needs memory for the chunks in progress and
    the result, however large the intermediate arrays would be. The bits are those of the same calls on arrays in memory, whatever the
    chunks (convolutions never use Fourier transforms). A call that does not support chunked arrays fails and says so.

    Chunks are shapes: ga_chunks(150, 200); 0: chosen for you, -1: the whole axis. An array in memory that an expression uses is read
    when the expression is computed: do not change it before. ga_free a chunked array like any other.

    Your functions that run meanwhile (for chunks, progress and tasks) may compute with arrays in memory. Calls that would wait for the run
    they are part of are errors there: computing a chunked array, ga_set_num_threads, ga_shutdown.

    An expression may be 1000 operations deep. gpuarr estimates the memory that the computation needs: ga_print shows it, and if it exceeds
    ga_memory_limit (default: what the system and the control groups have left), the call fails before it starts, and gives the numbers.
    In the environment: GA_PROGRESS=1 (a line on stderr), GA_REPORT=run.html (a page with the threads' timeline, the memory and the time
    of each operation), GA_TRACE=run.json (for ui.perfetto.dev).                                                                   */

/* The elements of a, in chunks: ga_chunked(a, 150, 200), or ga_chunked(a). The result keeps the memory of a alive. */
GA_API ga_array *(ga_chunked)(const ga_array *a, ga_shape chunks, const char *site);
/* The same elements in other chunks. */
GA_API ga_array *(ga_rechunk)(const ga_array *a, ga_shape chunks, const char *site);
GA_API bool     ga_is_chunked(const ga_array *a);
GA_API ga_shape ga_chunks_of(const ga_array *a); /* of an array in memory: its shape */
#ifdef GPUARR_STATIC
GA_API ga_shape gi_chunks(ga_shape chunks);      /* ga_chunks calls this: it compiles chunked arrays into the program */
#endif

typedef struct ga_compute_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array *out    GI_IS(GA_NO_ARRAY); /* write the result there: an array in memory of the same shape and dtype */
    const char *site GI_IS("");
} ga_compute_options;
#define GI_DEFAULTS_ga_compute_options .out = GA_NO_ARRAY,
/* The elements of a chunked array, as a new array in memory; a view if a is in memory already. If .out shares memory with what the
   expression reads, the result is computed in new memory and copied at the end. */
GA_API ga_array *(ga_compute)(const ga_array *a, ga_compute_options o);
/* Several at once: common subexpressions are computed once. results[k] is a new array; on error false, and all are NULL. */
GA_API bool(ga_compute_n)(int n, const ga_array *const *arrays, ga_array **results, const char *site);
/* Computes the elements now and keeps them: later operations on a start from them. Returns a new view of a. Elements that do not fit into
   memory (ga_memory_limit, else what the system and the control groups have left) are kept in an unnamed file, which disappears with the
   array or the program: in the folder GA_SPILL of the environment, else TMPDIR, else /tmp (/var/tmp if /tmp is in memory). A line on stderr
   says so, unless the program has an error handler; ga_memory_stats().spilled_bytes counts them. */
GA_API ga_array *(ga_persist)(const ga_array *a, const char *site);

/*  The number of GPUs that help the CPU's threads to compute chunked arrays, counted from the selected one (ga_cuda_select); -1: all.
    Default: GPUARR_NUM_GPUS, else none; more than there are is an error. Each takes whole chunks, as a thread does: its inputs are copied
    or generated there, the calls run as kernels, and the elements are copied back. The bits are the same. The CPU runs the functions given
    to ga_map_blocks and kernels compiled by a C compiler, and handles files. A chunk that does not fit into the GPU's memory is halved, and
    finally left to the CPU. Ranks on one machine must first select different GPUs.                                             */
GA_API void ga_set_num_gpus(int n);
GA_API int  ga_get_num_gpus(void);

/* The position of a chunk. */
typedef struct ga_block {
    int     ndim;
    int64_t number;                                          /* of the chunks in C order */
    int64_t index[GPUARR_MAX_DIMS], chunks[GPUARR_MAX_DIMS]; /* its index along each axis, and the number of chunks */
    int64_t start[GPUARR_MAX_DIMS], shape[GPUARR_MAX_DIMS];  /* its elements in the input arrays */
} ga_block;
/* Writes one chunk of the result. Runs on several threads at once. Arrays that it makes are freed when it returns. Return false on failure. */
typedef bool (*ga_block_function)(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user);
typedef struct ga_blocks_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_dtype dtype GI_DEFAULT; /* of the result; default that of a */
    ga_shape chunks
        GI_DEFAULT; /* of the result, one length per axis; default: those of a. The last chunk of an axis may be shorter */
    ga_shape depth   GI_DEFAULT; /* ga_map_overlap: elements around the chunk, one number or one per axis */
    ga_border border GI_DEFAULT; /* what is there beyond the edges */
    double cval      GI_DEFAULT;
    const char *site GI_IS("");
} ga_blocks_options;
#define GI_DEFAULTS_ga_blocks_options
/* dask.array's map_blocks: ga_map_blocks(a, function, user, .dtype = GA_F32). Calls the function for each chunk of a, with its elements in
   in[0] and a contiguous `out`. ga_map_blocks_n: of n arrays of the same shape, in the chunks of the first. A slice of the result computes
   whole chunks. `user` must live until the result is computed. */
GA_API ga_array *(ga_map_blocks)(const ga_array *a, ga_block_function function, void *user, ga_blocks_options o);
GA_API ga_array *(ga_map_blocks_n)(int n, const ga_array *const *arrays, ga_block_function function, void *user,
                                   ga_blocks_options o);
/* The same with .depth more elements on each side of in[0] and `out`; those of `out` are dropped:
   ga_map_overlap(a, smooth, NULL, .depth = ga_axes(2, 2)). */
GA_API ga_array *(ga_map_overlap)(const ga_array *a, ga_block_function function, void *user, ga_blocks_options o);

/*  Several processes (ranks), on one machine or many, compute together if the file with GPUARR_IMPLEMENTATION includes gpuarr_mpi.h instead
    of this file. Compile with mpicc and run with mpirun: all ranks run the same program, and share the work of ga_compute, ga_persist and
    ga_store. See gpuarr_mpi.h. Without it there is one rank, 0.                                                                  */
GA_API int ga_rank(void);  /* of this process: 0 to ga_ranks() - 1 */
GA_API int ga_ranks(void); /* how many processes compute together */

/* Draws the expression graph: path ends in .svg, or .dot for Graphviz. A node is a chunk, or a whole operation if there are more than .tasks
   chunks. False on error. */
typedef enum ga_color_by { GA_COLOR_OPERATION, GA_COLOR_ORDER, GA_COLOR_TIME, GA_COLOR_RANK } ga_color_by;
typedef struct ga_visualize_options {
    GI_BY_POSITION
    GI_BY_NAME
    int64_t tasks     GI_IS(200);
    ga_color_by color GI_DEFAULT; /* by operation, order, time taken so far, or the rank that last computed the chunk
                                     (intermediate chunks: the rank that needed them) */
    const char *site  GI_IS("");
} ga_visualize_options;
#define GI_DEFAULTS_ga_visualize_options .tasks = 200,
GA_API bool(ga_visualize)(const ga_array *a, const char *path, ga_visualize_options o);

/* Sets a function that is called about ten times a second while chunked arrays are computed, by any thread, one at a time. It returns false to
   stop the computation (GA_STOPPED). NULL: none. GA_PROGRESS=1 in the environment is ga_set_progress(ga_progress_line, NULL). With several
   processes (gpuarr_mpi.h), rank 0 calls it. */
typedef struct ga_progress {
    const char *what;          /* the call in progress */
    double      done;          /* the part done, 0 to 1 */
    double      seconds, left; /* elapsed, and remaining at this rate */
    int64_t     used_bytes;    /* in arrays */
} ga_progress;
typedef bool (*ga_progress_function)(const ga_progress *p, void *user);
GA_API void ga_set_progress(ga_progress_function call, void *user);
GA_API bool ga_progress_line(const ga_progress *p, void *user); /* a line on stderr */

/* ==== >>tasks: functions that need each other's results, as with dask.delayed ======================================= */
/*  For work that arrays cannot express: C functions, each of which needs the results of others.

        ga_graph *g = ga_graph_new();
        ga_task  *a = ga_delayed(g, load, "a.fits"), *b = ga_delayed(g, load, "b.fits"), *c = ga_delayed(g, join, NULL, a, b);
        ga_result    result;
        if (ga_run(g, c, &result)) ...
        ga_graph_free(g);

    Only the tasks that the result needs run, on all threads, depth first, so that few results are kept. Tasks belong to their graph. */

typedef union ga_result { /* the result of a task */
    ga_array *array;
    void     *pointer;
    double    real;
    int64_t   integer;
} ga_result;
typedef struct ga_graph ga_graph;
typedef struct ga_task  ga_task;
/* in[k]: the result of the k-th task that it needs. Return false on failure: the run then fails too, and reports gpuarr's error if there is
   one. Arrays made inside are released on return, except those passed to ga_keep, and result->array, which is released when no other task
   needs it, unless ga_run returns it. in[k].array belongs to the run: do not free it. In C++ an exception that leaves a function that gpuarr
   calls, a task or any other, ends the program (std::terminate). */
typedef bool (*ga_task_function)(ga_result *result, const ga_result *in, int n, void *user);

typedef struct ga_delayed_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *name GI_DEFAULT; /* for errors and pictures; default: that of the function */
    void (*release)(ga_result *result)
        GI_DEFAULT; /* frees a result that is no longer needed, instead of ga_free; not called for what ga_run returns */
    const char *site GI_IS("");
} ga_delayed_options;
#define GI_DEFAULTS_ga_delayed_options

GA_API ga_graph *(ga_graph_new)(const char *site);
GA_API void ga_graph_free(ga_graph *g); /* and its tasks; NULL: does nothing */
GA_API ga_task *(ga_delayed_n)(ga_graph *g, ga_task_function f, void *user, int n, ga_task *const *needs, ga_delayed_options o);
/* Runs the tasks and all that they need. results[k] is yours (two views of the array if a task is named twice). On error false, and there
   are no results. */
GA_API bool(ga_run)(ga_graph *g, ga_task *task, ga_result *result, const char *site);
GA_API bool(ga_run_n)(ga_graph *g, int n, ga_task *const *tasks, ga_result *results, const char *site);
/* Draws the graph: path ends in .svg or .dot; of more than .tasks tasks (default 200) only the number is written. */
GA_API bool(ga_graph_visualize)(const ga_graph *g, const char *path, ga_visualize_options o);

/* ==== >>files ===================================================================================================== */
/*  Arrays are written from any device, and read to the default device (ga_set_device).

    Files are replaced atomically: after a full disk, kill -9 or a power failure, NAME is the complete old file or the complete new one. A
    new file is called NAME.gpuarr.part until all of it is on the disk, and is then renamed; so NAME may have 243 bytes. The next call that
    writes NAME removes what a killed program has left. Symbolic links are followed, and their target is replaced. Devices and pipes are
    written to directly (ga_store, ga_fits_write: an error), and cannot be read.                                                    */

/* Whether calls that write a file wait for the disk (default: true). false saves that time, often half of the total, but after a power
   failure a file may be damaged (kill -9 does no harm). ga_store with .resume waits for each unit nevertheless. */
GA_API void ga_set_fsync(bool on);
GA_API bool ga_get_fsync(void);

/* Writes a 2-D (grey) or (rows, columns, 1 to 4) array as PNG. uint8 is written unchanged; other dtypes as (255 / (max - min)) * (a - min),
   truncated (a constant array becomes black). Needs stb_image_write.h. False on error, such as another format's extension, x.jpg. */
GA_API bool(ga_imsave)(const char *path, const ga_array *a, const char *site);
/* The bytes of such a file: uint8 (n), always on the CPU. */
GA_API ga_array *(ga_imencode)(const ga_array *a, const char *site);
/* Reads a PNG file, or its bytes in memory (uint8): uint8, or uint16 if it has 16 bits; (rows, columns) if grey, else
   (rows, columns, channels): red, green, blue, or grey, and alpha if the picture has it. Palettes are applied (missing entries are black),
   fewer bits are scaled to 0 .. 255, gamma and colour profiles are ignored. Needs no library. */
GA_API ga_array *(ga_imread)(const char *path, const char *site);
GA_API ga_array *(ga_imdecode)(const ga_array *bytes, const char *site);

typedef struct ga_imshow_options {
    GI_BY_POSITION
    const char *cmap GI_IS("viridis"); /* "viridis", "gray", "gray_r", "inferno", "RdBu_r" */
    GI_BY_NAME
    bool log          GI_DEFAULT;             /* logarithmic scale; values <= 0 have the lowest colour */
    double vmin       GI_IS(GA_REAL_DEFAULT); /* colour range; default: that of the data; vmin > vmax reverses the colours */
    double vmax       GI_IS(GA_REAL_DEFAULT);
    bool colorbar     GI_DEFAULT; /* with numbers, on the right */
    int scale         GI_IS(1);   /* draw each element as scale x scale pixels */
    const char *title GI_DEFAULT; /* a line of text above */
    const char *site  GI_IS("");
} ga_imshow_options;
#define GI_DEFAULTS_ga_imshow_options .cmap = "viridis", .vmin = GA_REAL_DEFAULT, .vmax = GA_REAL_DEFAULT, .scale = 1,
GA_API ga_array *(ga_render)(const ga_array   *a,
                             ga_imshow_options o); /* the pixels that ga_imshow writes: uint8 (rows, columns, 3), on the CPU */
GA_API bool(ga_imshow)(const char *path, const ga_array *a, ga_imshow_options o); /* a 2-D array in colours, as PNG */

typedef struct ga_load_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool mmap        GI_DEFAULT; /* map the file instead of reading it */
    const char *site GI_IS("");
} ga_load_options;
#define GI_DEFAULTS_ga_load_options
/* .npy. .mmap is numpy.load's mmap_mode="c": the call returns at once, elements are read on first use, and need not fit into memory. You may
   write to the array; that does not change the file. An array in Fortran order has column-major strides. Files with byte-swapped or
   misaligned elements, arrays for a GPU, and .npz are read as without .mmap. The file stays mapped until the last view is freed. Replacing
   it meanwhile, as all calls here do, is fine; but truncating it (numpy.save to the same name) kills the program with SIGBUS. */
GA_API ga_array *(ga_load)(const char *path, ga_load_options o);
GA_API bool(ga_save)(const char *path, const ga_array *a, const char *site);
GA_API ga_array *(ga_load_from)(const char *path, const char *name,
                                const char *site); /* one array of an .npz file; name NULL: the first */
GA_API bool(ga_savez)(const char *path, int n, const char *const *names, const ga_array *const *arrays,
                      const char *site); /* uncompressed .npz */

/* Reads a table (rows, columns) from a text file, like numpy.loadtxt: a single row or column is 1-D, a single number 0-d (see .ndmin), a file
   without rows (0,). Empty lines and comments are skipped. Numbers are those of strtod in the C locale: 1e3, -inf, nan; for complex dtypes
   1+2j; for bool an integer. An error names the file, the line and the column. A file compressed by gzip is decompressed into memory (no
   library is needed). */
typedef struct ga_loadtxt_options {
    GI_BY_POSITION
    ga_dtype dtype        GI_DEFAULT; /* default float64 */
    const char *comments  GI_IS("#"); /* begins a comment, to the end of the line; NULL: no comments */
    const char *delimiter GI_DEFAULT; /* one character between two columns; default: white space */
    GI_BY_NAME
    int64_t skiprows      GI_DEFAULT;        /* skip the first lines, counting comments and empty lines */
    int64_t max_rows      GI_IS(-1);         /* read at most so many rows; -1: all */
    ga_shape usecols      GI_IS({ -1, {} }); /* which columns: ga_axes(0, 2, -1); at most GPUARR_MAX_DIMS. Default: all */
    int ndmin             GI_DEFAULT;        /* 1 or 2: the minimum number of dimensions of the result */
    const char *quotechar GI_DEFAULT;        /* columns may be quoted by this character, within one line */
    const char *site      GI_IS("");
} ga_loadtxt_options;
#define GI_DEFAULTS_ga_loadtxt_options .comments = "#", .max_rows = -1, .usecols = { -1, { 0 } },
GA_API ga_array *(ga_loadtxt)(const char *path, ga_loadtxt_options o);
/* Each column as a new array of its own dtype, in columns[0..n-1] (.dtype and .ndmin are ignored); n is the number of columns, or of
   .usecols. On error false, and columns are NULL. */
GA_API bool(ga_loadtxt_n)(const char *path, int n, const ga_dtype *dtypes, ga_array **columns, ga_loadtxt_options o);

/* The same for tables with gaps, like numpy.genfromtxt: fields that are empty, in .missing_values, or not a number become .filling_values. */
typedef struct ga_genfromtxt_options {
    GI_BY_POSITION
    /* default float64; bool reads true and false; integers of less than 64 bits read 5.9 as 5, like NumPy */
    ga_dtype dtype        GI_DEFAULT;
    const char *comments  GI_IS("#");
    const char *delimiter GI_DEFAULT; /* one character or more: ", " */
    int64_t skip_header   GI_DEFAULT; /* the first lines */
    int64_t skip_footer   GI_DEFAULT; /* the last rows */
    GI_BY_NAME
    const char *missing_values GI_DEFAULT; /* "NA,-999". (Numbers among them are filled too; NumPy only masks them.) */
    double filling_values      GI_IS(GA_REAL_DEFAULT); /* default NaN; integers -1; bool false */
    ga_shape usecols           GI_IS({ -1, {} });
    bool names       GI_DEFAULT; /* skip one more line, the names of the columns: the first that is not empty, even a comment */
    int64_t max_rows GI_IS(-1);
    bool loose       GI_IS(true); /* false: a field that is neither a number nor missing is an error */
    /* the widths in bytes of fields without delimiter: "4, 3, 2", like NumPy's delimiter=(4, 3, 2); "5": all fields. As in NumPy, a line
       of blanks is then a row of missing fields; with several widths an empty line is too */
    const char *widths GI_DEFAULT;
    int ndmin          GI_DEFAULT;
    const char *site   GI_IS("");
} ga_genfromtxt_options;
#define GI_DEFAULTS_ga_genfromtxt_options                                                                                      \
    .comments = "#", .filling_values = GA_REAL_DEFAULT, .usecols = { -1, { 0 } }, .max_rows = -1, .loose = true,
GA_API ga_array *(ga_genfromtxt)(const char *path, ga_genfromtxt_options o);
GA_API bool(ga_genfromtxt_n)(const char *path, int n, const ga_dtype *dtypes, ga_array **columns, ga_genfromtxt_options o);

/* Writes a 1-D or 2-D array as text, one row per line, like numpy.savetxt; a 1-D array is a column. If the path ends in .gz, the file is
   compressed by gzip (with GPUARR_USE_ZLIB). False on error. */
typedef struct ga_savetxt_options {
    GI_BY_POSITION
    /* as for printf: d i u, e E f F g G, s (the shortest digits); width and precision up to 1000. One for all numbers, or one for each
       of a row, "%d, %8.3f" (complex: two each); .delimiter is then ignored. */
    const char *fmt       GI_IS("%.18e");
    const char *delimiter GI_IS(" ");
    const char *newline   GI_IS("\n");
    const char *header    GI_DEFAULT; /* text before and after the rows */
    const char *footer    GI_DEFAULT;
    const char *comments  GI_IS("# "); /* precedes each line of these */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_savetxt_options;
#define GI_DEFAULTS_ga_savetxt_options  .fmt = "%.18e", .delimiter = " ", .newline = "\n", .comments = "# ",
GA_API bool(ga_savetxt)(const char *path, const ga_array *a, ga_savetxt_options o);

/* Raw elements in C order, without shape and dtype, like numpy.fromfile (the result is 1-D) and ndarray.tofile. */
typedef struct ga_fromfile_options {
    GI_BY_POSITION
    ga_dtype dtype GI_DEFAULT; /* default float64 */
    int64_t count  GI_IS(-1);  /* the number of elements; -1: all; the file must then hold a whole number of them */
    GI_BY_NAME
    int64_t offset   GI_DEFAULT; /* bytes before them */
    bool swapped     GI_DEFAULT; /* they have the other byte order */
    const char *site GI_IS("");
} ga_fromfile_options;
#define GI_DEFAULTS_ga_fromfile_options .count = -1,
typedef struct ga_tofile_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool swapped     GI_DEFAULT; /* write in the other byte order */
    const char *site GI_IS("");
} ga_tofile_options;
#define GI_DEFAULTS_ga_tofile_options
GA_API ga_array *(ga_fromfile)(const char *path, ga_fromfile_options o);
GA_API bool(ga_tofile)(const ga_array *a, const char *path, ga_tofile_options o);

typedef struct ga_open_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *name GI_DEFAULT; /* which array of a Zarr group or of an HDF5 file: "temperature", "winter/temperature" */
    ga_shape chunks  GI_DEFAULT; /* default: the file's; for .npy, chosen for you */
    const char *site GI_IS("");
} ga_open_options;
#define GI_DEFAULTS_ga_open_options
/* A chunked array (see >>chunked), of which only the elements that are needed are read, when they are needed: from an .npy file, a Zarr 2
   folder (uncompressed, zlib or gzip), or an HDF5 or NetCDF-4 file (with GPUARR_USE_HDF5). Do not change the file meanwhile. */
GA_API ga_array *(ga_open)(const char *path, ga_open_options o);

typedef struct ga_store_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *format GI_DEFAULT; /* "npy" or "zarr"; default: from the extension of the path */
    ga_shape chunks    GI_DEFAULT; /* of the computation, and of Zarr; default: those of the array */
    bool resume        GI_DEFAULT; /* continue an interrupted run */
    bool overwrite     GI_DEFAULT; /* replace a Zarr array of that name; an .npy file is always replaced, as by numpy.save */
    const char *compressor GI_DEFAULT; /* Zarr: "zlib" or "gzip" (with GPUARR_USE_ZLIB); default: uncompressed */
    int level              GI_IS(-1);  /* of the compressor: 1 (fastest) to 9 (smallest); default (-1): 1 */
    const char *site       GI_IS("");
} ga_store_options;
#define GI_DEFAULTS_ga_store_options .level = -1,
/* Computes an array chunk by chunk into an .npy file or a Zarr 2 folder, so that it need not fit into memory. Until it is complete it is called
   NAME.gpuarr.part. With .resume, NAME.gpuarr.journal lists what is done, and the same program, when run again, does the rest; the expression
   must be the same, as far as can be checked (calls, numbers, files; of large arrays in memory some elements). If the file system cannot
   exchange names, a Zarr array that is replaced is called NAME.gpuarr.old for a moment; if the program is killed then, the next ga_open or
   ga_store of NAME restores it. False on error. */
GA_API bool(ga_store)(const ga_array *a, const char *path, ga_store_options o);
/* Several at once: common subexpressions are computed once. */
GA_API bool(ga_store_n)(int n, const ga_array *const *arrays, const char *const *paths, ga_store_options o);

typedef struct ga_fits_options {
    GI_BY_POSITION
    GI_BY_NAME
    int hdu          GI_DEFAULT; /* the number of the HDU, 1: the primary; 0: the first with an image, compressed or not */
    const char *name GI_DEFAULT; /* or the extension with this EXTNAME */
    bool raw         GI_DEFAULT; /* ignore BSCALE, BZERO and BLANK */
    bool compress    GI_DEFAULT; /* writing: tiles with Rice compression, in an extension */
    bool append      GI_DEFAULT; /* writing: add an extension to an existing file */
    const char *site GI_IS("");
} ga_fits_options;
#define GI_DEFAULTS_ga_fits_options
/* Axes are in NumPy's order: the last FITS axis first. Scaled integers, and integers with BLANK, become floats; unsigned ones stay
   integers. (CFITSIO 4.2 may crash or hang on a damaged compressed image.) */
GA_API ga_array *(ga_fits_read)(const char *path, ga_fits_options o);
GA_API bool(ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o);

typedef struct ga_print_options {
    GI_BY_POSITION
    GI_BY_NAME
    int precision    GI_IS(8);    /* digits after the decimal point */
    int threshold    GI_IS(1000); /* more elements than this are summarized */
    int edgeitems    GI_IS(3);
    int linewidth    GI_IS(75);
    bool suppress    GI_DEFAULT; /* no scientific notation */
    bool repr        GI_DEFAULT; /* as Python's repr: array([...], dtype=...) */
    const char *site GI_IS("");
} ga_print_options;
#define GI_DEFAULTS_ga_print_options .precision = 8, .threshold = 1000, .edgeitems = 3, .linewidth = 75,
GA_API void(ga_print)(const ga_array *a, ga_print_options o);       /* as NumPy prints it, and a newline */
GA_API char *(ga_to_string)(const ga_array *a, ga_print_options o); /* without the newline; free() it; NULL on error */

/* ==== >>exchange: arrays of other libraries, without a copy (DLPack) ================================================ */
/*  NumPy, PyTorch, CuPy, JAX and others exchange arrays as DLPack tensors. These structs have the layout of dlpack.h, and may be used in a
    program that includes it: cast a DLManagedTensorVersioned * to ga_dl_versioned *, a DLManagedTensor * to ga_dl_managed *.

    A tensor has one owner. ga_to_dlpack makes a tensor that keeps the memory alive until its owner calls tensor->deleter(tensor): once, from
    any thread, even after the array is freed or after ga_shutdown. ga_from_dlpack takes ownership of the tensor, even if it fails: the
    deleter is called when the last view is freed, or at once if the call copies or fails.

    Python: the capsule of __dlpack__(stream, max_version, dl_device, copy) is PyCapsule_New(tensor, "dltensor_versioned", destructor), or
    "dltensor" around ga_to_dlpack_unversioned if max_version is None; the destructor calls the deleter if the capsule still has that name.
    __dlpack_device__ is (tensor->dl_tensor.device.device_type, .device_id). The consumer of a capsule first renames it to "used_dltensor_versioned".

    GPU: pass the stream of __dlpack__ as .stream = (ga_stream)(intptr_t)stream, also -1; None is CUDA's default stream. Work queued on that
    stream from then on sees the complete array. gpuarr does not know what others queue on the memory: before using it here again, wait for
    that (ga_synchronize) or order it (ga_stream_wait_event). The deleter waits for the device. To take an array of CuPy or PyTorch, pass
    ga_get_stream() to its __dlpack__ as the stream; cupy.from_dlpack takes an object that does the above.                   */
typedef struct ga_dl_device {
    int32_t device_type; /* a ga_dl_device_type */
    int32_t device_id;
} ga_dl_device;
typedef enum ga_dl_device_type {
    GA_DL_CPU          = 1,
    GA_DL_CUDA         = 2,
    GA_DL_CUDA_HOST    = 3,
    GA_DL_CUDA_MANAGED = 13
} ga_dl_device_type;
typedef struct ga_dl_dtype {
    uint8_t  code; /* 0 int, 1 unsigned int, 2 float, 4 bfloat, 5 complex, 6 bool; others are not supported */
    uint8_t  bits;
    uint16_t lanes; /* 1 */
} ga_dl_dtype;
#define GI_ALIASES                   __attribute__((may_alias)) /* these read what dlpack.h's structs wrote */
typedef struct GI_ALIASES ga_dl_tensor {
    void        *data;
    ga_dl_device device;
    int32_t      ndim;
    ga_dl_dtype  dtype;
    int64_t     *shape;
    int64_t     *strides;     /* in elements; NULL: C order */
    uint64_t     byte_offset; /* from data to the first element */
} ga_dl_tensor;
typedef struct GI_ALIASES ga_dl_managed { /* DLManagedTensor, before version 1 */
    ga_dl_tensor dl_tensor;
    void        *manager_ctx;
    void (*deleter)(struct ga_dl_managed *self);
} ga_dl_managed;
#define GA_DL_READ_ONLY              1                          /* flags */
#define GA_DL_IS_COPIED              2
typedef struct GI_ALIASES ga_dl_versioned { /* DLManagedTensorVersioned */
    struct {
        uint32_t major, minor;
    } version;
    void *manager_ctx;
    void (*deleter)(struct ga_dl_versioned *self);
    uint64_t     flags;
    ga_dl_tensor dl_tensor;
} ga_dl_versioned;

typedef enum ga_copy_mode {
    GA_COPY_IF_NEEDED, /* Python's copy=None */
    GA_COPY_ALWAYS,    /* True */
    GA_COPY_NEVER      /* False: an error if a copy is needed */
} ga_copy_mode;
#define GA_NO_STREAM                 ((ga_stream)(intptr_t)-1)
typedef struct ga_to_dlpack_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_copy_mode copy GI_DEFAULT; /* needed if strides are not multiples of the itemsize */
    bool read_only
        GI_DEFAULT; /* set GA_DL_READ_ONLY: the consumer must not write. Always set if elements repeat (ga_broadcast_to) */
    ga_stream stream GI_DEFAULT; /* of the consumer; GA_NO_STREAM: no ordering */
    const char *site GI_IS("");
} ga_to_dlpack_options;
#define GI_DEFAULTS_ga_to_dlpack_options
/* The array as a tensor of version 1.0, on its device. NULL on error, such as a chunked array: ga_compute it first. The unversioned
   struct has no flags, so read-only arrays are copied. */
GA_API ga_dl_versioned *(ga_to_dlpack)(const ga_array *a, ga_to_dlpack_options o);
GA_API ga_dl_managed *(ga_to_dlpack_unversioned)(const ga_array *a, ga_to_dlpack_options o);

typedef struct ga_from_dlpack_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_copy_mode copy GI_DEFAULT; /* needed for a read-only tensor, as every array can be written */
    bool read_only    GI_DEFAULT; /* you will not write to the array: do not copy a read-only tensor */
    const char *site  GI_IS("");
} ga_from_dlpack_options;
#define GI_DEFAULTS_ga_from_dlpack_options
/* The tensor as a new array on its device, the CPU (pinned memory too) or a CUDA GPU. NULL on error: unsupported dtypes, lanes, more than
   GPUARR_MAX_DIMS axes, misaligned elements, or a version other than 1. */
GA_API ga_array *(ga_from_dlpack)(ga_dl_versioned *tensor, ga_from_dlpack_options o);
GA_API ga_array *(ga_from_dlpack_unversioned)(ga_dl_managed *tensor, ga_from_dlpack_options o);

/* ==== >>timing ==================================================================================================== */

GA_API double ga_now(void); /* seconds, monotonic */

typedef struct ga_times {
    double min, mean, median, std, max; /* seconds per call */
} ga_times;
typedef struct ga_benchmark_result {
    ga_times cpu,
        device; /* cpu: until f returns; device: until the selected GPU has finished f's work; 0 if no GPU is in use */
    int repeats;
} ga_benchmark_result;
typedef struct ga_benchmark_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *name   GI_DEFAULT;             /* default: the text of the call */
    int repeat         GI_IS(-1);              /* measured calls; default (-1): as many as fit in max_seconds, at most 10000 */
    int warmup         GI_IS(10);              /* calls before these */
    double max_seconds GI_IS(GA_REAL_DEFAULT); /* default: 1, or as long as .repeat calls take */
    bool quiet         GI_DEFAULT;             /* do not print the line */
    const char *site   GI_IS("");
} ga_benchmark_options;
#define GI_DEFAULTS_ga_benchmark_options .repeat = -1, .warmup = 10, .max_seconds = GA_REAL_DEFAULT,
/* Times repeated calls f(user) and prints one line, like cupyx.profiler.benchmark. Arrays that f makes are released after each call. */
GA_API ga_benchmark_result(ga_benchmark)(void (*f)(void *user), void *user, ga_benchmark_options o);
GA_API void(ga_synchronize)(void); /* waits until every GPU in use has done everything */

/* ==== >>cuda: GPUs, streams, events ================================================================================ */
/*  Every call works on GPU arrays, for every dtype and view, with the same bits as on the CPU: nothing depends on the order of threads, and
    there are no float atomics. Calls queue their work and return; those that need a number on the CPU (ga_item, ga_print,
    ga_to(a, GA_CPU)) wait for it.
    Each thread has a selected device (default 0) and, on each device, a current stream (default: CUDA's default stream). An array on another
    than the selected device is an error, except for ga_to, ga_item, ga_data, ga_free, ga_print, ga_allclose and ga_array_equal.
    Arrays may be used on any stream: a call waits, on its stream, for what other streams do with its arrays. Several threads may use an
    array, each on a stream of its own, but each such call waits for all streams: for concurrency, give each thread a copy. Queue your own
    kernels on ga_get_stream(), with pointers from ga_cuda_data. Before cudaDeviceReset, free the arrays and streams of that device.
    In a program built without CUDA, or on a machine without a GPU, ga_cuda_count() is 0, and calls that need a GPU fail.              */

/* The number of devices; 0 without a GPU, a driver, or CUDA in this program. */
GA_API int ga_cuda_count(void);
/* Selects the device of this thread's later calls. False, with an error, if it does not exist. Any call may change CUDA's own current device
   (cudaSetDevice). */
GA_API bool ga_cuda_select(int device);
GA_API int  ga_cuda_selected(void);
/* The number of the device that holds the array; -1 for the CPU. */
GA_API int ga_cuda_device_of(const ga_array *a);

typedef struct ga_cuda_device {
    char    name[128];
    int     major, minor;     /* compute capability */
    int     processors;       /* streaming multiprocessors */
    int64_t memory_bytes;     /* global memory */
    int64_t shared_bytes;     /* shared memory of a block */
    int64_t cache_bytes;      /* L2 */
    double  clock_hz;         /* of the processors; 0: unknown */
    double  bytes_per_second; /* peak bandwidth of the global memory; 0: unknown */
} ga_cuda_device;
GA_API ga_cuda_device ga_cuda_properties(int device); /* all 0 on error */

/* The memory of the selected device, as ga_memory_stats for the CPU's. */
typedef struct ga_cuda_memory {
    int64_t used_bytes;  /* in gpuarr's arrays and calls */
    int64_t peak_bytes;  /* the most used since the start or ga_cuda_memory_reset_peak */
    int64_t kept_bytes;  /* freed, and cached for reuse by CUDA's pool */
    int64_t limit_bytes; /* 0: no limit */
    int64_t free_bytes;  /* of the device, for all programs */
    int64_t total_bytes; /* of the device */
    int64_t arrays;      /* number of live arrays there */
} ga_cuda_memory;
GA_API ga_cuda_memory ga_cuda_memory_stats(void); /* all 0 on error */
GA_API void           ga_cuda_memory_reset_peak(void);
/* An allocation beyond the limit fails with GA_NO_MEMORY. 0: no limit. */
GA_API void ga_cuda_memory_limit(int64_t bytes);
/* Waits for the device, and returns cached memory to the system. */
GA_API void ga_cuda_memory_trim(void);

/* The GPU address of a C-contiguous GPU array of exactly this dtype, for your own kernel on ga_get_stream(): the kernel runs after the work
   that gpuarr has queued on the array, and before what it queues later. NULL on error. */
GA_API void *(ga_cuda_data)(const ga_array *a, ga_dtype dtype, const char *site);

/*  Copies. ga_to(a, GA_CUDA) and ga_to(a, GA_CPU) return when the copy is done: you may change a and read the result. With .async = true
    and pinned memory on the CPU (.pinned = true at its creation, or your own wrapped) they return at once; other memory is copied
    synchronously. Until the copy is done, do not use a pointer that you have kept to pinned elements. Every call of gpuarr on the array,
    ga_data too, waits for the copy first; so do ga_synchronize and ga_stream_synchronize.
        ga_array *host = ga_empty((n), .pinned = true), *gpu = ga_empty((n), .device = GA_CUDA);
        ga_to(host, GA_CUDA, .out = gpu, .stream = s, .async = true);                                                            */

/* A new stream of the selected device; NULL on error. Streams run concurrently. Any cudaStream_t is a ga_stream; NULL is the default stream. */
GA_API ga_stream ga_stream_new(void);
/* Waits for its work, then frees it. Threads for which it is the current stream continue on the default stream. A stream that you have made
   with CUDA is not destroyed, only forgotten: call this before cudaStreamDestroy. */
GA_API void ga_stream_free(ga_stream stream);
/* Sets the stream of this thread's later calls on the stream's device (NULL: the default stream, on the selected device). */
GA_API bool      ga_set_stream(ga_stream stream);
GA_API ga_stream ga_get_stream(void);                                    /* on the selected device */
GA_API bool      ga_stream_synchronize(ga_stream stream);                /* waits until its work is done; false on error */
GA_API bool      ga_stream_query(ga_stream stream);                      /* is its work done? Does not wait */
GA_API bool      ga_stream_wait_event(ga_stream stream, ga_event event); /* later work on the stream waits for the event */

/* A mark in a stream. Any cudaEvent_t is a ga_event. */
GA_API ga_event ga_event_new(void); /* on the selected device; NULL on error */
GA_API void     ga_event_free(ga_event event);
GA_API bool     ga_event_record(ga_event event, ga_stream stream); /* after the work queued there */
GA_API bool     ga_event_synchronize(ga_event event);              /* waits until it is reached; false on error */
GA_API bool     ga_event_query(ga_event event);                    /* is it reached? Does not wait */
GA_API double   ga_event_elapsed(ga_event from, ga_event to);      /* seconds between two reached events; NaN on error */

/* ---- CUDA kernels of your own ----------------------------------------------------------------------------------- */
/*  In a .cu file, for nvcc or, without a GPU, for tools/cudasim:
        GA_KERNEL(scale, (float *x, int64_t n, float by))
        {
            int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
            if (i < n) x[i] *= by;
        }
        ...
        ga_launch(scale, ga_blocks(a->size, 256), 256, (a, a->size, 2));
    The body is CUDA C++: threadIdx, __shared__, __syncthreads(), atomicAdd. Grid and block are numbers, or dim3(16, 16). An array is passed
    as a pointer: it must be on the selected GPU, C-contiguous, and have the dtype that the parameter points to. Pointers and numbers are
    passed unchanged. The kernel runs on ga_get_stream() or .stream, after the work that gpuarr has queued on its arrays and before what it
    queues later. .shared = bytes of dynamic shared memory (extern __shared__), up to the GPU's limit. ga_launch returns at once; false if
    the kernel could not start: ga_error() says why. Any __global__ function can be launched, template instances too.              */

typedef struct ga_launch_options {
    GI_BY_POSITION
    int64_t shared   GI_DEFAULT; /* bytes of dynamic shared memory per block */
    ga_stream stream GI_DEFAULT; /* default ga_get_stream() */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_launch_options;
#define GI_DEFAULTS_ga_launch_options

/* The number of blocks of `size` threads for n elements, one thread each. */
static inline int64_t ga_blocks(int64_t n, int64_t size) { return n > 0 && size > 0 ? (n - 1) / size + 1 : 0; }

typedef struct gi_dims {
    int64_t x, y, z;
} gi_dims;
/* Can this kernel be launched so? *stream is where it will be queued. */
GA_API bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream);
/* The pointer for an array, the argument of that number (from 1); NULL on error. GA_DTYPE_DEFAULT: any dtype. */
GA_API void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site);
GA_API bool  gi_launch_end(const char *kernel, const char *site);

/* ga_reduce_defaults and the like: the defaults of all options. */
/* clang-format off */
#define GI_EACH_OPTIONS(X) \
    X(new) X(to) X(map) X(reduce) X(order) X(axis) X(axes) X(linspace) X(wrap) X(random) X(permutation) X(choice) X(close) X(equal) X(copyto) \
    X(describe) X(norm) X(pad) X(unique) X(take) X(histogram) X(bincount) X(product) X(tensordot) X(fft) X(fftn) X(fftfreq) \
    X(convolve) \
    X(cholesky) X(triangular) X(qr) X(eigh) X(svd) X(vector_norm) X(matrix_norm) X(cond) X(rank) X(pinv) X(lstsq) X(polyfit) X(cross) X(vecdot) X(tensorsolve) X(tensorinv) \
    X(convolve2d) X(ndconvolve) X(convolve1d) X(gaussian) X(edge) X(uniform) X(window) X(label) X(center) X(sigma) \
    X(distance) X(squareform) X(apply) X(stencil) X(eval) X(compute) X(blocks) X(visualize) X(delayed) X(imshow) X(open) \
    X(store) X(fits) X(loadtxt) X(genfromtxt) X(savetxt) X(fromfile) X(tofile) X(print) X(benchmark) X(launch) \
    X(diagonal) X(tri) X(fill) X(vander) X(round) X(join) X(trim) X(from) X(trace) X(cumulative) \
    X(diff) X(ediff) X(gradient) X(trapezoid) X(unwrap) X(average) X(cov) X(nan) \
    X(histogramdd) X(searchsorted) X(digitize) X(interp) X(isin) X(intersect) X(angle) X(along) X(index) X(mode) X(bits) \
    X(binary) X(hit) X(grey) X(transform) X(spline) X(interpolation) X(affine) X(rotate) \
    X(lfilter) X(detrend) X(savgol) X(spectrum) X(peaks) X(fftconvolve) X(load) X(to_dlpack) X(from_dlpack)
/* clang-format on */
#ifdef __cplusplus
#define GI_DEFAULTS_OF(x) const ga_##x##_options ga_##x##_defaults = {};
#else
#define GI_DEFAULTS_OF(x) const ga_##x##_options ga_##x##_defaults = { GI_DEFAULTS_ga_##x##_options.site = "" };
#endif
#ifdef GPUARR_STATIC
#define GI_DECLARE_DEFAULTS(x) static __attribute__((unused)) GI_DEFAULTS_OF(x)
#else
#define GI_DECLARE_DEFAULTS(x) extern const ga_##x##_options ga_##x##_defaults;
#endif
GI_EACH_OPTIONS(GI_DECLARE_DEFAULTS)
#undef GI_DECLARE_DEFAULTS

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "gpuarr/face/front.h"
#include "gpuarr/face/scope.h"
#include "gpuarr/face/launch.h"

#include "gpuarr/face/no_kernels.h"

#endif /* GPUARR_INCLUDED */
#if defined(GPUARR_STATIC) && !defined(GI_STATIC)
#error "gpuarr: define GPUARR_STATIC before the first #include of gpuarr.h in this file"
#undef GPUARR_STATIC
#endif

#include "gpuarr_implementation.h"
#endif /* GA_TABLE */
