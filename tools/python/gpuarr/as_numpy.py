"""Functions that NumPy calls in more ways than C, in place of those made from the prototypes."""
import builtins
import collections.abc
import copy
import ctypes as C
import errno
import inspect
import itertools
import math
import numbers
import operator
import os
import re
import zipfile
from collections import namedtuple

from .archives import write_compressed
from .arrays import adopted_array, as_shape, asarray, in_c_order, shape_of
from .calls import ALSO, Named, calls, named_as_itself, to_write
from .native import ERRORS, NUMBERED, Error, as_dtype, both, file_error, functions, raw_dtype
from .padding import MODES, filled, padded_by, pairs_of
from .windows import OWN, number, window_values


def short(function, name=None):
    """A function that NumPy calls in more ways than C, in place of the one made from the prototype, under all its names."""
    made = calls[name or function.__name__]

    signature = inspect.signature(function)
    signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    parameters = [p.name for p in signature.parameters.values() if p.kind != inspect.Parameter.VAR_KEYWORD]
    known = {*made.__signature__.parameters, *parameters}

    def call(*given, **named):
        for said in [n for n in named if n not in known]:  # NumPy's name of a parameter; what is not this function's, the one made knows
            here = next((n for n in ALSO.get(said, ()) if n in parameters and n not in named), said)
            named[here] = named.pop(said)
        with Named(made.__name__, signature, given, named, call.__signature__):
            return function(made, *given, **named)
    function.__doc__ = call.__doc__ = "\n".join(filter(None, (function.__doc__, made.__doc__)))
    call.__name__, call.__module__ = made.__name__, made.__module__
    own = [p for p in signature.parameters.values() if p.name != "given"]
    if own and own[-1].name == "named":  # the options of the one made are this one's too
        names = [p.name for p in own[:-1]]
        own[-1:] = [p for p in made.__signature__.parameters.values() if p.name not in names and p.default is not inspect.Parameter.empty]
    call.__signature__ = made.__signature__ if name and "given" in parameters else inspect.Signature(own, __validate_parameters__=False)
    calls.update({n: call for n in [n for n, c in calls.items() if c is made]})


@short
def arange(made, start=None, stop=None, step=1, *given, **named):
    if start is None and stop is None:
        raise TypeError("gpuarr.arange misses stop: arange(start, stop, step=1, dtype=None)")
    start, stop = (0, start) if stop is None else (0 if start is None else start, stop)
    return made(number(start), number(stop), 1 if step is None else number(step), *given, **named)


@short
def eye(made, rows, cols=None, k=0, *given, **named):
    return made(rows, rows if cols is None else cols, k, *given, **named)


@short
def tri(made, rows, cols=None, k=0, *given, **named):
    return made(rows, rows if cols is None else cols, k, *given, **named)


@short
def where(made, condition, x=None, y=None, *given, **named):
    """where(condition) alone is nonzero(condition)."""
    if x is None and y is None and not given and not named:
        return tuple(calls["nonzero"](condition))
    return made(condition, x, y, *given, **named)


@short
def split(made, a, n, *given, **named):
    return made(a, n, *given, **named) if getattr(n, "ndim", 0) == 0 and not isinstance(n, (list, tuple)) else calls["split_at"](a, listed(n), *given, **named)


@short
def unstack(made, a, n=None, **named):
    a = asarray(a)
    return made(a, a.shape[axes_of(named.get("axis", 0), a.ndim)[0]] if n is None else n, **named)


@short
def eval_n(made, formula, operands=None, *, out=None, where=None, dtype=None, names=None, **by_name):
    """eval("x**2 + y", x=a, y=1), eval("x**2 + y", {"x": a, "y": 1}), or eval("$1**2", [a]). What the formula does not name is not looked at."""
    if isinstance(operands, collections.abc.Mapping):
        twice = [n for n in operands if n in by_name]
        if twice or names is not None:
            raise TypeError(f"gpuarr.eval: {twice[0] if names is None else 'names'} is given twice: in the mapping, and by name")
        used = set(re.findall(r"[^\W\d]\w*\b(?!\s*\()", formula))
        by_name, operands = {**{n: v for n, v in operands.items() if n in used}, **by_name}, None
    if by_name:
        if operands is not None or names is not None:
            raise TypeError("gpuarr.eval: operands are given by their names and otherwise: eval('x + y', x=a, y=b), or eval('$1 + $2', [a, b])")
        operands, names = [*by_name.values()], ", ".join(by_name)
    return made(formula, () if operands is None else operands, out=out, where=where, dtype=dtype, names=names)


def check_casting(name, casting):
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"gpuarr.{name}: casting is 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', not {casting!r}")


@short
def can_cast(made, from_, to, casting="safe"):
    """As NumPy's: "safe" loses nothing, "same_kind" keeps the kind or takes one behind it: bool, unsigned, signed, real, complex."""
    check_casting("can_cast", casting)
    from_, to = as_dtype(from_), as_dtype(to)
    if casting in ("no", "equiv"):
        return from_ is to
    kinds = ["f" if d.half else d.kind for d in (from_, to)]
    return casting == "unsafe" or made(from_, to) or casting == "same_kind" and "buifc".index(kinds[0]) <= "buifc".index(kinds[1])


@short
def delete(made, a, which, *given, **named):
    """which may be a slice."""
    if isinstance(which, slice):
        a = asarray(a)
        axis = given[0] if given else named.get("axis")
        which = calls["arange"](*which.indices(a.size if axis is None else a.shape[axes_of(axis, a.ndim)[0]]))
    return made(a, which, *given, **named)


@short
def bincount(made, a, *given, **named):
    """An empty list is one of integers."""
    return made(asarray(a, "int64") if isinstance(a, (list, tuple)) and not a else a, *given, **named)


@short
def solve_banded(made, l, *given, **named):
    """solve_banded((l, u), ab, b), as SciPy's, or solve_banded(l, u, ab, b), as C has it."""
    return made(*(l if isinstance(l, (list, tuple)) else (l,)), *given, **named)


@short
def copyto(made, dst, src, casting="same_kind", where=None, **named):
    """Leading lengths of 1 that dst has not are left out, as in NumPy; casting="unsafe" converts what loses its kind, "safe" only what loses nothing."""
    check_casting("copyto", casting)
    dst = to_write(dst, "copyto", "dst")
    if casting in ("no", "equiv", "safe") and type(src) not in (int, float, complex):  # Python's numbers have no dtype of their own
        src = src if isinstance(src, bool) else asarray(src)
        kept = as_dtype(bool) if isinstance(src, bool) else src.dtype
        if not calls["can_cast"](kept, dst.dtype, casting):
            raise ERRORS["GA_BAD_DTYPE"](f"gpuarr.copyto: {kept} does not become {dst.dtype} by casting={casting!r}")
    if getattr(src, "ndim", 0) > getattr(dst, "ndim", 0) and set(src.shape[:src.ndim - dst.ndim]) == {1}:
        src = asarray(src)[(0,) * (src.ndim - dst.ndim)]
    return made(dst, calls["astype"](asarray(src), dst.dtype) if casting == "unsafe" else src, where=where, **named)


def with_adopted(made, a, *given, **named):
    """Python's integers, alone or in lists, take the dtype of the array."""
    if isinstance(getattr(a, "shape", None), tuple):
        dtype = as_dtype(a.dtype)
        for n in ("value", "values", "val", "vals", "v"):
            if n in named:
                named[n] = adopted_array(named[n], dtype)
        at = 0 if made.__name__ == "fill_diagonal" else 1
        given = [adopted_array(v, dtype) if k == at else v for k, v in enumerate(given)]
    return made(a, *given, **named)


for each in ("place", "put", "put_along_axis", "fill_diagonal", "insert"):
    short(with_adopted, each)


@short
def take(made, a, indices, axis=None, out=None, mode=None, **named):
    """out=, which C has not, gets a copy."""
    r = made(a, indices, axis, None, mode, **named)
    if out is None:
        return r
    out = to_write(out, "take", "out")
    if out.shape != r.shape:
        raise ValueError(f"gpuarr.take: out has the shape {out.shape}, the result {r.shape}")
    return calls["copyto"](out, r)


def in_order(name, order, a):
    """Is it Fortran's order? "A": where a lies in it, and not in C's."""
    order = "C" if order is None else order
    orders = ("C", "F", "A") if name == "reshape" else ("C", "F", "A", "K")
    if order not in orders:
        raise ValueError(f"gpuarr.{name}: order is one of {', '.join(map(repr, orders))}, not {order!r}")
    rows = [(n, s) for n, s in zip(a.shape, a.strides) if n != 1]
    return order == "F" or (order == "A" and len(rows) > 1 and all(s == a.itemsize * math.prod(n for n, _ in rows[:k]) for k, (_, s) in enumerate(rows)))


@short
def reshape(made, a, shape, order="C"):
    """order="F": the first index changes fastest."""
    lies, a = lying(a)
    return made(a, shape) if not in_order("reshape", order, lies) else calls["transpose"](made(calls["transpose"](a), listed(shape)[::-1]))


def as_it_lies(a):
    """The axes, that of the greatest strides first, as NumPy finds them: those without one, as of what is broadcast, stay where they are."""
    strides = [abs(s) if n != 1 else 0 for n, s in zip(a.shape, a.strides)]
    axes = []  # from the last on
    for axis in reversed(range(a.ndim)):
        at = len(axes)
        for k in reversed(range(len(axes))):
            if strides[axis] and strides[axes[k]]:
                if strides[axes[k]] <= strides[axis]:
                    break
                at = k
        axes.insert(at, axis)
    return axes[::-1]


def lying(a):
    """What says how the elements lie, and an array of them: a copy, where they may not be written, lies otherwise."""
    lies, a = a, asarray(a)
    return lies if isinstance(getattr(lies, "strides", None), tuple) else a, a


def flat_in_order(made, a, order="C"):
    """order="F": the first index changes fastest; "K": as the elements lie."""
    lies, a = lying(a)
    if order == "K":
        return made(calls["transpose"](a, axes=as_it_lies(lies)) if a.ndim else a)
    return made(calls["transpose"](a) if in_order(made.__name__, order, lies) else a)


for each in ("ravel", "flatten"):
    short(flat_in_order, each)


class Archive(collections.abc.Mapping):
    """The arrays of an .npz by their names; of what is no array of gpuarr's, reading it is the error."""

    def __init__(self, path, names):
        self.arrays = {}
        for name in names:
            try:
                self.arrays[name] = calls["load_from"](path, name)
            except Error as error:
                self.arrays[name] = error.with_traceback(None)

    def __getitem__(self, name):
        found = self.arrays[name if name in self.arrays or not isinstance(name, str) else name.removesuffix(".npy")]  # the file's name, as in NumPy
        if isinstance(found, Error):
            raise copy.copy(found)  # the one that is kept keeps no frames
        return found

    def __contains__(self, name):
        return name in self.arrays or isinstance(name, str) and name.removesuffix(".npy") in self.arrays

    def __iter__(self):
        return iter(self.arrays)

    def __len__(self):
        return len(self.arrays)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """The arrays are forgotten."""
        self.arrays = {}

    @property
    def files(self):
        """The names, as NumPy has them."""
        return [*self.arrays]

    def __repr__(self):
        return f"Archive({self.arrays!r})"


@short
def fromfile(made, path, dtype="float64", *given, **named):
    """The elements lie as the dtype says, or with their bytes the other way round: swapped=True."""
    return made(path, dtype if named.get("swapped") else raw_dtype(dtype), *given, **named)


@short
def load(made, path, mmap_mode=None, allow_pickle=False, **named):  # what is pickled is no array of gpuarr's, and refused
    """Of an .npz the array of each name, as a dictionary has them. mmap_mode "c", and "r" as well, is mmap=True: what is written stays in memory."""
    if isinstance(mmap_mode, str):
        if mmap_mode not in ("r", "c"):
            raise ValueError(f"gpuarr.load: mmap_mode is 'r' or 'c', not {mmap_mode!r}: what is written does not go to the file")
        mmap_mode = True
    if mmap_mode is not None:
        named["mmap"] = mmap_mode
    try:
        return made(path, **named)
    except ERRORS["GA_BAD_FILE"]:
        if not zipfile.is_zipfile(path):
            raise
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as e:  # it has an end as a .zip, and is damaged before
        raise both(ERRORS["GA_BAD_FILE"], zipfile.BadZipFile)(f"gpuarr.load: cannot read '{os.fsdecode(path)}': {e}") from None
    with archive:
        names = [n.removesuffix(".npy") for n in archive.namelist() if n.endswith(".npy")]
    return Archive(path, names)


@short
def broadcast_arrays(made, *arrays):
    return made(arrays[0] if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) else arrays)


@short
def wrap(made, p, dtype, shape, *given, **named):
    if not (p is None or isinstance(p, (int, C.c_void_p))):
        raise TypeError("gpuarr.wrap takes an address, whose memory you keep; asarray() shares the memory of an object, and keeps it")
    return made(p, dtype, shape, *given, **named)


def bytes_of(p):
    """How many bytes an object has from its address on; None: that is not known."""
    if isinstance(p, (bytes, bytearray)):
        return len(p)
    if isinstance(p, C.Array):
        return C.sizeof(p)
    if not hasattr(p, "__array_interface__"):
        return None
    shape, size, strides = (p.__array_interface__.get(n) for n in ("shape", "typestr", "strides"))
    packed = [int(size[2:]) * math.prod(shape[k + 1:]) for k in range(len(shape))]
    if strides and math.prod(shape) > 0 and any(n > 1 and s != want for n, s, want in zip(shape, strides, packed)):
        raise TypeError("gpuarr: the elements do not lie one behind the other: array() copies them as they lie")
    return int(size[2:]) * math.prod(shape)


def from_memory(p, dtype, shape, **named):
    dtype, shape = as_dtype(dtype), as_shape(shape)
    shape = tuple(shape.n[:shape.ndim])
    p = asarray(p, dtype) if isinstance(p, (list, tuple)) else p
    there = bytes_of(p)
    if there is not None and there < math.prod(shape) * dtype.itemsize:
        raise ValueError(f"gpuarr: {there} bytes are less than {dtype} {shape} has")
    return made_from(p, dtype, shape, **named)


made_from, from_memory.__doc__, calls["from"] = calls["from"], calls["from"].__doc__, from_memory


@short
def clip(made, x, min=None, max=None, out=None, *, a_min=None, a_max=None, **named):
    """clip(a, None, 3): a bound may be missing, or lie beyond an integer dtype."""
    if (min is not None and a_min is not None) or (max is not None and a_max is not None):
        raise TypeError("gpuarr.clip: a bound is given twice")
    x, low, high = asarray(x), a_min if min is None else min, a_max if max is None else max
    if x.dtype.kind in "iu":  # a bound beyond the dtype does not bind
        limits = functions.iinfo(x.dtype)
        low = None if type(low) is int and low <= limits.min else low
        high = None if type(high) is int and high >= limits.max else high
    if low is None or high is None:
        one = "positive" if low is high else "minimum" if low is None else "maximum"
        return calls[one](x, *(b for b in (low, high) if b is not None), out=out, **named)
    return made(x, low, high, out=out, **named)


@short
def pad(made, a, before=None, *given, **named):
    """A number, (before, after) for all axes, or such a pair for each axis; with after=, before is one number for each axis. NumPy's names are
    pad_width and constant_values. Modes beyond C's: linear_ramp (end_values=), and maximum, mean, median and minimum (stat_length=)."""
    if "constant_values" in named:
        named["value"] = named.pop("constant_values")
    width = named.pop("pad_width") if "pad_width" in named and before is None else before
    if width is None:
        raise TypeError("gpuarr.pad misses pad_width: pad(array, pad_width, mode='constant', *, constant_values=0)")
    if "after" in named:
        return made(a, width, *given, **named)
    a = asarray(a)
    pairs = pairs_of("pad_width", width, a.ndim)
    mode = given[0] if given else named.get("mode", "constant")
    if mode in MODES:
        return padded_by(a, [tuple(map(operator.index, p)) for p in pairs], *given, **named)
    value, before, after = named.get("value"), [p[0] for p in pairs], [p[1] for p in pairs]
    long = isinstance(value, numbers.Integral) and not -2**53 <= value <= 2**53  # C's value is a double
    if not long or mode != "constant" or a.dtype.kind not in "iu":
        return made(a, before, *given, after=after, **named)
    return filled(made(a, before, *given, after=after, **{**named, "value": 0}), a.shape, before, int(value))


def letters_of(axes):
    """The letters of a list of numbers, as NumPy's: 0 is A, 26 is a."""
    if not isinstance(axes, (list, tuple)) or not all(k is Ellipsis or 0 <= operator.index(k) < 52 for k in axes):
        raise TypeError(f"gpuarr.einsum: behind each operand stands a list of its axes, numbers from 0 to 51 or ..., not {axes!r}")
    return "".join("..." if k is Ellipsis else "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[k] for k in axes)


@short
def einsum(made, subscripts, *arrays, dtype=None, order=None, casting="safe", **named):
    """einsum("ij,jk", a, b), or einsum("ij,jk", [a, b]); of one operand, which may be lists of numbers. einsum(a, [0, 1], b, [1, 2], [0, 2]):
    "AB,BC->AC". dtype: what the operands become, as casting allows."""
    in_c_order("einsum", order)
    check_casting("einsum", casting)
    if isinstance(subscripts, str):
        several = len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) and ("," in subscripts or shape_of(arrays[0]) is None)
        arrays = arrays[0] if several else arrays
    else:
        given = [subscripts, *arrays]
        result = "->" + letters_of(given.pop()) if len(given) % 2 else ""
        arrays, subscripts = given[::2], ",".join(map(letters_of, given[1::2])) + result
    if dtype is not None:
        arrays = [asarray(a) for a in arrays]
        for a in arrays:
            if not calls["can_cast"](a.dtype, dtype, casting):
                raise ERRORS["GA_BAD_DTYPE"](f"gpuarr.einsum: {a.dtype} does not become {as_dtype(dtype)} by casting={casting!r}")
        arrays = [calls["astype"](a, dtype) for a in arrays]
    return made(subscripts, arrays, **named)


def listed(x):
    """A number, or several of any kind, as a list."""
    x = x.tolist() if hasattr(x, "tolist") else x
    return list(x) if isinstance(x, (list, tuple)) else [x]


@short
def tensordot(made, a, b, axes=2, **named):
    if not isinstance(axes, (list, tuple)):
        return made(a, b, axes, **named)
    first, second = map(listed, axes)
    if len(first) != len(second):
        raise ValueError(f"gpuarr.tensordot: {len(first)} axes of a, {len(second)} of b")
    return made(a, b, len(first), axes_a=first, axes_b=second, **named) if first else made(a, b, 0, **named)


@short
def roll(made, a, shift, axis=None, **named):
    """Several axes one after the other: roll(a, (1, 2), axis=(0, 1))."""
    shift = listed(shift)
    if axis is None:
        return made(a, sum(shift), **named)
    axis = listed(axis)
    if len(shift) != len(axis) and 1 not in (len(shift), len(axis)):
        raise ValueError(f"gpuarr.roll: {len(shift)} shifts for {len(axis)} axes")
    if not shift or not axis:
        return calls["copy"](a)
    for k in range(max(len(shift), len(axis))):
        a = made(a, shift[k % len(shift)], axis=axis[k % len(axis)], **named)
    return a


def as_tuple(made, *given, **named):
    """A tuple, which is an index."""
    return tuple(made(*given, **named))


for each in "nonzero diag_indices tril_indices triu_indices".split():
    short(as_tuple, each)


@short
def unravel_index(made, indices, shape, order="C"):
    """A tuple, which is an index. order="F": the first index changes fastest."""
    if order not in ("C", "F"):
        raise ValueError(f"gpuarr.unravel_index: order is 'C' or 'F', not {order!r}")
    return tuple(made(indices, shape)) if order == "C" else tuple(made(indices, listed(shape)[::-1]))[::-1]


def columns_first(made, path, *given, unpack=False, **named):
    """unpack=True: the transposed table, so that x, y = loadtxt(..., unpack=True) are its columns."""
    rows = named.get("max_rows")
    if rows is not None and operator.index(rows) < 0:  # for C -1 is all
        raise ValueError(f"gpuarr.{made.__name__}: max_rows = {rows}: use 0 or more")
    r = made(path, *given, **named)
    return r.T if unpack else r


for each in ("loadtxt", "genfromtxt"):
    short(columns_first, each)


def at_places(made, a, n, *given, **named):
    """n parts, or cut before each of several places."""
    if not isinstance(n, (list, tuple)) and getattr(n, "ndim", 0) == 0:
        return made(a, n, *given, **named)
    a = asarray(a)
    least = {"vsplit": 2, "dsplit": 3, "hsplit": 1}.get(made.__name__, 0)
    if a.ndim < least:
        raise ValueError(f"gpuarr.{made.__name__}: the array has {a.ndim} dimensions, and {least} are the least")
    axis = {"vsplit": 0, "dsplit": 2, "hsplit": 1 if a.ndim > 1 else 0}.get(made.__name__)
    return calls["split_at"](a, listed(n), *given, **({"axis": axis} if axis is not None else {}), **named)


for each in "array_split hsplit vsplit dsplit".split():
    short(at_places, each)


def made_in_order(made, shape, *given, order=None, **named):
    """order is NumPy's, but not "F"."""
    in_c_order(made.__name__, order)
    return made(shape, *given, **named)


for each in "zeros ones empty full".split():
    short(made_in_order, each)


def of_shape(made, a, *given, shape=None, order=None, **named):
    """shape=: not that of a, but its dtype. order is NumPy's, but not "F"."""
    in_c_order(made.__name__, order)
    if shape is None:
        return made(a, *given, **named)
    a = asarray(a)
    at = 1 if made.__name__ == "full_like" else 0  # the dtype, by position
    if len(given) <= at and named.get("dtype") is None:
        named["dtype"] = a.dtype
    return calls[made.__name__.removesuffix("_like")](shape, *given, **{"device": a.device, **named})


for each in "zeros_like ones_like empty_like full_like".split():
    short(of_shape, each)


@short
def diagonal(made, a, offset=0, axis1=0, axis2=1):
    """Of any two axes: the diagonal is the last axis."""
    a = asarray(a)
    first, second = axes_of((axis1, axis2), a.ndim)
    return made(a if (first, second) == (0, 1) else calls["moveaxis"](a, (first, second), (0, 1)), offset)


@short
def intersect1d(made, a, b, assume_unique=False, return_indices=False, **named):
    return made(a, b, **named, **({"index_a": True, "index_b": True} if return_indices else {}))


def of_triangle(made, a, UPLO=None, **named):
    """UPLO="U" is upper=True."""
    if UPLO is not None:
        if not isinstance(UPLO, str) or UPLO.upper() not in ("U", "L"):
            raise ValueError(f"gpuarr.{made.__name__}: UPLO is 'L' or 'U', not {UPLO!r}")
        named["upper"] = UPLO.upper() == "U"
    return made(a, **named)


for each in ("eigh", "eigvalsh"):
    short(of_triangle, each)


@short
def svd(made, a, full_matrices=True, compute_uv=True, **named):
    return made(a, full_matrices, **named) if compute_uv else calls["svdvals"](a)


@short
def qr(made, a, mode="reduced", **named):
    """mode="r": R alone, of a reduced factorization."""
    return made(a, mode="reduced", **named)[1] if mode == "r" else made(a, mode=mode, **named)


@short
def linspace(made, start, stop, num=50, endpoint=True, retstep=False, *given, **named):
    """retstep=True: and the step."""
    line, parts = made(start, stop, num, endpoint, *given, **named), operator.index(num) - bool(endpoint)
    return (line, (stop - start) / parts if parts > 0 else math.nan) if retstep else line


def of_each(made, *arrays):
    """Of several arrays: a tuple."""
    return made(arrays[0]) if len(arrays) == 1 else tuple(map(made, arrays))


for each in ("atleast_1d", "atleast_2d", "atleast_3d"):
    short(of_each, each)


def axes_of(axis, ndim):
    """An axis, or several, as numbers from 0 on."""
    axes = [operator.index(k) for k in listed(axis)]
    for k in axes:
        if not -ndim <= k < ndim:
            raise ERRORS["GA_BAD_ARGUMENT"](f"there is no axis {k} in {ndim} dimensions")
    axes = [k % ndim for k in axes]
    if len(set(axes)) < len(axes):
        raise ERRORS["GA_BAD_ARGUMENT"](f"an axis of {axis} stands twice")
    return axes


@short
def moveaxis(made, a, source, destination):
    """Several axes at once: moveaxis(a, (0, 1), (-1, 0))."""
    a = asarray(a)
    source, destination = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    if len(source) != len(destination):
        raise ERRORS["GA_BAD_ARGUMENT"](f"gpuarr.moveaxis: {len(source)} axes go to {len(destination)} places")
    order = [k for k in range(a.ndim) if k not in source]
    for to, k in sorted(zip(destination, source)):
        order.insert(to, k)
    return calls["transpose"](a, axes=order) if a.ndim else calls["view"](a)


@short
def expand_dims(made, a, axis):
    """Several axes at once: expand_dims(a, (0, 2))."""
    a = asarray(a)
    for k in sorted(axes_of(axis, a.ndim + len(listed(axis)))):
        a = made(a, k)
    return a


def rollaxis(a, axis, start=0):
    """The axis moves before the one at `start`: moveaxis() says where it goes."""
    a, start = asarray(a), operator.index(start)
    axis, = axes_of(axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise ERRORS["GA_BAD_ARGUMENT"](f"gpuarr.rollaxis: there is no start {start} in {a.ndim} dimensions")
    start += a.ndim if start < 0 else 0
    return calls["moveaxis"](a, axis, start - (axis < start))


calls["rollaxis"] = named_as_itself(rollaxis)


@short
def as_strided(made, a, shape=None, strides=None):
    """What is not given is that of a."""
    a = asarray(a)
    return made(a, a.shape if shape is None else shape, a.strides if strides is None else strides)


@short
def meshgrid(made, *arrays, ij=False, indexing=None, sparse=False, copy=True):
    """Of any number of arrays; sparse=True: of length 1 along the other axes; copy=False: views."""
    if len(arrays) == 3 and isinstance(arrays[2], bool):
        arrays, ij = arrays[:2], arrays[2]  # as C has it
    if indexing not in (None, "xy", "ij"):
        raise ValueError(f"gpuarr.meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    lines = [calls["ravel"](a) for a in arrays]
    ij = indexing == "ij" if indexing else ij
    if not lines or not sparse and copy:
        return calls["meshgrid_n"](lines, ij) if lines else ()
    axes = list(range(len(lines)))
    if not ij and len(axes) > 1:
        axes[:2] = 1, 0
    grid = tuple(calls["reshape"](a, [-1 if d == axis else 1 for d in range(len(lines))]) for axis, a in zip(axes, lines))
    grid = grid if sparse else calls["broadcast_arrays"](grid)
    return tuple(map(calls["copy"], grid)) if copy else grid


@short
def average(made, a, axis=None, weights=None, returned=False, **named):
    """returned=True: the sums of the weights, too."""
    if weights is not None and axis is None and named.get("axes") is None:
        a, weights = asarray(a), asarray(weights)
        if weights.shape != a.shape:
            kind = both(ERRORS["GA_BAD_SHAPE"], TypeError)
            raise kind(f"gpuarr.average: the array has the shape {a.shape}, the weights {weights.shape}: give the axis along which they lie")
    return made(a, axis, weights, **named, **({"sum_of_weights": True} if returned else {}))


def of_kinds(made, kind, *kinds):
    if kind not in (None, *kinds):
        raise ValueError(f"gpuarr.{made.__name__}: there is no kind {kind!r}; there are {', '.join(map(repr, kinds))}")


def with_kths(made, a, kth, axis=-1, kind=None, **named):
    """kth may be several places: sorted, all of them are right. kind is NumPy's."""
    of_kinds(made, kind, "introselect")
    kth = listed(kth)
    if len(kth) == 1:
        return made(a, kth[0], axis, **named)
    a = calls["ravel"](a) if axis is None else asarray(a)
    along, = axes_of(-1 if axis is None else axis, a.ndim)
    n = a.shape[along]
    for k in map(operator.index, kth):
        if a.size and not -n <= k < n:
            raise ERRORS["GA_BAD_ARGUMENT"](f"gpuarr.{made.__name__}: kth = {k} is out of bounds for axis {along} with length {n}")
    return calls["argsort" if made.__name__ == "argpartition" else "sort"](a, along)


for each in ("partition", "argpartition"):
    short(with_kths, each)


def with_names(made, path, *arrays, **named):
    """savez(path, x, y) writes arr_0 and arr_1, savez(path, a=x, b=y) names them."""
    if len(arrays) == 2 and not named and all(isinstance(v, (list, tuple)) for v in arrays) and arrays[0] and all(isinstance(n, str) for n in arrays[0]):
        return made(path, *arrays)  # as C has it
    names = [f"arr_{k}" for k in range(len(arrays))]
    twice = [n for n in names if n in named]
    if twice:
        raise ValueError(f"gpuarr.{made.__name__}: {twice[0]} is what the first array without a name is called")
    return made(path, [*names, *named], [*arrays, *named.values()])


short(with_names, "savez")


def savez_compressed(path, *arrays, **named):
    """savez, with packed arrays. As there, links are followed, and what is no regular file is not replaced."""
    path = os.path.realpath(os.fsdecode(path))
    if not os.path.isdir(os.path.dirname(path)) or os.path.exists(path) and not os.path.isfile(path):
        number = errno.EISDIR if os.path.isdir(path) else None if os.path.exists(path) else errno.ENOENT
        raise file_error(ERRORS["GA_NO_FILE"], f"gpuarr.savez_compressed: {path!r} is no regular file, nor can it become one", path, number)
    try:
        write_compressed(path, arrays, named)
    except OSError as e:  # which names the file that is written first
        raise file_error(ERRORS["GA_NO_FILE"], f"gpuarr.savez_compressed: cannot write {path!r}: {os.strerror(e.errno) if e.errno else e}", path, e.errno) from None


calls["savez_compressed"] = named_as_itself(savez_compressed)


@short
def nan_to_num(made, x, copy=True, nan=None, posinf=None, neginf=None, **named):
    """copy=False: in place."""
    r = made(x, nan=nan, posinf=posinf, neginf=neginf, **named)
    return r if copy or isinstance(x, (list, tuple, bool, int, float, complex)) else calls["copyto"](x, r)


@short
def norm(made, a, ord=None, axis=None, keepdims=False, **named):
    """As NumPy's: along an axis of vectors, along two of matrices; with neither ord nor axis of all elements. axes=: of all elements along these."""
    a = asarray(a)
    if named.get("axes") is not None or axis is None and (ord is None or ord in ("fro", "f") and a.ndim == 2 or ord == 2 and a.ndim == 1):
        return made(a, 2 if ord in (None, "fro", "f") else ord, keepdims=keepdims, **named)
    axes = list(range(a.ndim)) if axis is None else axes_of(axis, a.ndim)
    if len(axes) == 1:
        return made(a, 2 if ord is None else ord, axes[0], keepdims, **named)
    if len(axes) != 2:
        raise ValueError(f"gpuarr.norm: an axis of vectors or two of matrices, not {len(axes)}")
    matrices = a if axes == [a.ndim - 2, a.ndim - 1] else calls["moveaxis"](a, axes, (-2, -1))
    r = calls["matrix_norm"](matrices, ord="fro" if ord in (None, "f") else ord, **named)
    return calls["expand_dims"](r, sorted(axes)) if keepdims else r


@short
def gradient(made, f, *spacing, axis=None, edge_order=1, **named):
    """As NumPy's: gradient(f, dx), gradient(f, x), gradient(f, dx, y); along several axes a tuple. spacing= is C's."""
    f = asarray(f)
    axes = list(range(f.ndim)) if axis is None else axes_of(axis, f.ndim)
    spacing = spacing or (named.pop("spacing", 1),)
    if named:
        raise TypeError(f"gpuarr.gradient: there is no option {next(iter(named))!r}; it has axis, edge_order, spacing")
    if len(spacing) == 1 and isinstance(number(spacing[0]), (bool, int, float)):
        spacing *= len(axes)
    if len(spacing) != len(axes):
        raise TypeError(f"gpuarr.gradient: {len(spacing)} spacings for {len(axes)} axes: give one number, or for each axis a number or coordinates")
    along = [made(f, axis=k, edge_order=edge_order, spacing=d) for k, d in zip(axes, spacing)]
    return along[0] if len(along) == 1 else tuple(along)


@short
def result_type(made, *operands):
    """result_type(a, 3, "float32"): of arrays, numbers and dtypes; or, as C has it, of a list of them."""
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    if not operands:
        raise ValueError("gpuarr.result_type of nothing")
    return made([calls["empty"]((), dtype=v) if isinstance(v, (str, type, type(NUMBERED[1]))) or hasattr(v, "isbuiltin") else v for v in operands])


@short
def lexsort(made, keys, axis=-1):
    """The places in order of the last key, then of the one before; of keys with several dimensions along an axis."""
    keys = [asarray(k) for k in keys]
    if keys and {k.ndim for k in keys} == {0}:  # of one place alone
        return calls["zeros"]((), "int64")
    if not keys or {k.ndim for k in keys} == {1} and axis in (0, -1):
        return made(keys)
    if len({k.shape for k in keys}) > 1:
        raise ValueError(f"gpuarr.lexsort: keys of the shapes {', '.join(str(k.shape) for k in keys)}")
    axis, = axes_of(axis, keys[0].ndim)
    places = calls["argsort"](keys[0], axis)
    for key in keys[1:]:  # argsort is stable
        places = calls["take_along_axis"](places, calls["argsort"](calls["take_along_axis"](key, places, axis=axis), axis), axis=axis)
    return places


def limits_of(range):
    """The least and the most, of what is given."""
    if len(range) != 2:
        raise ValueError(f"a range is (least, most), not {range!r}")
    return tuple(map(number, range))


def low_and_high(range):
    return {} if range is None else dict(zip(("low", "high"), limits_of(range)))


def is_one(bins):
    """Is it the number of bins, and not their edges?"""
    if isinstance(bins, str):
        raise ValueError(f"gpuarr has no rule {bins!r} for bins of several axes: give their numbers, or edges")
    return getattr(bins, "ndim", None) == 0 or not hasattr(bins, "__len__")


def skewed(x, n, spread, limits):
    sigma = calls["std"](x).item()
    if n < 3 or not sigma:
        return 0
    skew = calls["mean"](((x - calls["mean"](x)) / sigma) ** 3).item()
    return spread / (1 + math.log2(n) + math.log2(1 + abs(skew) / math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))))


def least_error(x, n, spread, limits):
    def error(bins):
        p = calls["histogram"](x, bins, limits, edges=False) / n
        return (2 - (n + 1) * calls["sum"](p * p).item()) * bins / spread
    return spread / min(range(1, max(100, math.isqrt(n)) + 1), key=error) if n > 1 and spread else 0


def between_quartiles(x, n):
    low, high = calls["percentile"](x, [25, 75]).tolist()
    return 2 * (high - low) / n ** (1 / 3)


# How wide bins are of n numbers x, whose least and greatest differ by spread: the rules of numpy.histogram_bin_edges.
WIDTHS = {"sqrt": lambda x, n, spread, limits: spread / math.sqrt(n),
          "sturges": lambda x, n, spread, limits: spread / (math.log2(n) + 1),
          "rice": lambda x, n, spread, limits: spread / (2 * n ** (1 / 3)),
          "scott": lambda x, n, spread, limits: (24 * math.sqrt(math.pi) / n) ** (1 / 3) * calls["std"](x).item(),
          "fd": lambda x, n, spread, limits: between_quartiles(x, n),
          "auto": lambda x, n, spread, limits: min(max(between_quartiles(x, n), spread / math.sqrt(n) / 2), spread / (math.log2(n) + 1)),
          "doane": skewed, "stone": least_error}


def bins_by_rule(rule, a, limits, weights):
    """The number of bins by one of these rules."""
    if rule not in WIDTHS:
        raise ValueError(f"gpuarr has no rule {rule!r} for bins; there are {', '.join(map(repr, WIDTHS))}")
    if weights is not None:
        raise TypeError("gpuarr: the rules for bins know no weights: give the number of bins, or edges")
    x = calls["ravel"](a)
    x = x.astype("uint8") if x.dtype.kind == "b" else x
    if limits is not None:
        least, most = limits_of(limits)
        limits = (least - 0.5, most + 0.5) if least == most else (least, most)
        if not math.isfinite(limits[1] - limits[0]):
            return 1  # which the edges refuse
        x = calls["compress"]((x >= limits[0]) & (x <= limits[1]), x)
    if not x.size:
        return 1
    least, most = calls["min"](x).item(), calls["max"](x).item()
    limits = (least, most) if limits is None else limits
    width = WIDTHS[rule](x, x.size, most - least, limits) if math.isfinite(most - least) else 0
    width = max(width, 1) if width and x.dtype.kind in "iu" else width
    return math.ceil((limits[1] - limits[0] or 1) / width) if width else 1


def places_between(x, edges):
    """The number of bins with these edges, the last of which is its bin's; the bin of each number; and whether there is one."""
    if edges.ndim != 1 or calls["any"](edges[1:] < edges[:-1]):
        raise ValueError("gpuarr: the edges stand in a line, and ascend")
    n = max(edges.size - 1, 0)
    bins = calls["searchsorted"](edges, x, side="right") - 1
    bins = calls["where"](x == edges[-1], n - 1, bins) if n else bins
    return n, bins, (bins >= 0) & (bins < n)


def check_weights(name, shape, weights):
    """As C does where it counts itself."""
    if weights is not None and weights.shape != shape:
        raise ERRORS["GA_BAD_SHAPE"](f"gpuarr.{name}: weights have shape {weights.shape}, a {shape}: each element needs one")


def counts_between(a, edges, weights, density):
    """A histogram with these edges."""
    a, edges = asarray(a), asarray(edges)
    check_weights("histogram", a.shape, weights)
    a = calls["ravel"](a)
    n, bins, kept = places_between(a, edges)
    counts = calls["bincount"](calls["compress"](kept, bins), None if weights is None else calls["compress"](kept, calls["ravel"](weights)), minlength=n)[:n]
    if density:
        return counts / calls["diff"](edges) / calls["sum"](counts)
    if weights is None:
        return counts
    dtype = weights.dtype  # that of the sums, as C has it: integers of few bits wrap around
    return calls["astype"](calls["astype"](counts, "int64") if dtype.kind in "iu" and dtype.itemsize < 8 else counts, dtype)


@short
def histogram(made, a, bins=10, range=None, density=None, weights=None, *, edges=True, **named):
    """The counts and the edges of bins; bins may be the edges, or a rule, as "auto". edges=False: the counts alone, as C has it."""
    bins = bins_by_rule(bins, a, range, weights) if isinstance(bins, str) else bins
    if not is_one(bins):
        bins = asarray(bins)
        counts = counts_between(a, bins, None if weights is None else asarray(weights), density)
        return (counts, bins) if edges else counts
    return made(a, bins, density=density, weights=weights, edges=edges, **low_and_high(range), **named)


@short
def histogram_bin_edges(made, a, bins=10, range=None, weights=None, **named):
    """bins may be a rule, as "auto"."""
    bins = bins_by_rule(bins, a, range, weights) if isinstance(bins, str) else bins
    return made(a, bins, **low_and_high(range), **named) if is_one(bins) else asarray(bins)


def counts_in_boxes(lines, bins, range, density, weights):
    """Of points, given by their places along each axis: the counts and the edges."""
    edges = [calls["histogram_bin_edges"](x, b, limits) if is_one(b) else asarray(b) for x, b, limits in zip(lines, bins, range)]
    box, kept, shape = 0, True, []
    for x, side in zip(lines, edges):
        n, place, inside = places_between(x, side)
        box, kept, shape = box * n + place, inside & kept, [*shape, n]
    counts = calls["bincount"](calls["compress"](kept, box), None if weights is None else calls["compress"](kept, weights), minlength=math.prod(shape))
    counts = calls["reshape"](calls["astype"](counts, "float64"), shape)
    if density:
        counts = counts / calls["sum"](counts)
        for k, side in enumerate(edges):
            counts = counts / calls["reshape"](calls["diff"](side), [-1] + [1] * (len(shape) - 1 - k))
    return counts, edges


def in_boxes(made, points, dimensions, bins, range, density, weights, edges, named):
    """Of points in boxes: the counts and a list of edges for each axis."""
    bins = [bins] * dimensions if is_one(bins) else bins
    if len(bins) != dimensions:
        raise ValueError(f"gpuarr.{made.__name__}: {len(bins)} bins for {dimensions} axes: give their number, their edges, or one of both for each axis")
    range = [None] * dimensions if range is None else listed(range)
    if len(range) != dimensions:
        raise ValueError(f"gpuarr.{made.__name__}: {len(range)} ranges for {dimensions} axes: give (least, most), or None, for each axis")
    given = [r for r in range if r is not None]
    if not all(map(is_one, bins)) or 0 < len(given) < dimensions:
        lines = [calls["ravel"](p) for p in (points if len(points) > 1 else [points[0][:, k] for k in builtins.range(dimensions)])]
        weights = None if weights is None else asarray(weights)
        check_weights(made.__name__, lines[0].shape, weights)
        found = counts_in_boxes(lines, bins, range, density, weights)
        return found if edges else found[0]
    if given:
        named["ranges"] = list(map(limits_of, range))
    return made(*points, bins, density=density, weights=weights, edges=edges, **named)


@short
def histogramdd(made, sample, bins=10, range=None, density=None, weights=None, *, edges=True, **named):
    """The counts, float64, and a list of the edges along each axis. edges=False: the counts alone, as C has it."""
    lines = isinstance(sample, (list, tuple)) or asarray(sample).ndim != 2  # along the axes, as NumPy takes them
    sample = calls["transpose"](calls["atleast_2d"](asarray(sample))) if lines else asarray(sample)
    return in_boxes(made, [sample], sample.shape[-1] if sample.ndim == 2 else 1, bins, range, density, weights, edges, named)


@short
def histogram2d(made, x, y, bins=10, range=None, density=None, weights=None, *, edges=True, **named):
    """The counts, float64, and the edges along x and along y. edges=False: the counts alone, as C has it."""
    if not is_one(bins) and len(bins) not in (1, 2):  # edges along both
        bins = [bins, bins]
    found = in_boxes(made, [x, y], 2, bins, range, density, weights, edges, named)
    return (found[0], *found[1]) if edges else found


def with_correction(made, a, *given, correction=None, **named):
    """correction= is ddof=, which may have a fraction."""
    ddof = number(given[3] if len(given) > 3 else named.get("ddof"))
    if correction is not None and ddof not in (None, 0):
        raise ValueError(f"gpuarr.{made.__name__}: ddof and correction are one: give one of both")
    ddof = ddof if correction is None else number(correction)
    order = "axis", "dtype", "out", "ddof", "keepdims"
    by_position = dict(zip(order, given))
    if len(given) > len(order) or by_position.keys() & named.keys():
        return made(a, *given, **named)  # which refuses them
    named = {**by_position, **named, "ddof": ddof}
    if not isinstance(ddof, float):
        return made(a, **named)
    if ddof.is_integer():
        return made(a, **{**named, "ddof": int(ddof)})
    out, a = named.pop("out", None), asarray(a)
    r = made(a, **{**named, "ddof": 0})
    skips = made.__name__.startswith("nan")
    there = calls["logical_not"](calls["isnan"](a)) if skips else calls["ones_like"](a, dtype="bool")
    n = calls["sum"](there, **{k: named[k] for k in ("axis", "keepdims", "where") if k in named})
    scale = n / calls["where"](n > ddof, n - ddof, math.nan if skips or math.isnan(ddof) else 0.0)
    r = calls["astype"](r * (calls["sqrt"](scale) if made.__name__.endswith("std") else scale), r.dtype)
    if out is None:
        return r
    out = to_write(out, made.__name__, "out")
    if out.shape != r.shape:
        raise ERRORS["GA_BAD_SHAPE"](f"gpuarr.{made.__name__}: out has the shape {out.shape}, the result {r.shape}")
    return calls["copyto"](out, r)


def always_stable(made, a, axis=-1, kind=None, order=None, *, stable=None, **named):
    """Sorting is stable, whatever is asked for."""
    if not (kind is None or isinstance(kind, str)) or order is not None:
        raise TypeError(f"gpuarr.{made.__name__}: kind is a word, and order is for dtypes with fields; where results go is out=")
    of_kinds(made, kind, "quicksort", "heapsort", "mergesort", "stable")
    return made(a, axis, **named)


for also, names in ((with_correction, ("std", "var", "nanstd", "nanvar")),
                    (always_stable, ("sort", "argsort"))):
    for each in names:
        short(also, each)


def where_numbers(made, a, *given, where=None, **named):
    """where=: only of these elements."""
    if where is None or where is True:
        return made(a, *given, **named)
    a = asarray(a)
    return calls[made.__name__.removeprefix("nan")](a, *given, where=calls["logical_and"](where, calls["logical_not"](calls["isnan"](a))), **named)


for each in ("nanmean", "nanvar", "nanstd"):
    short(where_numbers, each)


def connectivity_of(structure, ndim):
    """The number of which generate_binary_structure() makes this structure; a number is one, as C has it."""
    structure = asarray(structure)
    if structure.ndim == 0 and ndim and structure.dtype.kind in "iu":
        return structure.item()
    if structure.shape != (3,) * ndim:
        raise ValueError(f"gpuarr.label: a structure of the shape {structure.shape} for {ndim} dimensions: give one of the shape {(3,) * ndim}")
    away = [sum(map(abs, place)) for place in itertools.product((-1, 0, 1), repeat=ndim)]  # the middle has no neighbour in itself
    near = [d for d, there in zip(away, calls["ravel"](structure != 0).tolist()) if d and there]
    if sorted(near) != sorted(d for d in away if 0 < d <= max(near, default=0)) or ndim and not near:
        raise ValueError(f"gpuarr.label knows the structures of generate_binary_structure({ndim}, 1 to {ndim}), and no others")
    return max(near, default=1)


@short
def label(made, a, structure=None, output=None, *, count=True, **named):
    """The labels and their number, as SciPy's; the structure is one of generate_binary_structure(), or its connectivity, output the dtype.
    count=False: the labels alone, as C has it."""
    a = asarray(a)
    if output is not None:
        named["dtype"] = as_dtype(output)
    if structure is not None:
        if named.get("connectivity") is not None:
            raise TypeError("gpuarr.label: structure and connectivity are one: give one of both")
        named["connectivity"] = connectivity_of(structure, a.ndim)
    return made(a, count=count, **named)


def of_labels(made, a, labels=None, index=None, **named):
    """Labels are broadcast to a; without them the results are those of the whole array, whatever the index. With one label as the index the
    results have no axis of labels; else its shape, but the places of extrema, which stand in a row, as SciPy's."""
    name, whole = made.__name__, labels is None
    one = whole or index is not None and isinstance(number(index), (bool, int, float))
    a = asarray(a)
    if whole and name.endswith("_labels"):
        fold = name.removesuffix("_labels")
        return calls["astype"](calls[fold](a, **{**named, **({"dtype": "float64"} if fold in ("sum", "mean") else {})}), "float64")
    if not whole:
        labels = asarray(labels)
        if labels.shape != a.shape:
            if labels.ndim > a.ndim or any(n not in (1, m) for n, m in zip(labels.shape[::-1], a.shape[::-1])):
                raise ERRORS["GA_BAD_SHAPE"](f"gpuarr.{name}: labels have shape {labels.shape}, which does not broadcast to that of the array, {a.shape}")
            labels = calls["broadcast_to"](labels, a.shape)
    index = None if whole or index is None else calls["atleast_1d"](asarray(index, "int64") if isinstance(index, (list, tuple)) and not len(index) else index)
    r = made(a, labels, index if index is None or index.ndim == 1 else calls["ravel"](index), **named)
    shape = () if one else index.shape if index is not None else None

    def shaped(k, v):
        place = name.endswith("_position") or name == "extrema" and k >= 2
        center = name == "center_of_mass" and k == 0
        if one:
            return v[0]
        return v if shape is None or place else calls["reshape"](v, shape + v.shape[1:] if center else shape)
    return tuple(shaped(k, v) for k, v in enumerate(r)) if isinstance(r, tuple) else shaped(0, r)


for each in "sum_labels mean_labels min_labels max_labels variance standard_deviation minimum_position maximum_position extrema center_of_mass".split():
    short(of_labels, each)


# What NumPy names of these results; several of them are in order.
RESULTS = {name: namedtuple(name + "_result", fields) for name, fields in {
    "eig": "eigenvalues eigenvectors", "eigh": "eigenvalues eigenvectors", "qr": "Q R", "slogdet": "sign logabsdet", "svd": "U S Vh",
    "unique_all": "values indices inverse_indices counts", "unique_counts": "values counts", "unique_inverse": "values inverse_indices"}.items()}
globals().update({result.__name__: result for result in RESULTS.values()})  # where pickle finds them


def with_names(made, a, *given, **named):
    """The results by NumPy's names, or in order. Where each element of a is found among the values has the shape of a."""
    r, names = made(a, *given, **named), RESULTS[made.__name__]
    if not isinstance(r, tuple) or len(r) != len(names._fields):
        return r
    r = names(*r)
    return r._replace(inverse_indices=r.inverse_indices.reshape(asarray(a).shape)) if "inverse_indices" in r._fields else r


for each in RESULTS:
    short(with_names, each)


# What SciPy's find_peaks returns for each of these, when it is given.
PROPERTIES = {"height": "peak_heights", "threshold": "left_thresholds right_thresholds", "prominence": "prominences left_bases right_bases",
              "width": "prominences left_bases right_bases widths width_heights left_ips right_ips", "plateau_size": "plateau_sizes left_edges right_edges"}


@short
def find_peaks(made, x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=None, plateau_size=None, *,
               found=None, **named):
    """The peaks and a dictionary of what was asked of them, as SciPy's; (least, most) stands for a number and its ..._max=. found=True: of all
    that is known of them; found=False: the peaks alone, as C has it."""
    limits = {"height": height, "threshold": threshold, "prominence": prominence, "width": width, "plateau_size": plateau_size}
    asked = {n for limit, names in PROPERTIES.items() if limits[limit] is not None or named.get(limit + "_max") is not None for n in names.split()}
    for limit, value in limits.items():
        value = listed(value) if getattr(value, "shape", None) == (2,) else value
        several = [value] if getattr(value, "ndim", 0) else value if isinstance(value, (list, tuple)) else []
        if several and (len(several) != 2 or any(getattr(v, "ndim", 0) or isinstance(v, (list, tuple)) for v in several)):
            raise ValueError(f"gpuarr.find_peaks: {limit} is a number or (least, most) for all elements of x, not {value!r}")
        if several:
            limits[limit], named[limit + "_max"] = value
    if isinstance(wlen, float) and math.isfinite(wlen):
        wlen = min(math.ceil(wlen), 2**62)  # as SciPy
    heights = found is None and asked == {"peak_heights"}  # which need none of the rest
    wanted = bool(asked) and not heights if found is None else found
    r = made(x, **limits, distance=distance, wlen=wlen, rel_height=rel_height, found=wanted, **named)
    if found is not None:
        return r
    peaks, known = r if wanted else (r, {"peak_heights": calls["astype"](calls["take"](x, r), "float64")} if heights else {})
    return peaks, {n: v for n, v in known.items() if n in asked}


@short
def lstsq(made, a, b, rcond=None, **named):
    """x, the residuals, the rank and the singular values, as NumPy's; rank=True, or another by its name: x and these, as C has it."""
    asked = {"residuals", "rank", "s"} & {n.removeprefix("return_") for n in named}
    return made(a, b, rcond, **named, **({} if asked else {"residuals": True, "rank": True, "s": True}))


@short
def polyfit(made, x, y, deg, rcond=None, full=False, w=None, cov=None, **named):
    """full=True: and the residuals, the rank, the singular values and rcond, as NumPy's; cov="unscaled": unscaled=True."""
    if isinstance(cov, str):
        if cov != "unscaled":
            raise ValueError(f"gpuarr.polyfit: cov is True, False or 'unscaled', not {cov!r}")
        cov, named["unscaled"] = True, True
    if not full:
        return made(x, y, deg, rcond, w=w, cov=cov, **named)
    x, y = asarray(x) + 0.0, asarray(y) + 0.0
    rcond = x.size * functions.finfo(x.dtype).eps if rcond is None else rcond
    p, powers = made(x, y, deg, rcond, w=w), calls["vander"](x, deg + 1)
    if w is not None:
        w = asarray(w)
        powers, y = powers * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    scaled = powers / calls["sqrt"](calls["sum"](powers * powers, 0))
    return (p, *calls["lstsq"](scaled, y, rcond)[1:], rcond)


@short
def resample(made, x, num, t=None, axis=0, **named):
    """With the times t of the samples those of the new ones, too, as SciPy's."""
    r = made(x, num, axis=axis, **named)
    if t is None:
        return r
    t, n = asarray(t), asarray(x).shape[axis]
    return r, calls["arange"](num) * (t[1] - t[0]) * n / num + t[0]


def with_frequencies(made, x, *given, frequencies=None, **named):
    """The frequencies (of a spectrogram the times, too) and the spectrum, as SciPy's. frequencies= or times= said: as C has it. A window may
    be ("kaiser", beta) or another with its parameters, or its values."""
    by_position = dict(zip(("fs", "window"), given))
    if len(given) <= 2 and not by_position.keys() & named.keys():
        given, named = (), {**by_position, **named}
    window = named.get("window")
    if isinstance(window, tuple) and len(window) == 1 and isinstance(window[0], str):
        window, = window
        named["window"] = window
    window = (window,) if isinstance(window, str) and window in OWN else window
    if not isinstance(window, (str, type(None))):
        x = asarray(x)
        along, = axes_of(-1 if named.get("axis") is None else named["axis"], x.ndim)
        most, wanted = x.shape[along], named.get("nfft" if made.__name__ == "periodogram" else "nperseg")
        wanted = wanted if wanted is not None else most if made.__name__ == "periodogram" else 256
        length = min(most, number(wanted))
        named.pop("window")
        made_of = window_values(window, length)
        named["values"] = window if made_of is None else made_of
        if made_of is not None and named.get("nperseg") is not None:
            named["nperseg"] = length
    if frequencies is not None or named.get("times") is not None:
        return made(x, *given, frequencies=frequencies, **named)
    spectrum, *axes = made(x, *given, frequencies=True, **named, **({"times": True} if made.__name__ == "spectrogram" else {}))
    return (*axes, spectrum)


for each in ("periodogram", "welch", "spectrogram"):
    short(with_frequencies, each)


def with_state(made, *given, zf=None, **named):
    """With zi the state behind the last element, too, as SciPy's; zf=False: not that."""
    zi = named.get("zi", given[4] if made.__name__ == "lfilter" and len(given) > 4 else given[3] if made.__name__ == "sosfilt" and len(given) > 3 else None)
    return made(*given, zf=zi is not None if zf is None else zf, **named)


for each in ("lfilter", "sosfilt"):
    short(with_state, each)


@short
def free(made, a):
    """Gives the array's memory back now, unless NumPy shares it; else that happens when Python needs it no more."""
    a.release()


functions.__dict__.update(calls)
