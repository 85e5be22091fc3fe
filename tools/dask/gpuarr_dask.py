"""gpuarr_dask: gpuarr's calls on NumPy arrays and, chunk by chunk, on Dask arrays.

    import dask.array as da, gpuarr_dask as ga
    x = da.random.random((20000, 20000), chunks=2000)
    y = ga.multiply(ga.sin(x), 2)                      # any elementwise row of gpuarr's table; numbers and NumPy arrays broadcast
    ga.std(y, axis=0).compute(scheduler="processes")   # the table's reductions, var, std, argmax ...
    ga.cdist(p, q, "cityblock")                        # points in chunks
    ga.gaussian_filter(y, 2, mode="nearest")           # scipy.ndimage's filters, convolve and correlate, with overlapping chunks
    axpy = ga.kernel("mine.c", "axpy")                 # a GA_ELEMENTWISE of yours
    axpy(2.0, x, y)

The scheduler, its workers and its dashboard stay as they are: a task is one call of C, on NumPy's own memory, without the GIL. Results
have gpuarr's bits, whatever the chunks, except sum, prod, mean, var and std of floats along an axis that is divided into chunks: their
chunks are summed in float64 first, and those sums then.

The library is compiled when it is first needed (`cc -O2`, under a minute; CC names another compiler) and kept in ~/.cache/gpuarr, or
where GPUARR_CACHE says. Workers on other machines need this folder and the headers in the same places relative to each other; they
compile for themselves. GPUARR_DASK_LIBRARY, or use(path), names a library that is there already.

Each call takes as many threads as GPUARR_NUM_THREADS says, else one for each processor. Workers that have a thread for each processor
already should be started with GPUARR_NUM_THREADS=1.
"""
import ctypes as C
import fcntl
import functools
import glob
import hashlib
import os
import platform
import subprocess
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.environ.get("GPUARR_INCLUDE") or os.path.dirname(os.path.dirname(HERE))  # where gpuarr.h is
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128".split()
METRICS = "euclidean sqeuclidean cityblock chebyshev cosine".split()
BORDERS = "reflect constant nearest mirror wrap".split()  # scipy.ndimage's modes
_NO_AXIS = -2**31  # GA_AXIS_DEFAULT
_NUMBER_OF = {np.dtype(name): k + 1 for k, name in enumerate(DTYPES)}
_chosen = os.environ.get("GPUARR_DASK_LIBRARY")


class GpuarrError(ValueError):
    """What gpuarr says about a call that it cannot do."""


# ---- the library -------------------------------------------------------------------------------------------------------------------

class _Array(C.Structure):
    _fields_ = [("data", C.c_void_p), ("dtype", C.c_int32), ("ndim", C.c_int32), ("shape", C.c_int64 * 8), ("strides", C.c_int64 * 8)]


class _Operand(C.Structure):
    _fields_ = [("array", _Array), ("kind", C.c_int32), ("i", C.c_int64), ("re", C.c_double), ("im", C.c_double)]


class _Shape(C.Structure):
    _fields_ = [("ndim", C.c_int), ("n", C.c_int64 * 8)]


class _Call(C.Structure):
    _fields_ = ([("family", C.c_char_p), ("name", C.c_char_p), ("site", C.c_char_p), ("kernel", C.c_void_p), ("n", C.c_int32),
                 ("operand", C.POINTER(_Operand))] + [(f, C.c_int32) for f in "dtype metric border axis keepdims ddof".split()] +
                [("axes", _Shape), ("sizes", _Shape), ("sigmas", C.c_double * 8)] + [(f, C.c_double) for f in "number cval truncate".split()])


@functools.lru_cache(None)
def _sources():
    """A hash of what the library is made of."""
    text = hashlib.sha256()
    rooms = glob.glob(os.path.join(HEADERS, "gpuarr*.h")) + glob.glob(os.path.join(HEADERS, "gpuarr", "*", "*.h"))
    for path in [os.path.join(HERE, "gpuarr_dask.c")] + sorted(rooms):
        with open(path, "rb") as f:
            text.update(f.read())
    return text.hexdigest()


def _compiled(text, folder, *link):
    """The path of the shared library that the C file `text` makes; `folder` is where its own includes are."""
    compiler = os.environ.get("CC") or "cc"
    command = [compiler, "-O2", "-shared", "-fPIC", "-w", "-I" + HEADERS, "-I" + folder]
    key = hashlib.sha256("\n".join([text, _sources(), platform.machine(), *command, *link]).encode()).hexdigest()[:24]
    cache = os.environ.get("GPUARR_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gpuarr")
    os.makedirs(cache, exist_ok=True)
    path = os.path.join(cache, f"{key}.so")
    with open(os.path.join(cache, f"{key}.lock"), "w") as lock:  # one of many workers compiles, the others wait
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            with tempfile.TemporaryDirectory(dir=cache) as scratch:
                source, made = os.path.join(scratch, "source.c"), os.path.join(scratch, "made.so")
                with open(source, "w") as f:
                    f.write(text)
                done = subprocess.run([*command, source, "-o", made, *link, "-lm", "-lpthread"], capture_output=True, text=True)
                if done.returncode != 0:
                    raise RuntimeError(f"{compiler} cannot compile this:\n{done.stderr[-4000:]}")
                os.replace(made, path)
    return path


@functools.lru_cache(None)
def _loaded(path):
    library = C.CDLL(path)
    library.gd_run.argtypes, library.gd_run.restype = [C.POINTER(_Call), C.POINTER(_Array)], C.c_char_p
    library.gd_names.argtypes, library.gd_names.restype = [C.c_char_p], C.c_char_p
    return library


@functools.lru_cache(None)
def _own_library():
    with open(os.path.join(HERE, "gpuarr_dask.c")) as f:
        return _compiled("#define GPUARR_IMPLEMENTATION\n" + f.read(), HERE)


def _library_path(call):
    if call["library"] and os.path.exists(call["library"]):
        return call["library"]
    if not call["library"] and call["sources"] != _sources():
        raise RuntimeError(f"the gpuarr in {HEADERS} of this worker is another one than that of who asks: give both the same files")
    return _own_library()


@functools.lru_cache(None)
def _kernel_address(library, text, name, folder):
    """Where the ga_kernel `name` of a C file lies."""
    head = "#define GPUARR_IMPLEMENTED\n#define GPUARR_KERNELS\n#include \"gpuarr.h\"\n"
    tail = f"\nconst void *gpuarr_dask_kernel(void);\nconst void *gpuarr_dask_kernel(void) {{ const ga_kernel *k = {name}; return k; }}\n"
    made = C.CDLL(_compiled(head + "#line 1\n" + text + tail, folder, library, "-Wl,-rpath," + os.path.dirname(library)))
    made.gpuarr_dask_kernel.restype = C.c_void_p
    return made.gpuarr_dask_kernel()


def use(path):
    """Takes this shared library, made of gpuarr_dask.c and an implementation, where it exists; None: the one that is compiled."""
    global _chosen
    _chosen = path and os.path.abspath(path)


# ---- one call on NumPy arrays ------------------------------------------------------------------------------------------------------

_sites = {}  # their bytes must live on: the library remembers the addresses


def _described(family, name, **options):
    """A call as a dict, which Dask's schedulers can send to workers."""
    options = {k: v for k, v in options.items() if v is not None}
    return {"family": family, "name": name, "library": _chosen, "sources": None if _chosen else _sources(), **options}


def _as_operand(value, keep):
    operand = _Operand()
    if isinstance(value, (np.ndarray, np.generic)):
        operand.array = _as_array(np.asarray(value), keep)
    elif isinstance(value, (bool, np.bool_)):
        operand.kind, operand.i = 1, value
    elif isinstance(value, int):
        if not -2**63 <= value < 2**64:
            raise OverflowError(f"{value} does not fit into 64 bits")
        operand.kind, operand.i = (2, value) if value < 2**63 else (3, value - 2**64)
    elif isinstance(value, float):
        operand.kind, operand.re = 4, value
    elif isinstance(value, complex):
        operand.kind, operand.re, operand.im = 5, value.real, value.imag
    else:
        raise TypeError(f"an operand is a number, a NumPy array or a Dask array, not {type(value).__name__}")
    return operand


def _as_array(a, keep):
    if a.dtype.newbyteorder("=") not in _NUMBER_OF:
        raise TypeError(f"gpuarr has no dtype {a.dtype}")
    if a.ndim > 8:
        raise GpuarrError(f"gpuarr's arrays have up to 8 dimensions, not {a.ndim}")
    a = np.require(a, a.dtype.newbyteorder("="), "A")  # a copy only of what no processor reads as it lies
    keep.append(a)
    return _Array(a.ctypes.data, _NUMBER_OF[a.dtype], a.ndim, (C.c_int64 * 8)(*a.shape), (C.c_int64 * 8)(*a.strides))


def _result_shape(call, operands):
    shapes = [np.shape(o) for o in operands]
    if call["family"] in ("map", "kernel"):
        return np.broadcast_shapes(*shapes)
    if call["family"] == "cdist":
        return shapes[0][0], shapes[1][0]
    if call["family"] == "reduce":
        axes = call["axes"]
        return tuple(1 if d in axes else n for d, n in enumerate(shapes[0]) if call["keepdims"] or d not in axes)
    return shapes[0]


def _call_c(call, operands, out):
    """Runs a call into the NumPy array `out`, or finds the dtype of the result, if that is None."""
    path, keep = _library_path(call), []
    names = ", ".join(["..."] * len(operands) + [f".{k} = {call[k]}" for k in ("axis", "dtype") if k in call])
    text = f"gpuarr_dask\tga_{call['name']}({names})"
    c = _Call(family=call["family"].encode(), name=call["name"].encode(), site=_sites.setdefault(text, text.encode()), n=len(operands))
    c.operand = (_Operand * len(operands))(*(_as_operand(o, keep) for o in operands))
    c.dtype = _NUMBER_OF[np.dtype(call["dtype"])] if "dtype" in call else 0
    for key in ("metric", "border", "axis", "keepdims", "ddof", "number", "cval", "truncate"):
        setattr(c, key, call.get(key, _NO_AXIS if key == "axis" else 0))
    for key in ("axes", "sizes"):
        n = call.get(key, ())
        setattr(c, key, _Shape(len(n), (C.c_int64 * 8)(*n)))
    c.sigmas = (C.c_double * 8)(*call.get("sigmas", ()))
    if call["family"] == "kernel":
        c.kernel = _kernel_address(path, call["source"], call["name"], call["folder"])
    result = _Array() if out is None else _as_array(out, keep)
    sentence = _loaded(path).gd_run(c, result)  # ctypes lets go of the GIL here
    if sentence:
        raise GpuarrError(sentence.decode(errors="replace"))
    return np.dtype(DTYPES[result.dtype - 1])


@functools.lru_cache(4096)
def _dtype_of(key, call):
    operands = [np.ones((1,) * ndim, dtype) if dtype else value for ndim, dtype, value in key]
    return _call_c(dict(call), operands, None)


def _result_dtype(call, operands):
    """Found by the same call on arrays of one element, so that gpuarr decides, and says what is wrong before anything is computed."""
    key = tuple((o.ndim, o.dtype, None) if hasattr(o, "dtype") else (0, None, o) for o in operands)
    typed = tuple((type(o).__name__ for o in operands))  # 1, True and 1.0 are equal, and are not the same operand
    return _dtype_of(key, tuple(sorted(call.items(), key=lambda item: item[0])) + (("typed", typed),))


def _run(*operands, call):
    """What a task does."""
    out = np.empty(_result_shape(call, operands), _result_dtype(call, operands))
    _call_c(call, operands, out)
    return out


# ---- over the chunks of Dask arrays ------------------------------------------------------------------------------------------------

def _is_dask(x):
    return hasattr(x, "__dask_graph__")


def _meta(ndim, dtype):
    return np.empty((0,) * ndim, dtype)


def _elementwise(call, operands):
    if not any(_is_dask(o) for o in operands):
        return _run(*operands, call=call)
    import dask.array as da
    operands = [da.asarray(o) if isinstance(o, np.ndarray) and o.ndim else o for o in operands]
    dtype = _result_dtype(call, operands)
    ndim = max(o.ndim for o in operands if _is_dask(o))
    axes = [(o, tuple(range(o.ndim))[::-1] if _is_dask(o) else None) for o in operands]  # the last axis is the same one of all
    return da.blockwise(_run, tuple(range(ndim))[::-1], *[v for pair in axes for v in pair], call=call, dtype=dtype, meta=_meta(ndim, dtype))


def map(name, *operands, dtype=None):
    """An elementwise row of the table, or "where": map("hypot", x, y), map("clip", x, 0, 1). gpuarr_dask.hypot(x, y) is the same."""
    return _elementwise(_described("map", name, dtype=dtype and np.dtype(dtype).name), operands)


def kernel(path, name):
    """The GA_ELEMENTWISE `name` of a C file, as a function of arrays and numbers. GA_INDEX counts within a chunk; of several results
    there is the first."""
    with open(path) as f:
        text = f.read()

    def call(*operands):
        return _elementwise(_described("kernel", name, source=text, folder=os.path.dirname(os.path.abspath(path))), operands)
    call.__name__ = name
    return call


_WIDE = {"float32": "float64", "complex64": "complex128"}
_AGAIN = {"sum": "sum", "prod": "prod", "nansum": "nansum", "nanprod": "nanprod", "min": "min", "max": "max", "nanmin": "nanmin",
          "nanmax": "nanmax", "any": "any", "all": "all", "count_nonzero": "sum"}  # what makes a result of those of the chunks


def reduce(name, x, axis=None, keepdims=False, ddof=None):
    """A reduction: reduce("std", x, axis=0, ddof=1). gpuarr_dask.std(x, axis=0, ddof=1) is the same."""
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if any(not -x.ndim <= a < x.ndim for a in axes):
        raise GpuarrError(f"ga_{name}: there is no axis {axis}: the array has {x.ndim}")
    axes = tuple(sorted(a % x.ndim for a in axes))
    call = _described("reduce", name, axes=axes, keepdims=bool(keepdims), ddof=ddof)
    if not _is_dask(x):
        return _run(x, call=call)
    dtype = _result_dtype(call, [x])
    if all(x.numblocks[a] == 1 for a in axes):
        return _each_chunk(x, call, axes, keepdims, dtype)
    if name in _AGAIN:
        # sums of floats are kept wide until the end
        wide = _WIDE.get(x.dtype.name) if "sum" in name or "prod" in name else None
        parts = _each_chunk(x, {**call, "keepdims": True, **({"dtype": wide} if wide else {})}, axes, True, wide or dtype)
        r = reduce(_AGAIN[name], parts.rechunk({a: -1 for a in axes}), axes, keepdims)
        return r if r.dtype == dtype else r.astype(dtype)
    if name in ("mean", "var", "std") and x.dtype.kind != "c":
        return _moments(name, x, axes, keepdims, ddof or 0, dtype)
    return reduce(name, x.rechunk({a: -1 for a in axes}), axes, keepdims, ddof)


def _each_chunk(x, call, axes, keepdims, dtype):
    """Reduces every chunk by itself."""
    import dask.array as da
    if keepdims:
        chunks = tuple((1,) * len(c) if d in axes else c for d, c in enumerate(x.chunks))
        return da.map_blocks(_run, x, call=call, chunks=chunks, dtype=dtype, meta=_meta(x.ndim, dtype))
    return da.map_blocks(_run, x, call=call, drop_axis=list(axes), dtype=dtype, meta=_meta(x.ndim - len(axes), dtype))


def _chunk_moments(x, mean, var):
    m = _run(x, call=mean)
    return np.stack([m, _run(x, call=var) if var else np.zeros_like(m)])


def _joined_moments(parts, counts, moment, axes, keepdims, ddof, as_dtype):
    """From the mean and the variance of each chunk, of `counts` elements, those of all (Chan, Golub and LeVeque)."""
    n, (means, variances) = counts.sum(), parts
    mean = (means * counts).sum(axis=axes, keepdims=True) / n
    r = mean
    if moment != "mean":
        r = ((variances + (means - mean) ** 2) * counts).sum(axis=axes, keepdims=True) / (n - ddof)
    r = np.sqrt(r) if moment == "std" else r
    return (r if keepdims else r.squeeze(axes)).astype(as_dtype)


def _moments(name, x, axes, keepdims, ddof, dtype):
    import dask.array as da
    wide = {"axes": axes, "keepdims": True, "dtype": "float64"}
    chunks = ((2,),) + tuple((1,) * len(c) if d in axes else c for d, c in enumerate(x.chunks))
    parts = da.map_blocks(_chunk_moments, x, mean=_described("reduce", "mean", **wide),
                          var=_described("reduce", "var", **wide) if name != "mean" else None, new_axis=0, chunks=chunks,
                          dtype="float64", meta=_meta(x.ndim + 1, "float64")).rechunk({a + 1: -1 for a in axes})
    counts = functools.reduce(np.multiply.outer, [np.array(c if d in axes else (1,), "float64") for d, c in enumerate(x.chunks)])
    chunks = tuple((1,) if d in axes else c for d, c in enumerate(x.chunks) if keepdims or d not in axes)
    return da.map_blocks(_joined_moments, parts, counts=counts, moment=name, axes=axes, keepdims=keepdims, ddof=ddof,
                         as_dtype=dtype, dtype=dtype, drop_axis=[0] if keepdims else [0] + [a + 1 for a in axes], chunks=chunks,
                         meta=_meta(len(chunks), dtype))


def cdist(x, y, metric="euclidean"):
    """scipy.spatial.distance.cdist, of the metrics in METRICS. The features of a point lie in one chunk (they are brought together)."""
    if metric not in METRICS:
        raise GpuarrError(f"ga_cdist: there is no metric {metric!r}, but {', '.join(METRICS)}")
    call = _described("cdist", "cdist", metric=METRICS.index(metric))
    if not _is_dask(x) and not _is_dask(y):
        return _run(x, y, call=call)
    import dask.array as da
    x, y = (da.asarray(a).rechunk({1: -1}) for a in (x, y))
    if x.shape[1] != y.shape[1]:
        raise GpuarrError(f"ga_cdist: points of {x.shape[1]} and of {y.shape[1]} features")
    dtype = _result_dtype(call, [x, y])
    return da.blockwise(_run, "ij", x, "ik", y, "jk", call=call, concatenate=True, dtype=dtype, meta=_meta(2, dtype))


def filter(name, x, *arguments, mode="reflect", cval=0.0, axis=None, truncate=4.0):
    """A filter of scipy.ndimage, by its name and with its arguments: filter("gaussian_filter", x, 2), filter("convolve", x, weights),
    filter("rank_filter", x, -1, 5), filter("sobel", x, axis=0). gpuarr_dask.gaussian_filter(x, 2) is the same."""
    if mode not in BORDERS:
        raise GpuarrError(f"ga_{name}: there is no mode {mode!r}, but {', '.join(BORDERS)}")
    *arguments, last = arguments or (None,)
    each = lambda v, kind: tuple(kind(n) for n in (v if np.ndim(v) else [v] * x.ndim))
    options, operands = dict(border=BORDERS.index(mode), cval=float(cval)), [x]
    if name.startswith("gaussian"):
        options.update(sigmas=each(last, float), truncate=float(truncate))
        depth = [int(truncate * s + 0.5) for s in options["sigmas"]]
    elif name in ("convolve", "correlate"):
        operands.append(np.asarray(last))
        depth = [n // 2 for n in operands[1].shape]
    elif name in ("sobel", "prewitt", "laplace"):
        options.update(axis=axis)
        depth = [1] * x.ndim
    else:
        options.update(sizes=each(last, int))
        depth = [n // 2 for n in options["sizes"]]
    if arguments:
        options.update(number=float(arguments[0]))
    call = _described("filter", name, **options)
    if not _is_dask(x):
        return _run(*operands, call=call)
    import dask.array as da
    dtype = _result_dtype(call, operands)
    # Along an axis of one chunk, and at the array's own edges, the call itself knows what stands beyond.
    x = x.rechunk({d: -1 for d in range(x.ndim) if depth[d] >= x.shape[d] // 2})
    depth = {d: 0 if x.numblocks[d] == 1 else depth[d] for d in range(x.ndim)}
    boundary = {d: "periodic" if mode == "wrap" and depth[d] else "none" for d in range(x.ndim)}
    return da.map_overlap(_filter_chunk, x, depth=depth, boundary=boundary, weights=operands[1:], call=call, dtype=dtype,
                          meta=_meta(x.ndim, dtype))


def _filter_chunk(x, weights, call):
    return _run(x, *weights, call=call)


def names(family):
    """What there is: "map", "reduce" or "filter"."""
    return _loaded(_library_path(_described(family, ""))).gd_names(family.encode()).decode().split()


def __getattr__(name):
    """gpuarr_dask.hypot is map("hypot", ...), gpuarr_dask.std is reduce("std", ...)."""
    if not name.startswith("_"):
        for family, function in (("map", map), ("reduce", reduce), ("filter", filter)):
            if name in names(family):
                return functools.partial(function, name)
    raise AttributeError(f"gpuarr_dask has no {name!r}")
