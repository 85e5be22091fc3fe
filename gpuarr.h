/*  gpuarr.h -- arrays for C, on the CPU and on CUDA, from one definition.

    In ONE source file of your program:          In every other file:
        #define GPUARR_IMPLEMENTATION                #include "gpuarr.h"
        #include "gpuarr.h"

    Build:   cc main.c -lm -lpthread             (gcc or clang, C11 and later, or C++20; no other flag is needed)
    A GPU:   nvcc -c impl.cu, the ONE file being a .cu; the rest of the program stays C. Section >>cuda has the calls for it.
    For faster builds: #define GPUARR_STATIC before GPUARR_IMPLEMENTATION, in a program of one file: what it does not use is not compiled
             (g++ needs -O1 or more for that). A program that calls ga_eval has every operation of the table, for the dtypes of
             #define GPUARR_EVAL_DTYPES GA_BOOL, GA_U8, GA_I32, GA_I64, GA_F32, GA_F64: these, unless it names others.
             -DGPUARR_FEW_DTYPES leaves out the loops for all dtypes but bool, uint8, int32, int64, uint64, float32, float64;
             -DGPUARR_BASELINE_ONLY those for AVX2 and AVX-512. nvcc: --split-compile=2.
             The ONE file may be compiled in parts, at once or only the one that changed: with -DGPUARR_PART=1, 2, 3 and 4 (below) it
             makes four objects, which together are the same library. The GPU's part can be all that nvcc compiles: -DGPUARR_PART=5
             (nvcc -x cu), and -DGPUARR_WITH_CUDA for the other parts, or for the ONE file, by a C or C++ compiler.
    #define GPUARR_MAX_DIMS before every include: more than 8 dimensions. Not with -ffast-math (refused), nor in clang with -ffp-contract=fast
    (it then ignores the pragmas); nvcc: -fmad=false where the program has kernels of its own.
    Optional libraries, named in the error when a call needs one that is missing:
             PNG: stb_image_write.h, found by itself (GPUARR_NO_STB: not used)
             FITS: CFITSIO, with -DGPUARR_USE_CFITSIO and -lcfitsio
             packed Zarr and text in writing: zlib, with -DGPUARR_USE_ZLIB and -lz; HDF5 in reading: libhdf5, with -DGPUARR_USE_HDF5
             chunked arrays on several processes and machines: Open MPI or MPICH, with gpuarr_mpi.h in place of this file, and mpicc
             large matrix products: any CBLAS, with -DGPUARR_USE_CBLAS and -lopenblas; on the GPU -DGPUARR_USE_CUBLAS and -lcublas
             eigenvalues and singular values of large matrices: LAPACKE, with -DGPUARR_USE_LAPACKE and -llapacke -lopenblas;
                 on the GPU, and for QR: -DGPUARR_USE_CUSOLVER and -lcusolver
             convolution by Fourier transforms: FFTW, with -DGPUARR_USE_FFTW and -lfftw3 -lfftw3f; on a GPU -DGPUARR_USE_CUFFT and -lcufft
             (products and transforms of our own are there; the library's may be faster, but have other last bits)

    What a person needs to remember
      * Names, defaults and results are NumPy's and SciPy's, with ga_ in front. Where they differ, the README says so.
      * Shapes are written as in NumPy, in parentheses: ga_zeros((300, 600, 3)). The default dtype is float64.
      * Options are named, in any number: ga_sum(a, .axis = 0, .keepdims = true). In C++ in the order of their declaration.
      * Operands are arrays or plain C numbers: ga_add(a, 2). A number adopts the dtype of the array.
      * Views share memory: ga_index(a, "::2, -1") costs nothing. Free each array, or let ga_scope { ... } do it.
      * A failed call prints a sentence that says why, and returns NULL; NULL in gives NULL out. ga_on_error(GA_EXIT): it ends the program.
        The first error is kept: ga_error().

    Find your way with a search for ">>": the public API below has the sections >>dtypes  >>array  >>errors  >>memory  >>creation  >>views
    >>elementwise  >>reductions  >>rearranging  >>products  >>linear algebra  >>fourier  >>convolution  >>filters  >>morphology
    >>interpolation  >>images  >>signals  >>distances  >>kernels (your own)  >>formulas  >>chunked  >>tasks  >>files
    >>exchange (DLPack)  >>timing  >>cuda (GPUs, streams, events). Each elementwise operation and simple reduction is one line of
    gpuarr/rows/table.h; gpuarr/rows/README.md lists them. What stands behind the API is in the folder gpuarr/, a theme a file:
    gpuarr/README.md is its map. The list at the end of this file is the order in which the files are included.                  */

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

/* What the file with GPUARR_IMPLEMENTATION compiles: everything, or with -DGPUARR_PART=2 the loops for one kind of processor alone,
   which change least and take longest. All parts get the same other flags, and are linked together. */
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

/*  What an option is when a call does not give it: zero (GI_DEFAULT) or a value (GI_IS). In C++ that stands in the struct; in C the macro
    of the call writes GI_DEFAULTS_..., what stands below the struct, before what the caller writes, which overrides it. Positional
    values begin at GI_BY_POSITION, where the list of C is set back to, and nothing converts to a GI_BY_NAME: there they end.             */
#ifdef __cplusplus
#define GI_DEFAULT = {}
#define GI_IS(...) = __VA_ARGS__
#define GI_BY_POSITION
struct gi_by_name {
    constexpr explicit gi_by_name(char c) : none(c) {}
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
typedef struct GI_TAKES_NONE gi_by_name {
    gi_nothing nothing;
    char       none;
} gi_by_name;
#endif
#define GI_BY_NAME      gi_by_name by_name GI_IS(gi_by_name(0));
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
/* For storage, in half the memory of float32, in which they are computed. They have conversions, and no loops of their own. */
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

/*  float16 and bfloat16 (GA_F16, GA_BF16) are for storage. A call computes in float32 and rounds a new result to the nearest, of two to the
    even one; an .out of float32 gets it as it was. (ga_spacing and ga_nextafter are of halves themselves, as NumPy's.) So work creation, conversions, views and what moves elements, elementwise operations,
    reductions, medians, sort, unique, running sums, products, ga_eval, chunked arrays, .npy, .npz and Zarr files (bfloat16, which
    NumPy has not, as GA_U16); other calls ask for ga_astype(a, GA_F32). An element is 2 bytes of your memory:
    ga_view_as(ga_wrap(bits, (n)), GA_F16), where bits are uint16_t. They promote as in NumPy: with bool, int8 and uint8 they stay, with the
    other one they give float32, and with all else what float32 gives. int64 goes by way of float64.                            */
/* "float32"; "?" for what is no dtype. */
GA_API const char *ga_dtype_name(ga_dtype dtype);
/* Bytes of one element, 0 for what is no dtype. */
GA_API int64_t ga_itemsize(ga_dtype dtype);
/* The dtype that holds both, by NumPy's table: int64 and float32 give float64. */
GA_API ga_dtype ga_promote(ga_dtype a, ga_dtype b);
/* The limits of floats (and of the parts of complex numbers), and of integers, as numpy.finfo and iinfo; all 0 on error. */
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

/* CUDA's own types, so that a cudaStream_t is a ga_stream; declared here because no header of CUDA is needed for C files. */
typedef struct CUstream_st *ga_stream;
typedef struct CUevent_st  *ga_event;

/* A shape, or a list of axes: ndim numbers. Not given is ndim 0. */
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
    void     *data; /* the first element; of a chunked array no address (ga_is_chunked): nothing is there before ga_compute */
    ga_dtype  dtype;
    ga_device device;
    int       ndim;
    int64_t   shape[GPUARR_MAX_DIMS];
    int64_t   strides[GPUARR_MAX_DIMS]; /* bytes from one element to the next, as NumPy's; may be 0 or negative */
    int64_t   size;                     /* number of elements: the product of the shape */

    gi_buffer       *owner;       /* keeps the memory alive */
    uint32_t         alive;       /* a mark that a freed array no longer carries */
    struct gi_scope *scope;       /* frees this array when it ends; NULL: you do */
    struct ga_array *prev, *next; /* the other arrays of that scope */
} ga_array;

/* An operand: an array or a plain number. GA_ARG makes one from either. */
typedef enum ga_kind { GA_KIND_ARRAY, GA_KIND_BOOL, GA_KIND_INT, GA_KIND_UINT, GA_KIND_REAL, GA_KIND_COMPLEX } ga_kind;
typedef struct ga_arg {
    const ga_array *array;
    ga_kind         kind;
    bool    single; /* a finite float (NAN and INFINITY are floats in C), or a ga_c64: alone it is float32 or complex64 */
    int64_t i;      /* BOOL, INT; the bits of a UINT beyond INT64_MAX */
    double  re, im;
} ga_arg;

/* A complex number as an operand: ga_multiply(a, ga_complex(0, 1)). Others are ga_c64 and ga_c128, C's double complex and float complex, and
   std::complex. */
static inline ga_arg ga_complex(double re, double im)
{
    ga_arg z = { NULL, GA_KIND_COMPLEX, false, 0, re, im };
    return z;
}

/*  Options. Zero is a value like any other: an option that is not given has the default that its line tells, or zero. Those before
    GI_BY_NAME may also be given by position, in the order of NumPy's. `site` is the place and the text of the call, which the macros
    fill in for the error messages. Who calls a function itself, (ga_sum)(a, o), starts from the defaults:
    ga_reduce_options o = ga_reduce_defaults; o.axis = 0;                                                                    */
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
    bool pinned      GI_DEFAULT; /* on the CPU: memory that a GPU copies fast and by itself (ga_to with .async); slow to make */
    bool managed     GI_DEFAULT; /* on the GPU: memory that the CPU may use as well, through ga_data */
    ga_shape chunks  GI_DEFAULT; /* a chunked array: .chunks = ga_chunks(1000, 500); see >>chunked */
    const char *site GI_IS("");
} ga_new_options;
#define GI_DEFAULTS_ga_new_options

typedef struct ga_to_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array *out    GI_IS(GA_NO_ARRAY); /* copy into this array, of the same shape and dtype, on that device */
    ga_stream stream GI_DEFAULT;         /* copy on this stream; default ga_get_stream() */
    bool async       GI_DEFAULT;         /* do not wait for the copy, if the memory on the CPU is pinned; see >>cuda */
    const char *site GI_IS("");
} ga_to_options;
#define GI_DEFAULTS_ga_to_options  .out = GA_NO_ARRAY,

typedef struct ga_map_options {
    GI_BY_POSITION
    ga_array *out GI_IS(GA_NO_ARRAY); /* write the result there (any dtype that it can be cast to within its kind) */
    GI_BY_NAME
    const ga_array *where GI_IS(GA_NO_ARRAY); /* bool: compute only there; elsewhere out keeps its value (a new result is 0) */
    ga_dtype dtype        GI_DEFAULT;         /* compute in this dtype */
    const char *site      GI_IS("");
} ga_map_options;
#define GI_DEFAULTS_ga_map_options .out = GA_NO_ARRAY, .where = GA_NO_ARRAY,

typedef struct ga_reduce_options {
    GI_BY_POSITION
    int axis       GI_IS(GA_AXIS_DEFAULT); /* not given: over all axes; negative counts from the end */
    ga_dtype dtype GI_DEFAULT;             /* compute and return in this dtype */
    ga_array *out  GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    ga_shape axes GI_IS({ -1, {} }); /* several: .axes = ga_axes(0, 2) */
    bool keepdims GI_DEFAULT;        /* leave the reduced axes in, with length 1 */
    int ddof      GI_DEFAULT;        /* std, var: divide by n - ddof */
    /* mean, var, std, and the folds of the table (sum, prod, min, max, any, all, count_nonzero, and those without NaN but nanmean): of the
       elements where this is nonzero, which broadcasts to a */
    const ga_array *where GI_IS(GA_NO_ARRAY);
    ga_arg initial        GI_IS(GA_NO_ARG); /* sums, products, min and max: one more operand, .initial = GA_ARG(0) */
    const char *site      GI_IS("");
} ga_reduce_options;
#define GI_DEFAULTS_ga_reduce_options                                                                                          \
    .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY, .axes = { -1, { 0 } }, .where = GA_NO_ARRAY, .initial = GA_NO_ARG,

/* Between which two elements a quantile lies, and where: NumPy's methods, most of them those of Hyndman and Fan (1996). */
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
    ga_quantile_method method GI_DEFAULT; /* of quantiles and percentiles: between two elements, as NumPy's method */
    const char *site          GI_IS("");
} ga_order_options;
#define GI_DEFAULTS_ga_order_options    .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY, .axes = { -1, { 0 } },

typedef struct ga_axis_options {
    GI_BY_POSITION
    int axis       GI_IS(GA_AXIS_DEFAULT); /* when not given: see the function */
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
    GA_STOPPED      /* by a function of yours */
} ga_status;

/* The first error of this thread since ga_clear_error: a sentence with file, line, call and what to do; NULL if none. */
GA_API const char *ga_error(void);
GA_API ga_status   ga_error_status(void);
GA_API void        ga_clear_error(void);
/* Called with each first error in place of printing it to stderr, when the call has let go of all that it had: a handler may compute, and
   store, what the program has so far. NULL: print again. `ga_ignore_error` says nothing. */
typedef void (*ga_error_handler)(ga_status status, const char *sentence, void *user);
GA_API void ga_set_error_handler(ga_error_handler handler, void *user);
GA_API void ga_ignore_error(ga_status status, const char *sentence, void *user);

/*  What the program does when a call has failed, after the sentence is told. ga_on_error(GA_EXIT), once at the beginning, spares it all
    questions whether a call has failed. For a program that has not called ga_on_error, GPUARR_ON_ERROR=exit or =trap in the environment
    asks for the same. An error inside a task, or a function for chunks, counts when ga_run or ga_compute fails for it. A program that
    goes on, and never asks for the error (ga_error, ga_error_status, ga_clear_error, or a handler), is told so in a line at its end. */
typedef enum ga_error_action {
    GA_CONTINUE, /* the call returns NULL or false */
    GA_EXIT,     /* exit(1) */
    GA_TRAP      /* stop in the debugger, at the call: raise(SIGTRAP) */
} ga_error_action;
GA_API void ga_on_error(ga_error_action action);

/* ==== >>memory ==================================================================================================== */

/* Releases the array; its memory is reused when the last view of it is gone. NULL is fine. */
GA_API void ga_free(ga_array *a);
/* Arrays made inside `ga_scope { ... }` are released at its end (return and break end it too, longjmp does not), except those
   handed out with ga_keep, which belong to the enclosing scope, or to you if there is none. */
GA_API ga_array *ga_keep(ga_array *a);

typedef struct ga_memory {
    int64_t used_bytes;    /* in arrays */
    int64_t peak_bytes;    /* most used so far (since ga_memory_reset_peak) */
    int64_t total_bytes;   /* used and kept ready for reuse */
    int64_t limit_bytes;   /* 0: no limit */
    int64_t arrays;        /* how many are alive */
    int64_t spilled_bytes; /* in files: what ga_persist could not keep in memory */
} ga_memory;
GA_API ga_memory ga_memory_stats(void);
GA_API void      ga_memory_reset_peak(void);
/* An allocation beyond the limit fails with GA_NO_MEMORY. 0: no limit. */
GA_API void ga_memory_limit(int64_t bytes);
/* Returns what is kept ready for reuse to the system. */
GA_API void ga_memory_trim(void);
/* Every later buffer and handle on the CPU comes from these (NULLs: the built-in ones); GPU and pinned memory is CUDA's. alloc may
   return NULL; memory aligned to 64 bytes is asked for. Fails, changing nothing, while arrays are alive. */
typedef void *(*ga_alloc_function)(size_t bytes, void *user);
typedef void (*ga_free_function)(void *p, size_t bytes, void *user);
GA_API bool ga_set_allocator(ga_alloc_function alloc, ga_free_function release, void *user);
/* Lists the arrays that are alive (shape, dtype, bytes, the call that made them); returns their number. */
GA_API int64_t ga_report_leaks(FILE *to);

GA_API void      ga_set_device(ga_device device);
GA_API ga_device ga_get_device(void);
/* Ends gpuarr's threads, and gives back all memory that no array uses, of the GPUs too. Arrays stay, and a later call starts anew. Not from
   inside a task. You need not call it: a library that contains gpuarr does so when it is unloaded (dlclose); at exit it is not done, and
   nothing is freed there. */
GA_API void ga_shutdown(void);

/* Threads that a call may use (default: GPUARR_NUM_THREADS, else the processors that the process may use). 1: everything in the caller.
   Calls may come from any of your threads; an array must not be written by one while another uses it. Do not cancel a thread
   (pthread_cancel) that may be inside a call: the locks that it holds would stay locked. */
GA_API void ga_set_num_threads(int n);
GA_API int  ga_get_num_threads(void);
/* "avx512", "avx2" or "baseline": what this processor runs; GPUARR_ISA=baseline in the environment asks for less. */
GA_API const char *ga_isa(void);

/* ==== >>creation: each returns a new array, or NULL on error ====================================================== */

GA_API ga_array *(ga_zeros)(ga_shape shape, ga_new_options o); /* all 0 */
GA_API ga_array *(ga_ones)(ga_shape shape, ga_new_options o);  /* all 1 */
GA_API ga_array *(ga_empty)(ga_shape shape, ga_new_options o); /* any content */
GA_API ga_array *(ga_full)(ga_shape shape, ga_arg value,
                           ga_new_options o); /* all `value`; dtype of the value unless given (C's `true` is an int) */
GA_API ga_array *(ga_zeros_n)(int ndim, const int64_t *shape, ga_new_options o); /* for run-time shapes */
GA_API ga_array *(ga_empty_n)(int ndim, const int64_t *shape, ga_new_options o);
GA_API ga_array *(ga_zeros_like)(const ga_array *a, ga_new_options o); /* shape, dtype, device of a */
GA_API ga_array *(ga_ones_like)(const ga_array *a, ga_new_options o);
GA_API ga_array *(ga_empty_like)(const ga_array *a, ga_new_options o);
GA_API ga_array *(ga_full_like)(const ga_array *a, ga_arg value, ga_new_options o);
GA_API ga_array *(ga_scalar)(ga_arg value, ga_new_options o); /* 0-d */
GA_API ga_array *(ga_arange)(ga_arg start, ga_arg stop, ga_arg step,
                             ga_new_options o); /* start, start + step ... before stop; int64 for integers. Also
                                                   ga_arange(stop) and ga_arange(start, stop), without options */

typedef struct ga_linspace_options {
    GI_BY_POSITION
    bool endpoint GI_IS(true); /* is stop the last number? */
    GI_BY_NAME
    double base      GI_IS(10); /* logspace */
    ga_dtype dtype   GI_DEFAULT;
    ga_device device GI_DEFAULT;
    ga_shape chunks  GI_DEFAULT; /* a chunked array */
    const char *site GI_IS("");
} ga_linspace_options;
#define GI_DEFAULTS_ga_linspace_options .endpoint = true, .base = 10,
GA_API ga_array *(ga_linspace)(double start, double stop, int64_t num,
                               ga_linspace_options o); /* num numbers from start to stop */
GA_API ga_array *(ga_logspace)(double start, double stop, int64_t num, ga_linspace_options o); /* base ** linspace */
GA_API ga_array *(ga_geomspace)(double start, double stop, int64_t num,
                                ga_linspace_options o); /* each the same multiple of the one before */
/* Windows of m points, symmetric, 1 in the middle; float64 unless .dtype says else. */
GA_API ga_array *(ga_bartlett)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_blackman)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_hamming)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_hanning)(int64_t m, ga_new_options o);
GA_API ga_array *(ga_kaiser)(int64_t m, double beta, ga_new_options o);

GA_API ga_array *(ga_eye)(int64_t rows, int64_t cols, int64_t k, ga_new_options o); /* ones on the k-th diagonal */
GA_API ga_array *(ga_identity)(int64_t n, ga_new_options o);                        /* ga_eye(n, n, 0) */
/* Ones at and below the k-th diagonal; of .dtype and on .device. */
GA_API ga_array *(ga_tri)(int64_t rows, int64_t cols, int64_t k, ga_new_options o);
typedef struct ga_diagonal_options {
    GI_BY_POSITION
    int64_t k GI_DEFAULT; /* which diagonal: > 0 above the main one, < 0 below it */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_diagonal_options;
#define GI_DEFAULTS_ga_diagonal_options
GA_API ga_array *(ga_diag)(const ga_array *v, ga_diagonal_options o); /* a vector as a diagonal; of a matrix the view of one */
GA_API ga_array *(ga_diagflat)(const ga_array *v, ga_diagonal_options o); /* v flattened, as a diagonal */
GA_API ga_array *(ga_tril)(const ga_array *a, ga_diagonal_options o);     /* of the last two axes: 0 above the k-th diagonal */
GA_API ga_array *(ga_triu)(const ga_array *a, ga_diagonal_options o);     /* 0 below it */
typedef struct ga_tri_options {
    GI_BY_POSITION
    int64_t k GI_DEFAULT;
    int64_t m GI_IS(GA_LENGTH_DEFAULT); /* columns; not given: n */
    GI_BY_NAME
    ga_device device GI_DEFAULT;
    const char *site GI_IS("");
} ga_tri_options;
#define GI_DEFAULTS_ga_tri_options .m = GA_LENGTH_DEFAULT,
/* Indices as those of ga_nonzero: int64 (2, count), of the elements at and below, or at and above, the k-th diagonal of an n by m matrix. */
GA_API ga_array *(ga_tril_indices)(int64_t n, ga_tri_options o);
GA_API ga_array *(ga_triu_indices)(int64_t n, ga_tri_options o);
GA_API ga_array *(ga_diag_indices)(int64_t n, int ndim, const char *site); /* int64 (ndim, n) */
typedef struct ga_fill_options {
    GI_BY_POSITION
    bool wrap GI_DEFAULT; /* a tall matrix: go on behind each square, one row further */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_fill_options;
#define GI_DEFAULTS_ga_fill_options
/* Writes a number, or the elements of an array again and again, on the main diagonal of a. Returns a, or NULL on error. */
GA_API ga_array *(ga_fill_diagonal)(ga_array *a, ga_arg value, ga_fill_options o);
typedef struct ga_vander_options {
    GI_BY_POSITION
    int64_t n       GI_IS(GA_LENGTH_DEFAULT); /* columns; not given: as many as x has elements */
    bool increasing GI_DEFAULT;               /* powers from left to right; else the highest first */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_vander_options;
#define GI_DEFAULTS_ga_vander_options .n = GA_LENGTH_DEFAULT,
GA_API ga_array *(ga_vander)(const ga_array *x, ga_vander_options o); /* a row of powers for each element */
/* Coordinates from n 1-D arrays into outs[0..n-1]; ij: matrix order, else xy as numpy's default. False on error, outs then NULL. */
GA_API bool(ga_meshgrid_n)(int n, const ga_array *const *in, ga_array **outs, bool ij, const char *site);
GA_API bool(ga_meshgrid)(const ga_array *x, const ga_array *y, ga_array **xx, ga_array **yy, bool ij, const char *site);
GA_API ga_array *(ga_indices)(ga_shape shape, ga_new_options o); /* (ndim, shape...): the index of every element, int64 */
GA_API ga_array *(ga_mgrid)(const char    *slices,
                            ga_new_options o); /* numpy.mgrid["0:300, 0:600:2"]; "0:1:5j" is five points from 0 to 1 */
GA_API ga_array *(ga_tile)(const ga_array *a, ga_shape reps, const char *site); /* a repeated along each axis */
/* Each element so often, or as often as a 1-D array of integers says, of one or of one for each along the axis; .axis not given: flattened. */
GA_API ga_array *(ga_repeat)(const ga_array *a, ga_arg repeats, ga_axis_options o);

typedef struct ga_from_options {
    GI_BY_POSITION
    ga_dtype dtype GI_DEFAULT; /* of the array; default that of the numbers */
    GI_BY_NAME
    ga_device device GI_DEFAULT; /* these as in ga_new_options */
    bool pinned      GI_DEFAULT;
    bool managed     GI_DEFAULT;
    bool swapped     GI_DEFAULT; /* the numbers are of the other byte order: big-endian ones, on a little-endian machine */
    const char *site GI_IS("");
} ga_from_options;
#define GI_DEFAULTS_ga_from_options
/* A new array with a copy of the numbers at p (dtype from the pointer type): ga_from(values, (2, 3)). */
GA_API ga_array *(ga_from)(const void *p, ga_dtype dtype, ga_shape shape, ga_from_options o);
/* The caller's memory as an array, not copied and never freed: ga_wrap(pixels, (height, width)). It must outlive the array and its views.
   Memory of a GPU: .device = GA_CUDA; what you have queued on its content must be on this thread's stream, or done.
   C order; ga_wrap_strided takes byte strides. release(p, user), if given, is called when the last view is gone. */
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

/* Random numbers: Philox4x32-10, counter-based: the same seed gives the same numbers on any backend and any number of threads.
   seed 0 is a seed like any other. Element i of a call depends on (seed, stream, i) alone. */
typedef struct ga_random_options {
    GI_BY_POSITION
    ga_dtype dtype GI_DEFAULT; /* float32 or float64 (default); integers: default int64 */
    GI_BY_NAME
    ga_device device GI_DEFAULT;
    uint64_t seed    GI_DEFAULT;
    uint64_t stream  GI_DEFAULT; /* another sequence with the same seed */
    ga_shape chunks  GI_DEFAULT; /* a chunked array of the same numbers */
    const char *site GI_IS("");
} ga_random_options;
#define GI_DEFAULTS_ga_random_options
GA_API ga_array *(ga_random)(ga_shape shape, ga_random_options o); /* uniform in [0, 1); halves of it may round to 1 */
GA_API ga_array *(ga_random_integers)(int64_t low, int64_t high, ga_shape shape, ga_random_options o); /* low <= x < high */
GA_API ga_array *(ga_random_normal)(double mean, double sigma, ga_shape shape, ga_random_options o);
/* Parameters beyond a range are an error that tells it: a and b are above 0, n is at most 2**53, lam at most 2**52. (Of a seed these
   five gave other numbers until November 2026.) */
GA_API ga_array *(ga_random_exponential)(double scale, ga_shape shape, ga_random_options o);
GA_API ga_array *(ga_random_gamma)(double k, double scale, ga_shape shape,
                                   ga_random_options o); /* NumPy's argument shape is k */
GA_API ga_array *(ga_random_beta)(double a, double b, ga_shape shape, ga_random_options o);
GA_API ga_array *(ga_random_binomial)(int64_t n, double p, ga_shape shape,
                                      ga_random_options o); /* these two: int64 or .dtype */
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
/* What lies along an axis, in random order: a new array (of a number n: of 0 .. n - 1), or a itself, which is returned. */
GA_API ga_array *(ga_random_permutation)(ga_arg x, ga_permutation_options o);
GA_API ga_array *(ga_random_shuffle)(ga_array *a, ga_permutation_options o);
typedef struct ga_choice_options {
    GI_BY_POSITION
    bool replace      GI_IS(true);        /* false: none is taken twice */
    const ga_array *p GI_IS(GA_NO_ARRAY); /* how likely each is, with the sum 1; not given: all alike */
    int axis          GI_DEFAULT;
    GI_BY_NAME
    uint64_t seed    GI_DEFAULT;
    uint64_t stream  GI_DEFAULT;
    const char *site GI_IS("");
} ga_choice_options;
#define GI_DEFAULTS_ga_choice_options .replace = true, .p = GA_NO_ARRAY,
/* So many of what lies along an axis of x, or of the numbers 0 .. x - 1; the shape stands in place of that axis. (Up to a
   quarter of x, without replacement and without .p, they are others of the same seed than before November 2026.) */
GA_API ga_array *(ga_random_choice)(ga_arg x, ga_shape shape, ga_choice_options o);
/* Vectors along a last axis; cov: symmetric, no eigenvalue below 0. */
GA_API ga_array *(ga_random_multivariate_normal)(const ga_array *mean, const ga_array *cov, ga_shape shape,
                                                 ga_random_options o);

/* A copy in C order; of another dtype (float to integer saturates, NaN gives 0); on another device. */
GA_API ga_array *(ga_copy)(const ga_array *a, const char *site);
GA_API ga_array *(ga_astype)(const ga_array *a, ga_dtype dtype, const char *site);
GA_API ga_array *(ga_to)(const ga_array *a, ga_device device, ga_to_options o);
GA_API ga_array *(ga_ascontiguous)(const ga_array *a, const char *site); /* a view of a if it is C-contiguous, else a copy */

/* One number out of an array with one element, or at an index: ga_item_at(a, 2, 3). NaN on error. */
GA_API double(ga_item)(const ga_array *a, const char *site);
GA_API int64_t(ga_item_int)(const ga_array *a, const char *site);
GA_API double(ga_item_at)(const ga_array *a, ga_shape index, const char *site);
GA_API ga_c128(ga_item_complex)(const ga_array *a, const char *site); /* .re and .im, of any dtype; NaN for both on error */
GA_API ga_c128(ga_item_complex_at)(const ga_array *a, ga_shape index, const char *site);
GA_API int64_t(ga_item_int_at)(const ga_array *a, ga_shape index, const char *site);
/* Writes a number at an index: ga_set_at(a, 0.5, 2, 3). False on error. */
GA_API bool(ga_set_at)(ga_array *a, ga_arg value, ga_shape index, const char *site);
/* The elements of a C-contiguous CPU array of exactly this dtype, else NULL with an error: const float *p = ga_data(a, GA_F32).
   Waits until no GPU copies them or works on them (pinned and managed arrays). */
GA_API void *(ga_data)(const ga_array *a, ga_dtype dtype, const char *site);

/* ==== >>views: no element is copied unless it says so; each returns a new ga_array ================================= */

/* NumPy's index notation, its numbers printf-style: ga_index(a, "1:-1, ::2, %d, ..., newaxis", row). Always a view; with index
   arrays among them, a copy: ga_index_take(a, (rows), .index = "$1, ::2"). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
GA_API ga_array *(ga_index)(const char *site, const ga_array *a, const char *index, ...);
GA_API ga_array *(ga_view)(const ga_array *a, const char *site);                    /* the same elements once more */
GA_API ga_array *(ga_view_as)(const ga_array *a, ga_dtype dtype, const char *site); /* the same bytes as another dtype */
/* To a shape that is known when the program runs, a ga_shape: (ga_reshape)(a, shape, "here"). */
GA_API ga_array *(ga_reshape)(const ga_array *a, ga_shape shape,
                              const char *site);                       /* one length may be -1; a copy if it must be */
GA_API ga_array *(ga_ravel)(const ga_array *a, const char *site);      /* 1-D; a copy if it must be */
GA_API ga_array *(ga_flatten)(const ga_array *a, const char *site);    /* 1-D, always a copy */
GA_API ga_array *(ga_transpose)(const ga_array *a, ga_axes_options o); /* axes reversed, or in the order .axes */
GA_API ga_array *(ga_swapaxes)(const ga_array *a, int axis1, int axis2, const char *site);
GA_API ga_array *(ga_matrix_transpose)(const ga_array *a, const char *site); /* the last two axes exchanged */
GA_API ga_array *(ga_moveaxis)(const ga_array *a, int source, int destination, const char *site);
GA_API ga_array *(ga_squeeze)(const ga_array *a, ga_axes_options o); /* without axes of length 1 (or the given one) */
GA_API ga_array *(ga_expand_dims)(const ga_array *a, int axis, const char *site);
GA_API ga_array *(ga_atleast_1d)(const ga_array *a, const char *site); /* with axes of length 1 where there are fewer: */
GA_API ga_array *(ga_atleast_2d)(const ga_array *a, const char *site); /* (1, n) */
GA_API ga_array *(ga_atleast_3d)(const ga_array *a, const char *site); /* (1, n, 1), (m, n, 1) */
GA_API ga_array *(ga_broadcast_to)(const ga_array *a, ga_shape shape,
                                   const char *site); /* read-only by custom: elements repeat */
/* n arrays broadcast to one shape: views in outs[0..n-1]. False on error, outs then NULL. */
GA_API bool(ga_broadcast_arrays)(int n, const ga_array *const *arrays, ga_array **outs, const char *site);
GA_API ga_array *(ga_diagonal)(const ga_array *a, int64_t offset, const char *site); /* of the first two axes, put last */
GA_API ga_array *(ga_flip)(const ga_array *a, ga_axes_options o);                    /* all axes, or the given ones */
GA_API ga_array *(ga_fliplr)(const ga_array *a, const char *site);
GA_API ga_array *(ga_flipud)(const ga_array *a, const char *site);
/* k quarter turns from the first axis to the second, or from one of two .axes to the other. */
GA_API ga_array *(ga_rot90)(const ga_array *a, int k, ga_axes_options o);
/* All windows of a shape: a[i : i + 3, j : j + 3] is element [i, j] of ga_sliding_window_view(a, (3, 3)); those along .axis or .axes alone.
   What shares elements cannot be written into. Chunked arrays: ga_map_overlap, or ga_compute first. */
GA_API ga_array *(ga_sliding_window_view)(const ga_array *a, ga_shape window_shape, ga_axes_options o);
/* Any shape and strides (in bytes), from the first element of a, as far as the memory reaches of which a is a view. */
GA_API ga_array *(ga_as_strided)(const ga_array *a, ga_shape shape, ga_shape strides, const char *site);

GA_API bool ga_is_contiguous(const ga_array *a); /* C order without gaps */
GA_API bool ga_same_shape(const ga_array *a, const ga_array *b);
GA_API bool ga_may_share_memory(const ga_array *a, const ga_array *b);

/* ==== >>elementwise: one real function per row of the table ======================================================== */

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
GA_API ga_array *(ga_round)(const ga_array *a, ga_round_options o); /* halves to even; complex: part by part */
typedef struct ga_nan_options {
    GI_BY_POSITION
    GI_BY_NAME
    double nan       GI_DEFAULT;             /* what NaN becomes, */
    double posinf    GI_IS(GA_REAL_DEFAULT); /* infinity (not given: the largest number of the dtype), */
    double neginf    GI_IS(GA_REAL_DEFAULT); /* and -infinity */
    const char *site GI_IS("");
} ga_nan_options;
#define GI_DEFAULTS_ga_nan_options   .posinf = GA_REAL_DEFAULT, .neginf = GA_REAL_DEFAULT,
GA_API ga_array *(ga_nan_to_num)(const ga_array *x, ga_nan_options o); /* a new array */
GA_API ga_array *(ga_i0)(const ga_array *x, const char *site); /* the modified Bessel function of order 0: within 8 ulp */
/* The dtype that arrays and numbers have together: ga_result_type((a, 2.5)); site: "", or what errors name. */
GA_API ga_dtype ga_result_type_n(int n, const ga_arg *operands, const char *site);
GA_API ga_array *(ga_sort_complex)(const ga_array *a, const char *site); /* along the last axis, as complex numbers */
GA_API ga_array *(ga_float_power)(ga_arg x, ga_arg y, ga_map_options o); /* ga_power in float64 or complex128 */
/* The quotient rounded down, and in *remainder (or NULL) what is left: ga_divmod(x, 3, &rest). */
GA_API ga_array *(ga_divmod)(ga_arg x, ga_arg y, ga_array **remainder, const char *site);
/* The fraction, and in *whole (or NULL) the integral part; both with the sign of x. */
GA_API ga_array *(ga_modf)(ga_arg x, ga_array **whole, const char *site);
/* m, 1/2 <= |m| < 1, and in *exponent (or NULL) e, int32: x = ga_ldexp(m, e). 0, infinity and NaN are m themselves. */
GA_API ga_array *(ga_frexp)(ga_arg x, ga_array **exponent, const char *site);
typedef struct ga_angle_options {
    GI_BY_POSITION
    bool deg GI_DEFAULT; /* in degrees */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_angle_options;
#define GI_DEFAULTS_ga_angle_options
GA_API ga_array *(ga_angle)(ga_arg z, ga_angle_options o); /* of complex numbers; of real ones 0 or pi */
/* The first of the values whose condition (bool) is true, or `otherwise`: ga_select((a, b), (x, 1), 0). */
GA_API ga_array *(ga_select_n)(int n, const ga_array *const *conditions, int values, const ga_arg *list, ga_arg otherwise,
                               const char *site);
/* The last of the values whose condition is true, of the dtype of x; else the value behind them, or 0: ga_piecewise(x, (a, b), (y, z, 1)). */
GA_API ga_array *(ga_piecewise_n)(const ga_array *x, int n, const ga_array *const *conditions, int values, const ga_arg *list,
                                  const char *site);
/* The first of eight elements is the highest bit, or the lowest. */
typedef enum ga_bit_order { GA_BITS_BIG, GA_BITS_LITTLE } ga_bit_order;
typedef struct ga_bits_options {
    GI_BY_POSITION
    int axis GI_IS(GA_AXIS_DEFAULT); /* not given: of the flattened array */
    GI_BY_NAME
    ga_bit_order bitorder GI_DEFAULT;
    int64_t count         GI_IS(GA_LENGTH_DEFAULT); /* ga_unpackbits: so many bits; < 0: without the last ones */
    const char *site      GI_IS("");
} ga_bits_options;
#define GI_DEFAULTS_ga_bits_options    .axis = GA_AXIS_DEFAULT, .count = GA_LENGTH_DEFAULT,
/* Eight elements, 0 or not, as the bits of a uint8; and back, as 0 and 1. */
GA_API ga_array *(ga_packbits)(const ga_array *a, ga_bits_options o);
GA_API ga_array *(ga_unpackbits)(const ga_array *a, ga_bits_options o);
/* p[0] x^(n - 1) + ... + p[n - 1], by Horner's rule; and the polynomial, so written, that has these roots. */
GA_API ga_array *(ga_polyval)(const ga_array *p, ga_arg x, const char *site);
GA_API ga_array *(ga_poly)(const ga_array *roots, const char *site);
GA_API ga_array *(ga_roots)(const ga_array *p,
                            const char     *site); /* of such a polynomial: complex128, of float32 and complex64 complex64 */
typedef struct ga_polyfit_options {
    GI_BY_POSITION
    double rcond GI_IS(GA_REAL_DEFAULT); /* as that of ga_lstsq; default x.size * eps */
    GI_BY_NAME
    const ga_array *w GI_IS(GA_NO_ARRAY); /* what the distance of each point is multiplied by */
    ga_array **cov
        GI_DEFAULT; /* the covariances of the coefficients (for y of two dimensions k matrices along the last axis), */
    bool unscaled    GI_DEFAULT; /* for which the weights are 1 / sigma of the points */
    int64_t *rank    GI_DEFAULT; /* how many coefficients the points determine: of fewer than all, NumPy warns */
    const char *site GI_IS("");
} ga_polyfit_options;
#define GI_DEFAULTS_ga_polyfit_options .rcond = GA_REAL_DEFAULT, .w = GA_NO_ARRAY,
/* The deg + 1 coefficients of the polynomial whose squared distances from the points (x, y) have the least sum; of each column of y. */
GA_API ga_array *(ga_polyfit)(const ga_array *x, const ga_array *y, int64_t deg, ga_polyfit_options o);
/*  NumPy's other names are macros: ga_abs, ga_acos, ga_acosh, ga_asin, ga_asinh, ga_atan, ga_atanh, ga_atan2, ga_pow, ga_mod, ga_conjugate,
    ga_true_divide, ga_fix (ga_trunc), ga_degrees, ga_radians, ga_around, ga_bitwise_not, ga_bitwise_invert, ga_bitwise_left_shift,
    ga_bitwise_right_shift, ga_amin, ga_amax, ga_concat, ga_permute_dims (.axes). ga_eval knows those that are elementwise, and amin and amax. */

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
GA_API bool(ga_allclose)(ga_arg a, ga_arg b, ga_close_options o);      /* the arrays may lie on different devices */
GA_API bool(ga_array_equal)(ga_arg a, ga_arg b, ga_equal_options o);   /* same shape and elements */

/* Copies src, broadcast and cast, into the elements of dst, where `.where` is nonzero if given. As if src were copied first.
   ga_copyto(ga_index(rgb, ":4, :9, 2"), 1). Returns dst, or NULL on error. */
typedef struct ga_copyto_options {
    GI_BY_POSITION
    GI_BY_NAME
    const ga_array *where GI_IS(GA_NO_ARRAY);
    const char *site      GI_IS("");
} ga_copyto_options;
#define GI_DEFAULTS_ga_copyto_options .where = GA_NO_ARRAY,
GA_API ga_array *(ga_copyto)(ga_array *dst, ga_arg src, ga_copyto_options o);

/* ==== >>reductions: over all axes, or .axis = 1, or .axes = ga_axes(0, 2); .keepdims, .dtype, .out, .where, .initial == */
/*  Sums follow one documented tree: blocks of 1024 elements from the start of the axis, each folded by halves in float64 (int64, uint64,
    complex128), and the blocks folded in the same way. Variances join counts, means and squares by the update of Chan, Golub and
    LeVeque along the same tree. Neither threads nor strides nor the device change a bit of the result.                          */

#define GA_FOLD(name, ...) GA_API ga_array *(ga_##name)(const ga_array *a, ga_reduce_options o);
#define GA_TABLE
#include "gpuarr/rows/table.h"

GA_API ga_array *(ga_var)(const ga_array *a, ga_reduce_options o); /* variance; .ddof */
GA_API ga_array *(ga_std)(const ga_array *a, ga_reduce_options o); /* standard deviation; .ddof */
GA_API ga_array *(ga_nanmean)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanvar)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanstd)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_argmin)(const ga_array *a, ga_reduce_options o); /* index of the first smallest, int64 */
GA_API ga_array *(ga_argmax)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanargmin)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_nanargmax)(const ga_array *a, ga_reduce_options o);
GA_API ga_array *(ga_median)(const ga_array *a, ga_order_options o);
GA_API ga_array *(ga_nanmedian)(const ga_array *a, ga_order_options o);
/* Percentiles and quantiles have the dtype of floats, and are float64 of integers; by the methods that take an element (GA_LOWER,
   GA_INVERTED_CDF ...), the dtype of a. Of no elements they are NaN; by those methods, an error. */
GA_API ga_array *(ga_percentile)(const ga_array *a, ga_arg q,
                                 ga_order_options o); /* q in percent, number or array (its axes come first) */
GA_API ga_array *(ga_nanpercentile)(const ga_array *a, ga_arg q, ga_order_options o);
GA_API ga_array *(ga_quantile)(const ga_array *a, ga_arg q, ga_order_options o); /* q from 0 to 1 */
GA_API ga_array *(ga_nanquantile)(const ga_array *a, ga_arg q, ga_order_options o);

/* The numbers that describe a set of numbers. */
typedef struct ga_statistics {
    int64_t count;
    double  mean, median, std, min, max; /* NaN where there are no elements */
} ga_statistics;
typedef struct ga_describe_options {
    GI_BY_POSITION
    GI_BY_NAME
    int ddof         GI_DEFAULT; /* std: divide by count - ddof */
    bool skip_nan    GI_DEFAULT; /* leave NaN out; else one NaN makes all of them NaN */
    const char *site GI_IS("");
} ga_describe_options;
#define GI_DEFAULTS_ga_describe_options
/* Of all elements, what ga_item(ga_mean(a)) and the like return, to the last bit; floats that lie contiguous on the CPU are read once for
   all of them. On error count is 0. */
GA_API ga_statistics(ga_describe)(const ga_array *a, ga_describe_options o);

GA_API ga_array *(ga_cumsum)(const ga_array *a, ga_axis_options o); /* running sum; .axis not given: flattened */
GA_API ga_array *(ga_cumprod)(const ga_array *a, ga_axis_options o);
GA_API ga_array *(ga_nancumsum)(const ga_array *a, ga_axis_options o); /* NaN counts as 0, or as 1 */
GA_API ga_array *(ga_nancumprod)(const ga_array *a, ga_axis_options o);
typedef struct ga_cumulative_options {
    GI_BY_POSITION
    GI_BY_NAME
    int axis             GI_IS(GA_AXIS_DEFAULT); /* may be left out for a vector */
    ga_dtype dtype       GI_DEFAULT;
    ga_array *out        GI_IS(GA_NO_ARRAY);
    bool include_initial GI_DEFAULT; /* one more element, in front: 0, or 1 */
    const char *site     GI_IS("");
} ga_cumulative_options;
#define GI_DEFAULTS_ga_cumulative_options .axis = GA_AXIS_DEFAULT, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_cumulative_sum)(const ga_array *a, ga_cumulative_options o);
GA_API ga_array *(ga_cumulative_prod)(const ga_array *a, ga_cumulative_options o);

/* Differences. An operand that is an option is written .prepend = GA_ARG(0), or GA_ARG(array). */
typedef struct ga_diff_options {
    GI_BY_POSITION
    int n          GI_IS(1);               /* how often */
    int axis       GI_IS(GA_AXIS_DEFAULT); /* not given: the last */
    ga_arg prepend GI_IS(GA_NO_ARG);       /* put before a, or behind it, along the axis: a number or an array */
    ga_arg append  GI_IS(GA_NO_ARG);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_diff_options;
#define GI_DEFAULTS_ga_diff_options       .n = 1, .axis = GA_AXIS_DEFAULT, .prepend = GA_NO_ARG, .append = GA_NO_ARG,
GA_API ga_array *(ga_diff)(const ga_array *a, ga_diff_options o); /* a[i + 1] - a[i]; of bool, whether they differ */
typedef struct ga_ediff_options {
    GI_BY_POSITION
    ga_arg to_end   GI_IS(GA_NO_ARG);
    ga_arg to_begin GI_IS(GA_NO_ARG);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_ediff_options;
#define GI_DEFAULTS_ga_ediff_options      .to_end = GA_NO_ARG, .to_begin = GA_NO_ARG,
GA_API ga_array *(ga_ediff1d)(const ga_array *a, ga_ediff_options o); /* of a flattened */
typedef struct ga_gradient_options {
    GI_BY_POSITION
    GI_BY_NAME
    int axis         GI_IS(GA_AXIS_DEFAULT);
    int edge_order   GI_IS(1); /* 2: of second order at the edges, too */
    ga_arg spacing   GI_IS({ NULL, GA_KIND_INT, false, 1, 0,
                             0 }); /* between elements: .spacing = GA_ARG(0.1), or their coordinates along .axis */
    const char *site GI_IS("");
} ga_gradient_options;
#define GI_DEFAULTS_ga_gradient_options                                                                                        \
    .axis = GA_AXIS_DEFAULT, .edge_order = 1, .spacing = { NULL, GA_KIND_INT, false, 1, 0, 0 },
/* Derivatives by central differences, along .axis or of a vector; else along every axis: (ndim, shape of f). */
GA_API ga_array *(ga_gradient)(const ga_array *f, ga_gradient_options o);
typedef struct ga_trapezoid_options {
    GI_BY_POSITION
    const ga_array *x GI_IS(GA_NO_ARRAY); /* where the samples are; not given: .dx apart */
    double dx         GI_IS(1);
    int axis          GI_IS(GA_AXIS_DEFAULT); /* not given: the last */
    GI_BY_NAME
    double initial   GI_IS(GA_REAL_DEFAULT); /* 0: ga_cumulative_trapezoid begins with it */
    const char *site GI_IS("");
} ga_trapezoid_options;
#define GI_DEFAULTS_ga_trapezoid_options .x = GA_NO_ARRAY, .dx = 1, .axis = GA_AXIS_DEFAULT, .initial = GA_REAL_DEFAULT,
GA_API ga_array *(ga_trapezoid)(const ga_array *y, ga_trapezoid_options o);            /* the integral along an axis */
GA_API ga_array *(ga_cumulative_trapezoid)(const ga_array *y, ga_trapezoid_options o); /* up to each element but the first */
GA_API ga_array *(ga_simpson)(const ga_array *y, ga_trapezoid_options o); /* of parabolas through three points each */
typedef struct ga_unwrap_options {
    GI_BY_POSITION
    double discont GI_IS(GA_REAL_DEFAULT); /* smaller steps are left alone; not given: half a period */
    int axis       GI_IS(GA_AXIS_DEFAULT); /* not given: the last */
    GI_BY_NAME
    ga_arg period    GI_IS(GA_NO_ARG); /* not given: 2 pi; .period = GA_ARG(360) leaves integers integers */
    const char *site GI_IS("");
} ga_unwrap_options;
#define GI_DEFAULTS_ga_unwrap_options    .discont = GA_REAL_DEFAULT, .axis = GA_AXIS_DEFAULT, .period = GA_NO_ARG,
GA_API ga_array *(ga_unwrap)(const ga_array *p, ga_unwrap_options o); /* angles without their jumps */

GA_API ga_array *(ga_ptp)(const ga_array *a, ga_reduce_options o); /* maximum minus minimum */
typedef struct ga_average_options {
    GI_BY_POSITION
    int axis                GI_IS(GA_AXIS_DEFAULT);
    const ga_array *weights GI_IS(GA_NO_ARRAY); /* as a, or a vector along .axis */
    GI_BY_NAME
    ga_shape axes             GI_IS({ -1, {} });
    bool keepdims             GI_DEFAULT;
    ga_array **sum_of_weights GI_DEFAULT; /* NumPy's returned */
    const char *site          GI_IS("");
} ga_average_options;
#define GI_DEFAULTS_ga_average_options   .axis = GA_AXIS_DEFAULT, .weights = GA_NO_ARRAY, .axes = { -1, { 0 } },
GA_API ga_array *(ga_average)(const ga_array *a, ga_average_options o);
typedef struct ga_cov_options {
    GI_BY_POSITION
    const ga_array *y GI_IS(GA_NO_ARRAY); /* more variables */
    bool rowvar       GI_IS(true);        /* a variable is a row, an observation a column; false: the other way round */
    GI_BY_NAME
    bool bias                GI_DEFAULT;         /* divide by n; else by n - 1, */
    int ddof                 GI_IS(INT32_MIN);   /* or by n - ddof */
    const ga_array *fweights GI_IS(GA_NO_ARRAY); /* how often each observation counts */
    const ga_array *aweights GI_IS(GA_NO_ARRAY); /* how important it is */
    ga_dtype dtype           GI_DEFAULT;
    const char *site         GI_IS("");
} ga_cov_options;
#define GI_DEFAULTS_ga_cov_options                                                                                             \
    .y = GA_NO_ARRAY, .rowvar = true, .ddof = INT32_MIN, .fweights = GA_NO_ARRAY, .aweights = GA_NO_ARRAY,
GA_API ga_array *(ga_cov)(const ga_array *m, ga_cov_options o);      /* covariances; of one variable: 0-d */
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
GA_API ga_array *(ga_norm)(const ga_array *a, ga_norm_options o); /* of all elements, or along .axis */

/* ==== >>rearranging =============================================================================================== */

/* n arrays: ga_concatenate((a, b, c), .axis = 1); for run-time lists ga_concatenate_n. */
GA_API ga_array *(ga_concatenate_n)(int n, const ga_array *const *arrays, ga_axis_options o);
GA_API ga_array *(ga_stack_n)(int n, const ga_array *const *arrays, ga_axis_options o); /* along a new axis */
typedef struct ga_join_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_dtype dtype   GI_DEFAULT;
    const char *site GI_IS("");
} ga_join_options;
#define GI_DEFAULTS_ga_join_options
/* ga_hstack((a, b)): along axis 1, vectors along axis 0; v: along axis 0, vectors as rows; d: along axis 2; column_stack: vectors as columns. */
GA_API ga_array *(ga_hstack_n)(int n, const ga_array *const *arrays, ga_join_options o);
GA_API ga_array *(ga_vstack_n)(int n, const ga_array *const *arrays, ga_join_options o);
GA_API ga_array *(ga_dstack_n)(int n, const ga_array *const *arrays, ga_join_options o);
GA_API ga_array *(ga_column_stack_n)(int n, const ga_array *const *arrays, ga_join_options o);
/* parts[0..n-1] become n equal views along .axis (default 0); false on error. ga_split_at: cut before each of the n - 1 indices. */
GA_API bool(ga_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o);
GA_API bool(ga_split_at)(const ga_array *a, int n, const int64_t *indices, ga_array **parts, ga_axis_options o);
GA_API bool(ga_array_split)(const ga_array *a, int n, ga_array **parts,
                            ga_axis_options o); /* the first ones may have one more */
GA_API bool(ga_hsplit)(const ga_array *a, int n, ga_array **parts,
                       const char *site); /* n equal ones, along axis 1 (0 of a vector) */
GA_API bool(ga_vsplit)(const ga_array *a, int n, ga_array **parts, const char *site); /* along axis 0 */
GA_API bool(ga_dsplit)(const ga_array *a, int n, ga_array **parts, const char *site); /* along axis 2 */
/* Views of the n elements along .axis (default 0), without that axis. n is its length. */
GA_API bool(ga_unstack)(const ga_array *a, int n, ga_array **parts, ga_axis_options o);
/* Each returns a new array; .axis not given: of a flattened. Places may be negative; `values` are cast to the dtype of a by ga_insert, a
   number must fit it. */
GA_API ga_array *(ga_append)(const ga_array *a, ga_arg values, ga_axis_options o);
GA_API ga_array *(ga_insert)(const ga_array *a, ga_arg where, ga_arg values,
                             ga_axis_options o); /* before a place, or an array of places */
GA_API ga_array *(ga_delete)(const ga_array *a, ga_arg which,
                             ga_axis_options o); /* without a place, an array of them, or where flags are true */
GA_API ga_array *(ga_resize)(const ga_array *a, ga_shape shape, const char *site); /* the elements of a again and again */
typedef struct ga_trim_options {
    GI_BY_POSITION
    const char *trim GI_IS("fb"); /* "f": in front, "b": at the back */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_trim_options;
#define GI_DEFAULTS_ga_trim_options .trim = "fb",
GA_API ga_array *(ga_trim_zeros)(const ga_array *a, ga_trim_options o);          /* of a vector: a view */
GA_API ga_array *(ga_roll)(const ga_array *a, int64_t shift, ga_axis_options o); /* .axis not given: flattened */
typedef enum ga_pad_mode { GA_PAD_CONSTANT, GA_PAD_EDGE, GA_PAD_REFLECT, GA_PAD_SYMMETRIC, GA_PAD_WRAP } ga_pad_mode;
typedef struct ga_pad_options {
    GI_BY_POSITION
    ga_pad_mode mode GI_DEFAULT;
    GI_BY_NAME
    double value     GI_DEFAULT;
    ga_shape after   GI_DEFAULT; /* widths behind each axis; default as before */
    const char *site GI_IS("");
} ga_pad_options;
#define GI_DEFAULTS_ga_pad_options
GA_API ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o); /* one width for all axes, or one each */
GA_API ga_array *(ga_sort)(const ga_array *a, ga_axis_options o); /* ascending, NaN last, stable; .axis not given: the last */
GA_API ga_array *(ga_argsort)(const ga_array *a, ga_axis_options o); /* int64 */
typedef struct ga_unique_options {
    GI_BY_POSITION
    ga_array **index   GI_DEFAULT; /* first occurrence of each */
    ga_array **inverse GI_DEFAULT; /* which one each element of a is */
    ga_array **counts  GI_DEFAULT;
    int axis           GI_IS(GA_AXIS_DEFAULT); /* the slices along it, sorted by their first element, then by the second ... */
    GI_BY_NAME
    bool equal_nan   GI_IS(true); /* all NaNs are one value; false, or in slices: each is one of its own */
    const char *site GI_IS("");
} ga_unique_options;
#define GI_DEFAULTS_ga_unique_options .axis = GA_AXIS_DEFAULT, .equal_nan = true,
/* Sorted, 1-D; with .axis of a's shape, but only as long along it as slices differ. .inverse has a's shape, with .axis 1-D, as the others. */
GA_API ga_array *(ga_unique)(const ga_array *a, ga_unique_options o);
GA_API ga_array *(ga_nonzero)(const ga_array *a,
                              const char     *site); /* int64 (ndim, count): row k holds the indices along axis k */
GA_API ga_array *(ga_argwhere)(const ga_array *a, const char *site);    /* int64 (count, ndim) */
GA_API ga_array *(ga_flatnonzero)(const ga_array *a, const char *site); /* int64 (count): places in a flattened */
GA_API ga_array *(ga_compress)(const ga_array *condition, const ga_array *a,
                               ga_axis_options o); /* the slices where the 1-D condition is nonzero */
GA_API ga_array *(ga_extract)(const ga_array *condition, const ga_array *a,
                              const char *site); /* 1-D: the elements where condition is nonzero, a[condition] */
typedef enum ga_take_mode { GA_TAKE_RAISE, GA_TAKE_WRAP, GA_TAKE_CLIP } ga_take_mode;
typedef struct ga_take_options {
    GI_BY_POSITION
    int axis GI_IS(GA_AXIS_DEFAULT); /* not given: of the flattened array */
    GI_BY_NAME
    ga_take_mode mode GI_DEFAULT;
    const char *site  GI_IS("");
} ga_take_options;
#define GI_DEFAULTS_ga_take_options   .axis = GA_AXIS_DEFAULT,
GA_API ga_array *(ga_take)(const ga_array *a, const ga_array *indices, ga_take_options o); /* a[indices] */

/*  Index arrays: ga_index_take(a, (rows, cols)) is a[rows, cols], a copy, and ga_index_take(a, (GA_COLON, cols)) is a[:, cols]. Integers
    broadcast together; a mask (bool) stands for those that ga_nonzero gives; axes at the end may be left out. Among slices, integers and new
    axes the arrays are $1, $2 ... : ga_index_take(a, (rows, cols), .index = "1:, $1, newaxis, $2, -1") is a[1:, rows, None, cols, -1]. What
    writes returns `a`, or NULL with an error before anything is written. Values broadcast, and keep their kind as for ga_copyto; of a place that
    is named twice the last value stays. Chunked arrays: ga_compute them first. */
#define GA_COLON                      GA_NO_ARRAY
typedef struct ga_index_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *index
        GI_DEFAULT; /* as ga_index reads it (no printf), with $1, $2 ... ; not given: each array in its turn indexes an axis */
    const char *site GI_IS("");
} ga_index_options;
#define GI_DEFAULTS_ga_index_options
GA_API ga_array *(ga_index_take_n)(const ga_array *a, int n, const ga_array *const *indices, ga_index_options o);
GA_API ga_array *(ga_index_put_n)(ga_array *a, int n, const ga_array *const *indices, ga_arg values,
                                  ga_index_options o); /* a[rows, cols] = values: ga_index_put(a, (rows, cols), values) */
GA_API ga_array *(ga_add_at_n)(ga_array *a, int n, const ga_array *const *indices, ga_arg values,
                               ga_index_options o); /* np.add.at: each value is added, in their order */
typedef struct ga_mode_options {
    GI_BY_POSITION
    ga_take_mode mode GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_mode_options;
#define GI_DEFAULTS_ga_mode_options
/* a[i] says which of the choices is taken at i; they broadcast: ga_choose(a, (x, y, 0)). */
GA_API ga_array *(ga_choose_n)(const ga_array *a, int n, const ga_arg *choices, ga_mode_options o);
typedef struct ga_along_options {
    GI_BY_POSITION
    int axis GI_IS(-1);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_along_options;
#define GI_DEFAULTS_ga_along_options        .axis = -1,
/* Indices as ga_argsort gives them, with the other axes of `a`, or of length 1. */
GA_API ga_array *(ga_take_along_axis)(const ga_array *a, const ga_array *indices, ga_along_options o);
GA_API ga_array *(ga_put_along_axis)(ga_array *a, const ga_array *indices, ga_arg values, ga_along_options o);
/* At places of the flattened a; at the elements where mask is true. If there are too few values, they begin again. */
GA_API ga_array *(ga_put)(ga_array *a, const ga_array *indices, ga_arg values, ga_mode_options o);
GA_API ga_array *(ga_place)(ga_array *a, const ga_array *mask, ga_arg values, const char *site);
typedef struct ga_histogram_options {
    GI_BY_POSITION
    GI_BY_NAME
    double low              GI_IS(GA_REAL_DEFAULT); /* range; not given: from min to max */
    double high             GI_IS(GA_REAL_DEFAULT);
    const ga_array *weights GI_IS(GA_NO_ARRAY);
    bool density            GI_DEFAULT;
    ga_array **edges        GI_DEFAULT; /* the bins + 1 edges, float64 */
    const char *site        GI_IS("");
} ga_histogram_options;
#define GI_DEFAULTS_ga_histogram_options    .low = GA_REAL_DEFAULT, .high = GA_REAL_DEFAULT, .weights = GA_NO_ARRAY,
GA_API ga_array *(ga_histogram)(const ga_array *a, int64_t bins,
                                ga_histogram_options o); /* int64 counts; with weights in their dtype; float64 with density */
typedef struct ga_bincount_options {
    GI_BY_POSITION
    const ga_array *weights GI_IS(GA_NO_ARRAY);
    int64_t minlength       GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_bincount_options;
#define GI_DEFAULTS_ga_bincount_options     .weights = GA_NO_ARRAY,
GA_API ga_array *(ga_bincount)(const ga_array *a, ga_bincount_options o);
GA_API ga_array *(ga_histogram_bin_edges)(const ga_array *a, int64_t bins, ga_histogram_options o); /* float64 (bins + 1) */
typedef struct ga_histogramdd_options {
    GI_BY_POSITION
    GI_BY_NAME
    const double *ranges    GI_IS(GI_NOT_GIVEN(const double)); /* low and high of each axis; GA_REAL_DEFAULT: from min to max */
    bool density            GI_DEFAULT;
    const ga_array *weights GI_IS(GA_NO_ARRAY);
    ga_array **edges        GI_DEFAULT; /* room for the edges of each axis */
    const char *site        GI_IS("");
} ga_histogramdd_options;
#define GI_DEFAULTS_ga_histogramdd_options  .ranges = GI_NOT_GIVEN(const double), .weights = GA_NO_ARRAY,
/* Counts, float64, of points (points, ndim) in boxes: ga_histogramdd(sample, (10, 20)); of two lines of coordinates: ga_histogram2d(x, y, (10, 20)),
   where (10) is (10, 10). */
GA_API ga_array *(ga_histogramdd)(const ga_array *sample, ga_shape bins, ga_histogramdd_options o);
GA_API ga_array *(ga_histogram2d)(const ga_array *x, const ga_array *y, ga_shape bins, ga_histogramdd_options o);

typedef enum ga_side { GA_LEFT, GA_RIGHT } ga_side;
typedef struct ga_searchsorted_options {
    GI_BY_POSITION
    ga_side side           GI_DEFAULT;         /* GA_LEFT: before what is equal, GA_RIGHT: behind it */
    const ga_array *sorter GI_IS(GA_NO_ARRAY); /* a is in order when it is taken so: ga_argsort(a) */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_searchsorted_options;
#define GI_DEFAULTS_ga_searchsorted_options .sorter = GA_NO_ARRAY,
/* Where in a sorted line each element of v, or a number, belongs: int64. Real numbers, NaN last. Ascending needles are found fastest. */
GA_API ga_array *(ga_searchsorted)(const ga_array *a, ga_arg v, ga_searchsorted_options o);
typedef struct ga_digitize_options {
    GI_BY_POSITION
    bool right GI_DEFAULT; /* a bin has its upper edge, not its lower one */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_digitize_options;
#define GI_DEFAULTS_ga_digitize_options
/* The number of the bin between the edges `bins`, which ascend or descend: 0 before the first, bins->size behind the last. */
GA_API ga_array *(ga_digitize)(ga_arg x, const ga_array *bins, ga_digitize_options o);
typedef struct ga_interp_options {
    GI_BY_POSITION
    double left   GI_IS(GA_REAL_DEFAULT); /* before xp[0]; not given: fp[0] */
    double right  GI_IS(GA_REAL_DEFAULT); /* behind the last */
    double period GI_IS(GA_REAL_DEFAULT); /* xp need not be in order then */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_interp_options;
#define GI_DEFAULTS_ga_interp_options .left = GA_REAL_DEFAULT, .right = GA_REAL_DEFAULT, .period = GA_REAL_DEFAULT,
/* At x, the lines between the points (xp, fp), xp ascending: float64 or complex128. */
GA_API ga_array *(ga_interp)(ga_arg x, const ga_array *xp, const ga_array *fp, ga_interp_options o);

/* Sets are sorted lines without repetitions; elements equal if ga_equal says so. */
typedef struct ga_isin_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool invert      GI_DEFAULT; /* true where it is not */
    const char *site GI_IS("");
} ga_isin_options;
#define GI_DEFAULTS_ga_isin_options
GA_API ga_array *(ga_isin)(ga_arg element, const ga_array *test,
                           ga_isin_options o); /* bool: is each one among those of test? */
typedef struct ga_intersect_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array **index_a GI_DEFAULT; /* the first occurrence of each in a, and in b */
    ga_array **index_b GI_DEFAULT;
    const char *site   GI_IS("");
} ga_intersect_options;
#define GI_DEFAULTS_ga_intersect_options
GA_API ga_array *(ga_intersect1d)(const ga_array *a, const ga_array *b, ga_intersect_options o);
GA_API ga_array *(ga_union1d)(const ga_array *a, const ga_array *b, const char *site);
GA_API ga_array *(ga_setdiff1d)(const ga_array *a, const ga_array *b, const char *site); /* in a, not in b */
GA_API ga_array *(ga_setxor1d)(const ga_array *a, const ga_array *b, const char *site);  /* in one of them */
/* ga_unique with .equal_nan = false: the values; what is not wanted is NULL. */
GA_API ga_array *(ga_unique_all)(const ga_array *a, ga_array **index, ga_array **inverse, ga_array **counts, const char *site);
GA_API ga_array *(ga_unique_values)(const ga_array *a, const char *site);
GA_API ga_array *(ga_unique_counts)(const ga_array *a, ga_array **counts, const char *site);
GA_API ga_array *(ga_unique_inverse)(const ga_array *a, ga_array **inverse, const char *site);

/* The places of n lines of keys in order of the last one, then of the one before ...: ga_lexsort((minor, major)). */
GA_API ga_array *(ga_lexsort_n)(int n, const ga_array *const *keys, const char *site);
/* Along .axis (not given: the last): the elements below the one that ga_sort puts at place kth, then those equal to it, then those above it;
   NaN is the greatest of all. Each of the three keeps its order. (NumPy leaves that order open.) Complex numbers are sorted. kth may be
   negative; of an empty array it does not matter. */
GA_API ga_array *(ga_partition)(const ga_array *a, int64_t kth, ga_axis_options o);
GA_API ga_array *(ga_argpartition)(const ga_array *a, int64_t kth, ga_axis_options o);
/* From indices (ndim, ...) as of ga_nonzero to places among the elements of a shape in C order, and back: int64. */
GA_API ga_array *(ga_ravel_multi_index)(const ga_array *indices, ga_shape shape, ga_mode_options o);
GA_API ga_array *(ga_unravel_index)(ga_arg indices, ga_shape shape, const char *site);

/* ==== >>products =================================================================================================== */
/*  Of any two dtypes, promoted as in arithmetic; integers wrap, bool is "or" of "and"s. Operands may be views of any kind, transposed ones
    are not copied; .out may be one of them. An element of a matrix product is one chain: the products are added (fused, for floats) in the order of the
    summed axis, in the dtype of the result, so the error grows with its length as a plain sum's does. The product of two vectors, and
    whatever else is a single number, is summed like ga_sum (see >>reductions), in float64 for float32.
    With -DGPUARR_USE_CBLAS -lopenblas (apt-get install libopenblas-dev; any CBLAS will do), on the GPU -DGPUARR_USE_CUBLAS -lcublas,
    large products of floats and complex numbers are left to that library: faster perhaps, but their last bits are the library's. */

typedef struct ga_product_options {
    GI_BY_POSITION
    ga_array *out GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_product_options;
#define GI_DEFAULTS_ga_product_options   .out = GA_NO_ARRAY,
/* numpy.matmul: (..., m, k) times (..., k, n), the axes before are broadcast; a vector is a row on the left, a column on the right. */
GA_API ga_array *(ga_matmul)(const ga_array *a, const ga_array *b, ga_product_options o);
/* numpy.dot: of vectors and matrices as ga_matmul; else over the last axis of a and the last but one of b. A number multiplies. */
GA_API ga_array *(ga_dot)(const ga_array *a, const ga_array *b, ga_product_options o);
GA_API ga_array *(ga_inner)(const ga_array *a, const ga_array *b, ga_product_options o); /* over the last axes of both */
GA_API ga_array *(ga_outer)(const ga_array *a, const ga_array *b,
                            ga_product_options o); /* every a times every b, both flattened: 2-D */
GA_API ga_array *(ga_vdot)(const ga_array *a, const ga_array *b, const char *site); /* of both flattened, a conjugated: 0-d */
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
GA_API ga_array *(ga_trace)(const ga_array *a, ga_trace_options o); /* the sum of a diagonal of two axes */
typedef struct ga_tensordot_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_shape axes_a  GI_DEFAULT; /* which axes of a, and of b: .axes_a = ga_axes(1, 0) */
    ga_shape axes_b  GI_DEFAULT;
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_tensordot_options;
#define GI_DEFAULTS_ga_tensordot_options .out = GA_NO_ARRAY,
/* numpy.tensordot over so many axes: the last ones of a and the first ones of b unless the options name them. */
GA_API ga_array *(ga_tensordot)(const ga_array *a, const ga_array *b, int axes, ga_tensordot_options o);
/* numpy.einsum: ga_einsum("ik,kj->ij", (a, b)) multiplies along axes with the same letter and sums over letters that the result does
   not have. "ii->i" is a diagonal, "..." any axes; without "->" the letters that appear once, A to Z, a to z. Up to 8 operands,
   multiplied from left to right. Of one operand without a sum it is a view. For run-time lists ga_einsum_n. */
GA_API ga_array *(ga_einsum_n)(const char *subscripts, int n, const ga_array *const *arrays, ga_product_options o);

/* ==== >>fourier ==================================================================================================== */
/*  numpy.fft, with its names, its sign and its lengths. Results of float32 and complex64 are complex64 (or float32), all others
    complex128 (or float64). Every length is fast: short primes by themselves, large ones as a convolution. .n, or .s for several axes,
    cuts the operand or fills it up with zeros; it is 1 or more. An element has the same bits whatever lies beside its line.
    The same on a GPU. Chunked arrays are refused by a sentence. .out: of the result's shape and kind; may be the operand.       */

typedef enum ga_fft_norm {
    GA_NORM_BACKWARD, /* inverse transforms are divided by n, */
    GA_NORM_ORTHO,    /* both by its square root, */
    GA_NORM_FORWARD   /* or the others */
} ga_fft_norm;
typedef struct ga_fft_options {
    GI_BY_POSITION
    int64_t n        GI_IS(GA_LENGTH_DEFAULT); /* default the length of the axis; of irfft and hfft 2 (length - 1) */
    int axis         GI_IS(-1);
    ga_fft_norm norm GI_DEFAULT;
    ga_array *out    GI_IS(GA_NO_ARRAY);
    GI_BY_NAME
    const char *site GI_IS("");
} ga_fft_options;
#define GI_DEFAULTS_ga_fft_options       .n = GA_LENGTH_DEFAULT, .axis = -1, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_fft)(const ga_array *a, ga_fft_options o); /* n complex numbers; of real ones with exact symmetry */
GA_API ga_array *(ga_ifft)(const ga_array *a, ga_fft_options o);
GA_API ga_array *(ga_rfft)(const ga_array *a, ga_fft_options o);  /* of real numbers: the first n / 2 + 1 */
GA_API ga_array *(ga_irfft)(const ga_array *a, ga_fft_options o); /* and back: n real numbers. Give .n where it is odd */
GA_API ga_array *(ga_hfft)(const ga_array *a, ga_fft_options o);  /* n real numbers, whose inverse has a as its first half */
GA_API ga_array *(ga_ihfft)(const ga_array *a, ga_fft_options o);

typedef struct ga_fftn_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_shape s       GI_IS({ -1, {} }); /* lengths along the axes: .s = ga_axes(64, 100); -1: that of the operand, as NumPy */
    ga_shape axes    GI_IS({ -1, {} }); /* default as many last ones as .s has, or all; of ga_fft2 and the like the last two */
    ga_fft_norm norm GI_DEFAULT;
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_fftn_options;
#define GI_DEFAULTS_ga_fftn_options      .s = { -1, { 0 } }, .axes = { -1, { 0 } }, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_fft2)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_ifft2)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_rfft2)(const ga_array *a, ga_fftn_options o); /* of real numbers; halved along the last of the axes */
GA_API ga_array *(ga_irfft2)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_fftn)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_ifftn)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_rfftn)(const ga_array *a, ga_fftn_options o);
GA_API ga_array *(ga_irfftn)(const ga_array *a, ga_fftn_options o);

typedef struct ga_fftfreq_options {
    GI_BY_POSITION
    double d GI_IS(1); /* from one sample to the next */
    GI_BY_NAME
    ga_device device GI_DEFAULT;
    const char *site GI_IS("");
} ga_fftfreq_options;
#define GI_DEFAULTS_ga_fftfreq_options   .d = 1,
GA_API ga_array *(ga_fftfreq)(int64_t n, ga_fftfreq_options o);  /* the frequencies of ga_fft's n results, float64 */
GA_API ga_array *(ga_rfftfreq)(int64_t n, ga_fftfreq_options o); /* those of ga_rfft's n / 2 + 1 */
/* The frequency 0 moves to the middle of all axes, or of those that are given; and back. Of any array. */
GA_API ga_array *(ga_fftshift)(const ga_array *a, ga_axes_options o);
GA_API ga_array *(ga_ifftshift)(const ga_array *a, ga_axes_options o);
/* ==== >>linear algebra: by the names of numpy.linalg and scipy.linalg ============================================== */
/*  Of matrices, or of stacks of them: the last two axes are rows and columns, those before are broadcast. Any dtype; results are float32 or
    complex64 of arrays of these, else float64 or complex128. All is computed in float64, with the same bits for any number of threads.
    Results are where the operands are, with the same bits on a GPU. There it computes ga_solve, ga_inv, ga_det, ga_slogdet, ga_cholesky,
    ga_solve_triangular and what is made of these and of products: ga_expm, ga_matrix_power, ga_tensorsolve, ga_tensorinv, ga_multi_dot,
    ga_kron, ga_cross, ga_vecdot, norms without singular values. For ga_solve_banded, ga_eig and ga_roots, and without cuSOLVER (below) for
    ga_qr, ga_eigh, ga_svd and what needs them (ga_lstsq, ga_pinv, ga_cond, ga_matrix_rank, ga_polyfit), the matrices are copied to the CPU,
    and what is made of them back.
    What has several results writes new arrays, which are yours, to the addresses that it is given (NULL: this one is not wanted), or NULL
    to all of them, and returns false, after an error.
    With -DGPUARR_USE_LAPACKE -llapacke -lopenblas (apt-get install liblapacke-dev libopenblas-dev) eigh, eig, svd and what is made of them,
    as lstsq, are left to that library for matrices of more than 128 rows or columns, in float64 or complex128. That is faster; the last
    bits, the signs of vectors and the order of the eigenvalues of eig are the library's, and eig of a graded matrix is less exact.
    With -DGPUARR_USE_CUSOLVER -lcusolver (it comes with CUDA) arrays on a GPU stay there: ga_qr, ga_eigh, ga_eigvalsh, ga_svd, ga_svdvals and
    what is made of them (ga_lstsq, ga_pinv, ga_cond, ga_matrix_rank ...), and from 512 rows on ga_cholesky, ga_solve and ga_inv of one matrix,
    are left to that library, in the dtype of the result: float32 is computed in float32. The matrices of a stack come one after the other, but
    for eigenvalues of up to 128 rows. Last bits and the signs of vectors are the library's. (This was compiled and linked with CUDA 13's
    library, but has run only with the stand-in of tools/cudasim: on no GPU so far.) */

GA_API ga_array *(ga_solve)(const ga_array *a, const ga_array *b,
                            const char *site);                  /* x of a x = b; b: a vector if it has one axis */
GA_API ga_array *(ga_inv)(const ga_array *a, const char *site); /* both: a singular matrix is an error */
GA_API ga_array *(ga_det)(const ga_array *a, const char *site);
/* det is sign * exp(logabsdet); of a singular matrix 0 and -inf */
GA_API bool(ga_slogdet)(const ga_array *a, ga_array **sign, ga_array **logabsdet, const char *site);
typedef struct ga_cholesky_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool upper       GI_DEFAULT; /* U of U^H U = a, read from the upper triangle; else L of L L^H = a from the lower one */
    const char *site GI_IS("");
} ga_cholesky_options;
#define GI_DEFAULTS_ga_cholesky_options
GA_API ga_array *(ga_cholesky)(const ga_array *a, ga_cholesky_options o); /* an error if a is not positive definite */
typedef struct ga_triangular_options {
    GI_BY_POSITION
    int trans          GI_DEFAULT; /* 1: of the transposed matrix, 2: and conjugated */
    bool lower         GI_DEFAULT; /* which triangle of a is read; default the upper one */
    bool unit_diagonal GI_DEFAULT; /* its diagonal is 1, whatever stands there */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_triangular_options;
#define GI_DEFAULTS_ga_triangular_options
GA_API ga_array *(ga_solve_triangular)(const ga_array *a, const ga_array *b, ga_triangular_options o); /* x of a x = b */

/* scipy.linalg.solve_banded((l, u), ab, b): a has l diagonals below the main one and u above; they are the rows of ab, the uppermost
   first, and each element stands in its column. One matrix ab with one b of one axis or two: no stacks. */
GA_API ga_array *(ga_solve_banded)(int64_t l, int64_t u, const ga_array *ab, const ga_array *b, const char *site);
GA_API ga_array *(ga_expm)(const ga_array *a, const char *site); /* the exponential of a matrix */

typedef enum ga_qr_mode { GA_QR_REDUCED, GA_QR_COMPLETE } ga_qr_mode;
typedef struct ga_qr_options {
    GI_BY_POSITION
    ga_qr_mode mode GI_DEFAULT; /* how many columns q has: min(m, n), or m */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_qr_options;
#define GI_DEFAULTS_ga_qr_options
/* a = q r, of (m, n); q has orthonormal columns, r is upper triangular. ga_qr(a, NULL, &r): r alone */
GA_API bool(ga_qr)(const ga_array *a, ga_array **q, ga_array **r, ga_qr_options o);

typedef struct ga_eigh_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool upper       GI_DEFAULT; /* read the upper triangle; else the lower one */
    const char *site GI_IS("");
} ga_eigh_options;
#define GI_DEFAULTS_ga_eigh_options
/* Of symmetric or Hermitian matrices: eigenvalues in ascending order, and eigenvectors of length 1 as the columns of v; numbers that are not
   finite make all of a matrix NaN. */
GA_API bool(ga_eigh)(const ga_array *a, ga_array **w, ga_array **v, ga_eigh_options o);
GA_API ga_array *(ga_eigvalsh)(const ga_array *a, ga_eigh_options o);
/* Of any square matrices, always complex: eigenvalues in no order, and eigenvectors of length 1 as the columns of v, their largest elements
   real. Those of real matrices are exactly real or pairs of conjugates,
   unless such a matrix is almost one without a whole set of eigenvectors. Numbers that are not finite are an error. */
GA_API bool(ga_eig)(const ga_array *a, ga_array **w, ga_array **v, const char *site);
GA_API ga_array *(ga_eigvals)(const ga_array *a, const char *site);

typedef struct ga_svd_options {
    GI_BY_POSITION
    bool full_matrices
        GI_IS(true); /* u (m, m) and vh (n, n); else as many columns of u, and rows of vh, as there are singular values */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_svd_options;
#define GI_DEFAULTS_ga_svd_options         .full_matrices = true,
/* a = u @ diag(s) @ vh; s descends, and is all that ga_svdvals returns. As of eigenvalues, what is not finite makes all NaN. */
GA_API bool(ga_svd)(const ga_array *a, ga_array **u, ga_array **s, ga_array **vh, ga_svd_options o);
GA_API ga_array *(ga_svdvals)(const ga_array *a, const char *site);

/* Norms of matrices: the largest (1) or smallest (-1) sum of a column's absolute values, or of a row's (INFINITY, -INFINITY); the largest (2) or
   smallest (-2) singular value, their sum (GA_NUC), or the root of the sum of squares (GA_FRO). */
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
    int axis         GI_IS(GA_AXIS_DEFAULT); /* not given: of all elements */
    ga_shape axes    GI_IS({ -1, {} });
    bool keepdims    GI_DEFAULT;
    double ord       GI_IS(2); /* as ga_norm's */
    const char *site GI_IS("");
} ga_vector_norm_options;
#define GI_DEFAULTS_ga_vector_norm_options .axis = GA_AXIS_DEFAULT, .axes = { -1, { 0 } }, .ord = 2,
GA_API ga_array *(ga_vector_norm)(const ga_array *a, ga_vector_norm_options o);
typedef struct ga_cond_options {
    GI_BY_POSITION
    double p GI_IS(2); /* the norm; INFINITY is the result for a singular matrix */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_cond_options;
#define GI_DEFAULTS_ga_cond_options        .p = 2,
GA_API ga_array *(ga_cond)(const ga_array *a, ga_cond_options o); /* the norm of a, times that of its inverse */
typedef struct ga_rank_options {
    GI_BY_POSITION
    double tol GI_IS(GA_REAL_DEFAULT); /* singular values count that are larger than this, */
    GI_BY_NAME
    double rtol      GI_IS(GA_REAL_DEFAULT); /* or than this times the largest one; default max(m, n) * eps */
    const char *site GI_IS("");
} ga_rank_options;
#define GI_DEFAULTS_ga_rank_options        .tol = GA_REAL_DEFAULT, .rtol = GA_REAL_DEFAULT,
GA_API ga_array *(ga_matrix_rank)(const ga_array *a, ga_rank_options o); /* int64; of a vector 1, or 0 if all is 0 */
typedef struct ga_pinv_options {
    GI_BY_POSITION
    double rcond GI_IS(1e-15); /* singular values up to this times the largest one are taken for 0 */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_pinv_options;
#define GI_DEFAULTS_ga_pinv_options        .rcond = 1e-15,
GA_API ga_array *(ga_pinv)(const ga_array *a, ga_pinv_options o); /* the pseudo-inverse of Moore and Penrose */
typedef struct ga_lstsq_options {
    GI_BY_POSITION
    double rcond GI_IS(GA_REAL_DEFAULT); /* as that of ga_pinv; default max(m, n) * eps */
    GI_BY_NAME
    ga_array **residuals GI_DEFAULT; /* sum((b - a x)**2) of each column; without elements unless rank = n < m */
    int64_t *rank        GI_DEFAULT;
    ga_array **s         GI_DEFAULT; /* the singular values of a */
    const char *site     GI_IS("");
} ga_lstsq_options;
#define GI_DEFAULTS_ga_lstsq_options       .rcond = GA_REAL_DEFAULT,
/* The x for which sum((b - a x)**2) is least, and of several the shortest one; a: one matrix (m, n). */
GA_API ga_array *(ga_lstsq)(const ga_array *a, const ga_array *b, ga_lstsq_options o);

GA_API ga_array *(ga_matrix_power)(const ga_array *a, int64_t n, const char *site); /* n < 0: of the inverse */
/* The product of 2 to 64 matrices, ga_multi_dot((a, b, c)), in the order that takes the fewest multiplications; the first may be a row, the
   last a column. For run-time lists ga_multi_dot_n. */
GA_API ga_array *(ga_multi_dot_n)(int n, const ga_array *const *arrays, ga_product_options o);
GA_API ga_array *(ga_kron)(const ga_array *a, const ga_array *b,
                           const char *site); /* every element of a, times the whole of b */
typedef struct ga_cross_options {
    GI_BY_POSITION
    int axisa GI_IS(-1); /* where the vectors are in a, in b, */
    int axisb GI_IS(-1);
    int axisc GI_IS(-1);              /* and in the result, */
    int axis  GI_IS(GA_AXIS_DEFAULT); /* or in all of them */
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
                             ga_vecdot_options o); /* of vectors along .axis, a conjugated */
typedef struct ga_tensorsolve_options {
    GI_BY_POSITION
    ga_shape axes GI_DEFAULT; /* those of a that go to the end */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_tensorsolve_options;
#define GI_DEFAULTS_ga_tensorsolve_options
GA_API ga_array *(ga_tensorsolve)(const ga_array *a, const ga_array *b,
                                  ga_tensorsolve_options o); /* x of tensordot(a, x, x.ndim) = b */
typedef struct ga_tensorinv_options {
    GI_BY_POSITION
    int ind GI_IS(2); /* so many axes of a are its rows */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_tensorinv_options;
#define GI_DEFAULTS_ga_tensorinv_options  .ind = 2,
GA_API ga_array *(ga_tensorinv)(const ga_array *a, ga_tensorinv_options o); /* of which tensordot(r, a, ind) is the unit */

/* ==== >>convolution =============================================================================================== */
/*  Each result is one chain of fused multiplications and additions in the raster order of the weights, with the same bits on the CPU and
    the GPU. Beyond an edge stand zeros, or what .boundary or .border says; they are weighed like any element, so that an infinite weight
    makes them NaN. .out is written at the end, and may be a or v itself.                                                             */

typedef enum ga_mode {
    GA_MODE_DEFAULT,
    GA_FULL, /* wherever the two overlap: n + m - 1 elements */
    GA_SAME, /* the middle of that, as many as a has */
    GA_VALID /* where one lies inside the other */
} ga_mode;
typedef enum ga_method {
    GA_METHOD_AUTO, /* a pass along each axis where 2-D weights are an outer product; through FFTW if it is there and 3 times as fast; else direct */
    GA_METHOD_DIRECT, /* by the definition */
    GA_METHOD_FFT     /* through Fourier transforms: rounding errors are relative to the largest result; NaN and inf spread */
} ga_method;
typedef enum ga_border {                     /* what stands outside of a b c d, by the names of scipy.ndimage */
                         GA_BORDER_REFLECT,  /* d c b a | a b c d | d c b a */
                         GA_BORDER_CONSTANT, /* k k k k | a b c d | k k k k with k = .cval */
                         GA_BORDER_NEAREST,  /* a a a a | a b c d | d d d d */
                         GA_BORDER_MIRROR,   /*   d c b | a b c d | c b a */
                         GA_BORDER_WRAP,     /* a b c d | a b c d | a b c d */
                         /* of interpolation alone: beyond the last element the next one or k is reached gradually; its GA_BORDER_CONSTANT
                            has k from there on, its GA_BORDER_WRAP a period shorter by 1 */
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
/* 1-D: numpy.convolve (default GA_FULL; GA_SAME is as long as the longer one). More dimensions: scipy.signal.convolve; a and v have the
   same number of them. Integers wrap. See ga_fftconvolve. */
GA_API ga_array *(ga_convolve)(const ga_array *a, const ga_array *v, ga_convolve_options o);
/* 1-D: numpy.correlate (default GA_VALID). More dimensions: scipy.signal.correlate (default GA_FULL). v is conjugated. */
GA_API ga_array *(ga_correlate)(const ga_array *a, const ga_array *v, ga_convolve_options o);

typedef enum ga_boundary {
    GA_BOUNDARY_FILL, /* .fillvalue beyond the edges */
    GA_BOUNDARY_WRAP, /* the opposite edge */
    GA_BOUNDARY_SYMM  /* the elements as in a mirror: b a | a b */
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
/* scipy.signal.convolve2d and correlate2d, of matrices. Integers wrap; ga_correlate2d conjugates v. With GA_VALID one of them must be at
   least as large as the other along both axes. */
GA_API ga_array *(ga_convolve2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o);
GA_API ga_array *(ga_correlate2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o);

typedef struct ga_ndconvolve_options {
    GI_BY_POSITION
    ga_array *out    GI_IS(GA_NO_ARRAY);
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT; /* what is outside with GA_BORDER_CONSTANT */
    GI_BY_NAME
    ga_shape origin
        GI_DEFAULT; /* moves the weights, whose middle is element n / 2: one number or one for each axis, ga_axes(-1, 0) */
    ga_method method GI_DEFAULT;
    const char *site GI_IS("");
} ga_ndconvolve_options;
#define GI_DEFAULTS_ga_ndconvolve_options .out = GA_NO_ARRAY,
/* scipy.ndimage's convolve and correlate: `weights` has as many dimensions as a; the result has the shape and dtype of a (with complex
   weights the complex one). Integers are computed in float64, and fractions cut off; ga_ndcorrelate conjugates the weights. */
GA_API ga_array *(ga_ndconvolve)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o);
GA_API ga_array *(ga_ndcorrelate)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o);

typedef struct ga_convolve1d_options {
    GI_BY_POSITION
    int axis         GI_IS(GA_AXIS_DEFAULT); /* not given: the last */
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
/*  Results have the shape of a, and its dtype unless .out has another. Where a window or weights reach over an edge, .border says what
    stands there. float32 is computed in float32; integers in float64, with fractions cut off after each axis as SciPy does; what does not
    fit their dtype in the end saturates. Complex numbers: part by part, except for what needs an order. A NaN makes every result that
    it takes part in NaN, and no other one. */

typedef struct ga_gaussian_options {
    GI_BY_POSITION
    GI_BY_NAME
    const double *
        sigmas       GI_IS(GI_NOT_GIVEN(const double)); /* one for each axis; sigma is then 0. An axis with 0 is left alone */
    ga_shape order   GI_DEFAULT;                        /* of the derivative, for all axes or each: .order = ga_axes(0, 1) */
    double truncate  GI_IS(4);                          /* the weights end at so many sigma, */
    ga_shape radius  GI_DEFAULT;                        /* or after so many elements, for all axes or each */
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT; /* what is outside with GA_BORDER_CONSTANT */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    int axis         GI_IS(GA_AXIS_DEFAULT); /* along this one alone; ga_gaussian_filter1d: not given: the last */
    const char *site GI_IS("");
} ga_gaussian_options;
#define GI_DEFAULTS_ga_gaussian_options                                                                                        \
    .sigmas = GI_NOT_GIVEN(const double), .truncate = 4, .out = GA_NO_ARRAY, .axis = GA_AXIS_DEFAULT,
GA_API ga_array *(ga_gaussian_filter)(const ga_array *a, double sigma, ga_gaussian_options o);
GA_API ga_array *(ga_gaussian_filter1d)(const ga_array *a, double sigma, ga_gaussian_options o);
GA_API ga_array *(ga_gaussian_laplace)(const ga_array *a, double sigma,
                                       ga_gaussian_options o); /* the sum of second derivatives */
GA_API ga_array *(ga_gaussian_gradient_magnitude)(const ga_array *a, double sigma,
                                                  ga_gaussian_options o); /* sqrt of the sum of first derivatives squared */

typedef struct ga_edge_options {
    GI_BY_POSITION
    int axis         GI_IS(GA_AXIS_DEFAULT); /* not given: the last; ga_laplace: all */
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
    ga_shape sizes   GI_DEFAULT; /* one for each axis: .sizes = ga_axes(3, 5); size is then 0 */
    ga_shape origin  GI_DEFAULT; /* moves the window, whose middle is element size / 2; one number or one for each axis */
    const char *site GI_IS("");
} ga_uniform_options;
#define GI_DEFAULTS_ga_uniform_options   .out = GA_NO_ARRAY,
GA_API ga_array *(ga_uniform_filter)(const ga_array *a, int64_t size,
                                     ga_uniform_options o); /* means; time hardly depends on size */

typedef struct ga_window_options {
    GI_BY_POSITION
    const ga_array *footprint GI_IS(GA_NO_ARRAY); /* the elements of a window that are true; size is then 0 */
    ga_array *out             GI_IS(GA_NO_ARRAY);
    ga_border border          GI_DEFAULT;
    double cval               GI_DEFAULT;
    GI_BY_NAME
    ga_shape sizes   GI_DEFAULT; /* one for each axis, or */
    ga_shape origin  GI_DEFAULT;
    const char *site GI_IS("");
} ga_window_options;
#define GI_DEFAULTS_ga_window_options    .footprint = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_minimum_filter)(const ga_array *a, int64_t size, ga_window_options o);
GA_API ga_array *(ga_maximum_filter)(const ga_array *a, int64_t size, ga_window_options o);
GA_API ga_array *(ga_median_filter)(const ga_array *a, int64_t size, ga_window_options o); /* of an even number the upper one */
GA_API ga_array *(ga_percentile_filter)(const ga_array *a, double percentile, int64_t size,
                                        ga_window_options o); /* < 0: from the greatest */
GA_API ga_array *(ga_rank_filter)(const ga_array *a, int64_t rank, int64_t size,
                                  ga_window_options o); /* 0 the least, -1 the greatest */
/* Along one axis, not given: the last. */
GA_API ga_array *(ga_uniform_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o);
GA_API ga_array *(ga_minimum_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o);
GA_API ga_array *(ga_maximum_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o);
/* Of each window what the function makes of its n elements, in raster order; on the CPU, in one thread. */
typedef double (*ga_window_function)(const double *values, int64_t n, void *user);
GA_API ga_array *(ga_generic_filter)(const ga_array *a, ga_window_function function, void *user, int64_t size,
                                     ga_window_options o);

/* ==== >>morphology: of shapes in images, by the names of scipy.ndimage ============================================ */
/*  Binary: what is not 0 is true, the result is bool. The structure says which neighbours count; its middle is element n / 2 along each
    axis, .origin moves it. On a GPU and on chunked arrays these are filters of minima and maxima.                          */

/* (3, 3 ...), true where at most `connectivity` coordinates differ from the middle's. */
GA_API ga_array *(ga_generate_binary_structure)(int rank, int connectivity, const char *site);
/* What so many dilations by `structure` make of a point. */
GA_API ga_array *(ga_iterate_structure)(const ga_array *structure, int64_t iterations, const char *site);

typedef struct ga_binary_options {
    GI_BY_POSITION
    const ga_array *structure GI_IS(GA_NO_ARRAY); /* not given: ga_generate_binary_structure(a->ndim, 1) */
    GI_BY_NAME
    int64_t iterations   GI_IS(1);           /* < 1: until nothing changes */
    const ga_array *mask GI_IS(GA_NO_ARRAY); /* where it is false, nothing changes */
    bool border_value    GI_DEFAULT;         /* what is outside */
    ga_shape origin      GI_DEFAULT;         /* one number or one for each axis */
    ga_array *out        GI_IS(GA_NO_ARRAY);
    const char *site     GI_IS("");
} ga_binary_options;
#define GI_DEFAULTS_ga_binary_options    .structure = GA_NO_ARRAY, .iterations = 1, .mask = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_binary_erosion)(const ga_array *a, ga_binary_options o);
GA_API ga_array *(ga_binary_dilation)(const ga_array *a, ga_binary_options o);
GA_API ga_array *(ga_binary_opening)(const ga_array *a, ga_binary_options o); /* a dilation of an erosion */
GA_API ga_array *(ga_binary_closing)(const ga_array *a, ga_binary_options o);
GA_API ga_array *(ga_binary_propagation)(const ga_array   *a,
                                         ga_binary_options o); /* dilations inside the mask until nothing changes */
GA_API ga_array *(ga_binary_fill_holes)(const ga_array *a, ga_binary_options o); /* only .structure, .origin, .out */
typedef struct ga_hit_options {
    GI_BY_POSITION
    const ga_array *structure1 GI_IS(GA_NO_ARRAY); /* what must be true; as above */
    const ga_array *structure2 GI_IS(GA_NO_ARRAY); /* what must be false; not given: what structure1 has not */
    ga_array *out              GI_IS(GA_NO_ARRAY);
    ga_shape origin1           GI_DEFAULT;
    ga_shape origin2           GI_DEFAULT; /* not given: origin1 */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_hit_options;
#define GI_DEFAULTS_ga_hit_options       .structure1 = GA_NO_ARRAY, .structure2 = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_binary_hit_or_miss)(const ga_array *a, ga_hit_options o);

typedef struct ga_grey_options {
    GI_BY_POSITION
    const ga_array *footprint GI_IS(GA_NO_ARRAY); /* as of ga_minimum_filter; size is then 0 */
    const ga_array *structure GI_IS(GA_NO_ARRAY); /* heights, subtracted by an erosion, added by a dilation; size is then 0 */
    ga_array *out             GI_IS(GA_NO_ARRAY);
    ga_border border          GI_DEFAULT;
    double cval               GI_DEFAULT;
    GI_BY_NAME
    ga_shape sizes   GI_DEFAULT;
    ga_shape origin  GI_DEFAULT;
    const char *site GI_IS("");
} ga_grey_options;
#define GI_DEFAULTS_ga_grey_options      .footprint = GA_NO_ARRAY, .structure = GA_NO_ARRAY, .out = GA_NO_ARRAY,
/* In the dtype of a; with heights computed in float64, and what does not fit saturates. */
GA_API ga_array *(ga_grey_erosion)(const ga_array *a, int64_t size, ga_grey_options o); /* the least of each window */
GA_API ga_array *(ga_grey_dilation)(const ga_array *a, int64_t size,
                                    ga_grey_options o); /* the greatest of each mirrored window */
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
        sampling GI_IS(GI_NOT_GIVEN(const double)); /* the distance of two neighbours along each axis, with GA_EUCLIDEAN */
    ga_array **indices GI_DEFAULT; /* int32 (ndim, ...): where the nearest 0 is; one of those that are equally near */
    const char *site   GI_IS("");
} ga_transform_options;
#define GI_DEFAULTS_ga_transform_options .metric = -1, .sampling = GI_NOT_GIVEN(const double),
/* Of each element that is not 0, the distance from the nearest 0, exactly; computed on the CPU. Where a has no 0 it is infinite, -1 or the
   greatest number of the dtype. */
GA_API ga_array *(ga_distance_transform_edt)(const ga_array *a, ga_transform_options o); /* GA_EUCLIDEAN, float64 */
GA_API ga_array *(ga_distance_transform_cdt)(const ga_array *a, ga_transform_options o); /* default GA_CHEBYSHEV, int32 */
GA_API ga_array *(ga_distance_transform_bf)(const ga_array      *a,
                                            ga_transform_options o); /* default GA_EUCLIDEAN, float64; else uint32 */

/* ==== >>interpolation: by splines, by the names of scipy.ndimage ================================================== */
/*  Computed on the CPU in float64, for orders 0 (the nearest element), 1 (linear) to 5. Results have the dtype of a (spline filters:
    float64, complex128); integers are rounded, halves away from 0, and saturate. A coordinate that is NaN gives NaN.         */

typedef struct ga_spline_options {
    GI_BY_POSITION
    int order GI_IS(3);
    GI_BY_NAME
    int axis         GI_IS(GA_AXIS_DEFAULT); /* ga_spline_filter1d: not given: the last */
    ga_border border GI_IS(GA_BORDER_MIRROR);
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_spline_options;
#define GI_DEFAULTS_ga_spline_options    .order = 3, .axis = GA_AXIS_DEFAULT, .border = GA_BORDER_MIRROR, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_spline_filter)(const ga_array   *a,
                                    ga_spline_options o); /* the coefficients of a spline that goes through a */
GA_API ga_array *(ga_spline_filter1d)(const ga_array *a, ga_spline_options o);

typedef struct ga_interpolation_options {
    GI_BY_POSITION
    ga_array *out    GI_IS(GA_NO_ARRAY);
    int order        GI_IS(3);
    ga_border border GI_IS(GA_BORDER_CONSTANT);
    double cval      GI_DEFAULT;
    bool prefilter   GI_IS(true); /* false: a has been filtered by ga_spline_filter */
    GI_BY_NAME
    const double *each GI_IS(GI_NOT_GIVEN(const double)); /* shift or zoom: one number for each axis; the argument is then 0 */
    bool grid_mode     GI_DEFAULT;                        /* zoom: from edge to edge, not from the first to the last element */
    const char *site   GI_IS("");
} ga_interpolation_options;
#define GI_DEFAULTS_ga_interpolation_options                                                                                   \
    .out = GA_NO_ARRAY, .order = 3, .border = GA_BORDER_CONSTANT, .prefilter = true, .each = GI_NOT_GIVEN(const double),
/* At coordinates (a->ndim, ...), the first of which are of the first axis; the result has the shape (...). */
GA_API ga_array *(ga_map_coordinates)(const ga_array *a, const ga_array *coordinates, ga_interpolation_options o);
GA_API ga_array *(ga_shift)(const ga_array *a, double shift, ga_interpolation_options o);
GA_API ga_array *(ga_zoom)(const ga_array *a, double zoom, ga_interpolation_options o);
typedef struct ga_affine_options {
    GI_BY_POSITION
    GI_BY_NAME
    const double *offset  GI_IS(GI_NOT_GIVEN(const double)); /* one number for each axis of a */
    ga_shape output_shape GI_DEFAULT;                        /* not given: that of .out or a */
    ga_array *out         GI_IS(GA_NO_ARRAY);
    int order             GI_IS(3);
    ga_border border      GI_IS(GA_BORDER_CONSTANT);
    double cval           GI_DEFAULT;
    bool prefilter        GI_IS(true);
    const char *site      GI_IS("");
} ga_affine_options;
#define GI_DEFAULTS_ga_affine_options                                                                                          \
    .offset = GI_NOT_GIVEN(const double), .out = GA_NO_ARRAY, .order = 3, .border = GA_BORDER_CONSTANT, .prefilter = true,
/* Element i of the result is at matrix i + offset in a; a 1-D matrix is a diagonal, one with a column more has the offset there. */
GA_API ga_array *(ga_affine_transform)(const ga_array *a, const ga_array *matrix, ga_affine_options o);
typedef struct ga_rotate_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_shape axes    GI_DEFAULT;  /* two; not given: 1, 0 */
    bool reshape     GI_IS(true); /* so that all of a is in the result */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    int order        GI_IS(3);
    ga_border border GI_IS(GA_BORDER_CONSTANT);
    double cval      GI_DEFAULT;
    bool prefilter   GI_IS(true);
    const char *site GI_IS("");
} ga_rotate_options;
#define GI_DEFAULTS_ga_rotate_options                                                                                          \
    .reshape = true, .out = GA_NO_ARRAY, .order = 3, .border = GA_BORDER_CONSTANT, .prefilter = true,
GA_API ga_array *(ga_rotate)(const ga_array *a, double angle, ga_rotate_options o); /* by degrees, in the plane of two axes */

/* ==== >>images and sky ============================================================================================ */

typedef struct ga_label_options {
    GI_BY_POSITION
    GI_BY_NAME
    int connectivity
        GI_IS(1); /* neighbours that differ in at most this many coordinates: 1 is 4-connected in 2-D, 2 8-connected */
    int64_t *count GI_DEFAULT; /* the number of objects */
    ga_dtype dtype GI_DEFAULT; /* of the labels, default int32 */
    double
        above GI_IS(GA_REAL_DEFAULT); /* objects are where a > above, as ga_greater(a, above) says, without making that array */
    const char *site GI_IS("");
} ga_label_options;
#define GI_DEFAULTS_ga_label_options .connectivity = 1, .above = GA_REAL_DEFAULT,
GA_API ga_array *(ga_label)(const ga_array  *a,
                            ga_label_options o); /* objects of nonzero elements, numbered from 1 in raster order */

/* Over the elements of a with label index[k], for each k; index NULL: 1 to the largest label. float64. A label without elements has sum,
   size, minimum and maximum 0, and mean and center NaN, as in SciPy. Labels and index are whole numbers of any real dtype. */
GA_API ga_array *(ga_sum_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_mean_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_min_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_max_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_size_labels)(const ga_array *labels, const ga_array *index, const char *site); /* int64 */
typedef struct ga_center_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array **sums  GI_DEFAULT; /* also what ga_sum_labels returns: it is known by then */
    const char *site GI_IS("");
} ga_center_options;
#define GI_DEFAULTS_ga_center_options
/* (n, ndim), rows first; labels NULL: of the whole array, (1, ndim) */
GA_API ga_array *(ga_center_of_mass)(const ga_array *a, const ga_array *labels, const ga_array *index, ga_center_options o);
/* Likewise, where the first least or the last greatest element of a label is (without labels: the first), int64; without elements at 0. */
GA_API ga_array *(ga_minimum_position)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_maximum_position)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
/* These elements, of the dtype of a, and their places; what is not wanted is NULL. */
GA_API bool(ga_extrema)(const ga_array *a, const ga_array *labels, const ga_array *index, ga_array **minimum,
                        ga_array **maximum, ga_array **minimum_position, ga_array **maximum_position, const char *site);
GA_API ga_array *(ga_variance)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
GA_API ga_array *(ga_standard_deviation)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
/* int64 (n, ndim, 2): the box around each label from 1 to n, along each axis its first element and what comes behind the last; 0, 0: there
   is none. n is max_label, or if that is 0 the largest label. */
GA_API ga_array *(ga_find_objects)(const ga_array *labels, int64_t max_label, const char *site);
/* Indices (ndim, a->size) as of ga_nonzero, those of the least value first; which values there are, and how often each (or NULL). */
GA_API ga_array *(ga_value_indices)(const ga_array *a, ga_array **values, ga_array **counts, const char *site);
/* Markers grow over a (uint8 or uint16) until they meet, those of smaller steps first; negative ones are background. .structure (3 along each
   axis), .out; computed on the CPU. */
GA_API ga_array *(ga_watershed_ift)(const ga_array *a, const ga_array *markers, ga_binary_options o);

typedef enum ga_clip_rule {
    GA_CLIP_LESSON, /* keep strictly inside median +- kappa * std, repeat until nothing changes: the radio-astronomy lesson */
    GA_CLIP_ASTROPY /* keep inside and on the bounds, at most .maxiters times: astropy.stats.sigma_clip */
} ga_clip_rule;
typedef struct ga_sigma_options {
    GI_BY_POSITION
    double sigma      GI_IS(3);               /* kappa */
    double sigma_low  GI_IS(GA_REAL_DEFAULT); /* below, above; not given: sigma */
    double sigma_high GI_IS(GA_REAL_DEFAULT);
    int maxiters      GI_IS(5); /* astropy's rule; -1 until nothing changes */
    GI_BY_NAME
    ga_clip_rule rule GI_DEFAULT;
    bool mean         GI_DEFAULT; /* around the mean in place of the median */
    ga_array **mask   GI_DEFAULT; /* bool, shape of a: what was rejected (NaN and infinite elements are) */
    int *passes       GI_DEFAULT; /* how many rounds it took */
    double *low       GI_DEFAULT; /* the last bounds */
    double *high      GI_DEFAULT;
    const char *site  GI_IS("");
} ga_sigma_options;
#define GI_DEFAULTS_ga_sigma_options       .sigma = 3, .sigma_low = GA_REAL_DEFAULT, .sigma_high = GA_REAL_DEFAULT, .maxiters = 5,
GA_API ga_array *(ga_sigma_clip)(const ga_array  *a,
                                 ga_sigma_options o); /* what is left, 1-D, in its order, without NaN and inf */

/* ==== >>signals: by the names of scipy.signal ====================================================================== */
/*  Along a line. Results have the dtype of x if that is one of floats, else float64. */

typedef struct ga_fftconvolve_options {
    GI_BY_POSITION
    ga_mode mode GI_DEFAULT; /* default GA_FULL */
    GI_BY_NAME
    int axis         GI_IS(GA_AXIS_DEFAULT); /* along this axis alone, or */
    ga_shape axes    GI_IS({ -1, {} });      /* several; along the others a and v broadcast. Default: all */
    ga_array *out    GI_IS(GA_NO_ARRAY);
    const char *site GI_IS("");
} ga_fftconvolve_options;
#define GI_DEFAULTS_ga_fftconvolve_options .axis = GA_AXIS_DEFAULT, .axes = { -1, { 0 } }, .out = GA_NO_ARRAY,
/* ga_convolve's result through ga_fft, of arrays with as many dimensions. */
GA_API ga_array *(ga_fftconvolve)(const ga_array *a, const ga_array *v, ga_fftconvolve_options o);
typedef struct ga_lfilter_options {
    GI_BY_POSITION
    int axis GI_IS(GA_AXIS_DEFAULT); /* not given: the last */
    const ga_array *
        zi GI_IS(GA_NO_ARRAY); /* the delays at the beginning, max(b->size, a->size) - 1 of each line; not given: 0 */
    GI_BY_NAME
    ga_array **zf    GI_DEFAULT; /* those at the end: the .zi of what follows */
    const char *site GI_IS("");
} ga_lfilter_options;
#define GI_DEFAULTS_ga_lfilter_options     .axis = GA_AXIS_DEFAULT, .zi = GA_NO_ARRAY,
/* y[i] = (b[0] x[i] + b[1] x[i - 1] ... - a[1] y[i - 1] ...) / a[0], of real b and a; in float64, on the CPU. */
GA_API ga_array *(ga_lfilter)(const ga_array *b, const ga_array *a, const ga_array *x, ga_lfilter_options o);
/* One such filter after the other, b and a of each in a row of sos (n, 6); .zi and .zf: (n, ..., 2, ...). */
GA_API ga_array *(ga_sosfilt)(const ga_array *sos, const ga_array *x, ga_lfilter_options o);
/* Medians with zeros outside: ga_medfilt(a, (3, 5)); one odd number for all axes, or one each. */
GA_API ga_array *(ga_medfilt)(const ga_array *a, ga_shape kernel_size, const char *site);
GA_API ga_array *(ga_hilbert)(const ga_array *x, ga_fft_options o); /* the analytic signal; .n, .axis */
/* num samples in place of those of an axis (not given: the first), by ga_fft. */
GA_API ga_array *(ga_resample)(const ga_array *x, int64_t num, ga_axis_options o);
typedef enum ga_trend { GA_TREND_DEFAULT, GA_TREND_CONSTANT, GA_TREND_LINEAR, GA_TREND_NONE } ga_trend;
typedef struct ga_detrend_options {
    GI_BY_POSITION
    int axis           GI_IS(GA_AXIS_DEFAULT); /* not given: the last */
    ga_trend type      GI_DEFAULT;             /* default GA_TREND_LINEAR */
    const ga_array *bp GI_IS(GA_NO_ARRAY);     /* where another line begins */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_detrend_options;
#define GI_DEFAULTS_ga_detrend_options     .axis = GA_AXIS_DEFAULT, .bp = GA_NO_ARRAY,
GA_API ga_array *(ga_detrend)(const ga_array *x, ga_detrend_options o); /* without its mean, or the nearest line */
typedef struct ga_savgol_options {
    GI_BY_POSITION
    int deriv    GI_DEFAULT;
    double delta GI_IS(1); /* from one sample to the next */
    int axis     GI_IS(-1);
    int border   GI_IS(-1); /* a ga_border; not given: at the ends the polynomials through the first and the last window */
    double cval  GI_DEFAULT;
    GI_BY_NAME
    const char *site GI_IS("");
} ga_savgol_options;
#define GI_DEFAULTS_ga_savgol_options      .delta = 1, .axis = -1, .border = -1,
/* Savitzky and Golay: at each point the polynomial of this order that is nearest to the window around it, or a derivative. */
GA_API ga_array *(ga_savgol_filter)(const ga_array *x, int64_t window_length, int polyorder, ga_savgol_options o);

typedef enum ga_scaling { GA_DENSITY, GA_SPECTRUM } ga_scaling; /* the power of 1 Hz, or of a wave */
typedef enum ga_averaging { GA_AVERAGE_MEAN, GA_AVERAGE_MEDIAN } ga_averaging;
/* The power; or the transform, its magnitude, its angle, or that without jumps along the frequencies. */
typedef enum ga_spectrum_mode {
    GA_MODE_PSD,
    GA_MODE_COMPLEX,
    GA_MODE_MAGNITUDE,
    GA_MODE_ANGLE,
    GA_MODE_PHASE
} ga_spectrum_mode;
typedef struct ga_spectrum_options {
    GI_BY_POSITION
    double fs          GI_IS(1);   /* samples of a second */
    const char *window GI_DEFAULT; /* "hann" and others of scipy.signal.windows: below */
    GI_BY_NAME
    const ga_array *values GI_IS(GA_NO_ARRAY);       /* or these weights, one for each element of a piece */
    int64_t nperseg        GI_IS(GA_LENGTH_DEFAULT); /* elements of a piece; not given: 256 */
    int64_t noverlap       GI_IS(GA_LENGTH_DEFAULT); /* of these in the next piece; not given: 1/2; ga_spectrogram: 1/8 */
    int64_t nfft           GI_IS(GA_LENGTH_DEFAULT); /* with zeros behind them; not given: nperseg */
    ga_trend detrend       GI_DEFAULT;               /* of each piece; default GA_TREND_CONSTANT */
    bool return_onesided   GI_IS(true);              /* of real numbers */
    ga_scaling scaling     GI_DEFAULT;
    ga_averaging average   GI_DEFAULT; /* ga_welch: of the pieces; the median is divided by its bias */
    ga_spectrum_mode mode  GI_DEFAULT; /* ga_spectrogram: of what; default GA_MODE_PSD */
    int axis               GI_IS(-1);
    ga_array **frequencies GI_DEFAULT; /* new arrays: of the axis, and the times of the pieces */
    ga_array **times       GI_DEFAULT;
    const char *site       GI_IS("");
} ga_spectrum_options;
#define GI_DEFAULTS_ga_spectrum_options                                                                                        \
    .fs = 1, .values = GA_NO_ARRAY, .nperseg = GA_LENGTH_DEFAULT, .noverlap = GA_LENGTH_DEFAULT, .nfft = GA_LENGTH_DEFAULT,    \
    .return_onesided = true, .axis = -1,
/* .window is one of scipy.signal.get_window: "boxcar", "triang", "bartlett", "hann", "hamming", "blackman", "nuttall", "blackmanharris",
   "flattop", "parzen", "bohman", "barthann", "cosine", "lanczos" or "tukey" (a half of it rises and falls). */
GA_API ga_array *(ga_periodogram)(const ga_array *x, ga_spectrum_options o); /* of the whole line; "boxcar" */
GA_API ga_array *(ga_welch)(const ga_array *x, ga_spectrum_options o);       /* the mean over pieces; "hann" */
GA_API ga_array *(ga_spectrogram)(const ga_array     *x,
                                  ga_spectrum_options o); /* (..., times); a quarter rises and falls as "hann" */

/* What ga_find_peaks knows of its peaks, by SciPy's names: float64, bases, plateaus and their edges int64. */
typedef struct ga_peaks {
    ga_array *peak_heights, *left_thresholds, *right_thresholds, *prominences, *left_bases, *right_bases, *widths,
        *width_heights, *left_ips, *right_ips, *plateau_sizes, *left_edges, *right_edges;
} ga_peaks;
typedef struct ga_peaks_options {
    GI_BY_POSITION
    double height       GI_IS(GA_REAL_DEFAULT); /* at least so much; at most .height_max. Of threshold: both neighbours */
    double threshold    GI_IS(GA_REAL_DEFAULT);
    double distance     GI_IS(1); /* between two; the higher one stays */
    double prominence   GI_IS(GA_REAL_DEFAULT);
    double width        GI_IS(GA_REAL_DEFAULT);
    int64_t wlen        GI_IS(GA_LENGTH_DEFAULT); /* so many elements around a peak tell its prominence; not given: all */
    double rel_height   GI_IS(0.5);               /* of the prominence: how far below the top the width is measured */
    double plateau_size GI_IS(GA_REAL_DEFAULT);
    GI_BY_NAME
    double height_max       GI_IS(GA_REAL_DEFAULT);
    double threshold_max    GI_IS(GA_REAL_DEFAULT);
    double prominence_max   GI_IS(GA_REAL_DEFAULT);
    double width_max        GI_IS(GA_REAL_DEFAULT);
    double plateau_size_max GI_IS(GA_REAL_DEFAULT);
    ga_peaks *found         GI_DEFAULT; /* all of these, as new arrays */
    const char *site        GI_IS("");
} ga_peaks_options;
#define GI_DEFAULTS_ga_peaks_options                                                                                           \
    .height = GA_REAL_DEFAULT, .threshold = GA_REAL_DEFAULT, .distance = 1, .prominence = GA_REAL_DEFAULT,                     \
    .width = GA_REAL_DEFAULT, .wlen = GA_LENGTH_DEFAULT, .rel_height = 0.5, .plateau_size = GA_REAL_DEFAULT,                   \
    .height_max = GA_REAL_DEFAULT, .threshold_max = GA_REAL_DEFAULT, .prominence_max = GA_REAL_DEFAULT,                        \
    .width_max = GA_REAL_DEFAULT, .plateau_size_max = GA_REAL_DEFAULT,
GA_API ga_array *(ga_find_peaks)(const ga_array  *x,
                                 ga_peaks_options o); /* where a line is higher than around: int64; on the CPU */

/* ==== >>distances ================================================================================================== */
/*  Between points: an array of n points with f features (coordinates) each has the shape (n, f). float32 is computed in float32 and gives
    it (SciPy: float64), so squares beyond 3e38 are infinite; everything else float64; there are none of complex numbers. Under
    GPUARR_STATIC the metrics from GA_BRAYCURTIS on are calls, so that a program has those that it names: they cannot be case labels,
    nor initialize static data.                                                                                                       */

typedef enum ga_metric {
    GA_EUCLIDEAN,
    GA_SQEUCLIDEAN, /* its square */
    GA_CITYBLOCK,   /* the sum of |x - y| */
    GA_CHEBYSHEV,   /* the largest |x - y|, NaN if any is NaN (SciPy passes over a NaN) */
    GA_COSINE,      /* 1 - x.y / (|x| |y|), at least 0; NaN where a point is all 0 */
    GA_BRAYCURTIS,  /* the sum of |x - y| by the sum of |x + y| */
    GA_CANBERRA,    /* the sum of |x - y| / (|x| + |y|), where 0 / 0 counts 0 */
    GA_CORRELATION, /* the cosine distance of the points without their means */
    GA_HAMMING,     /* the share of features that differ */
    GA_JENSENSHANNON, /* of distributions: each point is divided by its sum. Infinite if that is 0 or a feature negative (NaN: NaN) */
    GA_MAHALANOBIS, /* the root of (x - y) VI (x - y) */
    GA_MINKOWSKI,   /* the sum of |x - y|^p, to the power of 1 / p */
    GA_SEUCLIDEAN   /* the root of the sum of (x - y)^2 / V */
} ga_metric;
typedef struct ga_distance_options {
    GI_BY_POSITION
    ga_metric metric GI_DEFAULT; /* default GA_EUCLIDEAN */
    GI_BY_NAME
    double p           GI_IS(2);           /* of GA_MINKOWSKI: above 0; INFINITY (math.h) is GA_CHEBYSHEV */
    const ga_array *V  GI_IS(GA_NO_ARRAY); /* of GA_SEUCLIDEAN: the variance of each feature; else that of all points, ddof 1 */
    const ga_array *VI GI_IS(GA_NO_ARRAY); /* of GA_MAHALANOBIS, (f, f): the inverse covariances; else those of all points */
    const ga_array *w  GI_IS(GA_NO_ARRAY); /* a weight for each feature, as SciPy's; of all metrics but GA_JENSENSHANNON and
                                              those two. Under GPUARR_STATIC .metric = (GA_MINKOWSKI, GA_COSINE) brings it */
    ga_array *out      GI_IS(GA_NO_ARRAY);
    const char *site   GI_IS("");
} ga_distance_options;
#define GI_DEFAULTS_ga_distance_options   .p = 2, .V = GA_NO_ARRAY, .VI = GA_NO_ARRAY, .w = GA_NO_ARRAY, .out = GA_NO_ARRAY,
GA_API ga_array *(ga_cdist)(const ga_array *x, const ga_array *y,
                            ga_distance_options o); /* (n, m): of each point of x from each of y */
/* Of each pair of points of x, 1-D: (0, 1), (0, 2) ... (1, 2) ...; distance (i, j > i) is element i * (2 * n - i - 3) / 2 + j - 1. */
GA_API ga_array *(ga_pdist)(const ga_array *x, ga_distance_options o);
typedef struct ga_squareform_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool checks      GI_IS(true); /* is a matrix symmetric, and 0 on its diagonal? */
    const char *site GI_IS("");
} ga_squareform_options;
#define GI_DEFAULTS_ga_squareform_options .checks = true,
/* The matrix of such a vector, 0 on its diagonal; the vector of such a matrix. */
GA_API ga_array *(ga_squareform)(const ga_array *v, ga_squareform_options o);

/* ==== >>kernels: elementwise operations of your own ================================================================= */
/*  In the file with GPUARR_IMPLEMENTATION, or in any file that says #define GPUARR_KERNELS before the include:
        GA_ELEMENTWISE(axpy, float, (float a, float x, float y), a * x + y)
        GA_ELEMENTWISE(steps, int, (ga_c64 z), { int n = 0; while (...) n++; return n; })
        GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), { *r = GA_HYPOT(x, y); *phi = GA_ARCTAN2(y, x); })
        ga_array *o = ga_apply(axpy, (2, x, y), .where = mask);
    A formula is an expression, or a body in braces with return; it may call GA_SIN(x) ..., one for each floating-point row of the table,
    in capitals, with the same bits as ga_sin, GA_FMA(a, b, c), and know GA_INDEX, the place of the element in the result, counted in
    C order. Parameters: bool, int8_t ... uint64_t, int, unsigned, float, double, ga_c64, ga_c128; those behind * are further results.
    GA_ELEMENTWISE_T(clamp, REAL, T, (T x, T low, T high), x < low ? low : x > high ? high : x) is compiled for each dtype of INT, FLT or
    REAL, and computes in the first that holds its operands of type T, as a row of the table does.
    In a .cu file the kernel works on both devices, in a .c file on the CPU. The sums and products of a formula are not fused, so the
    bits are the same on both (nvcc: with -fmad=false).                                                                            */

#define GPUARR_MAX_INPUTS            8 /* of a kernel: operands */
#define GPUARR_MAX_OUTPUTS           4 /* and results */
#define GI_MOST_OPERANDS             (GPUARR_MAX_INPUTS + GPUARR_MAX_OUTPUTS)

typedef struct ga_parameter {
    ga_dtype    dtype;  /* GA_DTYPE_DEFAULT: T, or no parameter at all */
    bool        output; /* for the result of the formula: is there one? */
    const char *name;
} ga_parameter;

/* Elements side by side, for which a kernel is run. */
typedef struct gi_elements {
    int64_t n;
    void   *operand[GI_MOST_OPERANDS]; /* of each parameter, packed; not to be written unless it is an output */
    void   *result;
    int64_t index, step; /* GA_INDEX of the first, and how much more that of the next is */

    const void *const *rows;   /* of a stencil, whose operands are single numbers: the first element in the rows around it */
    int               *beyond; /* becomes 1 if it has read beyond its reach */
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
    ga_array *out GI_IS(GA_NO_ARRAY); /* the first result is written there */
    GI_BY_NAME
    const ga_array *where GI_IS(GA_NO_ARRAY); /* as for all elementwise calls */
    ga_array **
        outs GI_IS(GI_NOT_GIVEN(ga_array *)); /* all results: of those that are NULL, new arrays; the others are written into */
    const char *site GI_IS("");
} ga_apply_options;
#define GI_DEFAULTS_ga_apply_options .out = GA_NO_ARRAY, .where = GA_NO_ARRAY, .outs = GI_NOT_GIVEN(ga_array *),
/* ga_apply(kernel, (a, 2.5, b)): arrays and numbers, broadcast and cast as by the functions of the table. Returns the first result. */
GA_API ga_array *(ga_apply_n)(const ga_kernel *kernel, int n, const ga_arg *operands, ga_apply_options o);

/* ---- reductions of your own --------------------------------------------------------------------------------------------- */
/*  GA_REDUCTION(name, result, (parameters), accumulator, start, map, join, finish)
        GA_REDUCTION(dot, double, (double x, double y), double, 0, x * y, a + b, a)
        GA_REDUCTION(norm, float, (float x), double, 0, (double)x * x, a + b, (float)GA_SQRT(a))
        ga_array *r = ga_reduce(dot, (matrix, row), .axis = 1);
    `map` makes an accumulator of the parameters and of GA_INDEX, the place of the element along the reduced axes, counted in C order.
    `join` makes one of two, `a` and `b`, along the documented tree (>>reductions): elements come in another order than they lie, so it
    should not matter to `join` which is which. `finish` makes the result of `a` and of `n`, how many elements there were; without any,
    of the start. An accumulator is of any type of up to GPUARR_MAX_ACCUMULATOR bytes, also a struct.
        GA_REDUCTION_T(energy, FLT, T, (T x), double, 0, (double)x * x, a + b, (T)a)
    is compiled for each dtype of INT, FLT or REAL, as GA_ELEMENTWISE_T; its accumulator is T or a number too. What formulas call is defined with
    GA_FUNCTION in place of static: GA_FUNCTION double cube(double x) { return x * x * x; }                                         */

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

/* ga_reduce(dot, (a, b), .axis = 0): over all axes, .axis or .axes of the broadcast operands, arrays or numbers; .keepdims, .out. */
GA_API ga_array *(ga_reduce_n)(const ga_reduction *reduction, int n, const ga_arg *operands, ga_reduce_options o);

/* ---- stencils: each element anew from its neighbours ----------------------------------------------------------------- */
/*      GA_STENCIL(heat, (1, 1), double, (double a),
                   GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
        ga_array *v = ga_stencil(heat, (u, 0.1), .border = GA_BORDER_NEAREST, .steps = 100);
    The name, how far the formula reads along each of 1 to 3 axes, the type of the array and of the result, further parameters, which are
    numbers (or (void)), and the formula, as in GA_ELEMENTWISE. GA_AT(1, -2) is the element one row further and two columns back; beyond
    the reach it does not compile, and where its offsets are computed (GA_AT(k, 0) in a loop) it is an error of the call; on a GPU
    the call waits for its results, to say so. What stands beyond the edges of the array is what .border says. As with GA_ELEMENTWISE a
    stencil of a .cu file works on both devices, with the same bits.                                                             */

/* What GA_STENCIL defines. */
typedef struct ga_stencil_kernel {
    ga_kernel kernel;
    int       ndim;
    int64_t   reach[3]; /* along each axis */
    int64_t   tile[3];  /* results of a block of threads on a GPU: planes, rows, columns */
} ga_stencil_kernel;

typedef struct ga_stencil_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;         /* what is outside with GA_BORDER_CONSTANT */
    int64_t steps    GI_IS(1);           /* so many times, each from the results of the one before */
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
    NumPy's expressions, with Python's precedence: + - * / // % ** << >> & | ^ ~ == != < <= > >= and parentheses. Every elementwise
    operation and simple reduction of the table, and of your own, by NumPy's names (abs, acos, pow too); where, clip, round(x, 2); var, std,
    median, percentile, argmin, argmax and those that leave out NaN; reductions take axis=0, axis=(0, 2), keepdims=True, dtype=float32, ddof=1,
    and where=mask, initial=0 as their own calls have them.
    Conversions, float32(x), to all dtypes (a formula with float16 or bfloat16 in it is computed call by call); numbers, 1e-3, 0xff, 2j; pi, e, inf, nan, True, False; NumPy's index notation, u[1:-1, ::2], u[k], of any array.
    Statements are separated by semicolons: name = expression; the last one is the result.

    A formula has at most 16384 characters and 1000 steps.

    Operands are up to 64 arrays and C numbers (12 in C's ga_eval); without any: ga_eval_n("2**64 - 1", 0, NULL). Those that are plain names are known by their names in the call; all of them, image[0]
    or 2 * c, as $1, $2 in order; those that it does not name are left alone. They stand before constants and functions of the same name.

    The result is what the nested calls give: their shape, dtype and bits, on the CPU, the GPU and of chunked arrays. x**2 is ga_square(x).
    Arithmetic on numbers alone is Python's, and its result adopts the dtype of an array as a C number does; functions of numbers make
    arrays of no dimensions. What stands twice in a formula is computed once, and a name that nothing uses not at all.

    Elementwise operations are computed together, in one pass over memory, and on the CPU so are reductions of them (but medians and
    percentiles; and round to decimals is a pass of its own). On the GPU a pass is one kernel: of up to 8 arrays and 63 operations on bool, uint8, int32, int64, float32 and float64
    (arrays of other dtypes may be converted to these); else it goes operation by operation. Of chunked arrays a pass is one operation.

    The result is a new array, which is yours, or .out; NULL with an error, which shows the place in the formula. The text may be made at
    run time; what was read is kept, so the same text is read once.                                                              */

typedef struct ga_eval_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array *out         GI_IS(GA_NO_ARRAY); /* the options of the formula's last operation, as its own call has them; */
    const ga_array *where GI_IS(GA_NO_ARRAY); /* .out may be an operand, or share memory with one; .where is
                                                 for elementwise operations alone */
    ga_dtype dtype        GI_DEFAULT;
    const char *names     GI_DEFAULT; /* of the operands, "x, y": for ga_eval_n, which does not see how they are called */
    const char *site      GI_IS("");
} ga_eval_options;
#define GI_DEFAULTS_ga_eval_options    .out = GA_NO_ARRAY, .where = GA_NO_ARRAY,
/* What ga_eval(formula, (operands), ...) calls. */
GA_API ga_array *(ga_eval_n)(const char *formula, int n, const ga_arg *operands, ga_eval_options o);

/* The formula as the source of a kernel of your own, for those who want it compiled: GA_ELEMENTWISE(name, ...), or GA_REDUCTION where it
   ends with sum, prod or mean of everything.
        char *source = ga_formula_c("bell", "exp(-(x - m)**2 / s)", "float x, float m, float s");
   The parameters are the kernel's, and what the formula calls its operands; the bits are those of ga_eval on arrays of these dtypes.
   The text is yours, free() it; NULL with an error. */
GA_API char *(ga_formula_c)(const char *name, const char *formula, const char *parameters, const char *site);

/* ==== >>chunked: arrays that are computed piece by piece ============================================================ */
/*  A chunked array is a ga_array whose elements do not exist yet. Whatever is made of it (elementwise operations, kernels of your own,
    views, reductions, joined arrays, products, distances, convolutions, filters, stencils, sorted lines, running sums) is chunked too:
    only the expression is kept. ga_compute works it out, piece by piece on all threads, with memory for the pieces at hand and for the
    result, however large the arrays in between would be. The bits are those of the same calls on arrays in memory, whatever the chunks
    (convolutions are never made by Fourier transforms). A call that cannot work on chunked arrays says so.

    Chunks are shapes: ga_chunks(150, 200); 0: chosen for you, -1: the whole axis. An array in memory that an expression uses is read
    when the expression is computed: do not change it before. ga_free a chunked array like any other.

    Functions of yours that run meanwhile, for chunks, for progress, and tasks too, may compute with arrays in memory. What would wait for
    the run that they are in, computing a chunked array, ga_set_num_threads and ga_shutdown, is an error there.

    An expression may be 1000 operations deep. The memory that the work takes is forecast: ga_print says it, and what does not fit into
    ga_memory_limit (without one: into what the system and the control groups have left) is refused before any work, with the numbers.
    In the environment: GA_PROGRESS=1 (a line on stderr), GA_REPORT=run.html (a page with the threads' time line, the memory and the time
    of each operation), GA_TRACE=run.json (for ui.perfetto.dev).                                                                   */

/* The elements of a, taken in chunks: ga_chunked(a, 150, 200), or ga_chunked(a). a stays alive as long as the result. */
GA_API ga_array *(ga_chunked)(const ga_array *a, ga_shape chunks, const char *site);
/* The same elements in other chunks. */
GA_API ga_array *(ga_rechunk)(const ga_array *a, ga_shape chunks, const char *site);
GA_API bool     ga_is_chunked(const ga_array *a);
GA_API ga_shape ga_chunks_of(const ga_array *a); /* of an array in memory: its shape */
#ifdef GPUARR_STATIC
GA_API ga_shape gi_chunks(ga_shape chunks);      /* what ga_chunks is then: it brings chunked arrays into the program */
#endif

typedef struct ga_compute_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_array *out    GI_IS(GA_NO_ARRAY); /* write the result there: an array in memory of the same shape and dtype */
    const char *site GI_IS("");
} ga_compute_options;
#define GI_DEFAULTS_ga_compute_options .out = GA_NO_ARRAY,
/* The elements of a chunked array, in memory; of an array in memory another view. Where .out shares memory with what the expression reads,
   the result is computed in new memory, and copied at the end. */
GA_API ga_array *(ga_compute)(const ga_array *a, ga_compute_options o);
/* Several at once: what they have in common is computed once. results[k] is new; false on error, and all are NULL. */
GA_API bool(ga_compute_n)(int n, const ga_array *const *arrays, ga_array **results, const char *site);
/* Computes the elements now and keeps them: what is made of the array from now on starts from there. Returns another view. Elements that
   do not fit into memory (ga_memory_limit, else what the system and the control groups have left) are kept in a file without a name, which
   is gone when the array is, or the program: in the folder GA_SPILL of the environment, else TMPDIR, else /tmp (/var/tmp where /tmp lies in
   memory). A line on stderr says so, unless the program has an error handler; ga_memory_stats().spilled_bytes counts them. */
GA_API ga_array *(ga_persist)(const ga_array *a, const char *site);

/*  How many GPUs help the threads of the CPU to compute chunked arrays: that many from the selected one on (ga_cuda_select), -1: all there
    are. Default: GPUARR_NUM_GPUS, else none. Each takes whole chunks, like a thread does; what it needs is copied to it or made there, the
    calls run as its kernels, and the elements come back to memory. The bits stay the same. Functions given to ga_map_blocks,
    kernels that a C compiler made, and files are worked on by the CPU. A chunk for which the GPU has no memory is halved there, and
    at last left to the CPU. More than there are is an error. Ranks of one machine select different ones before.                */
GA_API void ga_set_num_gpus(int n);
GA_API int  ga_get_num_gpus(void);

/* Where a chunk lies. */
typedef struct ga_block {
    int     ndim;
    int64_t number;                                          /* of the chunks in C order */
    int64_t index[GPUARR_MAX_DIMS], chunks[GPUARR_MAX_DIMS]; /* which one along each axis, of how many */
    int64_t start[GPUARR_MAX_DIMS], shape[GPUARR_MAX_DIMS];  /* its elements in the arrays that are given */
} ga_block;
/* Writes the chunk of the result. It runs on several threads at once. What arrays it makes are freed when it returns; false: it failed. */
typedef bool (*ga_block_function)(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user);
typedef struct ga_blocks_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_dtype dtype GI_DEFAULT; /* of the result; default that of a */
    ga_shape chunks
        GI_DEFAULT; /* of the result, one length for each axis; default as those of a, whose last ones may be shorter */
    ga_shape depth   GI_DEFAULT; /* ga_map_overlap: elements around the chunk, one number or one for each axis */
    ga_border border GI_DEFAULT; /* what stands there beyond the edges */
    double cval      GI_DEFAULT;
    const char *site GI_IS("");
} ga_blocks_options;
#define GI_DEFAULTS_ga_blocks_options
/* dask.array's map_blocks: ga_map_blocks(a, function, user, .dtype = GA_F32). The function is called for each chunk of a, with in[0] its
   elements, and `out`, which is packed. ga_map_blocks_n: of n arrays of one shape, in the chunks of the first. If a slice of the
   result is asked for, its chunks are worked out whole. `user` must live until the result is computed. */
GA_API ga_array *(ga_map_blocks)(const ga_array *a, ga_block_function function, void *user, ga_blocks_options o);
GA_API ga_array *(ga_map_blocks_n)(int n, const ga_array *const *arrays, ga_block_function function, void *user,
                                   ga_blocks_options o);
/* The same with .depth elements more on each side, of in[0] and of `out`; those of `out` are dropped:
   ga_map_overlap(a, smooth, NULL, .depth = ga_axes(2, 2)). */
GA_API ga_array *(ga_map_overlap)(const ga_array *a, ga_block_function function, void *user, ga_blocks_options o);

/*  Several processes, on one machine or many, compute together if the file with GPUARR_IMPLEMENTATION includes gpuarr_mpi.h in place of
    this one, is compiled by mpicc, and run by mpirun: all of them (the ranks) run the same program, and share the work of ga_compute,
    ga_persist and ga_store. gpuarr_mpi.h tells more. Without it there is one rank, 0.                                            */
GA_API int ga_rank(void);  /* of this process: 0 to ga_ranks() - 1 */
GA_API int ga_ranks(void); /* how many processes compute together */

/* Draws the expression: path ends in .svg, or .dot for graphviz. A vertex is a chunk, or a whole operation if there would be more than
   .tasks chunks. */
typedef enum ga_color_by { GA_COLOR_OPERATION, GA_COLOR_ORDER, GA_COLOR_TIME, GA_COLOR_RANK } ga_color_by;
typedef struct ga_visualize_options {
    GI_BY_POSITION
    GI_BY_NAME
    int64_t tasks     GI_IS(200);
    ga_color_by color GI_DEFAULT; /* by the name of the operation, the order, the time that it has taken so far, or
                                     the rank that computed the chunk last (what is in between: that of who needs it) */
    const char *site  GI_IS("");
} ga_visualize_options;
#define GI_DEFAULTS_ga_visualize_options .tasks = 200,
GA_API bool(ga_visualize)(const ga_array *a, const char *path, ga_visualize_options o);

/* How far the computing of chunked arrays has come: asked about ten times a second, by any thread, one at a time. Return false to stop it.
   NULL: nothing is told. GA_PROGRESS=1 in the environment does as ga_set_progress(ga_progress_line, NULL). Of several processes
   (gpuarr_mpi.h) the first is asked. */
typedef struct ga_progress {
    const char *what;          /* the call that is worked on */
    double      done;          /* of it, 0 to 1 */
    double      seconds, left; /* so far, and to go at this rate */
    int64_t     used_bytes;    /* in arrays */
} ga_progress;
typedef bool (*ga_progress_function)(const ga_progress *p, void *user);
GA_API void ga_set_progress(ga_progress_function call, void *user);
GA_API bool ga_progress_line(const ga_progress *p, void *user); /* a line on stderr */

/* ==== >>tasks: functions that wait for each other, as dask.delayed ================================================== */
/*  What ga_array cannot say: any C functions, each of which needs the results of others.

        ga_graph *g = ga_graph_new();
        ga_task  *a = ga_delayed(g, load, "a.fits"), *b = ga_delayed(g, load, "b.fits"), *c = ga_delayed(g, join, NULL, a, b);
        ga_result    result;
        if (ga_run(g, c, &result)) ...
        ga_graph_free(g);

    Only what is asked for is run, on all threads, deep before wide, so that few results wait. Tasks belong to their graph.         */

typedef union ga_result { /* what a task gives */
    ga_array *array;
    void     *pointer;
    double    real;
    int64_t   integer;
} ga_result;
typedef struct ga_graph ga_graph;
typedef struct ga_task  ga_task;
/* in[k]: the result of the k-th task that it needs. False: it failed (an error of gpuarr is told with it), and so does the run.
   Arrays made inside are released when it returns, except what it has handed out with ga_keep, and result->array, which is released
   when no other task needs it, unless ga_run hands it out. in[k].array belongs to the run: do not free it. In C++ no exception may leave a
   function that gpuarr calls, a task or any other: that ends the program (std::terminate). */
typedef bool (*ga_task_function)(ga_result *result, const ga_result *in, int n, void *user);

typedef struct ga_delayed_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *name GI_DEFAULT; /* for errors and pictures; not given: that of the function */
    void (*release)(ga_result *result)
        GI_DEFAULT; /* called, in place of releasing an array, when nobody needs the result any more; not for what ga_run hands out */
    const char *site GI_IS("");
} ga_delayed_options;
#define GI_DEFAULTS_ga_delayed_options

GA_API ga_graph *(ga_graph_new)(const char *site);
GA_API void ga_graph_free(ga_graph *g); /* and its tasks; NULL is fine */
GA_API ga_task *(ga_delayed_n)(ga_graph *g, ga_task_function f, void *user, int n, ga_task *const *needs, ga_delayed_options o);
/* Runs what the n tasks need, and them. results[k] is yours (of a task that is asked for twice: two views of an array). False on error:
   then no result is left. */
GA_API bool(ga_run)(ga_graph *g, ga_task *task, ga_result *result, const char *site);
GA_API bool(ga_run_n)(ga_graph *g, int n, ga_task *const *tasks, ga_result *results, const char *site);
/* The graph as a picture: path ends in .svg or .dot; of more than .tasks tasks (default 200) only the number is written. */
GA_API bool(ga_graph_visualize)(const ga_graph *g, const char *path, ga_visualize_options o);

/* ==== >>files ===================================================================================================== */
/*  What is written may lie on any device; what is read comes on the default device (ga_set_device).

    Whatever happens, a full disk, kill -9 or a power failure, a name stands for the old file or for the new one, whole: a new file is
    called NAME.gpuarr.part until all of it is on the disk, and then takes the name. The next call that writes NAME removes what a killed
    program has left of it. Of a symbolic link what it leads to is replaced; a device or a pipe is written to as it is
    (ga_store, ga_fits_write: an error), and not read.                                                                              */

/* Whether a call that writes a file waits for the disk (default: true). false saves that time, often half of all; then a name may stand for
   a broken file after a power failure (kill -9 does no harm). ga_store with .resume waits for each unit all the same. */
GA_API void ga_set_fsync(bool on);
GA_API bool ga_get_fsync(void);

/* The pixels of a 2-D (grey) or (rows, columns, 1 to 4) array as PNG. uint8 is written as it is; anything else (255 / (max - min)) * (a - min),
   truncated (a constant picture becomes black). Needs stb_image_write.h. False on error, as for a name that means another format, x.jpg. */
GA_API bool(ga_imsave)(const char *path, const ga_array *a, const char *site);
/* The same bytes in memory: uint8 (n), always on the CPU. */
GA_API ga_array *(ga_imencode)(const ga_array *a, const char *site);
/* The pixels of a PNG file, or of one in memory, an array of uint8: uint8, of 16 bits uint16; (rows, columns) of a grey picture, else
   (rows, columns, channels): red, green, blue, or grey, and alpha if the picture has it. Palettes are looked up (what they lack is black),
   fewer bits are stretched to 0 .. 255, gamma and colour profiles are left alone. Needs no library. */
GA_API ga_array *(ga_imread)(const char *path, const char *site);
GA_API ga_array *(ga_imdecode)(const ga_array *bytes, const char *site);

typedef struct ga_imshow_options {
    GI_BY_POSITION
    const char *cmap GI_IS("viridis"); /* "viridis", "gray", "gray_r", "inferno", "RdBu_r" */
    GI_BY_NAME
    bool log      GI_DEFAULT;             /* logarithmic norm; what is <= 0 is drawn as the lowest colour */
    double vmin   GI_IS(GA_REAL_DEFAULT); /* colour range; not given: that of the data; vmin > vmax turns the colours round */
    double vmax   GI_IS(GA_REAL_DEFAULT);
    bool colorbar GI_DEFAULT;     /* with numbers, at the right */
    int scale     GI_IS(1);       /* draw each element as scale x scale pixels */
    const char *title GI_DEFAULT; /* a line of text above */
    const char *site  GI_IS("");
} ga_imshow_options;
#define GI_DEFAULTS_ga_imshow_options .cmap = "viridis", .vmin = GA_REAL_DEFAULT, .vmax = GA_REAL_DEFAULT, .scale = 1,
GA_API ga_array *(ga_render)(const ga_array   *a,
                             ga_imshow_options o); /* what ga_imshow writes: uint8 (rows, columns, 3), always on the CPU */
GA_API bool(ga_imshow)(const char *path, const ga_array *a, ga_imshow_options o); /* a 2-D array in colours, as PNG */

typedef struct ga_load_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool mmap        GI_DEFAULT; /* map the file in place of reading it */
    const char *site GI_IS("");
} ga_load_options;
#define GI_DEFAULTS_ga_load_options
/* .npy. With .mmap, numpy.load's mmap_mode "c", the call returns at once: what is used is read when it is used, and need not fit into
   memory. The array can be written like any other; that changes neither the file nor what others see of it. Of a file in Fortran order the
   array has Fortran's strides. One whose elements are swapped or not aligned is read as ever, and so are arrays for a GPU and of .npz. The
   file is mapped until the last view is gone. Replacing it meanwhile, as all calls here do, is fine; but who makes it shorter (truncate,
   numpy.save to the same name) kills the program with SIGBUS. */
GA_API ga_array *(ga_load)(const char *path, ga_load_options o);
GA_API bool(ga_save)(const char *path, const ga_array *a, const char *site);
GA_API ga_array *(ga_load_from)(const char *path, const char *name,
                                const char *site); /* one array of an .npz; NULL name: the first */
GA_API bool(ga_savez)(const char *path, int n, const char *const *names, const ga_array *const *arrays,
                      const char *site); /* uncompressed .npz */

/* A table in a text file, rows by columns, as numpy.loadtxt reads it: a single row or column as 1-D, a single number as 0-d (.ndmin forbids
   it), a file without rows as (0,). Empty lines and comments are skipped. Numbers are read as by strtod, whatever the locale: 1e3, -inf, nan,
   of complex dtypes 1+2j; for bool an integer. What is wrong in a line is an error that names file, line and column. A file packed by gzip is
   unpacked into memory (no library is needed). */
typedef struct ga_loadtxt_options {
    GI_BY_POSITION
    ga_dtype dtype        GI_DEFAULT; /* default float64 */
    const char *comments  GI_IS("#"); /* the rest of a line from there on is none of its columns; NULL: nothing is a comment */
    const char *delimiter GI_DEFAULT; /* one character between two columns; default: white space */
    GI_BY_NAME
    int64_t skiprows      GI_DEFAULT;        /* the first lines, comments and empty ones among them */
    int64_t max_rows      GI_IS(-1);         /* read no more of them; -1: all */
    ga_shape usecols      GI_IS({ -1, {} }); /* these columns: ga_axes(0, 2, -1); at most GPUARR_MAX_DIMS. Default: all */
    int ndmin             GI_DEFAULT;        /* 1 or 2: the result has at least so many dimensions */
    const char *quotechar GI_DEFAULT;        /* columns may stand in a pair of these characters, on one line */
    const char *site      GI_IS("");
} ga_loadtxt_options;
#define GI_DEFAULTS_ga_loadtxt_options .comments = "#", .max_rows = -1, .usecols = { -1, { 0 } },
GA_API ga_array *(ga_loadtxt)(const char *path, ga_loadtxt_options o);
/* Each column as an array of its own dtype, columns[0..n-1] (.dtype and .ndmin play no part); n is the number of columns, or of .usecols.
   False on error, columns then NULL. */
GA_API bool(ga_loadtxt_n)(const char *path, int n, const ga_dtype *dtypes, ga_array **columns, ga_loadtxt_options o);

/* The same for tables with gaps, as numpy.genfromtxt: what is empty, is one of .missing_values, or is no number, becomes .filling_values. */
typedef struct ga_genfromtxt_options {
    GI_BY_POSITION
    /* default float64; for bool the words true and false; for integers below 64 bits 5.9 is 5, as in NumPy */
    ga_dtype dtype        GI_DEFAULT;
    const char *comments  GI_IS("#");
    const char *delimiter GI_DEFAULT; /* one character or more: ", " */
    int64_t skip_header   GI_DEFAULT; /* the first lines */
    int64_t skip_footer   GI_DEFAULT; /* the last rows */
    GI_BY_NAME
    const char *missing_values GI_DEFAULT; /* "NA,-999". (A number among them is filled as well; NumPy would only mask it.) */
    double filling_values      GI_IS(GA_REAL_DEFAULT); /* not given: NaN, for integers -1, for bool false */
    ga_shape usecols           GI_IS({ -1, {} });
    bool names GI_DEFAULT; /* one more line to skip, the names of the columns: the first that is not empty, comment or not */
    int64_t max_rows GI_IS(-1);
    bool loose       GI_IS(true); /* false: a text that is neither a number nor missing is an error */
    /* of fields that nothing separates, in bytes: "4, 3, 2", as NumPy's delimiter=(4, 3, 2); "5": all are so wide. As in NumPy, a line of
       blanks is a row then, in which all is missing, and with several widths an empty line, too */
    const char *widths GI_DEFAULT;
    int ndmin          GI_DEFAULT;
    const char *site   GI_IS("");
} ga_genfromtxt_options;
#define GI_DEFAULTS_ga_genfromtxt_options                                                                                      \
    .comments = "#", .filling_values = GA_REAL_DEFAULT, .usecols = { -1, { 0 } }, .max_rows = -1, .loose = true,
GA_API ga_array *(ga_genfromtxt)(const char *path, ga_genfromtxt_options o);
GA_API bool(ga_genfromtxt_n)(const char *path, int n, const ga_dtype *dtypes, ga_array **columns, ga_genfromtxt_options o);

/* A 1-D or 2-D array as text, a row on each line, as numpy.savetxt writes it; one dimension makes a column. A path that ends in .gz makes a file
   packed by gzip (with GPUARR_USE_ZLIB). False on error. */
typedef struct ga_savetxt_options {
    GI_BY_POSITION
    /* as for printf: d i u, e E f F g G, s (the fewest digits); width and precision up to 1000. One for all numbers, or one for each of
       a row, "%d, %8.3f" (complex: two for each), and then .delimiter plays no part. */
    const char *fmt       GI_IS("%.18e");
    const char *delimiter GI_IS(" ");
    const char *newline   GI_IS("\n");
    const char *header    GI_DEFAULT; /* lines above and below */
    const char *footer    GI_DEFAULT;
    const char *comments  GI_IS("# "); /* before each of these lines */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_savetxt_options;
#define GI_DEFAULTS_ga_savetxt_options  .fmt = "%.18e", .delimiter = " ", .newline = "\n", .comments = "# ",
GA_API bool(ga_savetxt)(const char *path, const ga_array *a, ga_savetxt_options o);

/* Raw elements, without shape and dtype, as numpy.fromfile and ndarray.tofile; 1-D, in C order. */
typedef struct ga_fromfile_options {
    GI_BY_POSITION
    ga_dtype dtype GI_DEFAULT; /* default float64 */
    int64_t count  GI_IS(-1);  /* how many elements; -1: all, which must be a whole number of them */
    GI_BY_NAME
    int64_t offset   GI_DEFAULT; /* bytes before them */
    bool swapped     GI_DEFAULT; /* they are of the other byte order */
    const char *site GI_IS("");
} ga_fromfile_options;
#define GI_DEFAULTS_ga_fromfile_options .count = -1,
typedef struct ga_tofile_options {
    GI_BY_POSITION
    GI_BY_NAME
    bool swapped     GI_DEFAULT; /* write the other byte order */
    const char *site GI_IS("");
} ga_tofile_options;
#define GI_DEFAULTS_ga_tofile_options
GA_API ga_array *(ga_fromfile)(const char *path, ga_fromfile_options o);
GA_API bool(ga_tofile)(const ga_array *a, const char *path, ga_tofile_options o);

typedef struct ga_open_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *name GI_DEFAULT; /* which array of a Zarr group or of an HDF5 file: "temperature", "winter/temperature" */
    ga_shape chunks  GI_DEFAULT; /* default: the file's; of .npy, chosen */
    const char *site GI_IS("");
} ga_open_options;
#define GI_DEFAULTS_ga_open_options
/* A chunked array (see >>chunked) whose elements are read when they are asked for, and no others: from an .npy file, a folder of Zarr 2
   (not packed, or by zlib or gzip), or an HDF5 or NetCDF-4 file (with GPUARR_USE_HDF5). The file must stay as it is meanwhile. */
GA_API ga_array *(ga_open)(const char *path, ga_open_options o);

typedef struct ga_store_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *format     GI_DEFAULT; /* "npy" or "zarr"; default: by how the path ends */
    ga_shape chunks        GI_DEFAULT; /* in which it is worked out, and the chunks of Zarr; default: those of the array */
    bool resume            GI_DEFAULT; /* go on where a run that was stopped had got */
    bool overwrite         GI_DEFAULT; /* a Zarr array of that name; an .npy file is always replaced, as by numpy.save */
    const char *compressor GI_DEFAULT; /* of Zarr: "zlib" or "gzip" (with GPUARR_USE_ZLIB); default: not packed */
    int level              GI_IS(-1);  /* of the compressor: 1 (fast) to 9 (small); not given (-1): 1 */
    const char *site       GI_IS("");
} ga_store_options;
#define GI_DEFAULTS_ga_store_options .level = -1,
/* Works an array out into an .npy file or a folder of Zarr 2, piece by piece, so that it need not fit into memory. Until all is there it
   is called NAME.gpuarr.part. With .resume NAME.gpuarr.journal lists what is done, and the same program, when it runs again, does the rest:
   what is known of the expression must be the same (calls, numbers, files; of large arrays in memory some elements). Where the file
   system cannot exchange names, a Zarr array that is replaced is NAME.gpuarr.old for a moment; if the program is killed then, the next
   ga_open or ga_store of NAME puts it back. False on error. */
GA_API bool(ga_store)(const ga_array *a, const char *path, ga_store_options o);
/* Several at once: what they have in common is computed once. */
GA_API bool(ga_store_n)(int n, const ga_array *const *arrays, const char *const *paths, ga_store_options o);

typedef struct ga_fits_options {
    GI_BY_POSITION
    GI_BY_NAME
    int hdu          GI_DEFAULT; /* 0: the first with an image (also a compressed one); else its number, 1 the primary */
    const char *name GI_DEFAULT; /* or the extension of this EXTNAME */
    bool raw         GI_DEFAULT; /* without BSCALE, BZERO and BLANK */
    bool compress    GI_DEFAULT; /* writing: Rice tiles in an extension */
    bool append      GI_DEFAULT; /* writing: a further extension of an existing file */
    const char *site GI_IS("");
} ga_fits_options;
#define GI_DEFAULTS_ga_fits_options
/* Axes as in NumPy: the last FITS axis first. Scaled integers and BLANK become floats, unsigned ones stay integers. (CFITSIO 4.2 may
   crash, or not come back, on a damaged compressed image.) */
GA_API ga_array *(ga_fits_read)(const char *path, ga_fits_options o);
GA_API bool(ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o);

typedef struct ga_print_options {
    GI_BY_POSITION
    GI_BY_NAME
    int precision    GI_IS(8);    /* digits after the point */
    int threshold    GI_IS(1000); /* more elements than this are summarised */
    int edgeitems    GI_IS(3);
    int linewidth    GI_IS(75);
    bool suppress    GI_DEFAULT; /* no scientific notation */
    bool repr        GI_DEFAULT; /* as Python's repr: array([...], dtype=...) */
    const char *site GI_IS("");
} ga_print_options;
#define GI_DEFAULTS_ga_print_options .precision = 8, .threshold = 1000, .edgeitems = 3, .linewidth = 75,
GA_API void(ga_print)(const ga_array *a, ga_print_options o);       /* as NumPy prints it, and a newline */
GA_API char *(ga_to_string)(const ga_array *a, ga_print_options o); /* the same without the newline; free() it */

/* ==== >>exchange: arrays of other libraries, without a copy (DLPack) ================================================ */
/*  NumPy, PyTorch, CuPy, JAX and others hand arrays to each other as DLPack tensors. These structs have the layout of dlpack.h, and may be
    used in a program that includes it: a DLManagedTensorVersioned * is cast to ga_dl_versioned *, a DLManagedTensor * to ga_dl_managed *.

    A tensor has one owner. ga_to_dlpack makes one, which keeps the memory alive until its owner calls tensor->deleter(tensor): once, from any
    thread, and also after the array was freed, or ga_shutdown. ga_from_dlpack takes a tensor over, whether it succeeds or not: the deleter
    is called when the last view is gone, or at once if a copy was made or the call fails.

    Python: the capsule of __dlpack__(stream, max_version, dl_device, copy) is PyCapsule_New(tensor, "dltensor_versioned", destructor), or
    "dltensor" around ga_to_dlpack_unversioned if max_version is None; the destructor calls the deleter if the capsule still has that name. __dlpack_device__ is
    (tensor->dl_tensor.device.device_type, .device_id). Who takes a capsule's tensor first renames the capsule, "used_dltensor_versioned".

    GPU: the stream of __dlpack__ is .stream = (ga_stream)(intptr_t)stream, -1 included, and None is CUDA's default stream: what is queued there from
    now on finds the array complete. gpuarr does not know what others queue on the memory: before it is used here again, let that be done (ga_synchronize) or
    ordered (ga_stream_wait_event). The deleter waits for the device. To take an array of CuPy or PyTorch, give ga_get_stream() to its
    __dlpack__ as the stream; cupy.from_dlpack of an object that does the above takes an array of gpuarr.                    */
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
    uint8_t  code; /* 0 int, 1 unsigned int, 2 float, 4 bfloat, 5 complex, 6 bool; others are not known here */
    uint8_t  bits;
    uint16_t lanes; /* 1 */
} ga_dl_dtype;
#define GI_ALIASES                   __attribute__((may_alias)) /* what dlpack.h's structs wrote is read through these */
typedef struct GI_ALIASES ga_dl_tensor {
    void        *data;
    ga_dl_device device;
    int32_t      ndim;
    ga_dl_dtype  dtype;
    int64_t     *shape;
    int64_t     *strides;     /* in elements; NULL: C order */
    uint64_t     byte_offset; /* from data to the first element */
} ga_dl_tensor;
typedef struct GI_ALIASES ga_dl_managed { /* DLManagedTensor, of before version 1 */
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
    GA_COPY_NEVER      /* False: where a copy is needed, an error */
} ga_copy_mode;
#define GA_NO_STREAM                 ((ga_stream)(intptr_t)-1)
typedef struct ga_to_dlpack_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_copy_mode copy GI_DEFAULT; /* needed: for strides that are no whole elements */
    bool read_only
        GI_DEFAULT; /* ask the consumer not to write: GA_DL_READ_ONLY. Set by itself where elements repeat (ga_broadcast_to) */
    ga_stream stream GI_DEFAULT; /* of the consumer; GA_NO_STREAM: do not order anything */
    const char *site GI_IS("");
} ga_to_dlpack_options;
#define GI_DEFAULTS_ga_to_dlpack_options
/* The array as a tensor, on its device, of version 1.0. NULL on error, as for a chunked array: ga_compute it first. The unversioned
   struct has no flags: what is read-only is copied. */
GA_API ga_dl_versioned *(ga_to_dlpack)(const ga_array *a, ga_to_dlpack_options o);
GA_API ga_dl_managed *(ga_to_dlpack_unversioned)(const ga_array *a, ga_to_dlpack_options o);

typedef struct ga_from_dlpack_options {
    GI_BY_POSITION
    GI_BY_NAME
    ga_copy_mode copy GI_DEFAULT; /* needed: for a read-only tensor, as every array can be written */
    bool read_only    GI_DEFAULT; /* you will not write to the array: a read-only tensor needs no copy */
    const char *site  GI_IS("");
} ga_from_dlpack_options;
#define GI_DEFAULTS_ga_from_dlpack_options
/* The tensor as an array, on its device: the CPU (pinned memory too) or a CUDA GPU. NULL on error: dtypes that are not here, lanes, more than GPUARR_MAX_DIMS axes, elements that are not aligned, a version that is not 1. */
GA_API ga_array *(ga_from_dlpack)(ga_dl_versioned *tensor, ga_from_dlpack_options o);
GA_API ga_array *(ga_from_dlpack_unversioned)(ga_dl_managed *tensor, ga_from_dlpack_options o);

/* ==== >>timing ==================================================================================================== */

GA_API double ga_now(void); /* seconds, monotonic */

typedef struct ga_times {
    double min, mean, median, std, max; /* seconds a call */
} ga_times;
typedef struct ga_benchmark_result {
    ga_times cpu,
        device; /* cpu: until f returns; device: until the selected GPU has done what f queued; 0 unless it is in use */
    int repeats;
} ga_benchmark_result;
typedef struct ga_benchmark_options {
    GI_BY_POSITION
    GI_BY_NAME
    const char *name   GI_DEFAULT; /* default: the text of the call */
    int repeat         GI_IS(-1);  /* measured calls; not given (-1): what fits in max_seconds, 10000 at most */
    int warmup         GI_IS(10);
    double max_seconds GI_IS(GA_REAL_DEFAULT); /* not given: 1, or what .repeat calls take */
    bool quiet         GI_DEFAULT;             /* do not print the line */
    const char *site   GI_IS("");
} ga_benchmark_options;
#define GI_DEFAULTS_ga_benchmark_options .repeat = -1, .warmup = 10, .max_seconds = GA_REAL_DEFAULT,
/* Calls f(user) again and again and prints one line, as cupyx.profiler.benchmark. Arrays that f makes are released after each call. */
GA_API ga_benchmark_result(ga_benchmark)(void (*f)(void *user), void *user, ga_benchmark_options o);
GA_API void(ga_synchronize)(void); /* waits until every GPU in use has done everything */

/* ==== >>cuda: GPUs, streams, events ================================================================================ */
/*  Every call works there, on every dtype and view, with the same bits as on the CPU: nothing depends on the order of threads, and
    there are no float atomics. Calls on GPU arrays queue their work and return; what needs a number on the CPU (ga_item, ga_print, ga_to(a, GA_CPU)) waits for it.
    Each thread has a selected device (0) and on each device a current stream (the default stream). Calls work on the selected device:
    an array of another one is an error, except for ga_to, ga_item, ga_data, ga_free, ga_print, ga_allclose and ga_array_equal.
    Arrays may wander between streams: a call waits, on its stream, for what other streams were doing with its arrays. An array that
    several threads use, each on a stream of its own, is right too, but each call with it waits for all streams: where they shall run
    beside each other, give each thread a copy. Your own kernels: queue them on ga_get_stream(), with pointers from ga_cuda_data.
    Before cudaDeviceReset, free the arrays and streams of that device: it takes their memory away.
    In a program built without CUDA, or on a machine without a GPU, ga_cuda_count() is 0 and what needs a GPU fails with a sentence.   */

/* The number of devices; 0 without a GPU, a driver, or CUDA in this program. */
GA_API int ga_cuda_count(void);
/* The device of this thread's later calls. False with an error if there is none. CUDA's own current device (cudaSetDevice) is changed
   by any call. */
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
    double  clock_hz;         /* of the processors; 0: not known */
    double  bytes_per_second; /* of the global memory, at most; 0: not known */
} ga_cuda_device;
GA_API ga_cuda_device ga_cuda_properties(int device); /* all 0 on error */

/* The memory of the selected device, as ga_memory_stats for the CPU's. */
typedef struct ga_cuda_memory {
    int64_t used_bytes;  /* in gpuarr's arrays and calls */
    int64_t peak_bytes;  /* most used so far (since ga_cuda_memory_reset_peak) */
    int64_t kept_bytes;  /* freed, and kept ready for reuse by CUDA's pool */
    int64_t limit_bytes; /* 0: no limit */
    int64_t free_bytes;  /* of the device, for all programs */
    int64_t total_bytes; /* of the device */
    int64_t arrays;      /* how many are alive there */
} ga_cuda_memory;
GA_API ga_cuda_memory ga_cuda_memory_stats(void); /* all 0 on error */
GA_API void           ga_cuda_memory_reset_peak(void);
/* An allocation beyond the limit fails with GA_NO_MEMORY. 0: no limit. */
GA_API void ga_cuda_memory_limit(int64_t bytes);
/* Waits for the device and returns what is kept ready for reuse to the system. */
GA_API void ga_cuda_memory_trim(void);

/* The address on the GPU of a C-contiguous GPU array of exactly this dtype, for a kernel of yours that you queue on ga_get_stream(): it
   comes after what gpuarr has queued on the array, and before what gpuarr queues later. NULL with an error. */
GA_API void *(ga_cuda_data)(const ga_array *a, ga_dtype dtype, const char *site);

/*  Copies. ga_to(a, GA_CUDA) and ga_to(a, GA_CPU) return when the copy is done: a may be changed, the result be read. With
    .async = true and pinned memory on the CPU (.pinned = true at its creation, or your own wrapped) they return at once; with other
    memory they wait as ever. Until the copy is done, do not touch pinned elements through a pointer that you have kept: every call of
    gpuarr on the array, ga_data too, waits for the copy first; so do ga_synchronize and ga_stream_synchronize.
        ga_array *host = ga_empty((n), .pinned = true), *gpu = ga_empty((n), .device = GA_CUDA);
        ga_to(host, GA_CUDA, .out = gpu, .stream = s, .async = true);                                                            */

/* A stream of the selected device, NULL on error. Streams run beside each other. Any cudaStream_t is a ga_stream; NULL is the default
   stream. */
GA_API ga_stream ga_stream_new(void);
/* Waits for its work, then frees it. Threads that work on it go on with the default stream. Of a stream that you have made with
   CUDA and given to ga_set_stream, gpuarr only forgets that it was there: do so before cudaStreamDestroy. */
GA_API void ga_stream_free(ga_stream stream);
/* The stream of this thread's later calls on the stream's device (NULL: the default stream of the selected device). */
GA_API bool      ga_set_stream(ga_stream stream);
GA_API ga_stream ga_get_stream(void);                                    /* on the selected device */
GA_API bool      ga_stream_synchronize(ga_stream stream);                /* waits until its work is done; false on error */
GA_API bool      ga_stream_query(ga_stream stream);                      /* is it? does not wait */
GA_API bool      ga_stream_wait_event(ga_stream stream, ga_event event); /* what is queued from now on comes after the event */

/* A mark in a stream. Any cudaEvent_t is a ga_event. */
GA_API ga_event ga_event_new(void); /* on the selected device; NULL on error */
GA_API void     ga_event_free(ga_event event);
GA_API bool     ga_event_record(ga_event event, ga_stream stream); /* behind what is queued there */
GA_API bool     ga_event_synchronize(ga_event event);              /* waits until it is reached; false on error */
GA_API bool     ga_event_query(ga_event event);                    /* is it? does not wait */
GA_API double   ga_event_elapsed(ga_event from, ga_event to);      /* seconds between two that are reached; NaN on error */

/* ---- kernels of your own that think in threads and blocks ------------------------------------------------------- */
/*  In a .cu file, for nvcc or, without a GPU, for tools/cudasim:
        GA_KERNEL(scale, (float *x, int64_t n, float by))
        {
            int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
            if (i < n) x[i] *= by;
        }
        ...
        ga_launch(scale, ga_blocks(a->size, 256), 256, (a, a->size, 2));
    The body is CUDA's: threadIdx, __shared__, __syncthreads(), atomicAdd. Grid and block are numbers, or dim3(16, 16). An array stands for
    a pointer: it must lie on the selected GPU, C-contiguous, with the dtype that the parameter points to. Pointers and numbers are
    passed as they are. The kernel runs on ga_get_stream() or .stream, after what gpuarr has queued on its arrays and before what gpuarr
    queues later. .shared = bytes of dynamic shared memory (extern __shared__), as much as the GPU has. ga_launch returns at once; false:
    it could not start, ga_error() says why. Any __global__ function can be launched, instances of templates too.                   */

typedef struct ga_launch_options {
    GI_BY_POSITION
    int64_t shared   GI_DEFAULT; /* bytes of dynamic shared memory for each block */
    ga_stream stream GI_DEFAULT; /* default ga_get_stream() */
    GI_BY_NAME
    const char *site GI_IS("");
} ga_launch_options;
#define GI_DEFAULTS_ga_launch_options

/* How many blocks of `size` threads it takes to have one for each of n elements. */
static inline int64_t ga_blocks(int64_t n, int64_t size) { return n > 0 && size > 0 ? (n - 1) / size + 1 : 0; }

typedef struct gi_dims {
    int64_t x, y, z;
} gi_dims;
/* Can this kernel be launched so? The stream is where it will be queued. */
GA_API bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream);
/* What an array, the argument of that number (from 1), stands for; NULL with an error. GA_DTYPE_DEFAULT: any dtype. */
GA_API void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site);
GA_API bool  gi_launch_end(const char *kernel, const char *site);

/* ga_reduce_defaults and the like: each option as a call has it that gives none. */
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
