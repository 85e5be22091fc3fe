"""NumPy's functions that C has not, made of those that it has."""
import functools
import itertools
import math
import operator

from .arrays import adopted_array, array, asarray, of_bytes, shape_of
from .calls import Named, to_write
from .native import NUMBERED, as_dtype, functions as ga, lib, raw_dtype


def array_equiv(a, b):
    """Equal, once they are broadcast?"""
    try:
        a, b = ga.broadcast_arrays(a, b)
    except ValueError:
        return False
    return ga.array_equal(a, b)


def asanyarray(a, dtype=None, **named):
    return asarray(a, dtype, **named)


def ascontiguousarray(a, dtype=None):
    return ga.ascontiguous(ga.atleast_1d(asarray(a, dtype)))


def broadcast_shapes(*shapes):
    from . import array_api
    return array_api.broadcast_shapes(*[(s,) if isinstance(s, int) else tuple(s) for s in shapes])


def frombuffer(buffer, dtype="float64", count=-1, offset=0):
    """frombuffer: the elements in a buffer, copied."""
    dtype, memory = as_dtype(raw_dtype(dtype)), memoryview(buffer).cast("B")[offset:]
    if count < 0 and len(memory) % dtype.itemsize:
        raise ValueError(f"gpuarr: {len(memory)} bytes are no whole elements of {dtype}: give count")
    count = len(memory) // dtype.itemsize if count < 0 else count
    if count * dtype.itemsize > len(memory) or not 0 <= offset <= memoryview(buffer).nbytes:
        raise ValueError(f"gpuarr: {count} elements of {dtype} from byte {offset} on are more than the buffer has")
    return of_bytes(bytes(memory[:count * dtype.itemsize]), dtype, (count,))


def diag_indices_from(a):
    a = asarray(a)
    if a.ndim < 2 or len(set(a.shape)) != 1:
        raise ValueError(f"gpuarr: an array of shape {a.shape} has no diagonal along all axes")
    return ga.diag_indices(a.shape[0], a.ndim)


def tril_indices_from(a, k=0):
    rows, columns = asarray(a).shape
    return ga.tril_indices(rows, k, columns)


def triu_indices_from(a, k=0):
    rows, columns = asarray(a).shape
    return ga.triu_indices(rows, k, columns)


def fromfunction(function, shape, *, dtype=float, **named):
    """What the function gives for the indices of all elements."""
    return function(*ga.astype(ga.indices(shape), dtype), **named)


def fromiter(iterable, dtype, count=-1):
    values = list(iterable if count < 0 else itertools.islice(iterable, count))
    if len(values) < count:
        raise ValueError(f"gpuarr: {len(values)} elements, and {count} are wanted")
    return asarray(values, dtype)


def ix_(*lines):
    """Each along an axis of its own: a[ix_([0, 2], [1, 3])]. Of flags, where they are true."""
    lines = [asarray(a) for a in lines]
    if any(a.ndim != 1 for a in lines):
        raise ValueError("gpuarr: ix_(): every operand has one dimension")
    lines = [ga.flatnonzero(a) if a.dtype == "bool" else ga.astype(a, "int64") if a.size == 0 else a for a in lines]
    return tuple(ga.reshape(a, [-1 if d == k else 1 for d in range(len(lines))]) for k, a in enumerate(lines))


def iscomplexobj(x):
    return asarray(x).dtype.kind == "c"


def isrealobj(x):
    return not iscomplexobj(x)


def isscalar(x):
    return isinstance(x, (bool, int, float, complex, str, bytes)) or type(x).__module__ == "numpy" and hasattr(x, "item") and not hasattr(x, "__array_ufunc__")


def ndim(a):
    return asarray(a).ndim


def shape(a):
    return a.shape if isinstance(a, array) else shape_of(a) if shape_of(a) is not None else asarray(a).shape


def size(a, axis=None):
    a = asarray(a)
    return a.size if axis is None else math.prod(a.shape[k] for k in (axis if isinstance(axis, tuple) else (axis,)))


def promote_types(a, b):
    return NUMBERED[lib.ga_promote(as_dtype(a).number, as_dtype(b).number)]


def putmask(a, mask, values):
    """Element k of the flattened a, where the mask is true, becomes element k of the values, which begin again."""
    a = to_write(a, "putmask", "a")
    values = asarray(adopted_array(values, a.dtype))
    if values.size:
        ga.copyto(a, ga.resize(values, a.shape), where=ga.reshape(asarray(mask), a.shape))


def matvec(a, x):
    """Of matrices and vectors, along the last axes."""
    return ga.matmul(a, ga.expand_dims(asarray(x), -1))[..., 0]


def vecmat(x, a):
    x = asarray(x)
    return ga.matmul(ga.expand_dims(ga.conj(x) if x.dtype.kind == "c" else x, -2), a)[..., 0, :]


def _of_one_degree(a, b):
    a, b = ga.atleast_1d(asarray(a)), ga.atleast_1d(asarray(b))
    n = max(a.size, b.size)
    return (ga.concatenate([ga.zeros(n - p.size, dtype=p.dtype), p]) for p in (a, b))


def polyadd(a, b):
    return operator.add(*_of_one_degree(a, b))


def polysub(a, b):
    return operator.sub(*_of_one_degree(a, b))


def polymul(a, b):
    def trimmed(p):
        p = ga.atleast_1d(asarray(p))
        some = ga.trim_zeros(p, "f")
        return some if some.size else p[:1]
    return ga.convolve(trimmed(a), trimmed(b))


def polyder(p, m=1):
    """The derivative of the polynomial p[0] x^(n - 1) + ..., m times."""
    p, m = asarray(p), operator.index(m)
    if m < 0:
        raise ValueError(f"gpuarr: polyder() of order {m}")
    for _ in range(m):
        p = p[:-1] * ga.arange(p.size - 1, 0, -1)
    return p


def polyint(p, m=1, k=0):
    """The integral, m times; k: what is added, once or each time."""
    p, k, m = asarray(p), ga.atleast_1d(asarray(k)).tolist(), operator.index(m)
    k = k * m if len(k) == 1 else k
    if m < 0 or len(k) < m:
        raise ValueError(f"gpuarr: polyint() of order {m}, with {len(k)} constants")
    for constant in k[:m]:
        p = ga.concatenate([p / ga.arange(p.size, 0, -1), asarray([constant * 1.0])])
    return p


def apply_along_axis(function, axis, a, *given, **named):
    """The function of each line along the axis; what it gives stands in place of it."""
    a = ga.moveaxis(asarray(a), axis, -1)
    count = math.prod(a.shape[:-1])
    if count == 0:
        raise ValueError("gpuarr: apply_along_axis() of no lines")
    results = [asarray(function(line, *given, **named)) for line in ga.reshape(a, (count, a.shape[-1]))]
    r = ga.reshape(ga.stack(results), (*a.shape[:-1], *results[0].shape))
    return ga.moveaxis(r, tuple(range(a.ndim - 1, r.ndim)), tuple(range(axis % a.ndim, axis % a.ndim + results[0].ndim)))


def _named(f):
    def call(*given, **named):
        with Named(f.__name__):
            return f(*given, **named)
    return functools.wraps(f)(call)


names = {name: _named(f) for name, f in list(globals().items()) if callable(f) and getattr(f, "__module__", "") == __name__ and not name.startswith("_")}
