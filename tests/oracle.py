#!/usr/bin/env python3
"""Compares gpuarr with NumPy and SciPy on random cases.

    python3 tests/oracle.py --lib build/libgpuarr.so --cases 10000 --seed 1 [--only sum,sort] [--case sum:17] [--table]

The library is made of tests/impl.c and tests/oracle_kernels.c.

Every case is drawn from (seed, operation, number), so what a failure prints after "again:" repeats just that case.
Exact results must be exact (bits of integers, basic float arithmetic, everything that only moves elements; a NaN is a NaN);
elementary functions must lie within 1 or 2 ulp of a value computed in a wider type; sums within their documented accuracy.
Where NumPy raises, gpuarr must fail with an error, and the other way round. No array may be left over.
With --device cuda (a library with the CUDA backend) every call runs on the CPU and on the GPU: the results must have the same bits, the
errors the same words, and the GPU's result is then judged like any other. The GPU sees the same strides, offsets and overlaps.

To add an operation: give its signature in FUNCTIONS, then

    @case("flip")
    def flip(c):
        a, axis = c.array(), c.axis()
        c.compare(np.flip, c.ga.flip, a, axis=axis)

The last line printed is `N passed, N failed, N skipped`; the exit status is 1 if anything failed.
"""
import argparse
import ctypes as C
import math
import os
import random
import re
import sys
import tempfile
import warnings

import numpy as np

NUMPY2 = int(np.__version__.split(".")[0]) >= 2
np.seterr(all="ignore")
warnings.simplefilter("ignore")
np.set_printoptions(threshold=60, edgeitems=4, linewidth=160, precision=17)
LONG = np.longdouble
EXACTLY = -1.0  # GA_EXACTLY

# ---- dtypes: in the order of gpuarr.h's enumeration, from 1 ----------------------------------------------------------

NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128".split()
DTYPES = [np.dtype(n) for n in NAMES]
NUMBER_OF = {d: i + 1 for i, d in enumerate(DTYPES)}
BOOL, F32, F64, C64, C128, I64 = (np.dtype(n) for n in ("bool", "f4", "f8", "c8", "c16", "i8"))
INTS = [d for d in DTYPES if d.kind in "iu"]
REALS = [d for d in DTYPES if d.kind in "iuf"]
ORDERED = [BOOL] + REALS
FLOATS, COMPLEX = [F32, F64], [C64, C128]
# The groups of the table: which of these dtypes a row must accept (a smaller one is promoted).
ACCEPTS = {"ALL": DTYPES, "ARITH": DTYPES, "FLTC": DTYPES, "TRUTH": DTYPES, "CPX": DTYPES, "SWAP": DTYPES, "REAL": ORDERED, "ORDER": ORDERED, "FLT": ORDERED,
           "INT": [BOOL] + INTS, "BITS": [BOOL] + INTS}

# ---- the structs of gpuarr.h -----------------------------------------------------------------------------------------

i32, i64, u32, f64, ptr, text, flag = C.c_int, C.c_int64, C.c_uint32, C.c_double, C.c_void_p, C.c_char_p, C.c_bool
Eight = i64 * 8


class Shape(C.Structure):
    _fields_ = [("ndim", i32), ("n", Eight)]


class Array(C.Structure):
    _fields_ = [("data", ptr), ("dtype", i32), ("device", i32), ("ndim", i32), ("shape", Eight), ("strides", Eight),
                ("size", i64), ("owner", ptr), ("alive", u32), ("scope", ptr), ("prev", ptr), ("next", ptr)]


class Arg(C.Structure):
    _fields_ = [("array", ptr), ("kind", i32), ("i", i64), ("re", f64), ("im", f64)]


class Statistics(C.Structure):
    _fields_ = [("count", i64)] + [(n, f64) for n in ("mean", "median", "std", "min", "max")]


class Memory(C.Structure):
    _fields_ = [(n, i64) for n in ("used_bytes", "peak_bytes", "total_bytes", "limit_bytes", "arrays")]


def options(*fields):
    """An options struct: its fields after `site`. i int, l int64, d double, b bool, s shape, a array, p pointer, t dtype."""
    kinds = {"i": i32, "l": i64, "u": C.c_uint64, "d": f64, "b": flag, "s": Shape, "a": ptr, "p": ptr, "t": i32, "c": text}
    return type("Options", (C.Structure,), {"_fields_": [("site", text)] + [(f[2:], kinds[f[0]]) for f in fields],
                                            "kinds": {f[2:]: f[0] for f in fields}})


OPTIONS = {
    "N": options("t dtype", "i device", "b pinned", "b managed", "s chunks"),
    "K": options("a out", "p stream", "b async"),
    "M": options("a out", "a where", "t dtype"),
    "R": options("i axis", "s axes", "b keepdims", "t dtype", "a out", "i ddof"),
    "O": options("i axis", "s axes", "b keepdims", "a out", "i method"),
    "A": options("i axis", "t dtype", "a out"),
    "X": options("i axis", "s axes"),
    "L": options("t dtype", "i device", "b no_endpoint", "d base", "s chunks"),
    "W": options("i device", "p release", "p user"),
    "C": options("d rtol", "d atol", "b equal_nan"),
    "Y": options("a where"),
    "V": options("i axis", "s axes", "b keepdims", "d ord"),
    "P": options("i mode", "d value", "s after"),
    "U": options("p index", "p inverse", "p counts"),
    "T": options("i axis", "i mode"),
    "H": options("d low", "d high", "a weights", "b density", "p edges"),
    "B": options("a weights", "l minlength"),
    "h": options("i ddof", "b skip_nan"),
    "E": options("i connectivity", "p count", "t dtype", "d above"),
    "J": options("p sums"),
    "G": options("i rule", "d sigma", "d sigma_low", "d sigma_high", "i maxiters", "b mean", "p mask", "p passes", "p low",
                 "p high"),
    "Q": options("i precision", "i threshold", "i edgeitems", "i linewidth", "b suppress", "b repr"),
    "Z": options("t dtype", "i device", "u seed", "u stream", "s chunks"),
    "v": options("i mode", "i method", "a out"),
    "2": options("i mode", "i boundary", "d fillvalue", "i method", "a out"),
    "3": options("i border", "d cval", "s origin", "i method", "a out"),
    "1": options("i axis", "i border", "d cval", "l origin", "i method", "a out"),
    "D": options("i metric", "a out"),
    "F": options("b no_checks"),
    "g": options("p sigmas", "s order", "d truncate", "s radius", "i border", "d cval", "a out"),
    "e": options("i axis", "i border", "d cval", "a out"),
    "f": options("s sizes", "i border", "d cval", "s origin", "a out"),
    "w": options("s sizes", "a footprint", "i border", "d cval", "s origin", "a out"),
    "o": options("a out"),
    "j": options("s axes_a", "s axes_b", "a out"),
    "y": options("a out", "a where", "p outs"),
    "u": options("i border", "d cval", "l steps", "a out"),
}

# The functions that are not rows of the table. Arguments: a array, n operand (array or number), s shape, i int, l int64,
# d double, b bool, t dtype, c text, p pointer, k list of arrays (their number before them), m list of operands (likewise),
# x a kernel of tests/oracle_kernels.c by its name, q room for so many new arrays, S the site, and the options above. Before the colon the result: a array, b bool, d double, l int64, t dtype, c text,
# m text to be freed, y statistics.
FUNCTIONS = """
    where a:annM  isclose a:nnC  allclose b:nnC  array_equal b:nnC  copyto a:anY  copy a:aS  astype a:atS
    ascontiguous a:aS  var a:aR  std a:aR  nanmean a:aR  nanvar a:aR  nanstd a:aR  argmin a:aR  argmax a:aR
    nanargmin a:aR  nanargmax a:aR  median a:aO  nanmedian a:aO  describe y:ah  percentile a:anO  nanpercentile a:anO  cumsum a:aA
    cumprod a:aA  norm a:aV  dtype_name c:t  itemsize l:t  promote t:tt  can_cast b:tt  is_contiguous b:a
    same_shape b:aa  may_share_memory b:aa  zeros a:sN  ones a:sN  full a:snN  zeros_n a:ipN  zeros_like a:aN
    ones_like a:aN  full_like a:anN  scalar a:nN  arange a:nnnN  linspace a:ddlL  logspace a:ddlL  eye a:lllN
    meshgrid_n b:kqbS  meshgrid b:aaqqbS  indices a:sN  mgrid a:cN  tile a:asS  repeat a:alA  item d:aS  item_int l:aS
    item_at d:asS  item_int_at l:asS  index a:Sac  view a:aS  view_as a:atS  reshape a:asS  ravel a:aS  flatten a:aS
    transpose a:aX  swapaxes a:aiiS  moveaxis a:aiiS  squeeze a:aX  expand_dims a:aiS  broadcast_to a:asS  diagonal a:alS
    flip a:aX  fliplr a:aS  flipud a:aS  rot90 a:aiS  concatenate_n a:kA  stack_n a:kA  split b:aiqA  split_at b:aipqA
    roll a:alA  pad a:asP  sort a:aA  argsort a:aA  unique a:aU  nonzero a:aS  compress a:aaA  extract a:aaS  take a:aaT
    histogram a:alH  bincount a:aB  label a:aE  sum_labels a:aaaS  mean_labels a:aaaS  min_labels a:aaaS
    max_labels a:aaaS  size_labels a:aaS  center_of_mass a:aaaJ  sigma_clip a:aG  save b:caS  load a:cS  savez b:cipkS
    matmul a:aao  dot a:aao  inner a:aao  outer a:aao  vdot a:aaS  tensordot a:aaij  einsum_n a:cko
    load_from a:ccS  to_string m:aQ  random a:sZ  random_integers a:llsZ  random_normal a:ddsZ
    convolve a:aav  correlate a:aav  convolve2d a:aa2  correlate2d a:aa2  ndconvolve a:aa3  ndcorrelate a:aa3
    convolve1d a:aa1  correlate1d a:aa1
    gaussian_filter a:adg  gaussian_laplace a:adg  gaussian_gradient_magnitude a:adg  sobel a:ae  prewitt a:ae  laplace a:ae
    uniform_filter a:alf  minimum_filter a:alw  maximum_filter a:alw  median_filter a:alw  percentile_filter a:adlw
    cdist a:aaD  pdist a:aD  squareform a:aF
    rank_filter a:allw  apply_n a:xmy  reduce_n a:xmR  stencil_n a:xmu
"""
ROW_SIGNATURES = {"UNARY": "a:aM", "ELEMENTARY": "a:aM", "BINARY": "a:nnM", "ELEMENTARY2": "a:nnM",
                  "TERNARY": "a:nnnM", "FOLD": "a:aR"}
# Where NumPy 1 differs whatever the operands; besides, it looks at the values of numbers and 0-d arrays to find the dtype.
DIFFERS_BEFORE_2 = "floor ceil trunc sign nonzero to_string pad histogram nanpercentile percentile unique".split()
# Public functions that compute nothing that NumPy could check, or that another test covers.
NOT_HERE = """
    free keep report_leaks error error_status ignore_error clear_error isa now synchronize empty empty_n empty_like to
    wrap wrap_strided from data imsave render imshow fits_read fits_write print benchmark
    open store store_n chunked rechunk is_chunked chunks_of compute compute_n persist map_blocks map_blocks_n map_overlap visualize progress_line
    graph_new graph_free delayed_n run run_n graph_visualize rank ranks
""".split()


class Row:
    """A row of the table."""
    def __init__(self, family, name, group):
        self.family, self.name, self.group = family, name, group


def read_header(path):
    """The rows of the table, and the names of the public functions."""
    source = open(path).read()
    table = open(os.path.join(os.path.dirname(path), "gpuarr", "rows", "table.h")).read()
    rows = {m[2]: Row(m[1], m[2], m[3]) for m in re.finditer(r"^GA_(\w+)\(\s*(\w+),\s*(\w+)", table, re.M)}
    public = source[:source.index("#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_IMPLEMENTED)")]
    names = set(re.findall(r"^GA_API (?:const )?\w+ +\*?\(?ga_(\w+)\)?\(", public, re.M))
    return rows, names | set(rows)


# ---- calling gpuarr --------------------------------------------------------------------------------------------------

class GaError(Exception):
    """A call returned NULL; the text is its sentence."""


def as_shape(n):
    n = (n,) if isinstance(n, (int, np.integer)) else n
    return Shape(len(n), Eight(*n))


def address(a):
    return a.__array_interface__["data"][0]


def to_numpy(p):
    """A copy of the elements of a ga_array."""
    a = Array.from_address(p)
    dtype, n = DTYPES[a.dtype - 1], a.ndim
    shape, strides = a.shape[:n], a.strides[:n]
    if math.prod(shape) != a.size:
        raise Mismatch(f"size is {a.size}, shape {shape}")
    if a.size == 0:
        return np.empty(shape, dtype)
    low = sum(s * (k - 1) for k, s in zip(shape, strides) if s < 0)
    high = sum(s * (k - 1) for k, s in zip(shape, strides) if s > 0)
    memory = C.string_at(a.data + low, high - low + dtype.itemsize)
    return np.ndarray(shape, dtype, memory, -low, strides)


CPU, CUDA = 1, 2


def root_of(a):
    """The array that owns the memory of a view."""
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def bounds(a):
    return np.lib.array_utils.byte_bounds(a) if NUMPY2 else np.byte_bounds(a)


def equal_bits(x, y):
    """The same bits; one NaN is as good as another."""
    if isinstance(x, list):
        return len(x) == len(y) and all(map(equal_bits, x, y))
    if isinstance(x, float):
        return x == y and math.copysign(1, x) == math.copysign(1, y) or x != x and y != y
    if not isinstance(x, np.ndarray):
        return x == y
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.tobytes() == y.tobytes():
        return True
    if x.dtype.kind == "c":
        return equal_bits(x.real, y.real) and equal_bits(x.imag, y.imag)
    return x.dtype.kind == "f" and np.where(np.isnan(x), 0, x).tobytes() == np.where(np.isnan(y), 0, y).tobytes() \
        and bool((np.isnan(x) == np.isnan(y)).all())


class Gpuarr:
    """ga.sum(a, axis=0) calls ga_sum(a, .axis = 0) with NumPy arrays and returns one; GaError if it returned NULL."""

    def __init__(self, path, rows, gpu=False):
        self.lib, self.gpu, self.device, self.uploaded = C.CDLL(path), gpu, CPU, {}
        self.signatures = dict(re.findall(r"(\w+) (\w:\w+)", FUNCTIONS))
        self.signatures.update({r.name: ROW_SIGNATURES[r.family] for r in rows.values()})
        lib = self.lib
        lib.ga_error.restype = text
        lib.ga_free.argtypes = [ptr]
        lib.ga_memory_stats.restype = Memory
        lib.ga_wrap_strided.restype = ptr
        lib.ga_wrap_strided.argtypes = [ptr, i32, Shape, Shape, OPTIONS["W"]]
        lib.ga_to.restype = lib.ga_view.restype = ptr
        lib.ga_to.argtypes, lib.ga_view.argtypes = [ptr, i32, OPTIONS["K"]], [ptr, text]
        lib.ga_set_error_handler(C.cast(lib.ga_ignore_error, ptr), None)
        lib.oracle_kernel.restype, lib.oracle_kernel.argtypes = ptr, [text]
        self.free, self.no_options = lib.ga_free, OPTIONS["W"](b"oracle\twrap()")
        self.to_options = OPTIONS["K"](b"oracle\tto()")
        for name, (result, _, *arguments) in self.signatures.items():
            if hasattr(lib, "ga_" + name):
                function = getattr(lib, "ga_" + name)
                function.restype = {"a": ptr, "b": flag, "d": f64, "l": i64, "c": text, "m": ptr, "t": i32, "y": Statistics}[result]
                kinds = {"a": [ptr], "n": [Arg], "s": [Shape], "i": [i32], "l": [i64], "d": [f64], "b": [flag], "t": [i32],
                         "c": [text], "p": [ptr], "q": [ptr], "S": [text], "x": [ptr], "m": [i32, ptr],
                         "k": [ptr] if arguments[:3] == ["c", "i", "p"] else [i32, ptr]}
                function.argtypes = [t for k in arguments for t in kinds.get(k) or [OPTIONS[k]]]
                call = self.caller(name, function, result, arguments)
                setattr(self, name, self.on_both(call) if gpu else call)

    def use(self, device):
        self.device = device
        self.lib.ga_set_device(device)
        if self.lib.ga_get_device() != device:
            sys.exit("FAILED: " + self.error() + "\n0 passed, 1 failed, 0 skipped")

    def on_both(self, call):
        """The call on the CPU, then on the GPU: the same results, the same errors, the same memory afterwards."""
        def run(device, given, named):
            self.use(device)
            try:
                return call(*given, **named), None
            except GaError as e:
                return None, str(e)
            finally:
                self.bring_back()

        def both(*given, **named):
            arguments = [v for x in (*given, *named.values()) for v in (x if isinstance(x, (list, tuple)) else [x])]
            roots = {id(r): r for r in (root_of(v) for v in arguments if isinstance(v, np.ndarray))}.values()
            numbers = [v for v in arguments if isinstance(v, C._SimpleCData)]
            state = lambda: [r.copy() for r in roots] + [v.value for v in numbers]
            before = state()
            cpu, cpu_error = run(CPU, given, named)
            cpu_state = state()
            for r, old in zip(roots, before):
                if not equal_bits(r, old):
                    r[...] = old
            for v, old in zip(numbers, before[len(roots):]):
                v.value = old
            gpu, gpu_error = run(CUDA, given, named)
            if cpu_error != gpu_error:
                raise Mismatch(f"the CPU says {cpu_error}\n  the GPU says {gpu_error}")
            if gpu_error:
                raise GaError(gpu_error)
            if not equal_bits(cpu, gpu):
                raise Mismatch(f"other bits than on the CPU:\n  CPU {cpu!r}\n  GPU {gpu!r}")
            if not equal_bits(cpu_state, state()):
                raise Mismatch(f"arguments after the call:\n  CPU {cpu_state!r}\n  GPU {state()!r}")
            return gpu
        return both

    def upload(self, a):
        """An array on the GPU with the strides of `a`, in a copy of all the memory that `a` is a view of."""
        low, high = bounds(root_of(a))
        if low not in self.uploaded:
            on_cpu = self.lib.ga_wrap_strided(low, NUMBER_OF[np.dtype("u1")], as_shape(high - low), as_shape(1), self.no_options)
            self.uploaded[low] = self.lib.ga_to(on_cpu, CUDA, self.to_options), high - low
            self.free(on_cpu)
        p = self.lib.ga_view(self.uploaded[low][0], b"oracle\tview()")
        if not p:
            raise Mismatch("the array cannot be brought to the GPU: " + self.error())
        view = Array.from_address(p)
        view.data += address(a) - low
        view.dtype, view.ndim, view.size = NUMBER_OF[a.dtype], a.ndim, a.size
        view.shape[:a.ndim], view.strides[:a.ndim] = a.shape, a.strides
        return p

    def bring_back(self):
        """Copies what was uploaded for a call to where it came from."""
        for low, (p, size) in self.uploaded.items():
            elements = self.fetch(p)
            if elements.tobytes() != C.string_at(low, size):
                C.memmove(low, elements.tobytes(), size)
            self.free(p)
        self.uploaded = {}

    def fetch(self, p):
        """A copy of the elements of a ga_array, in NumPy."""
        if Array.from_address(p).device == CPU:
            return to_numpy(p)
        q = self.lib.ga_to(p, CPU, self.to_options)
        if not q:
            raise Mismatch("the array cannot be brought from the GPU: " + self.error())
        try:
            return to_numpy(q)
        finally:
            self.free(q)

    def host_address(self, data):
        """Where the element lies in NumPy's memory that lies at `data` on the GPU."""
        for low, (p, size) in self.uploaded.items():
            offset = data - Array.from_address(p).data
            if 0 <= offset < size:
                return low + offset
        return data

    def wrap(self, a):
        if self.device == CUDA:
            return self.upload(a)
        p = self.lib.ga_wrap_strided(address(a), NUMBER_OF[a.dtype], as_shape(a.shape), as_shape(a.strides), self.no_options)
        if not p:
            raise Mismatch("ga_wrap_strided: " + self.error())
        return p

    def error(self):
        sentence = (self.lib.ga_error() or b"no error is kept").decode()
        self.lib.ga_clear_error()
        return sentence

    def operand(self, v, wrapped):
        if isinstance(v, np.ndarray):
            wrapped.append(self.wrap(v))
            return Arg(wrapped[-1])
        if isinstance(v, bool):
            return Arg(None, 1, v)
        if isinstance(v, int):
            return Arg(None, 2, v) if v < 2**63 else Arg(None, 3, v - 2**64)
        return Arg(None, 5, 0, v.real, v.imag) if isinstance(v, complex) else Arg(None, 4, 0, v)

    def receive(self, p):
        """The new array at p, which is freed, in NumPy; where its elements were is kept in .place."""
        a = Array.from_address(p)
        self.place = (self.host_address(a.data), tuple(a.strides[:a.ndim]))
        try:
            if a.device != self.device and self.gpu:
                raise Mismatch(f"the result is on device {a.device}")
            return self.fetch(p)
        finally:
            self.free(p)

    def fill_options(self, kind, name, given, wrapped, rooms):
        """NumPy's keyword arguments as an options struct; None is not given."""
        o, names = OPTIONS[kind](), []
        for key, value in given.items():
            if value is None:
                continue
            if key == "axis" and isinstance(value, tuple):
                key = "axes"
            names.append(f".{key} = {value}" if isinstance(value, (int, float)) else f".{key} = ...")
            letter = o.kinds[key]
            if letter == "a":
                wrapped.append(self.wrap(value))
                value = wrapped[-1]
            if letter == "p":  # True: room for a new array; a list: of arrays and such room (None); else a C variable
                if value is True or isinstance(value, list):
                    given_arrays = [None] if value is True else [a if a is None else self.wrap(a) for a in value]
                    wrapped += [w for w in given_arrays if w]
                    rooms.append((ptr * len(given_arrays))(*given_arrays))
                    value = rooms[-1]
                value = C.addressof(value)
            setattr(o, key, as_shape(value) if letter == "s" else NUMBER_OF[np.dtype(value)] if letter == "t" else value)
        o.site = f"oracle\tga_{name}({', '.join(names)})".encode()
        return o, names

    def caller(self, name, function, result, arguments):
        def call(*given, **named):
            """What the function returns; with rooms for new arrays, a list of the returned array (if it is one) and these."""
            wrapped, rooms, keep, values, given = [], [], [], [], list(given)
            self.lib.ga_clear_error()
            try:
                for kind in arguments:
                    if kind in OPTIONS:
                        values.append(self.fill_options(kind, name, named, wrapped, rooms)[0])
                        continue
                    if kind == "S":
                        values.append(b"oracle\tcall()")
                        continue
                    v = given.pop(0)
                    if kind == "a" and v is not None:
                        wrapped.append(self.wrap(v))
                        v = wrapped[-1]
                    elif kind == "n":
                        v = self.operand(v, wrapped)
                    elif kind == "s":
                        v = as_shape(v)
                    elif kind == "t":
                        v = NUMBER_OF[np.dtype(v)]
                    elif kind == "k":
                        keep.append((ptr * max(len(v), 1))(*map(self.wrap, v)))
                        wrapped += [w for w in keep[-1] if w]
                        if function.argtypes[len(values)] is i32:
                            values.append(len(v))
                        v = C.addressof(keep[-1])
                    elif kind == "m":
                        keep.append((Arg * max(len(v), 1))(*(self.operand(x, wrapped) for x in v)))
                        values.append(len(v))
                        v = C.addressof(keep[-1])
                    elif kind == "x":
                        v = self.lib.oracle_kernel(v.encode())
                    elif kind == "q":
                        rooms.append((ptr * v)())
                        v = C.addressof(rooms[-1])
                    elif kind == "p" and not isinstance(v, int):
                        keep.append(v)
                        v = C.addressof(v)
                    elif kind == "c" and isinstance(v, str):
                        v = v.encode()
                    values.append(v)
                p = function(*values, *given)
                made = [q for room in rooms for q in room if q and q != p and q not in wrapped]
                if self.lib.ga_error():
                    for q in made:
                        self.free(q)
                    sentence = self.error()
                    if result == "a" and p or made:
                        raise Mismatch("an array was returned, and an error kept: " + sentence)
                    raise GaError(sentence)
                if result == "a":
                    if not p:
                        raise Mismatch("NULL was returned without an error")
                    p = self.fetch(p) if p in wrapped else self.receive(p)
                elif result == "t":
                    p = DTYPES[p - 1]
                elif result == "y":
                    p = [getattr(p, field) for field, _ in Statistics._fields_]
                elif result == "m":
                    address, p = p, C.string_at(p).decode()
                    libc.free(address)
                if rooms:
                    places = []
                    more = []
                    for q in made:
                        more.append(self.receive(q))
                        places.append(self.place)
                    self.place = places
                    return ([p] if result == "a" else []) + more
                return p
            finally:
                for w in wrapped:
                    self.free(w)
        return call


libc = C.CDLL(None)
libc.free.argtypes = [ptr]

# ---- comparing -------------------------------------------------------------------------------------------------------

class Mismatch(Exception):
    """gpuarr's answer is wrong."""


class Skip(Exception):
    """This case cannot be judged here."""


def first_bad(bad, want, got):
    i = np.unravel_index(np.argmax(bad), bad.shape)
    raise Mismatch(f"{np.count_nonzero(bad)} of {bad.size} elements differ, first at {tuple(map(int, i))}: "
                   f"want {want[i]!r}, got {got[i]!r}"
                   + (f"\n  want {want.tolist()}\n  got  {got.tolist()}" if want.size <= 40 else ""))


def same_form(want, got, dtype=None):
    if got.shape != want.shape:
        raise Mismatch(f"shape: want {want.shape}, got {got.shape}")
    if got.dtype != (dtype or want.dtype):
        raise Mismatch(f"dtype: want {dtype or want.dtype}, got {got.dtype}")


def exact(want, got, signed_zeros=True):
    same_form(want, got)
    if want.tobytes() == got.tobytes():
        return
    if want.dtype.kind == "c":
        part = want.real.dtype
        want, got = (np.ascontiguousarray(v).reshape(v.shape + (1,)).view(part) for v in (want, got))
    good = want == got
    if want.dtype.kind == "f":
        if signed_zeros:
            good &= np.signbit(want) == np.signbit(got)
        good |= np.isnan(want) & np.isnan(got)
    if not good.all():
        first_bad(~good, want, got)


def values_only(want, got):
    exact(want, got, signed_zeros=False)


def any_nan(want, got):
    """Of several complex NaNs, with a NaN in either part, any will do."""
    if want.dtype.kind == "c" and want.shape == got.shape:
        both = np.isnan(want) & np.isnan(got)
        want, got = np.where(both, 0, want), np.where(both, 0, got)
    values_only(want, got)


class Close:
    """Within `ulps` units in the last place of the result's dtype, and `slack` besides, of a reference in a wider dtype."""

    def __init__(self, ulps, slack=0, signed_zeros=False):
        self.ulps, self.slack, self.signed_zeros = ulps, slack, signed_zeros

    def __call__(self, want, got, dtype=None):
        same_form(want, got, dtype)
        if got.dtype.kind == "c":
            size = np.abs(want).astype(got.real.dtype)
            slack = self.ulps * np.spacing(np.where(np.isfinite(size), size, 0)) + self.slack
            # which of nan and inf an overflowing complex product is differs between all libraries
            lost = ~(np.abs(want) < np.finfo(got.dtype).max / 8) & ~np.isfinite(got)
            for w, g in (want.real, got.real), (want.imag, got.imag):
                Close(0, slack)(np.where(lost, w.dtype.type(0), w), np.where(lost, g.dtype.type(0), g), g.dtype)
            return
        near = want.astype(got.dtype)
        good = (near == got) | (np.isnan(near) & np.isnan(got))
        if self.signed_zeros:
            good &= ~((got == 0) & (want != 0)) | (np.signbit(want) == np.signbit(got))
            good &= ~((got == 0) & (want == 0)) | (np.signbit(want) == np.signbit(got))
        if not good.all():
            top = np.finfo(got.dtype).max
            unit = np.spacing(np.minimum(np.abs(near), top)).astype(want.dtype)
            limit = np.where(np.isinf(got) & (np.abs(want) > top / 2), np.copysign(LONG(top), got), got).astype(want.dtype)
            aim = np.where(np.isinf(near) & np.isfinite(want), np.copysign(LONG(top), want), want).astype(want.dtype)
            finite = np.isfinite(want) & ~np.isnan(got)
            good |= finite & (np.abs(limit - aim) <= self.ulps * unit + self.slack)
        if not good.all():
            first_bad(~good, near, got)


def wide(dtype):
    """A dtype that is much more exact."""
    return {F32: F64, F64: np.dtype(LONG), C64: C128, C128: np.dtype(np.clongdouble)}.get(np.dtype(dtype), np.dtype(LONG))


# ---- drawing ---------------------------------------------------------------------------------------------------------

SPECIALS = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-45, -1e-45, 1.1754942e-38,
                     3.4028235e38, -3.4028235e38, 1e300, -1e300, 5e-324, 2.0**31, 2.0**32, 2.0**63, -2.0**63, 2.0**64, 127.5,
                     255.5, 65536, 1 + 2.0**-52, 88.9, 709.9, -745.5, -103.9])
PYTHON_INTS = [0, 1, -1, 2, 3, -2, 5, 7, 8, 31, 63, 64, 100, 127, 128, -128, -129, 255, 256, 300, 32767, 65535,
               2**31 - 1, 2**31, 2**32, -2**31, 2**63 - 1, -2**63, 2**63, 2**64 - 1]
ERRORS = (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError)  # AxisError is a ValueError


class Case:
    """One case: draws from its own random numbers, and keeps what it drew for the report."""

    def __init__(self, ga, name, key):
        self.ga, self.name, self.log = ga, name, []
        self.r = random.Random(key)
        self.g = np.random.Generator(np.random.PCG64(self.r.getrandbits(64)))

    def chance(self, p):
        return self.r.random() < p

    def pick(self, *choices):
        return self.r.choice(choices)

    def dtype(self, among=None):
        return self.r.choice(among or DTYPES)

    def shape(self, ndim=None, largest=200):
        r = self.r
        if ndim is None:
            ndim = r.choice((0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4)) if r.random() > 0.02 else r.randint(5, 8)
        if ndim and r.random() < 0.04 and largest >= 200:  # long: several blocks and tiles
            n = [1] * ndim
            n[r.randrange(ndim)] = r.choice((1023, 1024, 1025, 2050, 3000, 4500))
            n[r.randrange(ndim)] *= r.choice((1, 1, 2, 3))
            return tuple(n)
        most = {0: 1, 1: 70, 2: 14, 3: 6, 4: 4}.get(ndim, 2)
        n = [r.randint(1, most) for _ in range(ndim)]
        if ndim and r.random() < 0.06:
            n[r.randrange(ndim)] = 0
        return tuple(n)

    def values(self, dtype, n, style=None):
        """n numbers. Styles: any, tame (no overflow, few specials), small, unit (around 1)."""
        g, r, kind = self.g, self.r, dtype.kind
        if kind == "c":
            part = F32 if dtype == C64 else F64
            return self.values(part, 2 * n, style).view(dtype)
        if kind == "b":
            return g.random(n) < r.choice((0.5, 0.5, 0.9, 0.1))
        style = style or "any"
        if kind in "iu":
            how = r.random()
            lowest, highest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            if style == "unit":
                return g.integers(max(lowest, -2), 3, n).astype(dtype)
            if style == "small" or how < 0.5:
                return g.integers(max(lowest, -9), 10, n).astype(dtype)
            v = g.integers(lowest, highest, n, dtype=dtype, endpoint=True)
            if n and how > 0.7:
                v[g.integers(0, n, 3)] = r.choice((lowest, highest, 0, 1))
            return v
        how = r.random()
        if style == "unit":
            v = (g.random(n) + 0.5) * g.choice((1, 1, -1), n)
        elif style == "small":
            v = g.integers(-9, 10, n) * r.choice((1.0, 0.5, 0.25))
        elif how < 0.3:
            v = g.integers(-8, 9, n) / 2
        elif how < 0.55:
            v = g.standard_normal(n) * r.choice((1, 1, 10, 1000))
        elif style == "tame" or how < 0.85:
            v = g.standard_normal(n) * np.exp2(g.integers(-20, 21, n))
        elif how < 0.92:
            v = g.standard_normal(n) * np.exp2(g.integers(-1100, 1000, n) if dtype == F64 else g.integers(-150, 128, n))
        else:
            v = g.integers(0, 2**(8 * dtype.itemsize), n, dtype=f"u{dtype.itemsize}").view(dtype)
            return np.where(np.isnan(v), dtype.type(np.nan), v)  # NumPy's fmax takes a signalling NaN for the larger number
        v = v.astype(dtype)
        if n and r.random() < {"any": 0.5, "tame": 0.1}.get(style, 0):
            k = r.randint(1, 4)
            v[g.integers(0, n, k)] = g.choice(SPECIALS[:7] if style == "tame" else SPECIALS, k)
        return v

    def lay(self, shape, dtype, style=None, repeat=True):
        """An array of that shape, somewhere in a larger base: axes in any order, steps, backwards, repeated."""
        r, n = self.r, len(shape)
        if n == 0 or r.random() < 0.4:
            return self.values(dtype, math.prod(shape), style).reshape(shape)
        order = list(range(n))
        if r.random() < 0.6:
            r.shuffle(order)
        steps = [r.choice((1, 1, 1, 2, 3, -1, -1, -2)) for _ in order]
        repeated = r.randrange(n) if repeat and r.random() < 0.12 else -1
        lengths = [1 if k == repeated else shape[k] for k in order]
        base_shape = [m * abs(s) for m, s in zip(lengths, steps)]
        base = self.values(dtype, math.prod(base_shape), style).reshape(base_shape)
        view = base[tuple(slice(None, None, s) for s in steps)].transpose([order.index(k) for k in range(n)])
        return np.broadcast_to(view, shape) if repeated >= 0 else view

    def array(self, dtype=None, shape=None, style=None, among=None, repeat=True, name=None):
        dtype = np.dtype(dtype) if dtype is not None else self.dtype(among)
        a = self.lay(self.shape() if shape is None else shape, dtype, style, repeat)
        self.note(name or "array", a)
        return a

    def view(self, a):
        """The same elements, somewhere in memory."""
        laid = self.lay(a.shape, a.dtype, repeat=False)
        if not laid.flags.writeable:
            return a
        laid[...] = a
        return laid

    def number(self):
        r, how = self.r, self.r.random()
        if how < 0.45:
            v = r.choice(PYTHON_INTS[:9] if r.random() < 0.6 else PYTHON_INTS)
        elif how < 0.8:
            v = float(r.choice((0.5, 2.0, -1.5, 3.0, 0.1, 1e10, 1e-10, 0.0, -0.0) if r.random() < 0.7 else SPECIALS))
        elif how < 0.92:
            v = r.random() < 0.5
        else:
            v = complex(r.choice((0, 1, -2.5)), r.choice((0, 1.5, -1)))
        self.note("number", v)
        return v

    def broadcast(self, shape):
        """A shape that broadcasts with it (or, rarely, does not)."""
        r, n = self.r, list(shape)
        n = [1 if r.random() < 0.15 else k for k in n]
        if n and r.random() < 0.2:
            n = n[r.randint(1, len(n)):]
        if n and r.random() < 0.02:
            n[r.randrange(len(n))] += 1
        return tuple(n)

    def operands(self, count, among=None, style=None, numbers=0.3):
        shape, mixed, r = self.shape(), self.r.random() < 0.4, self.r
        dtype = self.dtype(among)
        values = []
        for k in range(count):
            if numbers and r.random() < numbers / (1 if count < 3 else 1.5):
                values.append(self.number())
            else:
                smaller = self.broadcast(shape) if r.random() < 0.4 else shape
                values.append(self.array(self.dtype(among) if mixed else dtype, smaller, style, name="xyz"[k]))
        return values

    def axis(self, ndim, several=True, given=0.8):
        """None, an axis, several axes; rarely one that does not exist."""
        r = self.r
        if r.random() > given:
            return None
        if ndim == 0:
            return r.choice((1, -2)) if r.random() < 0.05 else None  # some functions of NumPy take axis 0 of a 0-d array
        if r.random() < 0.02:
            return r.choice((ndim, -ndim - 1))
        if several and r.random() < 0.3:
            axes = [k - ndim if r.random() < 0.3 else k for k in r.sample(range(ndim), r.randint(1, ndim))]
            return tuple(axes)
        return r.randrange(-ndim, ndim)

    def target(self, shape, dtype, alike=None):
        """An .out: a view of a base, filled; alike: memory that it may overlap with."""
        overlaps = isinstance(alike, np.ndarray) and alike.shape == shape and alike.flags.writeable and 0 not in alike.strides
        if shape and overlaps and self.chance(0.5):
            out = alike if self.chance(0.6) else alike[tuple(slice(None, None, self.pick(1, -1)) for _ in shape)]
        else:
            out = self.lay(shape, dtype, "small", repeat=False)
        self.note("out", out)
        return out

    def note(self, name, value):
        self.log.append((name, value, value.copy() if isinstance(value, np.ndarray) and value.size <= 400 else None))

    def compare(self, reference, actual, *given, check=exact, **named):
        """reference(...) and actual(...) with the same arguments: the same result, or both an error."""
        try:
            want = reference(*given, **named)
        except ERRORS as e:
            want = e
        self.judge(want, lambda: actual(*given, **named), check, named)

    def judge(self, want, actual, check=exact, named=None):
        if named:
            self.note("options", {k: v for k, v in named.items() if v is not None and not isinstance(v, np.ndarray)})
        try:
            got = actual()
        except GaError as e:
            if isinstance(want, Exception):
                return
            raise Mismatch(f"gpuarr fails, NumPy does not.\n  error: {e}\n  want: {want!r}") from None
        if isinstance(want, Exception):
            raise Mismatch(f"NumPy raises {type(want).__name__}: {str(want)[:200]}\n  gpuarr gives {got!r}")
        check(np.asarray(want) if not isinstance(want, (np.ndarray, tuple, list)) else want, got)

    def drew_a_number(self):
        return any(not isinstance(v, np.ndarray) or v.ndim == 0 for name, v, _ in self.log if name != "options")

    def report(self):
        lines = []
        for name, v, copy in self.log:
            if isinstance(v, np.ndarray):
                strides, v = v.strides, v if copy is None else copy
                shown = repr(v.tolist()) if v.size <= 60 else repr(v)
                lines.append(f"    {name}: {v.dtype} {v.shape} strides {strides} = {shown}")
            else:
                lines.append(f"    {name}: {v!r}")
        return "\n".join(lines)


CASES = {}  # name of the operation: the function that draws and judges one case
COVERED = set()


def case(*names, covers=()):
    def register(f):
        for name in names:
            CASES[name] = f
        COVERED.update(names, covers)
        return f
    return register


# ---- elementwise: the rows of the table ------------------------------------------------------------------------------

ULPS = {n: 1 for n in "exp exp2 expm1 log log2 log10 log1p sin cos tan".split()}  # the other elementary functions: 2
NUMPY_NAME = {"conj": np.conjugate, "real": np.real, "imag": np.imag}
EXACT_ELEMENTARY = {"nextafter"}
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip"}  # of 0 and -0, NumPy takes one or the other
NO_BOOL = {"positive", "negative", "sign", "subtract"}  # NumPy refuses them; gpuarr computes in int8


def is_complex(v):
    return isinstance(v, complex) or isinstance(v, np.ndarray) and v.dtype.kind == "c"


def dtype_of(v):
    return v.dtype if isinstance(v, np.ndarray) else np.result_type(v)


def in_dtype(v, dtype):
    return np.asarray(v, dtype) if isinstance(v, int) else np.asarray(v).astype(dtype)


def multiply_add(x, y, z, dtype=None):
    if dtype == BOOL:
        raise TypeError("not for bool")
    if dtype is None:
        dtype = np.result_type(x, y, z)
        dtype = np.dtype(np.int8) if dtype == BOOL else dtype
    return np.add(np.multiply(x, y, dtype=dtype), z, dtype=dtype)


def clip(x, low, high, dtype=None):
    dtype = dtype or np.result_type(x, low, high)
    return np.minimum(np.maximum(x, low, dtype=dtype), high, dtype=dtype)


def numpy_map(row, xs, dtype):
    """What NumPy makes of it, with float32 in place of float16, and 0 for an integer reciprocal of 0."""
    f = {"multiply_add": multiply_add, "clip": clip}.get(row.name) or NUMPY_NAME.get(row.name) or getattr(np, row.name)
    if dtype is not None and row.name not in ("real", "imag"):
        y = f(*xs, dtype=dtype)
    else:
        y = f(*xs)
    if y.dtype == np.float16:
        y = f(*(in_dtype(x, F32) for x in xs))
    y = np.array(y)
    if row.name == "reciprocal" and y.dtype.kind in "iu":
        y = np.where(np.broadcast_to(in_dtype(xs[0], y.dtype), y.shape) == 0, y.dtype.type(0), y)
    return y


def reference_map(row, xs, y):
    """The reference and how to compare with it. y: NumPy's result."""
    if row.family.startswith("ELEMENTARY") and row.name not in EXACT_ELEMENTARY and y.dtype.kind == "f":
        w = wide(y.dtype)
        xs = [in_dtype(x, y.dtype).astype(w) for x in xs]
        want = np.asarray(getattr(np, row.name)(*xs))
        if row.name == "power":  # glibc's powl(-inf, -2**63) is wrong; such results are exact anyway
            want = np.where(np.isfinite(xs[0]) & (xs[0] != 0), want, y.astype(w))
        slack = 0
        if row.name == "logaddexp":  # near 0 it is the small difference of large numbers
            slack = 2 * np.spacing(np.maximum(np.abs(xs[0]), np.abs(xs[1])).astype(y.dtype)).astype(w)
            slack = np.where(np.isfinite(slack), slack, 0)
        return want, Close(ULPS.get(row.name, 2), slack, signed_zeros=True)
    if y.dtype.kind == "c" and row.name not in ("positive", "negative", "conj", "add", "subtract", "maximum", "minimum"):
        xs = [in_dtype(x, y.dtype).astype(wide(y.dtype)) for x in xs]
        want = numpy_map(row, xs, None)
        slack = 0
        if row.name == "multiply_add":
            slack = 4 * np.finfo(y.real.dtype).eps * (np.abs(xs[0] * xs[1]) + np.abs(xs[2]))
        return want, Close(4, slack)
    if row.name == "absolute" and is_complex(xs[0]):
        w = wide(y.dtype)
        return np.hypot(xs[0].real.astype(w), xs[0].imag.astype(w)), Close(2)
    return y, values_only if row.name in EITHER_ZERO else exact


def elementwise(row):
    count = {"UNARY": 1, "ELEMENTARY": 1, "TERNARY": 3}.get(row.family, 2)

    def draw(c):
        accepted = ACCEPTS[row.group]
        among = DTYPES if c.chance(0.03) else accepted
        if among is not accepted or len(accepted) == len(DTYPES):
            among = among + COMPLEX if c.chance(0.3) else among
        if row.group in ("FLT", "FLTC") and c.chance(0.5):
            among = FLOATS
        tame = "tame" if set(among) & set(COMPLEX) and row.name in COMPLEX_PRODUCTS else None
        xs = c.operands(count, among, tame, numbers=0 if count == 1 else 0.3)
        if row.name in COMPLEX_PRODUCTS and any(is_complex(x) for x in xs):
            xs = [moderate(x) for x in xs]
        if not any(isinstance(x, np.ndarray) for x in xs) and count == 1:
            xs = [c.array()]
        dtype = c.dtype(accepted) if c.chance(0.1) and row.family != "UNARY" and not row.name.startswith(BOOLEAN) else None
        if too_large_alone(xs):
            raise Skip
        if row.name.startswith("logical_") and any(type(x) is int and x >= 2**63 for x in xs):
            raise Skip
        complex_operand = any(is_complex(x) for x in xs) or dtype is not None and dtype.kind == "c"
        try:
            if complex_operand and C64 not in accepted:
                raise TypeError("no complex function")
            if not NUMPY2 and not all(isinstance(x, np.ndarray) for x in xs):
                raise Skip
            y = numpy_map(row, xs, dtype)
            if row.name == "power" and y.size == 0 and y.dtype.kind in "iu":
                raise Skip  # NumPy asks the elements for negative exponents, gpuarr the number
        except ERRORS as e:
            if row.name in NO_BOOL and all(dtype_of(x) == BOOL for x in xs) and dtype in (None, BOOL):
                raise Skip from None
            c.judge(e, lambda: getattr(c.ga, row.name)(*xs, dtype=dtype), named={"dtype": dtype})
            return
        want, check = reference_map(row, xs, y)
        run_map(c, getattr(c.ga, row.name), xs, want, y.dtype, check, dtype)
    return draw


COMPLEX_PRODUCTS = "multiply divide square reciprocal multiply_add sign".split()
BOOLEAN = ("equal", "not_equal", "less", "greater", "logical_")


def fits(v, dtype):
    return type(v) is not int or dtype.kind not in "iu" or np.iinfo(dtype).min <= v <= np.iinfo(dtype).max


def too_large_alone(xs):
    """An int beyond int64 among numbers and bools: an error in NumPy, where Python's int is an int64 then."""
    return any(type(x) is int and x >= 2**63 for x in xs) and all(not isinstance(x, np.ndarray) or x.dtype == BOOL for x in xs)


def finite(x):
    """Overflow and NaN of complex products differ between all libraries."""
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "fc" or np.isfinite(x).all():
            return x
        return np.where(np.isfinite(x), x, x.dtype.type(1))
    return x if not isinstance(x, float) or math.isfinite(x) else 1.0


def moderate(x):
    """Complex quotients by tiny numbers overflow on the way, in NumPy too."""
    x = finite(x)
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return np.where((x == 0) | (np.abs(x) > 1e-12) & (np.abs(x) < 1e12), x, x.dtype.type(1))
    return x


def run_map(c, call, xs, want, result, check, dtype=None):
    """With or without .out and .where: want is what NumPy (or better) computes for every element."""
    out = where = None
    if c.chance(0.15):
        where = c.array(BOOL, c.broadcast(want.shape), name="where")
    if c.chance(0.2):
        out = c.target(want.shape, dtype_for_out(c, result), alike=c.pick(*xs))
    named = {k: v for k, v in (("out", out), ("where", where), ("dtype", dtype)) if v is not None}
    c.note("options", {k: v for k, v in named.items() if k == "dtype"})
    if where is not None:
        try:
            shape = np.broadcast_shapes(want.shape, where.shape)
        except ValueError as e:
            return c.judge(e, lambda: call(*xs, **named))
        if shape != want.shape:
            if out is not None:
                return c.judge(ValueError("out is too small"), lambda: call(*xs, **named))
            want = np.broadcast_to(want, shape)
    if out is None:
        if where is not None:
            want = np.where(where, want, want.dtype.type(0))
        got = expect_success(lambda: call(*xs, **named))
        if isinstance(check, Close):
            check(want, got, result)
        else:
            check(want, got)
        return
    if not np.can_cast(result, out.dtype, "same_kind"):
        return c.judge(TypeError(f"{result} does not go into {out.dtype}"), lambda: call(*xs, **named))
    base = out if out.base is None else out.base
    before, touched = base.copy(), np.zeros(base.shape, bool)
    mark = None
    if out.size and base.flags.c_contiguous and base.dtype == out.dtype:
        size = out.itemsize
        mark = np.ndarray(out.shape, bool, touched, (address(out) - address(base)) // size, [s // size for s in out.strides])
    chosen = np.broadcast_to(where, out.shape) if where is not None else np.ones(out.shape, bool)
    if mark is not None:
        mark[...] = chosen
    # what has been computed in `result` is cast to the dtype of out
    exactly = out.dtype == result
    got = expect_success(lambda: call(*xs, **named))
    if not np.array_equal(got, out, equal_nan=out.dtype.kind in "fc"):
        raise Mismatch("the array returned is not .out")
    if mark is not None and not same_bytes(before[~touched], base[~touched]):
        raise Mismatch("elements outside .out or .where were written")
    got = np.where(chosen, got, out.dtype.type(0))
    if isinstance(check, Close) and not exactly:
        if out.dtype.kind not in "fc" or result.kind not in "fc":
            raise Skip
        near = want.astype(result).astype(out.dtype)
        scale = np.finfo(result).eps * 8 * np.abs(np.where(np.isfinite(near), near, 0)).astype(wide(out.dtype))
        tiny = np.finfo(result).smallest_subnormal * 4 if NUMPY2 else 1e-38
        return Close(2, scale + tiny + check.slack)(np.where(chosen, near, 0).astype(wide(out.dtype)), got, out.dtype)
    want = np.where(chosen, want, want.dtype.type(0))
    if isinstance(check, Close):
        return check(want, got, out.dtype)
    check(saturating(want, out.dtype), got)


def same_bytes(a, b):
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def expect_success(call):
    try:
        return call()
    except GaError as e:
        raise Mismatch(f"gpuarr fails, NumPy does not.\n  error: {e}") from None


def saturating(a, dtype):
    """astype, but floats saturate and NaN gives 0 when they become integers."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu" or a.dtype.kind not in "fc":
        return a.astype(dtype)
    limits, x = np.iinfo(dtype), a.real
    inside = (x > float(limits.min)) & (x < float(limits.max))
    y = np.where(inside, x, 0).astype(dtype)
    y[x >= float(limits.max)] = limits.max
    y[x <= float(limits.min)] = limits.min
    return y


# ---- reductions ------------------------------------------------------------------------------------------------------

def reduction_values(name):
    """Sums and products are kept from overflowing."""
    return "unit" if "prod" in name else "tame" if "sum" in name or name == "mean" else "any"


def dtype_for_out(c, result):
    """Mostly one that the result can be cast to."""
    return c.dtype([d for d in DTYPES if np.can_cast(result, d, "same_kind")] if c.chance(0.95) else None)


def wide_reduce(name, a, dtype, **named):
    """The reference of a sum, product or mean in a wider dtype, and the slack: n * eps64 * the sum of absolute values."""
    x = a.astype(dtype).astype(wide(dtype)) if dtype.kind in "fc" else a.astype(np.clongdouble if a.dtype.kind == "c" else LONG)
    want = np.asarray(getattr(np, name)(x, **named))
    n = a.size // max(want.size, 1)
    if "prod" in name:
        return want, np.where(np.isfinite(np.abs(want)), (n + 2) * 2 * 2.0**-52 * np.abs(want), 0)
    size = np.asarray(getattr(np, name)(np.where(np.isfinite(x), np.abs(x), 0), **named))
    return want, (n + 2) * 2.0**-53 * size


def put_result(c, call, a, named, want, result, check):
    """Runs a reduction, in one of five cases with .out."""
    if c.chance(0.2):
        out = c.target(want.shape, dtype_for_out(c, result))
        if not np.can_cast(result, out.dtype, "same_kind"):
            return c.judge(TypeError(".out"), lambda: call(a, out=out, **named))
        got = expect_success(lambda: call(a, out=out, **named))
        if not np.array_equal(got, out, equal_nan=out.dtype.kind in "fc"):
            raise Mismatch("the array returned is not .out")
        if isinstance(check, Close):
            if out.dtype != result:
                raise Skip
            return check(want, got, result)
        return check(saturating(want, out.dtype), got)
    got = expect_success(lambda: call(a, **named))
    if isinstance(check, Close):
        check(want, got, result)
    else:
        check(want, got)


def reduction(row):
    name = row.name

    def draw(c):
        a = c.array(style=reduction_values(name), among=DTYPES + FLOATS * 3)
        if name in ("nanmin", "nanmax", "nansum", "nanprod") and a.dtype.kind in "f" and a.size and c.chance(0.7):
            a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5, 1.0), a.dtype.type(np.nan), a)
            c.note("with NaN", a)
        named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
        if name in ("sum", "prod", "mean", "nansum", "nanprod") and c.chance(0.15):
            named["dtype"] = c.dtype(DTYPES)
        c.note("options", named)
        if "prod" in name and a.dtype.kind == "c" and a.size > 300:
            raise Skip  # too large
        call = getattr(c.ga, name)
        if row.group in ("FLT",) and a.dtype.kind == "c":
            return c.judge(TypeError("no complex"), lambda: call(a, **named))
        try:
            y = np.asarray(getattr(np, name)(a, **named))
        except ERRORS as e:
            return c.judge(e, lambda: call(a, **named))
        if y.dtype == np.float16:
            raise Skip
        if "dtype" in named and not np.can_cast(a.dtype, named["dtype"], "same_kind"):
            raise Skip
        named = {k: v for k, v in named.items() if v is not None}
        if name in ("sum", "prod", "mean", "nansum", "nanprod") and y.dtype.kind in "fc":
            rest = {k: v for k, v in named.items() if k != "dtype"}
            want, slack = wide_reduce(name, a, y.dtype, **rest)
            return put_result(c, call, a, named, want, y.dtype, Close(1, slack))
        if name == "mean":  # of a given integer dtype
            raise Skip
        put_result(c, call, a, named, y, y.dtype, any_nan)
    return draw


ROW_CASES = {"FOLD": reduction}


@case("var", "std", "nanvar", "nanstd", "nanmean")
def moments(c):
    name, skips = c.name, c.name.startswith("nan")
    a = c.array(style="tame", among=DTYPES + FLOATS * 4 if not skips else ORDERED + FLOATS * 4)
    if skips and a.dtype.kind == "f" and a.size:
        a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5, 1.0), a.dtype.type(np.nan), a)
        c.note("with NaN", a)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    if name != "nanmean" and c.chance(0.4):
        named["ddof"] = c.r.randint(0, 3)
    c.note("options", named)
    f, call = getattr(np, name), getattr(c.ga, name)
    try:
        y = np.asarray(f(a, **named))
    except ERRORS as e:
        return c.judge(e, lambda: call(a, **named))
    x = a.astype(np.clongdouble if a.dtype.kind == "c" else LONG)
    want = np.asarray(f(x, **named))
    mean = np.nanmean if skips else np.mean
    rest = {k: v for k, v in named.items() if k != "ddof"}
    size = mean(np.where(np.isinf(np.abs(x)), 1, np.abs(x)), **rest)
    n = max(a.size // max(want.size, 1), 1)
    slack = np.where(np.isfinite(size), size, 0) * n * 2.0**-52
    if name.endswith("var"):
        spread = np.where(np.isfinite(want), want, 0)
        slack = slack * slack * 4 + n * 2.0**-50 * spread + slack * np.sqrt(spread)
    elif name.endswith("std"):
        slack = slack * 2
    put_result(c, call, a, named, want, y.dtype, Close(2, slack))


@case("argmin", "argmax", "nanargmin", "nanargmax")
def arg_extreme(c):
    a = c.array(style=c.pick("small", "any"), among=ORDERED + FLOATS * 2 if c.name.startswith("nan") else None)
    if a.dtype.kind == "c" and np.isnan(a).any():
        a = finite(a)
    named = {"axis": c.axis(a.ndim, several=False), "keepdims": c.chance(0.3)}
    c.compare(getattr(np, c.name), getattr(c.ga, c.name), a, check=exact, **named)


# ---- choices, copies, comparisons of whole arrays --------------------------------------------------------------------

@case("where")
def where(c):
    x, y = c.operands(2)
    shape = c.broadcast(x.shape if isinstance(x, np.ndarray) else c.shape())
    condition = c.array(shape=shape, among=[BOOL] * 4 + DTYPES, name="condition")
    if not NUMPY2 and not (isinstance(x, np.ndarray) and isinstance(y, np.ndarray)) or too_large_alone((x, y)):
        raise Skip
    if not all(fits(v, dtype_of(w)) for v, w in ((x, y), (y, x))):
        raise Skip  # NumPy wraps it, gpuarr refuses
    want = attempt(lambda: np.where(condition, x, y))
    if isinstance(want, Exception):
        return c.judge(want, lambda: c.ga.where(condition, x, y))
    run_map(c, c.ga.where, [condition, x, y], want, want.dtype, exact)


def close_pair(c):
    a = c.array(among=DTYPES + FLOATS * 4)
    if a.dtype.kind in "fc" and c.chance(0.8):
        factor = 1 + np.array([0, 1e-7, 2e-6, 1e-4, 1e-2])[c.g.integers(0, 5, a.shape)]
        b = (a * factor).astype(a.dtype)
    else:
        b = a.copy() if c.chance(0.5) else c.array(shape=c.broadcast(a.shape))
    b = np.asarray(b)
    c.note("b", b)
    tolerances = {}
    if c.chance(0.4):
        tolerances["rtol"] = c.pick(1e-3, 1e-6, EXACTLY)
    if c.chance(0.4):
        tolerances["atol"] = c.pick(1e-3, 1e-12, EXACTLY)
    if c.chance(0.3):
        tolerances["equal_nan"] = True
    return a, b, tolerances


def wide_isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """numpy.isclose, in float64 or complex128."""
    rtol, atol = max(rtol, 0), max(atol, 0)
    a, b = (v.astype(C128 if v.dtype.kind == "c" else F64) if isinstance(v, np.ndarray) else v for v in (a, b))
    return np.asarray(np.isclose(a, b, rtol, atol, equal_nan))


def near_the_limit(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    a, b = a.astype(C128), b.astype(C128)
    limit = max(atol, 0) + max(rtol, 0) * np.abs(b)
    return (np.abs(np.abs(a - b) - limit) <= 1e-12 * (np.abs(a) + np.abs(b))).any() and limit.any()


@case("isclose", "allclose")
def isclose(c):
    a, b, tolerances = close_pair(c)
    try:
        if near_the_limit(a, b, **tolerances):
            raise Skip
        want = wide_isclose(a, b, **tolerances)
    except ERRORS as e:
        want = e
    if c.name == "allclose" and not isinstance(want, Exception):
        want = bool(want.all())
    c.judge(want, lambda: getattr(c.ga, c.name)(a, b, **tolerances), same_bool if c.name == "allclose" else exact, tolerances)


def same_bool(want, got):
    if bool(want) != bool(got):
        raise Mismatch(f"want {bool(want)}, got {bool(got)}")


@case("array_equal")
def array_equal(c):
    a, b, tolerances = close_pair(c)
    nan = tolerances.get("equal_nan", False)
    c.judge(np.array_equal(a, b, equal_nan=nan), lambda: c.ga.array_equal(a, b, equal_nan=nan), same_bool, {"equal_nan": nan})


@case("astype")
def astype(c):
    a, dtype = c.array(), c.dtype()
    c.judge(saturating(a, dtype), lambda: c.ga.astype(a, dtype), named={"dtype": dtype})


@case("copy", "ascontiguous")
def copy(c):
    a = c.array()
    c.judge(a.copy(), lambda: getattr(c.ga, c.name)(a))


@case("copyto")
def copyto(c):
    dst = c.array(repeat=False, name="dst")
    if c.chance(0.15) and dst.ndim:
        src = dst[tuple(slice(None, None, c.pick(1, -1)) for _ in dst.shape)]
        c.note("src (overlaps)", src)
    else:
        src = c.number() if c.chance(0.3) else c.array(shape=c.broadcast(dst.shape), name="src", among=DTYPES + [dst.dtype] * 8)
    mask = c.array(BOOL, c.broadcast(dst.shape), name="where") if c.chance(0.4) else None
    if not NUMPY2 and not isinstance(src, np.ndarray):
        raise Skip
    before = dst.copy()
    try:
        want = dst.copy()
        np.copyto(want, src.copy() if isinstance(src, np.ndarray) else src, where=True if mask is None else mask)
        if isinstance(src, np.ndarray):
            want = before.copy()
            np.copyto(want, saturating(np.broadcast_to(src, want.shape), want.dtype), where=True if mask is None else mask)
    except ERRORS as e:
        want = e
    c.judge(want, lambda: c.ga.copyto(dst, src, where=mask))


# ---- order statistics, running sums, norm, dot -----------------------------------------------------------------------

METHODS = ["linear", "lower", "higher", "midpoint", "nearest"]


def ordered_input(c):
    shape = c.pick((8193,), (30000,), (3, 20000), (140000,), (70000, 2)) if c.chance(0.02) else None  # as long as they are searched
    a = c.array(shape=shape, style=c.pick("small", "tame"), among=REALS + FLOATS * 6)
    if shape and a.dtype.kind in "iu" and c.chance(0.3):
        a = c.g.integers(np.iinfo(a.dtype).max - 9, np.iinfo(a.dtype).max, shape, a.dtype, endpoint=True)
    if a.dtype.kind == "f":
        if not np.isfinite(a).all():  # inf - inf between two elements is NaN or not
            a = np.where(np.isfinite(a), a, a.dtype.type(1))
        if a.size and c.chance(0.5 if c.name.startswith("nan") else 0.1):
            a = np.where(c.g.random(a.shape) < c.pick(0.1, 0.5), a.dtype.type(np.nan), a)
        c.note("a", a)
    return a


def judge_order(c, reference, call, a, named, scale=1):
    try:
        want = np.asarray(reference())
    except ERRORS as e:
        want = e
    if a.size == 0 or isinstance(want, np.ndarray) and want.ndim > 8:
        raise Skip
    largest = float(np.nanmax(np.abs(a.astype(F64)))) if a.size and not np.isnan(a).all() else 0.0

    def check(want, got):
        if want.dtype.kind == "f":
            return Close(1, 2 * np.finfo(want.dtype).eps * largest)(want.astype(wide(want.dtype)), got, want.dtype)
        values_only(want, got)
    c.judge(want, call, check, named)


@case("median", "nanmedian")
def median(c):
    a = ordered_input(c)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    judge_order(c, lambda: getattr(np, c.name)(a, **named), lambda: getattr(c.ga, c.name)(a, **named), a, named)


@case("describe")
def describe(c):
    a = ordered_input(c)
    skip, ddof = c.chance(0.4), c.pick(None, None, 1)
    if a.size == 0:
        raise Skip
    got = c.ga.describe(a, skip_nan=skip or None, ddof=ddof)
    x = a[~np.isnan(a)] if skip and a.dtype.kind == "f" else a
    if got[0] != x.size:
        raise Mismatch(f"count: want {x.size}, got {got[0]}")
    nan = "nan" if skip and a.dtype.kind == "f" else ""  # what these return is compared with NumPy's by their own cases
    want = [float(getattr(c.ga, nan + name)(a, **({"ddof": ddof} if name == "std" else {})))
            for name in ("mean", "median", "std", "min", "max")]
    if not equal_bits(want, got[1:]):
        raise Mismatch(f"want {want}, got {got[1:]}")


@case("percentile", "nanpercentile")
def percentile(c):
    a = ordered_input(c)
    q = float(c.pick(0, 25, 50, 75, 100, 33.3, 99.9, 1))
    if c.chance(0.4):  # NumPy's nanpercentile mixes the axes of a 2-D q up
        q = c.g.integers(0, 101, c.pick((1,), (3,), (4,), (2, 3) if c.name == "percentile" else (2,))).astype(float)
    if c.chance(0.02):
        q = c.pick(-1.0, 101.0)
    method = c.r.randrange(5)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    c.note("q, method", (q, METHODS[method]))
    x = a.astype(F64) if a.dtype.kind in "iu" and METHODS[method] in ("linear", "midpoint") else a  # NumPy's integers overflow
    least = attempt(lambda: np.nanmin(a, axis=named["axis"]))
    if c.name == "nanpercentile" and not isinstance(least, Exception) and np.isnan(least).any():
        raise Skip  # of nothing but NaN NumPy changes the dtype
    judge_order(c, lambda: getattr(np, c.name)(x, q, method=METHODS[method], **named),
                lambda: getattr(c.ga, c.name)(a, q, method=method, **named), a, named)


@case("cumsum", "cumprod")
def running(c):
    a = c.array(style="unit" if c.name == "cumprod" else "tame", among=DTYPES + FLOATS * 3)
    named = {"axis": c.axis(a.ndim, several=False)}
    if c.chance(0.15):
        named["dtype"] = c.dtype([d for d in DTYPES if np.can_cast(a.dtype, d, "same_kind") and d != BOOL])
    f, call = getattr(np, c.name), getattr(c.ga, c.name)
    c.note("options", named)
    if c.name == "cumprod" and a.dtype.kind == "c" and a.size > 300:
        raise Skip  # too large
    try:
        y = f(a, **named)
    except ERRORS as e:
        return c.judge(e, lambda: call(a, **named))
    named = {k: v for k, v in named.items() if v is not None}
    if y.dtype.kind not in "fc":
        return put_result(c, call, a, named, y, y.dtype, exact)
    x = a.astype(y.dtype).astype(wide(y.dtype))
    axis = {k: v for k, v in named.items() if k == "axis"}
    want, n = f(x, **axis), a.shape[named["axis"]] if "axis" in named else a.size
    if c.name == "cumsum":
        size = np.cumsum(np.where(np.isfinite(x), np.abs(x), 0), **axis)
    else:
        size = np.where(np.isfinite(want), np.abs(want), 0) * 2
    put_result(c, call, a, named, want, y.dtype, Close(1, (n + 2) * 2.0**-52 * size))


@case("norm")
def norm(c):
    a = c.array(style=c.pick("small", "tame"), among=DTYPES + FLOATS * 4)
    order = c.pick(None, None, 1.0, 2.0, 3.0, 3.5, math.inf, -math.inf, EXACTLY)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    x = np.abs(a.astype(np.clongdouble if a.dtype.kind == "c" else LONG))
    result = a.real.dtype if a.dtype.kind in "fc" else F64
    p = LONG(2 if order is None else 0 if order == EXACTLY else order)
    try:
        if math.isinf(p):
            want = (np.max if p > 0 else np.min)(x, **named)
        elif p == 0:
            want = np.sum(x != 0, **named).astype(LONG)
        else:
            want = np.sum(x**p, **named)**(1 / p)
    except ERRORS as e:
        want = e
    c.judge(want, lambda: c.ga.norm(a, ord=order, **named),
            lambda w, g: Close(2, (a.size + 8) * 2.0**-51 * finite(np.abs(w)))(w, g, result), dict(named, ord=order))


# ---- products --------------------------------------------------------------------------------------------------------

def judge_product(c, f, call, arrays, with_out=True):
    """f(*arrays) by NumPy, call(*arrays) by gpuarr. Floats: within the error of a sum in the dtype of the result."""
    arrays = [finite(a) for a in arrays]
    try:
        y = np.asarray(f(*arrays))
    except ERRORS as e:
        return c.judge(e, lambda: call(*arrays))
    if y.ndim > 8:
        raise Skip
    want, check = y.copy(), exact  # einsum may return a view
    if y.dtype.kind in "fc":
        exactly = [a.astype(y.dtype).astype(wide(y.dtype)) for a in arrays]
        terms = np.asarray(f(*(np.ones(a.shape) for a in arrays)))
        sizes = np.asarray(f(*(np.abs(a) for a in exactly))).real
        want = np.asarray(f(*exactly))
        check = Close(1, 4 * len(arrays) * (terms.max(initial=0) + 3) * np.finfo(y.dtype).eps * sizes)
    same = [a for a in arrays if a.shape == y.shape and a.dtype == y.dtype and a.flags.writeable and 0 not in a.strides]
    if same and with_out and c.chance(0.3):  # one of the operands is the result
        out = c.pick(*same)
        got = expect_success(lambda: call(*arrays, out=out))
        if not np.array_equal(got, out, equal_nan=out.dtype.kind in "fc"):
            raise Mismatch("the array returned is not .out")
        return check(want, got, y.dtype) if isinstance(check, Close) else check(want, got)
    if not with_out:
        return check(want, call(*arrays), y.dtype) if isinstance(check, Close) else check(want, call(*arrays))
    put_result(c, lambda a, **named: call(*a, **named), arrays, {}, want, y.dtype, check)


def factors(c, *shapes):
    dtype = c.dtype(DTYPES + FLOATS * 6)
    return [c.array(dtype if k == 0 or c.chance(0.7) else None, s, "tame", name="ab"[k]) for k, s in enumerate(shapes)]


def length(c):
    """Of an axis: often about the size of a tile, now and then of a block."""
    return c.r.choice((c.r.randint(1, 9), c.r.randint(1, 9), c.r.randint(1, 40), c.pick(1, 8, 16, 17, 32, 33, 64, 65), 0 if c.chance(0.2) else 3))


@case("matmul")
def matmul(c):
    m, k, n = (length(c) for _ in range(3))
    if c.chance(0.1):
        k = c.pick(255, 256, 257, 300, 600)
    if c.chance(0.03):
        n = c.pick(100, 257, 520)
    a, b = c.pick((m, k), (m, k), (k,)), c.pick((k, n), (k, n), (k,))
    if c.chance(0.02):
        a, b = c.pick((a, (k + 1, n)), ((), b), (a, ()), ((k + 2,), b))
    batch = tuple(c.r.randint(1, 4) for _ in range(c.r.choice((0, 0, 1, 1, 2))))
    if len(a) == 2:
        a = c.broadcast(batch) + a
    if len(b) == 2:
        b = c.broadcast(batch) + b
    judge_product(c, np.matmul, c.ga.matmul, factors(c, a, b))


@case("dot", "inner")
def dot(c):
    n = c.r.randint(0, 12)
    one = ((n,), (n,)), ((3, n), (n,)), ((), (n,)), ((n, 2), ()), ((n,), (n + 1,)), ((2, n), (3, n + 1)), ((2, 3, n), (n,))
    if c.name == "dot":
        shapes = c.pick(*one, ((n,), (n, 4)), ((5, n), (n, 2)), ((2, 3, n), (4, n, 2)), ((2, n), (3, n)), ((n,), (2, 3, n, 1)))
    else:
        shapes = c.pick(*one, ((n,), (4, n)), ((5, n), (2, n)), ((2, 3, n), (4, 2, n)), ((2, 3, n), (3, n)))
    if c.chance(0.1):
        shapes = (c.pick(1023, 1024, 3000, 70001),) * 2
        shapes = tuple((k,) for k in shapes)
    judge_product(c, getattr(np, c.name), getattr(c.ga, c.name), factors(c, *shapes))


@case("outer", "vdot")
def outer(c):
    shape = c.shape(c.pick(1, 1, 2), 20)
    other = shape if c.name == "vdot" and c.chance(0.9) else c.shape(c.pick(0, 1, 1, 2), 20)
    judge_product(c, getattr(np, c.name), getattr(c.ga, c.name), factors(c, shape, other), c.name == "outer")


@case("tensordot")
def tensordot(c):
    n = c.r.randint(0, 3)
    summed = [c.r.randint(0 if c.chance(0.03) else 1, 5) for _ in range(n)]
    a, b = ([c.r.randint(1, 5) for _ in range(c.r.randint(0, 3))] for _ in range(2))
    named, axes = {}, n
    if c.chance(0.5):
        a, b = a + summed, summed + b
    else:
        at = [c.r.sample(range(n + len(x)), n) for x in (a, b)]
        shapes = []
        for x, places in zip((a, b), at):
            full, rest = [0] * (n + len(x)), iter(x)
            for k, place in enumerate(places):
                full[place] = summed[k]
            shapes.append([full[d] if d in places else next(rest) for d in range(len(full))])
        a, b = shapes
        axes = [[d - len(x) if c.chance(0.2) else d for d in places] for x, places in zip((a, b), at)]
        named = {"axes_a": tuple(axes[0]), "axes_b": tuple(axes[1])} if n else {}
        axes = axes if n else 0
    if n and c.chance(0.03):
        a[0] += 1
    c.note("axes", axes)
    judge_product(c, lambda x, y: np.tensordot(x, y, axes), lambda x, y, **o: c.ga.tensordot(x, y, n, **named, **o),
                  factors(c, tuple(a), tuple(b)))


@case("einsum_n")
def einsum(c):
    r = c.r
    letters = r.sample("ijklABz", r.randint(1, 5))
    lengths = {x: r.randint(0, 2) if c.chance(0.02) else r.randint(1, 6) for x in letters}
    dots = [r.randint(1, 3) for _ in range(r.choice((0, 0, 0, 1, 2)))]
    terms, shapes = [], []
    for _ in range(r.choice((1, 1, 2, 2, 2, 2, 3, 4))):
        own = [r.choice(letters) for _ in range(r.randint(0, 4))]
        if not c.chance(0.15):
            own = list(dict.fromkeys(own))
        shape = [1 if c.chance(0.04) else lengths[x] + c.chance(0.01) for x in own]
        shape = [shape[own.index(x)] for x in own] if c.chance(0.95) else shape
        if dots and c.chance(0.7):
            at, some = r.randint(0, len(own)), dots[r.randint(0, len(dots)):]
            own.insert(at, "...")
            shape[at:at] = [1 if c.chance(0.2) else k for k in some]
        terms.append(own)
        shapes.append(tuple(shape))
    if sum(map(len, shapes)) > 16:
        raise Skip
    text = ",".join("".join(t) for t in terms)
    used = [x for x in letters if any(x in t for t in terms)]
    if c.chance(0.8):
        result = r.sample(used, r.randint(0, len(used)))
        if any("..." in t for t in terms) and c.chance(0.97):
            result.insert(r.randint(0, len(result)), "...")
        if c.chance(0.02):
            result.append(r.choice("iq"))
        text += "->" + "".join(result)
    if c.chance(0.1):
        text = "".join(x + " " * r.randint(0, 2) if x not in ".-" else x for x in text)
    if c.chance(0.02):
        text = c.pick(text + ",", text.replace("i", "1"), text + "->", text.replace("...", ".."), "," + text, text.replace(",", "", 1))
    if c.chance(0.02) and len(text) > 2:
        shapes[0] = shapes[0] + (2,)
    c.note("subscripts", text)
    dtype = c.dtype(DTYPES + FLOATS * 6)
    arrays = [c.array(dtype if c.chance(0.8) else None, s, "small" if len(shapes) > 2 else "tame", name=f"operand {k}") for k, s in enumerate(shapes)]
    judge_product(c, lambda *x: np.einsum(text, *x), lambda *x, **o: c.ga.einsum_n(text, x, **o), arrays)


# ---- rearranging -----------------------------------------------------------------------------------------------------

def arrays_alike(c, stack):
    shape, dtype, mixed = c.shape()[:7], c.dtype(), c.chance(0.3)
    axis, among = c.r.randrange(max(len(shape), 1)), c.pick(DTYPES, INTS, ORDERED)
    arrays = []
    for _ in range(c.r.randint(1, 4)):
        n = list(shape)
        if not stack and n:
            n[axis] = c.r.randint(0, 4)
        if n and c.chance(0.01):
            n[-1] += 1
        arrays.append(c.array(c.dtype(among) if mixed else dtype, tuple(n)))
    if not shape and not stack or c.chance(0.15) and axis == 0:
        return arrays, {}
    return arrays, {"axis": axis - len(shape) - stack if c.chance(0.3) else axis}


@case("concatenate_n", "stack_n", covers=("concatenate", "stack"))
def join(c):
    stack = c.name == "stack_n"
    arrays, named = arrays_alike(c, stack)
    f, call = np.stack if stack else np.concatenate, getattr(c.ga, c.name)
    if c.chance(0.15):
        named["dtype"] = c.dtype()
    try:
        want = f(arrays, **named)
        if "dtype" in named:
            want = f([saturating(a, want.dtype) for a in arrays], **named)
    except ERRORS as e:
        want = e
    c.judge(want, lambda: call(arrays, **named), named=named)


def same_view(c, want, got, place):
    """The same elements in the same place."""
    exact(want, got)
    if want.base is None:  # NumPy made a scalar
        return
    if want.size and place[0] != address(want):
        raise Mismatch("this is a copy, or another part of the array")
    if want.size and any(s != t for s, t, n in zip(place[1], want.strides, want.shape) if n > 1):
        raise Mismatch(f"strides: want {want.strides}, got {place[1]}")


@case("split", "split_at")
def split(c):
    a = c.array()
    axis = c.r.randrange(-a.ndim, a.ndim) if a.ndim and c.chance(0.7) else None
    named = {} if axis is None else {"axis": axis}
    if c.name == "split":
        divisors = [k for k in range(1, 9) if a.ndim and a.shape[axis or 0] % k == 0] or [1]
        n = c.pick(*divisors) if c.chance(0.9) else c.r.randint(1, 5)
        cuts, call = n, lambda: c.ga.split(a, n, n, **named)
    else:
        cuts = sorted(c.r.randint(-3, 15) for _ in range(c.r.randint(0, 4)))
        call = lambda: c.ga.split_at(a, len(cuts) + 1, (i64 * max(len(cuts), 1))(*cuts), len(cuts) + 1, **named)
    c.note("cuts", cuts)
    try:
        want = np.split(a, cuts, **named)
    except ERRORS as e:
        want = e

    def check(want, got):
        for w, g, place in zip(want, got, c.ga.place, strict=True):
            same_view(c, w, g, place)
    c.judge(want, call, check, named)


@case("roll")
def roll(c):
    a = c.array()
    c.compare(np.roll, c.ga.roll, a, c.r.randint(-9, 9), axis=c.axis(a.ndim, several=False))


@case("repeat")
def repeat(c):
    a = c.array()
    count = -1 if a.size and c.chance(0.05) else c.r.randint(0, 4)
    c.compare(np.repeat, c.ga.repeat, a, count, axis=c.axis(a.ndim, several=False))


@case("tile")
def tile(c):
    a, reps = c.array(shape=c.shape(largest=50)), tuple(c.r.randint(0, 3) for _ in range(c.r.randint(1, 3)))
    c.note("reps", reps)
    c.compare(np.tile, c.ga.tile, a, reps)


@case("pad")
def pad(c):
    a, mode = c.array(shape=c.shape(c.r.randint(1, 3), 100)), c.r.randrange(5)
    if a.size > 3000:
        raise Skip
    each, named = c.chance(0.6), {"mode": mode}
    before = tuple(c.r.randint(0, 5) for _ in range(a.ndim if each else 1))
    after = tuple(c.r.randint(0, 5) for _ in range(len(before))) if c.chance(0.5) else None
    value = float(c.r.randint(0, 9)) if mode == 0 and c.chance(0.5) else None
    widths = [(x, y) for x, y in zip(before, after or before)]
    c.note("before, after, mode", (before, after, mode))
    name = ["constant", "edge", "reflect", "symmetric", "wrap"][mode]
    try:
        want = np.pad(a, widths, name, **({"constant_values": value or 0} if mode == 0 else {}))
    except ERRORS as e:
        want = e
    c.judge(want, lambda: c.ga.pad(a, before, after=after, value=value, **named))


@case("sort", "argsort")
def sort(c):
    a = c.array(shape=c.shape(c.pick(1, 1, 2, 2, 3)), style=c.pick("small", "any"))
    axis = c.axis(a.ndim, several=False)
    f = getattr(np, c.name)
    want = attempt(lambda: f(a, axis=-1 if axis is None else axis, kind="stable"))
    c.judge(want, lambda: getattr(c.ga, c.name)(a, axis=axis), named={"axis": axis})


def attempt(call):
    try:
        return call()
    except ERRORS as e:
        return e


@case("unique")
def unique(c):
    a = c.array(style=c.pick("small", "any"))
    if a.dtype.kind == "c":
        a = finite(a)
    wanted = {k: True for k in ("index", "inverse", "counts") if c.chance(0.4)}
    c.note("wanted", wanted)
    want = np.unique(a, **{"return_" + k: True for k in wanted})
    want = list(want) if wanted else [want]
    if "inverse" in wanted:
        k = 1 + ("index" in wanted)
        want[k] = want[k].reshape(a.shape)

    def check(want, got):
        for w, g in zip(want, got if wanted else [got], strict=True):
            values_only(w, g)
    c.judge(want, lambda: c.ga.unique(a, **wanted), check)


@case("nonzero")
def nonzero(c):
    a = c.array(style=c.pick("small", "any"))
    c.judge(attempt(lambda: np.stack(np.nonzero(a))), lambda: c.ga.nonzero(a))


@case("compress")
def compress(c):
    a = c.array()
    axis = c.axis(a.ndim, several=False)
    n = (a.size if axis is None else a.shape[axis] if -a.ndim <= axis < a.ndim else 3) + c.pick(0, 0, 0, -1, 1 if a.size else 0)
    condition = c.array(c.pick(BOOL, BOOL, I64), (max(n, 0),), "small", name="condition")
    c.compare(np.compress, c.ga.compress, condition, a, axis=axis)


@case("extract")
def extract(c):
    a = c.array()
    condition = c.array(c.pick(BOOL, F64), a.shape, "small", name="condition")
    c.compare(np.extract, c.ga.extract, condition, a)


@case("take")
def take(c):
    a, mode = c.array(), c.r.randrange(3)
    axis = c.axis(a.ndim, several=False)
    n = a.size if axis is None else a.shape[axis] if -a.ndim <= axis < a.ndim else 1
    beyond = c.chance(0.1) or mode > 0
    dtype = c.pick(I64, I64, np.dtype("i4"), np.dtype("i1"), np.dtype("u2"))
    low, high = (-n - 2, n + 2) if beyond else (-n, n - 1)
    low, high = (max(low, np.iinfo(dtype).min), min(high, np.iinfo(dtype).max))
    if high < low or a.size == 0:  # NumPy does not look at the indices then
        raise Skip
    indices = c.g.integers(low, high, c.shape(largest=50)[:3], endpoint=True).astype(dtype)
    c.note("indices, mode", (indices.tolist(), mode))
    want = attempt(lambda: np.take(a, indices, axis=axis, mode=("raise", "wrap", "clip")[mode]))
    if isinstance(want, np.ndarray) and want.ndim > 8:
        raise Skip
    c.judge(want, lambda: c.ga.take(a, indices, axis=axis, mode=mode), named={"axis": axis})


@case("histogram")
def histogram(c):
    a = c.array(style=c.pick("small", "tame", "tame"), among=REALS + FLOATS * 4)
    bins, named = c.r.randint(1, 12), {}
    limits = sorted((c.r.randint(-9, 5) / 2, c.r.randint(-3, 9) / 2)) if c.chance(0.5) else None
    if limits and limits[0] == limits[1]:
        limits = None
    weights = c.array(c.pick(F64, F64, F32, I64), a.shape, "unit", name="weights") if c.chance(0.3) else None
    density, edges = c.chance(0.2), c.chance(0.5)
    c.note("bins, range, density", (bins, limits, density))
    want = attempt(lambda: np.histogram(a, bins, limits, False, weights if weights is None else weights.astype(F64)))
    if density and not isinstance(want, Exception):  # NumPy takes the widths of the bins of float32 in float32
        want = want[0] / np.diff(want[1]).astype(F64) / want[0].sum(), want[1]
    if limits:
        named.update(low=limits[0], high=limits[1])
    named.update(weights=weights, density=density or None, edges=edges or None)

    def check(want, got):
        counts, places = want
        if edges:
            got, where = got
            exact(places.astype(F64), where)
        if weights is None and not density:
            return exact(counts, got)
        counts, slack = counts.astype(F64), 4 * a.size * 2.0**-52
        if weights is not None:  # sums of numbers of both signs
            size = np.abs(weights.astype(F64)).sum()
            if density:
                inside, _ = np.histogram(a, bins, limits, False, weights.astype(F64))
                size = size / max(abs(inside.sum()), 1e-300) * (np.abs(counts) + 1 / np.diff(places))
            slack = slack * size
        Close(2, finite(np.asarray(slack + 0 * counts)))(counts, got, F64)
    c.judge(want, lambda: c.ga.histogram(a, bins, **named), check)


@case("bincount")
def bincount(c):
    a = c.array(c.dtype([d for d in INTS if d != np.uint64]), (c.pick(0, 1, 5, 20, 100),), "small")
    if c.chance(0.9) and a.dtype.kind == "i":
        a = np.abs(a)
        c.note("a", a)
    weights = c.array(c.pick(F64, F32, I64), a.shape, "unit", name="weights") if c.chance(0.4) else None
    least = c.r.randint(0, 15)
    c.judge(attempt(lambda: np.bincount(a, weights, least)), lambda: c.ga.bincount(a, weights=weights, minlength=least),
            exact if weights is None else lambda w, g: Close(2, 4 * a.size * 2.0**-52)(w, g, F64), {"minlength": least})


# ---- views -----------------------------------------------------------------------------------------------------------

def judge_view(c, want, call, named=None):
    def check(want, got):
        same_view(c, want, got, c.ga.place)
    c.judge(want, call, check, named)


@case("index")
def index(c):
    a, r, items, keys, given = c.array(), c.r, [], [], []
    axes = list(range(a.ndim))
    ellipsis = r.random() < 0.25
    count = r.randint(0, a.ndim)
    places = axes[:count] if not ellipsis else axes[:r.randint(0, count)]
    back = axes[len(places) + a.ndim - count:] if ellipsis else []

    def number(k):
        if r.random() < 0.2:
            given.append(k)
            return "%d"
        return str(k)

    def item(n):
        how = r.random()
        if how < 0.25 and n:
            k = r.randrange(-n, n) if r.random() < 0.98 else n
            items.append(number(k))
            keys.append(k)
            return
        if how < 0.35:
            items.append(":")
            keys.append(slice(None))
            return
        start, stop = (r.randint(-n - 2, n + 2) if r.random() < 0.6 else None for _ in range(2))
        step = r.choice((1, 2, 3, -1, -2)) if r.random() < 0.5 else None
        text = ("" if start is None else number(start)) + ":" + ("" if stop is None else number(stop))
        items.append(text + ("" if step is None else ":" + number(step)))
        keys.append(slice(start, stop, step))

    def new():
        if r.random() < 0.1:
            items.append(r.choice(("newaxis", "None")))
            keys.append(None)
    for d in places:
        new()
        item(a.shape[d])
    if ellipsis:
        items.append("...")
        keys.append(Ellipsis)
    for d in back:
        item(a.shape[d])
        new()
    if not items:
        items, keys = ["..."], [Ellipsis]
    spaced = r.choice((", ", ",", " , ")).join(items)
    c.note("index", (spaced, given))
    want = attempt(lambda: a[tuple(keys) + (() if Ellipsis in keys else (Ellipsis,))])
    if isinstance(want, np.ndarray) and want.ndim > 8:
        raise Skip
    judge_view(c, want, lambda: c.ga.index(a, spaced, *given))


@case("view", "ravel", "flatten", "fliplr", "flipud")
def plain_view(c):
    a = c.array()
    want = attempt({"view": a.view, "ravel": a.ravel, "flatten": a.flatten}.get(c.name) or (lambda: getattr(np, c.name)(a)))
    copied = isinstance(want, Exception) or not np.may_share_memory(want, a)
    (Case.judge if copied else judge_view)(c, want, lambda: getattr(c.ga, c.name)(a))


@case("reshape")
def reshape(c):
    a = c.array(shape=c.pick((12,), (3, 4), (2, 2, 3), (24, 1), (2, 3, 4), (1,), (), (0, 3), (60,), (5, 12)))
    n, shape = a.size, []
    while n > 1 and len(shape) < 5:
        k = c.pick(*[k for k in (1, 2, 3, 4, 5, n) if n % k == 0])
        shape.append(k)
        n //= k
    if n > 1:
        shape.append(n)
    if a.size == 0:
        shape = c.pick([0], [3, 0], [0, 5, 2], [2], [-1, 3])
    if shape and c.chance(0.4):
        shape[c.r.randrange(len(shape))] = -1
    if shape and c.chance(0.03):
        shape[0] += 1
    c.note("shape", shape)
    want = attempt(lambda: a.reshape(shape))
    view = isinstance(want, np.ndarray) and np.may_share_memory(want, a)
    (judge_view if view else Case.judge)(c, want, lambda: c.ga.reshape(a, tuple(shape)))


@case("transpose")
def transpose(c):
    a = c.array()
    axes = tuple(c.r.sample(range(a.ndim), a.ndim)) if a.ndim and c.chance(0.6) else None
    if axes and c.chance(0.3):
        axes = tuple(k - a.ndim if c.chance(0.5) else k for k in axes)
    if axes and c.chance(0.05):
        axes = axes[:-1] or (7,)
    judge_view(c, attempt(lambda: np.transpose(a, axes)), lambda: c.ga.transpose(a, axis=axes), {"axes": axes})


@case("swapaxes", "moveaxis")
def two_axes(c):
    a = c.array()
    i, j = (c.r.randint(-a.ndim - c.chance(0.05), max(a.ndim - 1 + c.chance(0.05), 0)) for _ in range(2))
    judge_view(c, attempt(lambda: getattr(np, c.name)(a, i, j)), lambda: getattr(c.ga, c.name)(a, i, j), {"axes": (i, j)})


@case("squeeze", "flip")
def axes_views(c):
    shape = tuple(1 if c.chance(0.5 if c.name == "squeeze" else 0) else n for n in c.shape())
    a = c.array(shape=shape)
    axis = c.axis(a.ndim, given=0.6)
    if c.name == "squeeze" and isinstance(axis, int) and c.chance(0.7) and 1 in shape:
        axis = shape.index(1)
    judge_view(c, attempt(lambda: getattr(np, c.name)(a, axis)), lambda: getattr(c.ga, c.name)(a, axis=axis), {"axis": axis})


@case("expand_dims")
def expand_dims(c):
    a = c.array(shape=c.shape()[:6])
    axis = c.r.randint(-a.ndim - 2, a.ndim + 1)
    judge_view(c, attempt(lambda: np.expand_dims(a, axis)), lambda: c.ga.expand_dims(a, axis), {"axis": axis})


@case("broadcast_to")
def broadcast_to(c):
    shape = c.shape()
    a = c.array(shape=c.broadcast(shape))
    judge_view(c, attempt(lambda: np.broadcast_to(a, shape)), lambda: c.ga.broadcast_to(a, shape), {"shape": shape})


@case("diagonal")
def diagonal(c):
    a, k = c.array(), c.r.randint(-5, 5)
    judge_view(c, attempt(lambda: np.diagonal(a, k)), lambda: c.ga.diagonal(a, k), {"offset": k})


@case("rot90")
def rot90(c):
    a, k = c.array(), c.r.randint(-5, 5)
    judge_view(c, attempt(lambda: np.rot90(a, k)), lambda: c.ga.rot90(a, k), {"k": k})


@case("view_as")
def view_as(c):
    a, dtype = c.array(), c.dtype([d for d in DTYPES if d != BOOL])
    want = attempt(lambda: a.view(dtype))
    if isinstance(want, np.ndarray) and any(n % dtype.alignment for n in (address(want), *want.strides)):
        raise Skip  # gpuarr refuses what is not aligned
    judge_view(c, want, lambda: c.ga.view_as(a, dtype), {"dtype": dtype})


@case("is_contiguous", "same_shape", "may_share_memory", covers=())
def about(c):
    a = c.array()
    b = a[tuple(slice(None, None, 2) for _ in a.shape)] if c.chance(0.5) else c.array(shape=c.pick(a.shape, c.shape()))
    if c.name == "is_contiguous":
        c.judge(a.flags.c_contiguous, lambda: c.ga.is_contiguous(a), same_bool)
    elif c.name == "same_shape":
        c.judge(a.shape == b.shape, lambda: c.ga.same_shape(a, b), same_bool)
    elif not (np.may_share_memory(a, b) and not np.shares_memory(a, b)):
        c.judge(np.may_share_memory(a, b), lambda: c.ga.may_share_memory(a, b), same_bool)


@case("dtype_name", "itemsize", "promote", "can_cast")
def dtypes(c):
    a, b = c.dtype(), c.dtype()
    want = {"dtype_name": a.name.encode(), "itemsize": a.itemsize, "promote": np.promote_types(a, b),
            "can_cast": np.can_cast(a, b)}[c.name]
    got = getattr(c.ga, c.name)(*((a, b) if c.name in ("promote", "can_cast") else (a,)))
    if got != want:
        raise Mismatch(f"{a}, {b}: want {want}, got {got}")


@case("item", "item_int", "item_at", "item_int_at")
def item(c):
    is_int, indexed = "int" in c.name, c.name.endswith("at")
    a = c.array(shape=None if indexed else c.pick((), (1,), (1, 1)), among=INTS if is_int else ORDERED)
    at = tuple(c.r.randrange(-n, n) if n else 0 for n in a.shape)
    c.note("at", at)
    call = lambda: getattr(c.ga, c.name)(*((a, at) if indexed else (a,)))
    want = attempt(lambda: (a[at] if indexed else a.reshape(())[()]).astype(I64 if is_int else F64))
    c.judge(want, call, lambda w, g: exact(w, np.asarray(g, w.dtype)))


# ---- creation --------------------------------------------------------------------------------------------------------

def fits_exactly(v, dtype):
    """Would NumPy wrap or warn where gpuarr refuses?"""
    if isinstance(v, complex):
        return dtype.kind == "c"
    if isinstance(v, float) and dtype.kind in "iu":
        return math.isfinite(v) and np.iinfo(dtype).min <= math.trunc(v) <= np.iinfo(dtype).max and abs(v) < 2**53
    return dtype != BOOL or type(v) is not int or v < 2**63


@case("zeros", "ones", "zeros_n", "full", "full_like", "zeros_like", "ones_like", "scalar")
def filled(c):
    shape, dtype = c.shape(), c.dtype() if c.chance(0.6) else None
    v, like = c.number(), c.array(shape=shape)
    named = {"dtype": dtype}
    if "full" in c.name or c.name == "scalar":
        if not fits_exactly(v, dtype or (like.dtype if c.name == "full_like" else np.dtype(C128))):
            raise Skip
    if not NUMPY2:
        raise Skip
    want = attempt({"zeros": lambda: np.zeros(shape, dtype or F64), "ones": lambda: np.ones(shape, dtype or F64),
                    "zeros_n": lambda: np.zeros(shape, dtype or F64), "full": lambda: np.full(shape, v, dtype),
                    "scalar": lambda: np.full((), v, dtype)}.get(c.name)
                   or (lambda: getattr(np, c.name)(like, *((v,) if c.name == "full_like" else ()), dtype=dtype)))
    given = {"zeros": (shape,), "ones": (shape,), "zeros_n": (len(shape), Eight(*shape)), "full": (shape, v),
             "full_like": (like, v), "scalar": (v,)}.get(c.name, (like,))
    c.judge(want, lambda: getattr(c.ga, c.name)(*given, **named), named=named)


@case("arange")
def arange(c):
    real, r = c.chance(0.5), c.r
    numbers = [r.randint(-20, 20), r.randint(-20, 40), r.choice((1, 1, 2, 3, -1, -2, 7))]
    if real:
        numbers = [n / r.choice((1, 2, 10, 3)) if r.random() < 0.7 else n for n in numbers]
    if c.chance(0.02):
        numbers[2] = 0
    dtype = c.dtype(FLOATS + INTS) if c.chance(0.3) else None
    c.note("start, stop, step, dtype", (numbers, dtype))
    lossy = any(isinstance(n, float) for n in numbers) or min(numbers) < 0 and dtype in INTS and dtype.kind == "u"
    if dtype in INTS and lossy:
        raise Skip
    want = attempt(lambda: np.arange(*numbers, dtype=dtype))
    if isinstance(want, np.ndarray) and want.dtype == F32:
        return c.judge(want, lambda: c.ga.arange(*numbers, dtype=dtype),
                       lambda w, g: Close(2, max(w.size, 1) * 1e-6)(w.astype(F64), g, F32))
    c.judge(want, lambda: c.ga.arange(*numbers, dtype=dtype))


@case("linspace", "logspace")
def linspace(c):
    large = 1e10 if c.name == "linspace" else 2
    start, stop = (c.r.choice((c.r.randint(-10, 10), c.r.uniform(-10, 10), 0.1, large)) for _ in range(2))
    num, end = c.r.choice((0, 1, 2, 3, 5, 50, 101, -1)), c.chance(0.7)
    dtype = c.dtype(FLOATS + INTS) if c.chance(0.3) else None
    if dtype is not None and dtype.kind in "iu":
        if c.name == "logspace" or dtype.kind == "u" and min(start, stop) < 0 or max(abs(start), abs(stop)) > 100:
            raise Skip
    base = c.pick(2.0, 10.0, math.e) if c.name == "logspace" and c.chance(0.4) else None
    c.note("start, stop, num, endpoint, dtype, base", (start, stop, num, end, dtype, base))
    more = {} if base is None else {"base": base}
    want = attempt(lambda: getattr(np, c.name)(start, stop, num, endpoint=end, dtype=dtype, **more))
    c.judge(want, lambda: getattr(c.ga, c.name)(start, stop, num, no_endpoint=not end, dtype=dtype, **more),
            exact if c.name == "linspace" else lambda w, g: Close(4)(w.astype(wide(w.dtype)), g, w.dtype))


@case("eye")
def eye(c):
    rows, cols, k, dtype = c.r.randint(0, 8), c.r.randint(1, 8), c.r.randint(-9, 9), c.dtype()
    c.note("rows, cols, k, dtype", (rows, cols, k, dtype))
    c.judge(np.eye(rows, cols, k, dtype), lambda: c.ga.eye(rows, cols, k, dtype=dtype))


@case("meshgrid", "meshgrid_n")
def meshgrid(c):
    arrays = [c.array(shape=(c.r.randint(0, 6),)) for _ in range(2 if c.name == "meshgrid" else c.r.randint(1, 4))]
    ij = c.chance(0.5)
    want = np.meshgrid(*arrays, indexing="ij" if ij else "xy")

    def check(want, got):
        for w, g in zip(want, got, strict=True):
            exact(w, g)
    given = (*arrays, 1, 1, ij) if c.name == "meshgrid" else (arrays, len(arrays), ij)
    c.judge(list(want), lambda: getattr(c.ga, c.name)(*given), check, {"ij": ij})


@case("indices")
def indices(c):
    shape, dtype = c.shape(largest=50)[:6], c.dtype(INTS + FLOATS) if c.chance(0.4) else None
    c.note("shape", shape)
    c.judge(np.indices(shape, dtype=dtype or I64), lambda: c.ga.indices(shape, dtype=dtype), named={"dtype": dtype})


@case("mgrid")
def mgrid(c):
    slices, texts, r = [], [], c.r
    for _ in range(r.randint(1, 3)):
        start, stop = r.choice((None, 0, 1, -2, 0.5)), r.choice((3, 5, 7, 2.5))
        step = r.choice((None, None, 1, 2, 0.5, 0.1, 5j, 1j))
        slices.append(slice(start, stop, step))
        written = "" if step is None else f":{int(step.imag)}j" if isinstance(step, complex) else f":{step}"
        texts.append(f"{'' if start is None else start}:{stop}{written}")
    c.note("slices", ", ".join(texts))
    want = np.mgrid[tuple(slices)] if len(slices) > 1 else np.mgrid[slices[0]]
    c.judge(want, lambda: c.ga.mgrid(", ".join(texts)))


@case("random", "random_integers", "random_normal")
def random_numbers(c):
    """Philox itself is checked elsewhere; here shape, dtype, range, and that the same seed gives the same numbers."""
    shape, seed = c.shape(), c.r.getrandbits(64)
    low = c.r.randint(-100, 100)
    high = low + c.r.randint(1, 50)
    given = {"random": (shape,), "random_integers": (low, high, shape), "random_normal": (0.0, 1.0, shape)}[c.name]
    dtype = c.dtype(FLOATS) if c.name != "random_integers" else I64
    one, two = (getattr(c.ga, c.name)(*given, dtype=dtype, seed=seed) for _ in range(2))
    exact(one, two)
    same_form(np.empty(shape, dtype), one)
    bottom, top = {"random": (0, 1), "random_integers": (low, high), "random_normal": (-40, 40)}[c.name]
    if not ((one >= bottom) & (one < top)).all():
        raise Mismatch(f"not all numbers lie in [{bottom}, {top})")


# ---- files and text --------------------------------------------------------------------------------------------------

SCRATCH = None


def scratch(name):
    global SCRATCH
    if SCRATCH is None:
        SCRATCH = tempfile.TemporaryDirectory(prefix="oracle")
    return os.path.join(SCRATCH.name, name)


@case("save", "load", "savez", "load_from")
def files(c):
    a, path = c.array(), scratch("a.npy" if "z" not in c.name and c.name != "load_from" else "a.npz")
    if c.name == "save":
        def run():
            c.ga.save(path, a)
            return np.load(path)
        c.judge(a, run)
    elif c.name == "load":
        np.save(path, a.copy(order=c.pick("C", "F")))
        c.judge(a, lambda: c.ga.load(path))
    elif c.name == "savez":
        b = c.array()

        def run():
            c.ga.savez(path, 2, (text * 2)(b"first", b"second"), [a, b])
            with np.load(path) as z:
                exact(b, z["second"])
                return z["first"]
        c.judge(a, run)
    else:
        np.savez(path, other=np.arange(3), a=a)
        c.judge(a, lambda: c.ga.load_from(path, "a"))


@case("to_string")
def to_string(c):
    a, named = c.array(shape=c.shape(largest=100)), {}
    if c.chance(0.4):
        some = {"precision": c.r.randint(1, 12), "threshold": c.pick(5, 50), "edgeitems": c.r.randint(1, 4),
                "linewidth": c.pick(40, 100), "suppress": True}
        named = {k: v for k, v in some.items() if c.chance(0.5)}
    full = c.chance(0.4)
    settings = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False)
    settings.update(named)
    if a.dtype.kind == "c" and c.chance(0.9):
        raise Skip
    with np.printoptions(**settings):
        want = repr(a) if full else str(a)
    if full:
        named["repr"] = True
    try:
        got = c.ga.to_string(a, **named)
    except GaError as e:
        raise Mismatch(str(e)) from None
    c.note("options", named)
    if got != want:
        raise Mismatch(f"want\n{want}\ngot\n{got}")


# ---- images ----------------------------------------------------------------------------------------------------------

def ndimage():
    try:
        from scipy import ndimage
        return ndimage
    except ImportError:
        raise Skip from None


def first_seen(labels):
    """Labels numbered anew, in the order in which they are first seen."""
    values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(np.where(values == 0, -1, first))
    number = np.empty(len(values), int)
    number[order] = np.arange(len(values)) + (0 if 0 in values else 1)
    return number[inverse].reshape(labels.shape)


def picture(c, among, style):
    """An image with rows that end around 64, 128 ... elements or are very long, and objects as dense as they come."""
    columns = c.pick(1, 2, 31, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000, 33000 if c.chance(0.1) else 256)
    rows = c.pick((), (1,), (2,), (3,), (40,), (3, 4), (2, 3, 2)) if columns < 1000 else c.pick((), (3,))
    a = c.array(shape=rows + (columns,), among=among, style=style)
    return np.where(c.g.random(a.shape) < c.pick(0.02, 0.2, 0.5, 0.6, 0.9, 1), a, a.dtype.type(0))


@case("label")
def label(c):
    style = c.pick("small", "small", "tame")
    a = c.array(shape=c.shape(c.pick(1, 2, 2, 2, 3)), among=[BOOL] * 5 + DTYPES, style=style) if c.chance(0.5) else \
        picture(c, [BOOL] * 5 + DTYPES, style)
    connectivity = c.pick(None, 1, 2, 3)
    dtype = c.dtype(INTS[4:]) if c.chance(0.3) else None
    above = c.pick(0.0, -0.0, 0.5, -3.0, 2.0, 1e-320, 0.1, np.inf, -np.inf, np.nan, 1e300) if c.chance(0.3) else None
    mask = a != 0 if above is None else a.astype(F64) > (above if a.dtype != F32 else F64.type(F32.type(above)))
    labels, n = ndimage().label(mask, ndimage().generate_binary_structure(a.ndim, connectivity or 1))
    count = i64(-1)
    c.note("connectivity, dtype, above", (connectivity, dtype, above))
    if above is not None and a.dtype.kind == "c":
        return c.judge(TypeError("complex numbers have no order"), lambda: c.ga.label(a, above=above))
    got = c.ga.label(a, connectivity=connectivity, dtype=dtype, count=count, above=above)
    exact(first_seen(labels).astype(dtype or np.int32), got)
    if count.value != n:
        raise Mismatch(f"count: want {n}, got {count.value}")


@case("sum_labels", "mean_labels", "min_labels", "max_labels", "size_labels", "center_of_mass")
def measures(c):
    shape = c.shape(c.pick(1, 2, 2, 3)) if c.chance(0.8) else c.pick((50, 129), (3, 30, 64), (20000,))
    a = finite(c.array(shape=shape, among=ORDERED[1:] + FLOATS * 3, style=c.pick("small", "tame")))
    labels = c.g.integers(0, 6, shape) * (c.g.random(shape) < c.pick(0.05, 1))
    if shape and shape[-1] > 1 and c.chance(0.5):  # long runs, beyond the ends of rows
        labels = np.repeat(labels.ravel(), 40)[:labels.size].reshape(shape)
    labels = c.view(labels.astype(c.dtype([BOOL, np.dtype("i1"), np.dtype("u2"), np.dtype("i4"), I64, np.dtype("u1"), F32, F64])))
    index = c.g.integers(0, 9, c.r.randint(1, 6)).astype(c.pick(np.int32, np.int64)) if c.chance(0.5) else None
    c.note("labels", labels)
    c.note("index", index)
    wanted = index if index is not None else np.arange(1, (int(labels.max()) if labels.size else 0) + 1)
    x = a.astype(LONG)
    if c.name == "size_labels":
        want = np.array([np.count_nonzero(labels == k) for k in wanted], I64)
        return c.judge(want, lambda: c.ga.size_labels(labels, index))
    if c.name == "center_of_mass":
        whole = c.chance(0.2)
        masks = [np.ones(shape, bool)] if whole else [labels == k for k in wanted]
        grid = np.indices(shape)
        form = (len(masks), len(shape))
        total = np.array([[x[m].sum()] for m in masks], LONG).reshape(-1, 1)
        scale = np.where(total == 0, np.inf, np.abs(total))
        want = np.array([[(x * g)[m].sum() for g in grid] for m in masks], LONG).reshape(form) / total
        size = np.array([[np.abs(x * g)[m].sum() for g in grid] for m in masks], LONG).reshape(form) / scale
        spread = np.array([[np.abs(x)[m].sum()] for m in masks], LONG).reshape(-1, 1) / scale
        if whole:
            labels = index = None
        slack = a.size * 2.0**-50 * (size + spread * finite(np.abs(want)))
        lost = ~np.isfinite(want)  # over 0: NaN or infinite, as rounding has it

        def check(w, g):
            Close(2, slack)(np.where(lost, 0, w), np.where(lost & (~np.isfinite(g) | (np.abs(g) > 1e10)), 0, g), F64)
        if c.chance(0.5):
            return c.judge(want, lambda: c.ga.center_of_mass(a, labels, index), check)
        centers, sums = c.ga.center_of_mass(a, labels, index, sums=True)
        check(want, centers)
        exact(c.ga.sum(a, dtype=F64).reshape(1) if whole else c.ga.sum_labels(a, labels, index), sums)
        return None
    chosen = [x[labels == k] for k in wanted]
    f = {"sum_labels": np.sum, "mean_labels": np.mean, "min_labels": np.min, "max_labels": np.max}[c.name]
    want = np.array([f(v) if v.size else np.nan if f is np.mean else 0 for v in chosen], LONG)
    slack = 0 if f in (np.min, np.max) else np.array([(v.size + 2) * 2.0**-52 * np.abs(v).sum() for v in chosen], LONG)
    c.judge(want, lambda: getattr(c.ga, c.name)(a, labels, index), lambda w, g: Close(1, slack)(w, g, F64))


# ---- distances -------------------------------------------------------------------------------------------------------

METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine")


def spatial_distance():
    try:
        from scipy.spatial import distance
        return distance
    except ImportError:
        raise Skip from None


@case("cdist", "pdist")
def distances(c):
    among = ORDERED + FLOATS * 8
    n, m, f = (c.pick(0, 1, 2, 3, 5, 8, 9, 16, 17, 31, 33, 40, 65) if c.chance(0.9) else c.pick(100, 130) for _ in range(3))
    f = f if c.chance(0.9) else c.pick(200, 257, 1030)
    x = c.array(c.dtype(among + COMPLEX if c.chance(0.03) else among), (n, f), c.pick("tame", "small", "unit"), name="x")
    wrong = c.chance(0.03)
    if wrong:
        x = c.array(F64, c.pick((n,), (n, f, 1), (n, f + 1)), "small", name="x")
    y = c.array(c.dtype(among), (m, f), c.pick("tame", "small", "unit"), name="y") if c.name == "cdist" else x
    metric = c.r.randrange(len(METRICS))
    named = {"metric": metric}
    call = (lambda a, **rest: c.ga.cdist(a, y, **rest)) if c.name == "cdist" else c.ga.pdist
    if x.dtype.kind == "c" or (wrong and not (c.name == "pdist" and x.ndim == 2)):
        return c.judge(ValueError("shape or dtype"), lambda: call(x, **named), named=named)
    c.note("metric", METRICS[metric])
    result = F32 if np.promote_types(x.dtype, y.dtype) == F32 else F64
    u, v = x.astype(F64), y.astype(F64)
    if METRICS[metric] == "chebyshev":  # SciPy passes over NaN
        want = np.abs(u[:, None, :] - v[None, :, :]).max(axis=2, initial=0)
        want = want if c.name == "cdist" else want[np.triu_indices(len(want), 1)]
    elif c.name == "cdist":
        want = spatial_distance().cdist(u, v, METRICS[metric])
    else:
        want = spatial_distance().pdist(u, METRICS[metric])
    size = np.where(np.isfinite(want), want, 0) if METRICS[metric] != "cosine" else 2.0
    slack = (x.shape[1] + 6) * np.finfo(result).eps * size + np.finfo(result).tiny
    put_result(c, call, x, named, want.astype(LONG), result, Close(4, slack))


@case("squareform")
def squareform(c):
    n, no_checks = c.pick(0, 1, 2, 3, 5, 31, 32, 33, 40), c.chance(0.1)
    how = c.r.random()
    if how < 0.4:
        a = c.array(shape=(max(n * (n - 1) // 2 + (c.chance(0.1) and c.pick(-1, 1)), 0),), style="any")
    elif how < 0.45:
        a = c.array(shape=c.pick((n, n + 1), (2, 2, 2)), style="small")
    else:
        a = c.array(shape=(n, n), style="small", repeat=False)
        if c.chance(0.85):
            a = np.triu(a, 1) + np.triu(a, 1).T  # distances
            if n and c.chance(0.15):
                i, j = c.r.randrange(n), c.r.randrange(n)
                a[i, j] = a[i, j] == 0
        c.note("matrix", a)
    c.compare(lambda v, no_checks: spatial_distance().squareform(v, checks=not no_checks), c.ga.squareform, a, no_checks=no_checks)


LESSON, ASTROPY = 0, 1


def clip_sigmas(x, rule, low_sigma, high_sigma, maxiters, mean):
    """What is left, the bounds of the last round, the rounds, and how close an element came to a bound."""
    x = x[np.isfinite(x)].astype(F64)
    kept, rounds, nearest, bounds = np.arange(x.size), 0, np.inf, (np.nan, np.nan)
    while maxiters < 0 or rounds < maxiters:
        v = x[kept]
        center, std = (np.mean(v) if mean else np.median(v), np.std(v)) if v.size else (np.nan, np.nan)
        bounds = center - low_sigma * std, center + high_sigma * std
        scale = max(abs(bounds[0]), abs(bounds[1]), 1e-300)
        if mean and std <= 1e-12 * abs(center):  # the mean of equal numbers may be rounded
            nearest = 0
        if v.size and std > 0:
            nearest = min(nearest, np.abs(v - bounds[0]).min() / scale, np.abs(v - bounds[1]).min() / scale)
        inside = (v > bounds[0]) & (v < bounds[1]) if rule == LESSON else (v >= bounds[0]) & (v <= bounds[1])
        rounds += 1
        kept = kept[inside]
        if inside.all() or not kept.size:
            break
    if rule == ASTROPY:  # what lies within the last bounds, also if it was rejected before
        kept = np.flatnonzero((x >= bounds[0]) & (x <= bounds[1]))
    return kept, bounds, rounds, nearest


@case("sigma_clip")
def sigma_clip(c):
    large = c.chance(0.04)
    shape = c.pick((70000,), (300, 301)) if large else c.shape(c.pick(1, 1, 2))
    a = c.array(shape=shape, style=c.pick("tame", "tame", "small"), among=REALS + FLOATS * 5)
    if a.size == 0 and not c.chance(0.1):
        raise Skip
    if large and c.chance(0.7):  # a sky: noise, and some bright elements
        a = c.g.standard_normal(shape) * c.pick(1, 5, 100) + c.pick(0, 3, 1e5)
        a = c.view((a + np.where(c.g.random(shape) < c.pick(0, 0.01, 0.3), c.g.standard_exponential(shape) * 300, 0)).astype(
            c.dtype(FLOATS + INTS)))
    rule, mean = c.pick(LESSON, ASTROPY), c.chance(0.3)
    sigma = c.pick(None, 1.0, 1.5, 2.0, 3.0)
    low, high = (c.pick(1.0, 2.5) if c.chance(0.2) else None for _ in range(2))
    maxiters = c.pick(None, -1, 1, 2) if rule == ASTROPY else None
    named = {"rule": rule, "sigma": sigma, "sigma_low": low, "sigma_high": high, "maxiters": maxiters, "mean": mean or None}
    x = a.ravel()
    most = -1 if rule == LESSON else maxiters or 5
    kept, bounds, rounds, nearest = clip_sigmas(x, rule, low or sigma or 3, high or sigma or 3, most, mean)
    if nearest < 1e-12:
        raise Skip  # on a bound: rounding decides
    x = x[np.isfinite(x)]
    passes, at_low, at_high = i32(), f64(), f64()
    c.note("options", named)
    try:
        got, mask = c.ga.sigma_clip(a, mask=True, passes=passes, low=at_low, high=at_high, **named)
    except GaError as e:
        raise Mismatch(str(e)) from None
    exact(x[kept], got)
    flat = np.ones(x.size, bool)
    flat[kept] = False
    want = np.ones(a.size, bool)
    want[np.isfinite(a.ravel())] = flat
    exact(want.reshape(a.shape), mask)
    if x.size and len(kept) and not np.allclose([at_low.value, at_high.value], bounds, 1e-12, 1e-12):
        raise Mismatch(f"bounds: want {bounds}, got {(at_low.value, at_high.value)}")
    if x.size and len(kept) and passes.value != rounds:
        raise Mismatch(f"passes: want {rounds}, got {passes.value}")


# ---- convolution -----------------------------------------------------------------------------------------------------

MODES = [None, "full", "same", "valid"]  # in the order of ga_mode, ga_boundary
BOUNDARIES = "fill wrap symm".split()
AUTO, DIRECT, FFT = 0, 1, 2


def signal():
    try:
        from scipy import signal
        return signal
    except ImportError:
        raise Skip from None


def outer_product(c, shape, dtype):
    """Weights that are found to be an outer product, or almost."""
    w = np.outer(c.g.random(shape[0]) + 0.5, c.g.random(shape[1]) - 0.3).astype(dtype)
    if c.chance(0.3):
        w[c.r.randrange(shape[0]), c.r.randrange(shape[1])] *= 1 + c.pick(1e-3, 1e-6, 1e-15)
    return w


def draw_pair(c, ndim, most, kernel, any_order=True):
    """Two arrays with that many dimensions. An inf or a NaN is only in the larger one: the smaller one weighs the zeros outside."""
    r, dtype = c.r, c.dtype(DTYPES + FLOATS * 4)
    other = dtype if c.chance(0.8) else c.dtype()
    large, small = [tuple(r.randint(1, most_) for _ in range(ndim)) for most_ in (most, kernel)]
    if c.chance(0.02):
        large = large[:-1] + (0,)
    a, v = c.lay(large, dtype, "small"), c.lay(small, other, "small")
    if ndim == 2 and dtype.kind == "f" and v.size >= 20 and c.chance(0.5):
        v = outer_product(c, small, dtype)
    exchange = c.chance(0.25)
    if dtype.kind == "f" and v.size < a.size and a.flags.writeable and 0 not in a.strides and c.chance(0.2) and any_order >= exchange:
        a[tuple(r.randrange(k) for k in a.shape)] = c.pick(np.nan, np.inf)
    a, v = (v, a) if exchange else (a, v)
    c.note("a", a)
    c.note("v", v)
    return a, v


def judge_products(c, reference, call, a, v, named, outside=0.0):
    """reference(a, v) in a wider dtype; how far the sums of products may be from it follows from their terms."""
    dtype, method = np.result_type(a, v), named.get("method")
    if dtype.kind not in "fc":
        x, y = (a, v) if dtype != BOOL else (a.astype(I64), v.astype(I64))  # SciPy has none for bool
        try:
            want = reference(x.astype(dtype) if dtype != BOOL else x, y.astype(dtype) if dtype != BOOL else y)
            want = want.astype(dtype) if dtype == BOOL else want
            if method == FFT and dtype != BOOL:
                raise Skip  # rounded to whole numbers: the same, unless they are large
        except ERRORS as e:
            want = e
        return c.judge(want, lambda: call(a, v, **named), exact, named)
    work = dtype.type(0).real.dtype
    sizes = [float(np.abs(x[np.isfinite(x)]).max(initial=0)) for x in (a, v)]
    terms = v.size if named.get("boundary") or outside else min(a.size, v.size)
    scale = max(sizes[0], abs(outside)) * max(sizes[1], abs(outside)) * terms
    slack = np.finfo(work).eps * scale * (40 if method == FFT else terms + 40)
    to = C128 if dtype.kind == "c" else F64
    try:
        want = reference(a.astype(to), v.astype(to))
    except ERRORS as e:
        want = e
    if method == FFT and not isinstance(want, Exception) and not np.isfinite(want).all():
        raise Skip
    c.judge(want, lambda: call(a, v, **named), lambda w, got: Close(2, slack)(w, got, dtype), named)


def draw_method(c):
    if not hasattr(c.ga, "has_fft"):  # on the CPU, with FFTW
        try:
            c.ga.has_fft = not c.ga.gpu and len(c.ga.convolve(np.ones(2), np.ones(2), method=FFT)) == 3
        except GaError:
            c.ga.has_fft = False
    return c.pick(None, None, None, DIRECT, FFT if c.ga.has_fft else DIRECT)


@case("convolve", "correlate")
def convolve(c):
    ndim = c.pick(0, 1, 1, 1, 1, 2, 2, 3, 4)
    kernel = (1, c.pick(9, 9, 40, 1500), c.pick(4, 12), 4, 3)[ndim]
    a, v = draw_pair(c, ndim, (1, c.pick(40, 300, 4000), 40, 12, 6)[ndim], kernel, any_order=ndim < 2)
    mode, correlate = c.r.randrange(4), c.name == "correlate"
    named = {"mode": mode or None, "method": DIRECT if c.ga.gpu and ndim < 2 else draw_method(c)}  # the CPU may take FFTW for long lines
    word = MODES[mode] or ("valid" if correlate and ndim < 2 else "full")
    if ndim < 2:
        reference = lambda x, y: (np.correlate if correlate else np.convolve)(x.reshape(-1), y.reshape(-1), word)
    elif a.size == 0 or v.size == 0:
        reference = lambda x, y: np.convolve([], [1])  # an error
    else:
        s = signal()
        reference = lambda x, y: (s.correlate if correlate else s.convolve)(x, y, word, method="direct")
    if c.chance(0.2):
        try:
            dtype, alike = np.result_type(a, v), c.pick(a, v)
            named["out"] = c.target(reference(a.astype(F64), v.astype(F64)).shape, dtype, alike if alike.dtype == dtype else None)
        except ERRORS:
            pass
    judge_products(c, reference, getattr(c.ga, c.name), a, v, named)


@case("convolve2d", "correlate2d")
def convolve2d(c):
    s, r = signal(), c.r
    a, v = draw_pair(c, 2, c.pick(12, 50, 150), c.pick(4, 9, 20), any_order=False)
    mode, boundary = r.randrange(4), c.pick(0, 0, 1, 2)
    named = {"mode": mode or None, "boundary": boundary or None, "method": draw_method(c)}
    if boundary == 0 and c.chance(0.5):
        named["fillvalue"] = float(r.randint(0, 3))
    run = s.correlate2d if c.name == "correlate2d" else s.convolve2d
    if a.size == 0 or v.size == 0:
        run = lambda *given: np.convolve([], [1])
    reference = lambda x, y: run(x, y, MODES[mode] or "full", BOUNDARIES[boundary], named.get("fillvalue", 0))
    judge_products(c, reference, getattr(c.ga, c.name), a, v, named, named.get("fillvalue", 0))


@case("ndconvolve", "ndcorrelate", "convolve1d", "correlate1d")
def ndconvolve(c):
    r, along = c.r, c.name.endswith("1d")
    ndim = c.pick(1, 1, 2, 2, 2, 3, 4)
    dtype = c.dtype(DTYPES + FLOATS * 4)
    shape = tuple(r.randint(1, (1, c.pick(30, 2000), c.pick(20, 90), 12, 7)[ndim]) for _ in range(ndim))
    a = c.lay(shape if c.chance(0.98) else shape[:-1] + (0,), dtype, "small")
    if dtype.kind in "iu":
        a = a // max(np.iinfo(dtype).max // 1000, 1)
    if dtype.kind == "f" and a.size and a.flags.writeable and 0 not in a.strides and c.chance(0.1):
        a[tuple(r.randrange(k) for k in a.shape)] = np.nan
    other = dtype if dtype.kind in "fc" and c.chance(0.8) else c.dtype(FLOATS + INTS) if c.chance(0.9) else C128
    most = (1, 40, 9, 5, 3)[ndim] if not along else c.pick(3, 9, 40)
    axis = c.axis(ndim, several=False, given=0.7) if along else None
    kernel = tuple(r.randint(1, most) for _ in range(1 if along else ndim))
    weights = c.lay(kernel, other, "small")
    weights = outer_product(c, kernel, other) if other.kind == "f" and len(kernel) == 2 and c.chance(0.3) else weights
    if other.kind in "iu":
        weights = weights % 5
    c.note("a", a)
    c.note("weights", weights)
    named = {"method": draw_method(c)}
    named["border"], named["cval"] = draw_border(c, a)
    if along:
        named["axis"], named["origin"] = axis, r.randint(-(most // 2), most // 2) if c.chance(0.3) else None
        origin = [named["origin"] or 0]
    else:
        origin = [r.randint(-(k // 2) - c.chance(0.02), (k - 1) // 2 + c.chance(0.02)) if c.chance(0.3) else 0 for k in kernel]
        named["origin"] = tuple(origin) if any(origin) else None
    convolve = c.name.endswith(("convolve", "convolve1d"))
    result = np.result_type(dtype, C64) if dtype.kind == "c" or other.kind == "c" else dtype
    call = lambda: getattr(c.ga, c.name)(a, weights, **named)
    if along and axis is not None and not -ndim <= axis < ndim:
        return c.judge(ValueError("no such axis"), call, named=named)
    if convolve:
        origin = [-o - (k % 2 == 0) for o, k in zip(origin, kernel)]
    if any(not -(k // 2) <= o <= (k - 1) // 2 for o, k in zip(origin, kernel)):
        return c.judge(ValueError("no such origin"), call, named=named)
    w = weights[tuple(slice(None, None, -1) for _ in kernel)] if convolve else weights.conj()
    if along:
        at = (-1 if axis is None else axis) % ndim
        w, origin = w.reshape([-1 if d == at else 1 for d in range(ndim)]), [origin[0] if d == at else 0 for d in range(ndim)]
    cval, border = named["cval"] or 0.0, named["border"]
    before = [k // 2 + o for k, o in zip(w.shape, origin)]
    after = [k - 1 - b for k, b in zip(w.shape, before)]
    x, w = a.astype(F64 if dtype.kind != "c" else C128), w.astype(C128 if result.kind == "c" else F64)
    want = np.zeros(a.shape, result)
    if a.size:
        windows = np.lib.stride_tricks.sliding_window_view(bordered(x, before, after, border, cval), w.shape)
        want = (windows * w).sum(tuple(range(ndim, 2 * ndim)))
    if a.size and np.isfinite(x).all() and all(k <= n for k, n in zip(w.shape, a.shape)):  # SciPy reads rubbish for larger weights
        scipys = ndimage().correlate(x, w.conj(), mode=BORDERS[border], cval=cval, origin=origin)
        if not np.allclose(scipys, want, 1e-9, 1e-9 * max(1, np.abs(want).max())):
            raise Mismatch(f"the reference is not SciPy's: {scipys!r}, {want!r}")
    if named["method"] == FFT and (result.kind in "biu" or not np.isfinite(x).all()):
        raise Skip
    if result.kind in "biu":
        return c.judge(stored(whole(want), result), call, exact, named)
    size = max(float(np.abs(x[np.isfinite(x)]).max(initial=0)), abs(cval)) * float(np.abs(w).sum())
    slack = np.finfo(result.type(0).real.dtype).eps * size * (w.size + 20)
    c.judge(want, call, lambda wanted, got: Close(2, slack)(wanted, got, result), named)


# ---- filters ---------------------------------------------------------------------------------------------------------

BORDERS = "reflect constant nearest mirror wrap".split()  # in the order of ga_border


def draw_border(c, a, low=-9, high=9):
    border = c.r.randrange(len(BORDERS))
    cval = c.pick(0.0, 1.0, 2.0, float(c.r.randint(low, high)), 2.5) if border == 1 else None
    return border, cval


def bordered(a, before, after, border, cval):
    """a with so many more elements around it."""
    for d in range(a.ndim):
        n, i = a.shape[d], np.arange(-before[d], a.shape[d] + after[d])
        period = {0: 2 * n, 3: max(2 * n - 2, 1), 4: n}.get(border, 1)
        j = np.clip(i, 0, n - 1) if border in (1, 2) else i % period
        if border == 0:
            j = np.where(j < n, j, period - 1 - j)
        if border == 3:
            j = np.where(j < n, j, period - j)
        more = a.take(j, d)
        if border == 1:
            outside = ((i < 0) | (i >= n)).reshape([-1 if k == d else 1 for k in range(a.ndim)])
            more = np.where(outside, cval, more)
        a = more
    return a


def keys_of(a):
    """Integers that are ordered like the elements, -0 before 0."""
    if a.dtype.kind != "f":
        return a
    u = a.view(f"i{a.itemsize}")
    return np.where(u < 0, u ^ np.iinfo(u.dtype).max, u)


def chosen(a, footprint, before, border, cval, rank):
    """Of each window, the element of a rank; NaN if there is one."""
    cval = a.dtype.type(0 if cval is None else np.clip(cval, 0 if a.dtype.kind == "u" else -128, 1 if a.dtype == BOOL else 127))
    wide_ = bordered(a, before, [n - 1 - b for n, b in zip(footprint.shape, before)], border, cval)
    windows = np.lib.stride_tricks.sliding_window_view(wide_, footprint.shape)[..., footprint]
    nan = np.isnan(windows).any(-1) if a.dtype.kind == "f" else False
    windows = np.ascontiguousarray(windows)
    at = np.argsort(keys_of(windows), axis=-1, kind="stable")[..., rank:rank + 1]
    result = np.take_along_axis(windows, at, -1)[..., 0]
    return np.where(nan, result.dtype.type(np.nan), result) if a.dtype.kind == "f" else result


@case("minimum_filter", "maximum_filter", "median_filter", "percentile_filter", "rank_filter")
def rank_filters(c):
    a = c.array(c.dtype(ORDERED), c.shape(c.pick(0, 1, 1, 2, 2, 2, 2, 3, 3, 4)))
    n, r = a.ndim, c.r
    most = {0: 1, 1: c.pick(5, 12, 40), 2: c.pick(3, 5, 9, 20), 3: c.pick(3, 3, 6)}.get(n, 3)
    sizes = [r.randint(1, most)] * n if c.chance(0.4) else [r.randint(1, most) for _ in range(n)]
    footprint = np.ones(sizes, bool)
    named = {"border": None, "cval": None}
    named["border"], named["cval"] = draw_border(c, a)
    size = sizes[0] if n else 1
    if c.chance(0.4) and n:
        footprint = c.g.random(sizes) < c.pick(0.2, 0.5, 0.9)
        named["footprint"], size = c.lay(tuple(sizes), BOOL, repeat=False), 0
        named["footprint"][...] = footprint
        c.note("footprint", footprint)
    elif len(set(sizes)) > 1:
        named["sizes"], size = tuple(sizes), 0
    origin = [r.randint(-(k // 2), (k - 1) // 2) if c.chance(0.3) else 0 for k in sizes]
    if any(origin):
        named["origin"] = tuple(origin)
    if c.chance(0.02) and n:
        named["origin"] = tuple([sizes[0]] + [0] * (n - 1))
    count, rank, first = int(footprint.sum()), 0, []
    if c.name == "median_filter":
        rank = count // 2
    elif c.name == "maximum_filter":
        rank = count - 1
    elif c.name == "percentile_filter":
        p = c.pick(0.0, 10.0, 25.0, 50.0, 99.0, 100.0, -20.0, -100.0)
        first = [p]
        p += 100 if p < 0 else 0
        rank = count - 1 if p == 100 else int(float(count) * p / 100)
    elif c.name == "rank_filter":
        rank = r.randint(-count - c.chance(0.02), max(count - 1, 0) + c.chance(0.02))
        first = [rank]
        rank += count if rank < 0 else 0
    if c.chance(0.2):
        named["out"] = c.target(a.shape, c.pick(a.dtype, F64 if a.dtype.kind == "f" else a.dtype), a)
    want = None
    before = [k // 2 + o for k, o in zip(sizes, origin)]
    if count == 0 or not 0 <= rank < count or named.get("origin") not in (None, tuple(origin)):
        want = ValueError("not possible")
    elif a.size == 0:
        want = a.copy()
    else:
        want = chosen(a, footprint, before, named["border"], named["cval"], rank)
        as_scipy(c, a, footprint, origin, named, rank, want)
    if not isinstance(want, Exception) and "out" in named:
        want = want.astype(named["out"].dtype)
    c.note("first", first)
    c.judge(want, lambda: getattr(c.ga, c.name)(a, *first, size, **named), named=named)


def as_scipy(c, a, footprint, origin, named, rank, want):
    """The reference itself is SciPy's, where that is exact and defined."""
    if a.ndim == 0 or a.dtype.kind == "f" and np.isnan(a).any() or a.dtype.itemsize == 8 and a.dtype.kind in "iu" or named["cval"] == 2.5:
        return
    if any(n < k for n, k in zip(a.shape, footprint.shape)) or a.dtype == BOOL or (named["cval"] or 0) < 0:
        return
    if a.ndim == 1 and not footprint.all():  # SciPy 1.17 looks at its size alone there
        return
    got = ndimage().rank_filter(a, rank, footprint=footprint, mode=BORDERS[named["border"]], cval=named["cval"] or 0, origin=origin)
    if not np.array_equal(got, want):
        raise Mismatch(f"the reference is not SciPy's: {got!r}")


def whole(x):
    near = np.rint(x)
    return np.where(np.abs(x - near) <= np.abs(near) * 2.0**-46, near, np.trunc(x))


def stored(x, dtype):
    """float64 in a dtype; integers saturate."""
    if dtype == BOOL or dtype.kind not in "iu":
        return x.astype(dtype)
    info = np.iinfo(dtype)
    low, high = x <= float(info.min), x >= float(info.max)
    safe = np.where(low | high | np.isnan(x), 0, x).astype(dtype)
    return np.where(low, info.min, np.where(high, info.max, safe)).astype(dtype)


class Passes:
    """SciPy's correlations along axes in float64, integers cut off between them; keeps how large errors may be."""

    def __init__(self, a, result, border, cval):
        self.whole, self.border, self.cval = result.kind in "biu", BORDERS[border], cval or 0.0
        self.x = a.astype(F64)
        finite = np.abs(self.x[np.isfinite(self.x)])
        self.scale, self.terms = max(finite.max(initial=0), abs(self.cval), 1e-30), 4

    def along(self, axis, weights, cut=True):
        weights = np.asarray(weights, F64)
        if self.x.size:
            self.x = ndimage().correlate1d(self.x, weights, axis, mode=self.border, cval=self.cval)
        if self.whole and cut:
            self.x = whole(self.x)
        self.scale *= max(np.abs(weights).sum(), 1)
        self.terms += len(weights) + 1


def judge_sums(c, a, result, x, scale, terms, actual, named):
    if result.kind in "biu":
        want, check = stored(x, result), exact
    else:
        work = np.result_type(a.dtype, result)
        eps = np.finfo(work if work == F32 else F64).eps + np.finfo(result).eps
        want, check = x.astype(result), Close(1, eps * terms * scale)
    c.judge(want, actual, check, named)


def sum_array(c):
    dtype = c.dtype(ORDERED)
    a = c.lay(c.shape(c.pick(0, 1, 1, 2, 2, 2, 3, 3, 4)), dtype, "small" if dtype.kind == "f" else None)
    if dtype.kind in "iu" and dtype.itemsize == 8:
        a = a // 2**40  # beyond, rounding decides what is cut off
    if dtype.kind == "f" and a.size and c.chance(0.2) and a.flags.writeable and 0 not in a.strides:
        a[tuple(0 for _ in a.shape)] = np.nan
    c.note("array", a)
    return a


def draw_out(c, a, named):
    """Sometimes an .out; the dtype of the result."""
    if c.chance(0.3):
        named["out"] = c.target(a.shape, c.pick(a.dtype, *[d for d in (F32, F64) if np.can_cast(a.dtype, d, "same_kind")]), a)
        return named["out"].dtype
    return a.dtype


def gaussian_weights(sigma, order, radius):
    from scipy.ndimage import _filters
    return _filters._gaussian_kernel1d(sigma, order, radius)[::-1]


@case("gaussian_filter", "gaussian_laplace", "gaussian_gradient_magnitude")
def gaussian(c):
    a, r = sum_array(c), c.r
    n, named = a.ndim, {}
    named["border"], named["cval"] = draw_border(c, a)
    sigmas = [c.pick(0.5, 0.8, 1.0, 1.7, 2.5)] * n if c.chance(0.5) else [c.pick(0.0, 0.4, 1.0, 2.0) for _ in range(n)]
    sigma = sigmas[0] if n and len(set(sigmas)) == 1 else 0.0
    if n and len(set(sigmas)) > 1:
        named["sigmas"] = (f64 * n)(*sigmas)
    radii, orders = [None] * n, [0] * n
    if c.chance(0.2) and n:
        radii = [r.randint(0, 5) for _ in range(n)]
        named["radius"] = tuple(radii)
    truncate = c.pick(None, None, 2.0, 3.0)
    named["truncate"] = truncate
    if c.name == "gaussian_filter" and c.chance(0.4) and n:
        orders = [r.randint(0, 3) for _ in range(n)]
        named["order"] = tuple(orders)
    result = draw_out(c, a, named)
    sums, scale, terms = None, 0, 0
    for k in range(n if c.name != "gaussian_filter" else 1):
        p = Passes(a, result, named["border"], named["cval"])
        these = orders if c.name == "gaussian_filter" else [(2 if c.name == "gaussian_laplace" else 1) * (d == k) for d in range(n)]
        for d in range(n):
            if sigmas[d] > 1e-15:
                radius = radii[d] if radii[d] is not None else int((truncate or 4.0) * sigmas[d] + 0.5)
                p.along(d, gaussian_weights(sigmas[d], these[d], radius))
        x = p.x**2 if c.name == "gaussian_gradient_magnitude" else p.x
        sums = x if sums is None else sums + x
        scale, terms = scale + p.scale, terms + p.terms
    if c.name == "gaussian_gradient_magnitude" and n:
        sums = np.sqrt(sums)
        if result.kind == "f":  # what a rounding error of the squares makes of a small root
            terms *= 8
    sums = a.astype(F64) if n == 0 else sums
    call = lambda: getattr(c.ga, c.name)(a, sigma, **named)
    judge_sums(c, a, result, sums, scale, terms, call, {k: v for k, v in named.items() if k != "sigmas"})


@case("sobel", "prewitt", "laplace")
def differences(c):
    a, named = sum_array(c), {}
    named["border"], named["cval"] = draw_border(c, a)
    axis = c.axis(a.ndim, several=False, given=0.5)
    named["axis"] = axis
    result = draw_out(c, a, named)
    call = lambda: getattr(c.ga, c.name)(a, **named)
    if axis is not None and not -a.ndim <= axis < a.ndim or a.ndim == 0 and c.name != "laplace":
        c.judge(ValueError("no such axis"), call, named=named)
        return
    p = Passes(a, result, named["border"], named["cval"])
    if c.name == "laplace":
        x, sums = p.x, np.zeros(a.shape) if a.ndim else p.x
        for d in range(a.ndim) if axis is None else [axis % a.ndim]:
            p.x = x
            p.along(d, [1, -2, 1], cut=False)
            sums = sums + p.x
        p.x = sums
    else:
        axis = (-1 if axis is None else axis) % a.ndim
        p.along(axis, [-1, 0, 1], cut=False)
        for d in range(a.ndim):
            if d != axis:
                p.along(d, [1, 2 if c.name == "sobel" else 1, 1], cut=False)
    judge_sums(c, a, result, p.x, p.scale, p.terms, call, named)


@case("uniform_filter")
def uniform_filter(c):
    a, r, named = sum_array(c), c.r, {}
    n = a.ndim
    named["border"], named["cval"] = draw_border(c, a)
    sizes = [r.randint(1, c.pick(4, 10, 40))] * n if c.chance(0.5) else [r.randint(1, 9) for _ in range(n)]
    size = sizes[0] if n else 1
    if len(set(sizes)) > 1:
        named["sizes"], size = tuple(sizes), 0
    origin = [r.randint(-(k // 2), (k - 1) // 2) if c.chance(0.3) else 0 for k in sizes]
    if any(origin):
        named["origin"] = tuple(origin)
    result = draw_out(c, a, named)
    x, cval = a.astype(F64), named["cval"] or 0.0
    for d in range(n):  # sums in an exact order do not matter: SciPy's running sums are less exact
        if a.size and sizes[d] > 1:
            before = [sizes[d] // 2 + origin[d] if k == d else 0 for k in range(n)]
            after = [sizes[d] - 1 - before[d] if k == d else 0 for k in range(n)]
            more = bordered(x, before, after, named["border"], cval)
            x = np.lib.stride_tricks.sliding_window_view(more, sizes[d], d).sum(-1) / sizes[d]
            x = np.trunc(x) if result.kind in "biu" else x
    if a.size and n and result.kind == "f" and not np.isnan(a).any():
        scipys = ndimage().uniform_filter(a.astype(F64), sizes, mode=BORDERS[named["border"]], cval=cval, origin=origin)
        if not np.allclose(scipys, x, 1e-9, 1e-9 * max(1, np.abs(a).max())):
            raise Mismatch("the reference is not SciPy's")
    scale = max(np.abs(a[np.isfinite(a)]).max(initial=0), abs(cval), 1e-30) if a.size else 1
    judge_sums(c, a, result, x, float(scale), 8 * n + 4, lambda: c.ga.uniform_filter(a, size, **named), named)


# ---- kernels of one's own --------------------------------------------------------------------------------------------
#  The formulas of tests/oracle_kernels.c once more, in NumPy: of elements, of whole lines along the documented tree, and of neighbours.

C_NAMES = {d: {"bool": "bool", "float32": "float", "float64": "double", "complex64": "ga_c64", "complex128": "ga_c128"}.get(d.name, d.name + "_t")
           for d in DTYPES}
KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def kind_of(v):
    return KINDS[np.dtype(type(v)).kind]


def takes(dtype, wanted):
    """May an array of the dtype be given for a parameter? Floats are rounded, integers never wrap."""
    return np.can_cast(dtype, wanted, "safe" if wanted.kind in "iu" else "same_kind")


def own_number(c, wanted):
    """Mostly one that a parameter of that dtype takes."""
    if c.chance(0.05):
        return c.number()
    v = c.pick(*[True, False, 1, 0], *[2, 3, 7, 100, -1 if wanted.kind != "u" else 5] * (wanted != BOOL),
               *[0.5, 2.0, -1.5, 0.1, 1e10] * (wanted.kind in "fc"), *[1j, 2 - 1j] * (wanted.kind == "c"))
    c.note("number", v)
    return v


def own_operands(c, wanted, style=None, among=None):
    """An operand for each parameter, mostly one that it takes."""
    shape, values = c.shape(), []
    for k, d in enumerate(wanted):
        if c.chance(0.2):
            values.append(own_number(c, d))
            continue
        castable = [x for x in DTYPES if takes(x, d)]
        dtype = d if c.chance(0.5) else c.dtype(castable if c.chance(0.97) else DTYPES)
        values.append(c.array(dtype, c.broadcast(shape) if c.chance(0.3) else shape, style, name=f"operand {k + 1}"))
    return values


def taken(v, wanted):
    """The operand in the dtype of its parameter."""
    if isinstance(v, np.ndarray):
        if not takes(v.dtype, wanted):
            raise TypeError(f"{v.dtype} for {wanted}")
        return v.astype(wanted)
    if kind_of(v) > KINDS[wanted.kind] and not (wanted == BOOL and v in (0, 1) and isinstance(v, int)):
        raise TypeError(f"{v} for {wanted}")
    if not fits(v, wanted):
        raise OverflowError(f"{v} for {wanted}")
    return in_dtype(v, wanted)


def of_parts(re, im, dtype):
    z = np.empty(re.shape, dtype)
    z.real, z.imag = re, im
    return z


def mix(x, y):
    three = x.dtype.type(0).real.dtype.type(3)
    if x.dtype == BOOL:
        return x & ~y
    return of_parts(x.real * three + y.real, x.imag * three - y.imag, x.dtype) if x.dtype.kind == "c" else x * three + y


def fused(a, x, y):
    product = a.astype(LONG) * x
    return product + y, Close(1, np.where(np.isfinite(product), np.abs(product), 0) * 2.0**-62)


def divided(x, y):
    x, y = x.astype("i4"), y.astype("i4")
    quotient = np.where(y == 0, 0, np.sign(x) * np.sign(y) * (np.abs(x) // np.maximum(np.abs(y), 1))).astype("i4")
    return [quotient, (x - quotient * y).astype("i2"), x % 2 == 0]


def elementary(f, *xs):
    return f(*(x.astype(wide(x.dtype)) for x in xs)), Close(2, signed_zeros=True)


# Name: the dtypes of the parameters (T: one of the family), the family, what it computes of arrays with one axis: a result or a list of
# them, each an array or the reference in a wider dtype and how to compare with it; and the dtypes of the results, where those are wider.
FORMULAS = {
    "axpy": ("f4 f4 f4", None, lambda a, x, y: a * x + y),
    "fused": ("f8 f4 f8", None, fused, "f8"),
    "place": ("?", None, lambda x: np.arange(x.size) * 2 + x),
    "divisor": ("u8 u8", None, np.gcd),
    "eight": ("? i1 u2 i4 u4 i8 f4 c8", None,
              lambda a, b, c, d, e, f, g, h: a + b * F64.type(2) + c * F64.type(3) + d * F64.type(4) + e * F64.type(5) + f + g + h.imag),
    "polar": ("f8 f8", None, lambda x, y: [elementary(np.hypot, x, y), elementary(np.arctan2, y, x)], "f8 f8"),
    "divided": ("i2 i1", None, divided),
    "spun": ("c16 f8", None, lambda z, w: of_parts(z.real * w + z.imag, z.imag * w - z.real, C128)),
    "parts": ("c8", None, lambda z: [of_parts(z.real * F64.type(2), z.imag * F64.type(2), C128), z.real, z.imag, ((z.real < 0) + 2 * (z.imag < 0)).astype("u1")]),
    "clamp": ("T T T", REALS, lambda x, low, high: np.where(x < low, low, np.where(x > high, high, x))),
    "scramble": ("T T", INTS, lambda x, y: [x ^ (y + (y < 0) >> 1), x & y]),
    "squashed": ("T", FLOATS, lambda x: elementary(np.tanh, x), "T"),
    "halves": ("T", FLOATS, lambda x: [np.floor(x / x.dtype.type(2)), -(x < 0).astype("i1")]),
}
FORMULAS.update({"mix_" + C_NAMES[d]: (f"{d.str} {d.str}", None, mix) for d in DTYPES})


def stamp_of(family, generic):
    """The T of a kernel: the first of its family that holds the operands."""
    common = np.result_type(*generic)
    for d in [common] * (common in family) + family:
        if np.can_cast(common, d):
            return d
    raise TypeError(f"not for {common}")


@case("apply_n")
def own_elementwise(c):
    name = c.pick(*FORMULAS)
    takes, family, formula, *wide_results = FORMULAS[name]
    drawn = c.dtype(family) if family else None
    xs = own_operands(c, [drawn if t == "T" else np.dtype(t) for t in takes.split()])
    c.note("kernel", name)
    call = lambda *xs, **named: c.ga.apply_n(name, xs, **named)
    try:
        if family and too_large_alone(xs):
            raise Skip
        t = stamp_of(family, [x for x, d in zip(xs, takes.split()) if d == "T"]) if family else None
        operands = [taken(x, t if d == "T" else np.dtype(d)) for x, d in zip(xs, takes.split())]
        shape = np.broadcast_shapes(*(x.shape for x in operands))
    except ERRORS as e:
        return c.judge(e, lambda: call(*xs))
    results = formula(*(np.broadcast_to(x, shape).reshape(-1) for x in operands))
    results = [r if isinstance(r, tuple) else (r, exact) for r in (results if isinstance(results, list) else [results])]
    dtypes = [t if d == "T" else np.dtype(d) for d in wide_results[0].split()] if wide_results else [r.dtype for r, _ in results]
    results = [(r.reshape(shape), d, reshaped(check, shape)) for (r, check), d in zip(results, dtypes)]
    if len(results) > 1:
        return own_results(c, call, xs, results)
    want, dtype, check = results[0]
    if name == "place":  # a mask may make the result larger
        named = {"out": c.target(shape, I64)} if c.chance(0.3) else {}
        return c.judge(want, lambda: call(*xs, **named))
    run_map(c, call, xs, want, dtype, check)


def reshaped(check, shape):
    if isinstance(check, Close) and isinstance(check.slack, np.ndarray):
        check.slack = check.slack.reshape(shape)
    return check


def own_results(c, call, xs, results):
    """A call with several results, some of them written into given arrays."""
    shape, where = results[0][0].shape, None
    outs = [None] * len(results)
    if c.chance(0.15):
        where = c.array(BOOL, c.broadcast(shape), name="where")
    for k, (_, dtype, _) in enumerate(results):
        if c.chance(0.3):
            outs[k] = c.target(shape, dtype_for_out(c, dtype), c.pick(*xs) if not any(o is not None for o in outs) else None)
    given = [o for o in outs if o is not None]
    run = lambda: call(*xs, outs=outs, where=where)
    try:
        whole_shape = shape if where is None else np.broadcast_shapes(shape, where.shape)
        if given and whole_shape != shape:
            raise ValueError("the given arrays are too small")
        if not all(o is None or np.can_cast(d, o.dtype, "same_kind") for o, (_, d, _) in zip(outs, results)):
            raise TypeError("a result does not go into its array")
    except ERRORS as e:
        return c.judge(e, run)
    before = [None if o is None else o.copy() for o in outs]
    first, *new = expect_success(run)
    if outs[0] is not None and not equal_bits(np.ascontiguousarray(first), np.ascontiguousarray(outs[0])):
        raise Mismatch("the array returned is not the first of .outs")
    mask = np.broadcast_to(True if where is None else where, whole_shape)
    for k, (want, dtype, check) in enumerate(results):
        got = outs[k] if outs[k] is not None else first if k == 0 else new.pop(0)
        want = np.broadcast_to(want, whole_shape)
        if isinstance(check, Close) and got.dtype != dtype:
            continue
        if got is outs[k]:
            want = want if isinstance(check, Close) else saturating(want, got.dtype)
            check(np.where(mask, want, before[k].astype(want.dtype)), got, *[dtype] * isinstance(check, Close))
        else:
            check(np.where(mask, want, want.dtype.type(0)), got, *[dtype] * isinstance(check, Close))
    if new:
        raise Mismatch("there are more results")


def tree(accs, join):
    """Folds lines of accumulators (a tuple of arrays with these along the last axis) along the documented tree."""
    folded = []
    for start in range(0, accs[0].shape[-1], 1024):
        part = [a[..., start:start + 1024] for a in accs]
        n, h = part[0].shape[-1], 1
        while h < n:
            h *= 2
        while h > 1:
            h //= 2
            both = join([a[..., :n - h] for a in part], [a[..., h:n] for a in part])
            part = [np.concatenate([x, a[..., n - h:h]], -1) for x, a in zip(both, part)]
            n = h
        folded.append(part)
    accs = [np.concatenate(same, -1) for same in zip(*folded)]
    return tree(accs, join) if len(folded) > 1 else [a[..., 0] for a in accs]


def adds(a, b):
    return [x + y for x, y in zip(a, b)]


def larger(a, b):
    second = (b[0] > a[0]) | (b[0] == a[0]) & (b[1] < a[1])
    return [np.where(second, y, x) for x, y in zip(a, b)]


def join_moments(a, b):
    n, d = a[0] + b[0], b[1] - a[1]
    return [n, a[1] + d * (b[0] / n), a[2] + b[2] + d * d * (a[0] * b[0] / n)]


class Folding:
    """The parameters' dtypes (T: one of the family), the start, the accumulator of elements and their numbers, join, finish; and what NumPy says of a line."""

    def __init__(self, takes, start, of, join, finish, numpys, family=None):
        self.takes, self.start, self.of, self.join, self.finish, self.numpys, self.family = takes.split(), start, of, join, finish, numpys, family


FOLDINGS = {
    "dot": Folding("f8 f8", [F64.type(0)], lambda i, x, y: [x * y], adds, lambda a, n: a[0], lambda x, y: (x * y).sum(-1)),
    "magnitude": Folding("f4", [F64.type(0)], lambda i, x: [x.astype(F64) * x], adds, lambda a, n: np.sqrt(a[0]).astype(F32),
                         lambda x: np.sqrt((x.astype(F64)**2).sum(-1)).astype(F32)),
    "isum": Folding("i8", [I64.type(0)], lambda i, x: [x], adds, lambda a, n: a[0], lambda x: x.sum(-1)),
    "parity": Folding("?", [BOOL.type(True)], lambda i, x: [x], lambda a, b: [a[0] != b[0]], lambda a, n: a[0], lambda x: x.sum(-1) % 2 == 1),
    "xored": Folding("u1 u1", [np.uint8(7)], lambda i, x, y: [x + y], lambda a, b: [a[0] ^ b[0]], lambda a, n: a[0],
                     lambda x, y: np.bitwise_xor.reduce(x + y, -1)),
    "weighted": Folding("f8 f4 i4", [F64.type(0)], lambda i, x, w, k: [x * w + k], adds,
                        lambda a, n: a[0] * F64.type(0.1) + F64.type(1) / F64.type(n), lambda x, w, k: (x * w + k).sum(-1) * 0.1 + 1 / x.shape[-1]),
    "last": Folding("?", [I64.type(-1)], lambda i, x: [np.where(x, i, -1)], lambda a, b: [np.maximum(a[0], b[0])], lambda a, n: a[0],
                    lambda x: np.where(x.any(-1), x.shape[-1] - 1 - x[..., ::-1].argmax(-1), -1)),
    "csum": Folding("c16", [F64.type(0)] * 2, lambda i, x: [x.real, x.imag], adds, lambda a, n: of_parts(-a[1], a[0], C128), lambda x: x.sum(-1) * 1j),
    "argmost": Folding("f4 f4", [F32.type(-np.inf), I64.type(-1)], lambda i, x, y: [x - y, np.broadcast_to(i, x.shape)], larger, lambda a, n: a[1],
                       lambda x, y: (x - y).argmax(-1)),
    "turned": Folding("f8 f8", [F64.type(1)] * 2, lambda i, x, y: [x * y + x, x * y - x],
                      lambda a, b: [a[0] * F64.type(0.5) + b[0], a[1] * F64.type(0.5) - b[1]], lambda a, n: of_parts(*a, C128), None),
    "variance": Folding("f8", [F64.type(0)] * 3, lambda i, x: [np.ones(x.shape), x, np.zeros(x.shape)], join_moments, lambda a, n: a[2] / a[0],
                        lambda x: x.var(-1)),
    "total": Folding("T", [np.int8(0)], lambda i, x: [x], adds, lambda a, n: a[0], None, REALS),
    "smallest": Folding("T T", [np.int8(77)], lambda i, x, y: [np.where(x > y, x - y, y - x)], lambda a, b: [np.minimum(a[0], b[0])], lambda a, n: a[0],
                        lambda x, y: np.where(x > y, x - y, y - x).min(-1), INTS),
    "energy": Folding("T i1", [F64.type(0)], lambda i, x, k: [x.astype(F64) * x * k], adds, lambda a, n: a[0] / F64.type(n), None, FLOATS),
}


@case("reduce_n")
def own_reduction(c):
    name = c.pick(*FOLDINGS)
    f = FOLDINGS[name]
    drawn = c.dtype(f.family) if f.family else None
    xs = own_operands(c, [drawn if t == "T" else np.dtype(t) for t in f.takes], "small" if f.family is REALS or f.family is INTS else c.pick("tame", "small", None))
    c.note("reduction", name)
    ndim = max(np.ndim(x) for x in xs)
    named = {"axis": c.axis(ndim), "keepdims": c.chance(0.3)}
    if c.chance(0.01):
        named["dtype"] = F64
    c.note("options", named)
    call = lambda _, **named: c.ga.reduce_n(name, xs, **named)
    try:
        if f.family and too_large_alone(xs):
            raise Skip
        t = stamp_of(f.family, [x for x, d in zip(xs, f.takes) if d == "T"]) if f.family else None
        operands = [taken(x, t if d == "T" else np.dtype(d)) for x, d in zip(xs, f.takes)]
        shape = np.broadcast_shapes(*(x.shape for x in operands))
        shape_of_result = np.zeros(shape, bool).any(named["axis"], keepdims=named["keepdims"]).shape
        if "dtype" in named:
            raise TypeError("its definition has the dtype")
    except ERRORS as e:
        return c.judge(e, lambda: call(None, **named))
    axis = named["axis"]
    reduced = sorted(d % ndim for d in (range(ndim) if axis is None else axis if isinstance(axis, tuple) else [axis]))
    kept = [d for d in range(ndim) if d not in reduced]
    n, lines = math.prod(shape[d] for d in reduced), math.prod(shape[d] for d in kept)
    operands = [np.broadcast_to(x, shape).transpose(kept + reduced).reshape(lines, n) for x in operands]
    if n == 0:
        want = f.finish([np.full(lines, s) for s in f.start], 0)
    else:
        want = f.finish(tree(f.of(np.arange(n), *operands), f.join), n)
        if not f.numpys or not all(np.isfinite(x).all() for x in operands):  # without one, the order matters
            numpys = want
        else:
            numpys = np.asarray(f.numpys(*operands))
        scale = max((float(np.abs(x).max(initial=0)) for x in operands if x.dtype.kind in "fc"), default=0)
        if not np.allclose(want, numpys, 1e-6, 1e-9 * min(scale * scale, 1e300), equal_nan=True) and np.isfinite(numpys).all():
            raise Mismatch(f"the reference is not NumPy's: {numpys!r}, {want!r}")
    want = want.reshape(shape_of_result).astype(t if f.family else want.dtype)
    put_result(c, call, None, {k: v for k, v in named.items() if v is not None}, want, want.dtype, exact)


def around(at):
    x, y = at(-1, 2), at(1, -2)
    return x & ~y if x.dtype == BOOL else mix(x, y)


def life(at):
    n = sum(at(i, j).astype(int) for i in (-1, 0, 1) for j in (-1, 0, 1))
    return ((n == 3) | (n == 4) & (at(0, 0) != 0)).astype("u1")


def heat(at, a):
    return at(0, 0) + a * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0))


def seven(at, w, c):
    near = at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1)
    return c.astype(F64) * at(0, 0, 0) + w * near


# Name: the reach, the dtype, those of the numbers, what it computes of neighbours; and the weights for SciPy's correlation, if it is one.
NEIGHBOURS = {
    "slope": ((3,), "f4", "f4", lambda at, h: (at(3) - at(-3)) / h),
    "binomial": ((2,), "i8", "", lambda at: at(-2) + 4 * at(-1) + 6 * at(0) + 4 * at(1) + at(2), lambda: [1, 4, 6, 4, 1]),
    "heat": ((1, 1), "f8", "f8", heat, lambda a: [[0, a, 0], [a, 1 - 4 * a, a], [0, a, 0]]),
    "life": ((1, 1), "u1", "", life),
    "far": ((4, 0), "f4", "i4", lambda at, down: at(down, 0)),
    "rough": ((0, 1), "f8", "", lambda at: elementary(np.tanh, at(0, 1) - at(0, -1))),
    "seven": ((1, 1, 1), "f8", "f8 f4", seven,
              lambda w, c: [[[0, 0, 0], [0, w, 0], [0, 0, 0]], [[0, w, 0], [w, c, w], [0, w, 0]], [[0, 0, 0], [0, w, 0], [0, 0, 0]]]),
    "most": ((1, 0, 2), "i2", "", lambda at: np.maximum(at(-1, 0, -2), at(1, 0, 2))),
    "swirl": ((0, 1, 1), "c8", "f4", lambda at, w: of_parts(w * at(0, 1, -1).imag, -at(0, -1, 1).real, C64)),
}
NEIGHBOURS.update({"around_" + C_NAMES[d]: ((1, 2), d.str, "", around) for d in DTYPES})


def stencil_array(c, name, ndim, dtype):
    r = c.r
    shape = c.shape(ndim)
    if c.chance(0.1) and ndim < 4:  # several tiles of a GPU, or several units of work
        shape = ((r.randint(1000, 6000),), (r.randint(10, 60), r.randint(100, 300)), (r.randint(3, 14), r.randint(5, 20), r.randint(20, 70)))[ndim - 1]
    castable = [d for d in DTYPES if takes(d, dtype)]
    a = c.array(dtype if c.chance(0.6) else c.dtype(castable if c.chance(0.97) else DTYPES), shape, "small" if name == "binomial" else None)
    return np.clip(a, -9, 9) if name == "binomial" and a.dtype.kind != "b" else a


@case("stencil_n")
def own_stencil(c):
    name = c.pick(*NEIGHBOURS)
    reach, dtype, takes, formula, *weights = NEIGHBOURS[name]
    dtype, takes, ndim = np.dtype(dtype), [np.dtype(t) for t in takes.split()], len(reach)
    a = stencil_array(c, name, c.r.randint(1, 4) if c.chance(0.02) else ndim, dtype)
    numbers = [c.r.randint(-4, 4 + c.chance(0.2)) if name == "far" else own_number(c, t) for t in takes]
    named = {"steps": c.pick(None, None, 1, 2, 3, 5, 11) if name not in ("rough", "binomial") else c.pick(None, 1)}
    if c.chance(0.01):
        named["steps"] = -1
    named["border"], named["cval"] = draw_border(c, a)
    c.note("stencil", (name, *numbers))
    call = lambda **more: c.ga.stencil_n(name, [a, *numbers], **named, **more)
    try:
        taken(a, dtype)
        values = [taken(v, t) for v, t in zip(numbers, takes)]
        if a.ndim != ndim or named["steps"] == -1 or name == "far" and abs(int(values[0])) > 4 and a.size:
            raise ValueError("not possible")
    except ERRORS as e:
        return c.judge(e, call, named=named)
    values = [v[()] if name != "far" else int(v) for v in values]
    cval = saturating(np.asarray(named["cval"] or 0.0), dtype)[()]
    want, check = taken(a, dtype), exact
    for _ in range((named["steps"] or 1) if a.size else 0):
        one, u = want, bordered(want, reach, reach, named["border"], cval)
        at = lambda *offsets: u[tuple(slice(r + i, r + i + n) for r, i, n in zip(reach, offsets, a.shape))]
        want = formula(at, *values)
        want, check = want if isinstance(want, tuple) else (want, check)
    if weights and a.size and np.isfinite(one).all() and np.abs(one).max() < 1e100 and all(abs(float(v)) < 1e100 for v in values):
        w = np.array(weights[0](*map(float, values)))
        scipys = ndimage().correlate(one.astype(F64), w, mode=BORDERS[named["border"]], cval=float(cval))
        if not np.allclose(scipys, want, 1e-9, 1e-9 * max(1.0, np.abs(one).max() * np.abs(w).max())):
            raise Mismatch(f"the reference is not SciPy's: {scipys!r}, {want!r}")
    c.note("options", {k: v for k, v in named.items() if v is not None})
    put_result(c, lambda _, **more: call(**more), None, {}, want, dtype, check)


# ---- running ---------------------------------------------------------------------------------------------------------

def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lib", default="build/libgpuarr.so", help="a shared library of tests/impl.c and tests/oracle_kernels.c")
    parser.add_argument("--header", default=os.path.join(here, "..", "gpuarr.h"), help="its functions must be covered")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="operations, separated by commas")
    parser.add_argument("--without", default="", help="operations that are left out, separated by commas")
    parser.add_argument("--case", default="", help="operation:number, one case alone")
    parser.add_argument("--show", type=int, default=20, help="how many failures to print in full, at most two per operation")
    parser.add_argument("--table", action="store_true", help="print cases and failures by operation")
    parser.add_argument("-v", action="store_true", help="print each case before it runs: the last one is to blame for a crash")
    options = parser.parse_args()

    rows, public = read_header(options.header)
    ga = Gpuarr(os.path.abspath(options.lib), rows, options.device == "cuda")
    for row in rows.values():
        if hasattr(np, row.name) or row.name in ("multiply_add",):
            CASES[row.name] = ROW_CASES.get(row.family, elementwise)(row)
            COVERED.add(row.name)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failures, table = [], {name: [0, 0, 0] for name in CASES}

    def failed(name, what, again=""):
        counts["failed"] += 1
        failures.append((name, what, again))

    uncovered = sorted(n for n in public - COVERED - set(NOT_HERE) if not n.startswith(("memory_", "set_", "get_", "cuda_", "stream_", "event_")))
    if uncovered and not options.only and not options.case:
        failed("coverage", "no case covers " + ", ".join(uncovered) + ": add cases, or name them in NOT_HERE")
    names = [n for n in CASES if (not options.only or n in options.only.split(",")) and n not in options.without.split(",")]
    for name in [n for n in names if n in ga.signatures and not hasattr(ga, n)]:
        names.remove(name)
        failed(name, "the library does not have it")
    plan = ((names[k % len(names)], k // len(names)) for k in range(options.cases))
    if options.case:
        plan = [(options.case.split(":")[0], int(options.case.split(":")[1]))]
    for name, number in plan:
        c = Case(ga, name, f"{options.seed}:{name}:{number}")
        table[name][0] += 1
        if options.v:
            print(f"--seed {options.seed} --case {name}:{number}", flush=True)
        try:
            CASES[name](c)
            counts["passed"] += 1
            continue
        except Skip:
            counts["skipped"] += 1
            table[name][2] += 1
            continue
        except Mismatch as e:
            if not NUMPY2 and (name in DIFFERS_BEFORE_2 or c.drew_a_number()):
                counts["skipped"] += 1
                table[name][2] += 1
                continue
            what = str(e)
        except Exception as e:  # a mistake of this script is a failure as well
            import traceback
            what = "the script itself: " + "".join(traceback.format_exception(type(e), e, e.__traceback__)[-4:])
        table[name][1] += 1
        failed(name, what + "\n" + c.report(), f"--seed {options.seed} --case {name}:{number}")
    left = ga.lib.ga_memory_stats().arrays
    if left:
        failed("memory", f"{left} arrays are left over")
    shown = {}
    for name, what, again in failures:
        shown[name] = shown.get(name, 0) + 1
        if shown[name] <= 2 and sum(min(n, 2) for n in shown.values()) <= options.show:
            again = f"\n    again: python3 tests/oracle.py --lib {options.lib} --device {options.device} {again}" if again else ""
            print(f"FAILED {name}: {what}{again}\n")

    if options.table:
        print(f"{'operation':20} {'cases':>7} {'failed':>7} {'skipped':>8}")
        for name, (n, bad, skipped) in sorted(table.items()):
            if n:
                print(f"{name:20} {n:7} {bad:7} {skipped:8}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
