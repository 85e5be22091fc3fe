"""The array API standard (data-apis.org/array-api) on gpuarr: the functions of 2022.12 to 2025.12 by the standard's names."""
import inspect
import math
import operator
import os
import sys
import types
from collections import namedtuple
from math import e, inf, nan, pi  # noqa: F401

from .arrays import array, asarray as _asarray, from_dlpack  # noqa: F401
from .native import DTYPES, as_dtype, functions as ga

# GPUARR_ARRAY_API_VERSION=2021.12: the namespace says that it is of that version and none later, for what was written for it.
__array_api_version__ = os.environ.get("GPUARR_ARRAY_API_VERSION", "2025.12")
VERSIONS = [v for v in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12") if v <= __array_api_version__]
newaxis = None
globals().update(DTYPES)  # bool, int8 ... complex128: `bool` is the dtype here
truth = type(True)


def checked(version):
    """This namespace, if it has that version of the standard."""
    if version is not None and version not in [*VERSIONS, "2021.1"]:
        raise ValueError(f"gpuarr has the array API's versions {', '.join(VERSIONS)}, not {version!r}")
    return sys.modules[__name__]


def is_dtype(value):
    return isinstance(value, type(DTYPES["bool"]))


# ---- elementwise -----------------------------------------------------------------------------------------------------------------------------

def elementwise(name, names):
    """The function of gpuarr's with parameters by position alone."""
    call = getattr(ga, name)

    def function(*given):
        if len(given) != len(names):
            raise TypeError(f"gpuarr.{name}: {len(given)} arguments: it takes {len(names)}")
        return call(*given)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = call.__doc__
    function.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names])
    return function


globals().update({name: elementwise(name, ["x"]) for name in """
    abs acos acosh asin asinh atan atanh bitwise_invert conj cos cosh exp expm1 imag isfinite isinf isnan log log1p log2 log10 logical_not
    negative positive real reciprocal sign signbit sin sinh square sqrt tan tanh""".split()})
globals().update({name: elementwise(name, ["x1", "x2"]) for name in """
    add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal floor_divide greater greater_equal
    hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal remainder subtract""".split()})


def pow(x1, x2, /):
    """x1 to the power of x2. Of integers to negative powers, which the standard leaves open, the whole part."""
    kinds = result_type(x1, x2)
    if kinds.kind not in "i" or not ga.any(ga.less(x2, 0)):
        return ga.power(x1, x2)
    even, one = ga.equal(ga.bitwise_and(x2, 1), 0), ga.astype(ga.equal(ga.absolute(x1), 1), kinds)
    return ga.where(ga.less(x2, 0), ga.where(even, one, ga.multiply(one, x1)), ga.power(x1, ga.maximum(x2, 0)))


def whole(name):
    """Rounding: an integer is itself."""
    def function(x, /):
        return ga.copy(x) if x.dtype.kind in "iu" else getattr(ga, name)(x)
    function.__name__ = name
    return function


ceil, floor, trunc, round = map(whole, ("ceil", "floor", "trunc", "round"))


def clip(x, /, min=None, max=None):
    if min is not None:
        x = ga.astype(ga.maximum(x, min), x.dtype)
    if max is not None:
        x = ga.astype(ga.minimum(x, max), x.dtype)
    return ga.copy(x) if min is None and max is None else x


# ---- creation ----------------------------------------------------------------------------------------------------------------------------------

def asarray(obj, /, *, dtype=None, device=None, copy=None):
    return _asarray(obj, dtype, device=device, copy=copy)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    if stop is None:
        start, stop = 0, start
    return ga.arange(start, stop, step, dtype=dtype, device=device)


def empty(shape, *, dtype=None, device=None):
    return ga.empty(shape, dtype=dtype, device=device)


def zeros(shape, *, dtype=None, device=None):
    return ga.zeros(shape, dtype=dtype, device=device)


def ones(shape, *, dtype=None, device=None):
    return ga.ones(shape, dtype=dtype, device=device)


def full(shape, fill_value, *, dtype=None, device=None):
    return ga.full(shape, fill_value, dtype=dtype, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    return ga.empty_like(x, dtype=dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    return ga.zeros_like(x, dtype=dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    return ga.ones_like(x, dtype=dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return ga.full_like(x, fill_value, dtype=dtype, device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    n_cols = n_rows if n_cols is None else n_cols
    return ga.eye(n_rows, n_cols, n_cols if k > n_cols else -n_rows if k < -n_rows else k, dtype=dtype, device=device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    if isinstance(start, complex) or isinstance(stop, complex):
        start, stop = complex(start), complex(stop)
        real, imag = (ga.linspace(a, b, num, endpoint=endpoint, device=device) for a, b in ((start.real, stop.real), (start.imag, stop.imag)))
        return ga.astype(real + imag * 1j, dtype or "complex128")
    if dtype is not None and as_dtype(dtype).kind == "c":
        return ga.astype(ga.linspace(start, stop, num, endpoint=endpoint, device=device), dtype)
    return ga.linspace(start, stop, num, endpoint=endpoint, dtype=dtype, device=device)


def meshgrid(*arrays, indexing="xy"):
    return ga.meshgrid(*arrays, indexing=indexing)


def tril(x, /, *, k=0):
    return ga.tril(x, k)


def triu(x, /, *, k=0):
    return ga.triu(x, k)


# ---- dtypes ------------------------------------------------------------------------------------------------------------------------------------

finfo_object = namedtuple("finfo_object", "bits eps max min smallest_normal dtype")
iinfo_object = namedtuple("iinfo_object", "bits max min dtype")


def astype(x, dtype, /, *, copy=True, device=None):
    x = x if x.dtype == dtype and not copy else ga.astype(x, dtype)
    return x if device is None else x.to_device(device)


def can_cast(from_, to, /):
    return ga.can_cast(from_ if is_dtype(from_) else from_.dtype, to)


def finfo(type, /):
    dtype = as_dtype(getattr(type, "dtype", type) if not is_dtype(type) else type)
    f = ga.finfo(dtype)
    return finfo_object(f.bits, f.eps, f.max, f.min, f.tiny, DTYPES[f"float{f.bits}"])


def iinfo(type, /):
    dtype = as_dtype(type.dtype if isinstance(type, array) else type)
    i = ga.iinfo(dtype)
    return iinfo_object(i.bits, i.max, i.min, dtype)


def isdtype(dtype, kind):
    if isinstance(kind, tuple):
        return any_of(isdtype(dtype, k) for k in kind)
    return dtype == kind if is_dtype(kind) else ga.isdtype(dtype, kind)


def any_of(values):
    return True in list(values)


def result_type(*arrays_and_dtypes):
    if not arrays_and_dtypes:
        raise ValueError("result_type() of nothing")
    return ga.result_type([ga.zeros((), dtype=v) if is_dtype(v) else v for v in arrays_and_dtypes])


# ---- shapes ------------------------------------------------------------------------------------------------------------------------------------

def broadcast_arrays(*arrays):
    return tuple(ga.broadcast_arrays(arrays)) if arrays else ()


def broadcast_shapes(*shapes):
    ndim = max_of([len(s) for s in shapes], 0)
    padded = [(1,) * (ndim - len(s)) + tuple(s) for s in shapes]
    joined = []
    for lengths in zip(*padded):
        lengths = {n for n in lengths if n != 1}
        if len(lengths) > 1:
            raise ValueError(f"the shapes {', '.join(map(str, shapes))} cannot be broadcast together")
        joined.append(lengths.pop() if lengths else 1)
    return tuple(joined)


def max_of(values, default):
    return sorted(values)[-1] if values else default


def broadcast_to(x, /, shape):
    return ga.broadcast_to(x, shape)


def concat(arrays, /, *, axis=0):
    return ga.concatenate([ga.ravel(a) for a in arrays]) if axis is None else ga.concatenate(arrays, axis=axis)


def expand_dims(x, /, axis=0):
    return ga.expand_dims(x, axis)


def flip(x, /, *, axis=None):
    return ga.flip(x, axis=axis)


def moveaxis(x, source, destination, /):
    return ga.moveaxis(x, source, destination)


def permute_dims(x, /, axes):
    return ga.transpose(x, axes=axes) if x.ndim else ga.view(x)


def repeat(x, repeats, /, *, axis=None):
    return ga.repeat(x, repeats, axis=axis)


def reshape(x, /, shape, *, copy=None):
    y = ga.reshape(x, shape)
    if x.size and copy is not None and ga.may_share_memory(x, y) == copy:
        if not copy:
            raise ValueError("reshape() must copy these elements (copy=False)")
        return ga.copy(y)
    return y


def roll(x, /, shift, *, axis=None):
    if axis is None:
        return ga.reshape(ga.roll(ga.ravel(x), shift if isinstance(shift, int) else add_up(shift)), x.shape)
    axes = (axis,) if isinstance(axis, int) else axis
    shifts = (shift,) * len(axes) if isinstance(shift, int) else shift
    for n, k in zip(shifts, axes):
        x = ga.roll(x, n, axis=k)
    return x


def add_up(numbers):
    return int(math.fsum(numbers))


def squeeze(x, /, axis):
    return ga.squeeze(x, axis=axis) if axis != () else ga.view(x)


def stack(arrays, /, *, axis=0):
    return ga.stack(arrays, axis=axis)


def tile(x, repetitions, /):
    return ga.tile(x, repetitions)


def unstack(x, /, *, axis=0):
    return tuple(ga.unstack(x, axis=axis))


# ---- indices, searching, sorting, sets -----------------------------------------------------------------------------------------------------------

def take(x, indices, /, *, axis=None):
    return ga.take(x, indices, axis=0 if axis is None else axis)


def take_along_axis(x, indices, /, *, axis=-1):
    return ga.take_along_axis(x, indices, axis=axis)


def argmax(x, /, *, axis=None, keepdims=False):
    return ga.argmax(x, axis=axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    return ga.argmin(x, axis=axis, keepdims=keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return ga.count_nonzero(x, axis=axis, keepdims=keepdims)


def nonzero(x, /):
    if not x.ndim:
        raise ValueError("nonzero() of an array without dimensions")
    return tuple(ga.nonzero(x))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    return ga.searchsorted(x1, x2, side=side, sorter=sorter)


def where(condition, x1, x2, /):
    return ga.where(condition, x1, x2)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    x = ga.sort(x, axis=axis)
    return ga.copy(ga.flip(x, axis=axis)) if descending else x


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    if not descending:
        return ga.argsort(x, axis=axis)
    backwards = ga.flip(ga.argsort(ga.flip(x, axis=axis), axis=axis), axis=axis)  # equal elements stay in their order
    return x.shape[axis] - 1 - backwards


def of_one(name):
    def function(x, /):
        return getattr(ga, name)(x)
    function.__name__ = name
    return function


unique_all, unique_counts, unique_inverse, unique_values = map(of_one, ("unique_all", "unique_counts", "unique_inverse", "unique_values"))


def isin(x1, x2, /, *, invert=False):
    return ga.isin(x1, x2, invert=invert)


# ---- statistics ----------------------------------------------------------------------------------------------------------------------------------

def reduced(name, x, axis, keepdims, **more):
    """A reduction; over no axes, axis=(), it folds each element alone."""
    if axis == ():
        return ga.reshape(getattr(ga, name)(ga.expand_dims(x, x.ndim), axis=-1, **more), x.shape)
    return getattr(ga, name)(x, axis=axis, keepdims=keepdims, **more)


def summed(x):
    """What 2021.12 sums float32 in."""
    return "float64" if __array_api_version__ == "2021.12" and x.dtype == "float32" else None


def max(x, /, *, axis=None, keepdims=False):
    return reduced("max", x, axis, keepdims)


def min(x, /, *, axis=None, keepdims=False):
    return reduced("min", x, axis, keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    return reduced("mean", x, axis, keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    return reduced("prod", x, axis, keepdims, dtype=dtype or summed(x))


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    return reduced("sum", x, axis, keepdims, dtype=dtype or summed(x))


def all(x, /, *, axis=None, keepdims=False):
    return reduced("all", x, axis, keepdims)


def any(x, /, *, axis=None, keepdims=False):
    return reduced("any", x, axis, keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    if correction == int(correction):
        return reduced("var", x, axis, keepdims, ddof=int(correction))
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    n = math.prod(x.shape[k] for k in axes)
    return reduced("var", x, axis, keepdims) * (n / (n - correction) if n > correction else nan if not n else inf)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    if correction == int(correction):
        return reduced("std", x, axis, keepdims, ddof=int(correction))
    return ga.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return ga.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return ga.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    return ga.diff(x, n, axis=axis, prepend=prepend, append=append)


# ---- linear algebra ------------------------------------------------------------------------------------------------------------------------------

def matmul(x1, x2, /):
    return ga.matmul(x1, x2)


def matrix_transpose(x, /):
    return ga.matrix_transpose(x)


def tensordot(x1, x2, /, *, axes=2):
    if isinstance(axes, int):
        return ga.tensordot(x1, x2, axes)
    a, b = ([k] if isinstance(k, int) else list(k) for k in axes)
    return ga.tensordot(x1, x2, len(a), axes_a=a, axes_b=b) if a else ga.tensordot(x1, x2, 0)


def vecdot(x1, x2, /, *, axis=-1):
    axis = -1 if axis is None else axis
    if not -min_of(x1.ndim, x2.ndim) <= axis < 0:
        if axis >= 0:  # of older versions of the standard: an axis of the arrays broadcast together
            x1, x2 = ga.broadcast_arrays([x1, x2])
        else:
            raise ValueError(f"there is no axis {axis} in both arrays")
    return ga.vecdot(x1, x2, axis=axis)


def min_of(a, b):
    return a if a < b else b


ORDERS = {"fro": None, "nuc": "nuc"}


def cholesky(x, /, *, upper=False):
    return ga.cholesky(x, upper=upper)


def cross(x1, x2, /, *, axis=-1):
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("cross() is of vectors of 3 elements")
    return ga.cross(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0):
    return ga.diagonal(ga.transpose(x, axes=(*range(x.ndim - 2, x.ndim), *range(x.ndim - 2))), offset)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    if ord == "nuc":
        total = ga.sum(ga.svdvals(x), axis=-1)
        return ga.expand_dims(ga.expand_dims(total, -1), -1) if keepdims else total
    return ga.matrix_norm(x, keepdims=keepdims, ord=None if ord == "fro" else ord)


def matrix_rank(x, /, *, rtol=None):
    if rtol is None or isinstance(rtol, (int, float)):
        return ga.matrix_rank(x, rtol=rtol)
    s = ga.svdvals(x)
    largest = ga.max(s, axis=-1, keepdims=True)
    return ga.count_nonzero(ga.greater(s, largest * ga.expand_dims(_asarray(rtol), -1)), axis=-1)


def pinv(x, /, *, rtol=None):
    if rtol is None or isinstance(rtol, (int, float)):
        return ga.pinv(x, rtol)
    u, s, vh = ga.svd(x, False)
    small = ga.less_equal(s, ga.max(s, axis=-1, keepdims=True) * ga.expand_dims(_asarray(rtol), -1)) if s.shape[-1] else s != 0
    inverse = ga.where(small, 0.0, ga.reciprocal(ga.where(small, 1.0, s)))
    return ga.matmul(ga.conj(ga.matrix_transpose(vh)) * ga.expand_dims(inverse, -2), ga.conj(ga.matrix_transpose(u)))


def trace(x, /, *, offset=0, dtype=None):
    return ga.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    if axis == ():
        return ga.absolute(x) if ord else ga.astype(x != 0, x.dtype)
    return ga.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


def svd(x, /, *, full_matrices=True):
    return ga.svd(x, full_matrices)


def qr(x, /, *, mode="reduced"):
    return ga.qr(x, mode=mode)


def solve(x1, x2, /):
    if x2.ndim == 1 and x1.ndim > 2:  # a vector for each of the matrices
        return ga.solve(x1, ga.expand_dims(x2, 1))[..., 0]
    return ga.solve(x1, x2)


def outer(x1, x2, /):
    return ga.outer(x1, x2)


def matrix_power(x, n, /):
    return ga.matrix_power(x, n)


linalg = types.SimpleNamespace(
    cholesky=cholesky, cross=cross, det=of_one("det"), diagonal=diagonal, eig=of_one("eig"), eigh=of_one("eigh"),
    eigvals=of_one("eigvals"), eigvalsh=of_one("eigvalsh"), inv=of_one("inv"), matmul=matmul, matrix_norm=matrix_norm, matrix_power=matrix_power,
    matrix_rank=matrix_rank, matrix_transpose=matrix_transpose, outer=outer, pinv=pinv, qr=qr, slogdet=of_one("slogdet"),
    solve=solve, svd=svd, svdvals=of_one("svdvals"), tensordot=tensordot, trace=trace, vecdot=vecdot, vector_norm=vector_norm)


# ---- Fourier transforms --------------------------------------------------------------------------------------------------------------------------

def along_axis(name):
    def function(x, /, *, n=None, axis=-1, norm="backward"):
        return getattr(ga, name)(x, n, axis, "GA_NORM_" + norm.upper())
    function.__name__ = name
    return function


def along_axes(name):
    def function(x, /, *, s=None, axes=None, norm="backward"):
        return getattr(ga, name)(x, s=s, axes=axes, norm="GA_NORM_" + norm.upper())
    function.__name__ = name
    return function


def frequencies(name):
    def function(n, /, *, d=1.0, dtype=None, device=None):
        f = getattr(ga, name)(n, d, device=device)
        return f if dtype is None else ga.astype(f, dtype)
    function.__name__ = name
    return function


def shifted(name):
    def function(x, /, *, axes=None):
        return getattr(ga, name)(x, axis=axes) if isinstance(axes, int) else getattr(ga, name)(x, axes=axes)
    function.__name__ = name
    return function


fft = types.SimpleNamespace(**{name: along_axis(name) for name in "fft ifft rfft irfft hfft ihfft".split()},
                            **{name: along_axes(name) for name in "fftn ifftn rfftn irfftn".split()},
                            **{name: frequencies(name) for name in ("fftfreq", "rfftfreq")},
                            **{name: shifted(name) for name in ("fftshift", "ifftshift")})


# ---- what there is -------------------------------------------------------------------------------------------------------------------------------

class Info:
    """What __array_namespace_info__() tells."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": array_dimensions()}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ("cpu",) + ("cuda",) * (ga.cuda_count() > 0)

    def default_dtypes(self, *, device=None):
        return {"real floating": DTYPES["float64"], "complex floating": DTYPES["complex128"], "integral": DTYPES["int64"], "indexing": DTYPES["int64"]}

    def dtypes(self, *, device=None, kind=None):
        return {name: d for name, d in DTYPES.items() if not d.half and (kind is None or isdtype(d, kind))}


def array_dimensions():
    from .arrays import MAX_DIMS
    return MAX_DIMS


def __array_namespace_info__():
    return Info()
