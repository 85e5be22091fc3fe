"""NumPy's functions that C has not, made of those that it has."""
import itertools
import math
import operator

from .arrays import adopted_array, array, asarray, of_bytes, shape_of
from .calls import named_as_itself, to_write
from .native import NUMBERED, as_dtype, functions as ga, lib, raw_dtype


def array_equiv(a1, a2):
    """Equal, once they are broadcast?"""
    try:
        a1, a2 = ga.broadcast_arrays(a1, a2)
    except ValueError:
        return False
    return ga.array_equal(a1, a2)


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


def diag_indices_from(arr):
    a = asarray(arr)
    if a.ndim < 2 or len(set(a.shape)) != 1:
        raise ValueError(f"gpuarr: an array of shape {a.shape} has no diagonal along all axes")
    return ga.diag_indices(a.shape[0], a.ndim)


def _of_a_matrix(a, said):
    shape = asarray(a).shape
    if len(shape) != 2:
        raise ValueError(f"gpuarr.{said}: an array of shape {shape} is no matrix")
    return shape


def tril_indices_from(arr, k=0):
    rows, columns = _of_a_matrix(arr, "tril_indices_from")
    return ga.tril_indices(rows, k, columns)


def triu_indices_from(arr, k=0):
    rows, columns = _of_a_matrix(arr, "triu_indices_from")
    return ga.triu_indices(rows, k, columns)


def fromfunction(function, shape, *, dtype=float, **named):
    """What the function gives for the indices of all elements."""
    return function(*ga.astype(ga.indices(shape), dtype), **named)


def fromiter(iter, dtype, count=-1):
    values = list(iter if count < 0 else itertools.islice(iter, count))
    if len(values) < count:
        raise ValueError(f"gpuarr: {len(values)} elements, and {count} are wanted")
    return asarray(values, dtype)


def ix_(*lines):
    """Each along an axis of its own: a[ix_([0, 2], [1, 3])]. Of flags, where they are true."""
    lines = [asarray(a) for a in lines]
    if any(a.ndim != 1 for a in lines):
        raise ValueError("gpuarr: every operand has one dimension")
    lines = [ga.flatnonzero(a) if a.dtype == "bool" else ga.astype(a, "int64") if a.size == 0 else a for a in lines]
    return tuple(ga.reshape(a, [-1 if d == k else 1 for d in range(len(lines))]) for k, a in enumerate(lines))


def iscomplexobj(x):
    return asarray(x).dtype.kind == "c"


def isrealobj(x):
    return not iscomplexobj(x)


def isscalar(element):
    return (isinstance(element, (bool, int, float, complex, str, bytes))
            or type(element).__module__ == "numpy" and hasattr(element, "item") and not hasattr(element, "__array_ufunc__"))


def ndim(a):
    return asarray(a).ndim


def shape(a):
    return a.shape if isinstance(a, array) else shape_of(a) if shape_of(a) is not None else asarray(a).shape


def size(a, axis=None):
    a = asarray(a)
    return a.size if axis is None else math.prod(a.shape[k] for k in (axis if isinstance(axis, tuple) else (axis,)))


def promote_types(type1, type2):
    return NUMBERED[lib.ga_promote(as_dtype(type1).number, as_dtype(type2).number)]


def putmask(a, mask, values):
    """Element k of the flattened a, where the mask is true, becomes element k of the values, which begin again."""
    a = to_write(a, "putmask", "a")
    values = asarray(adopted_array(values, a.dtype))
    if values.size:
        ga.copyto(a, ga.resize(values, a.shape), where=ga.reshape(asarray(mask), a.shape))


def matvec(x1, x2):
    """Of matrices and vectors, along the last axes."""
    return ga.matmul(x1, ga.expand_dims(asarray(x2), -1))[..., 0]


def vecmat(x1, x2):
    x1 = asarray(x1)
    return ga.matmul(ga.expand_dims(ga.conj(x1) if x1.dtype.kind == "c" else x1, -2), x2)[..., 0, :]


def _of_one_degree(a, b):
    a, b = ga.atleast_1d(asarray(a)), ga.atleast_1d(asarray(b))
    n = max(a.size, b.size)
    return (ga.concatenate([ga.zeros(n - p.size, dtype=p.dtype), p]) for p in (a, b))


def polyadd(a1, a2):
    return operator.add(*_of_one_degree(a1, a2))


def polysub(a1, a2):
    return operator.sub(*_of_one_degree(a1, a2))


def polymul(a1, a2):
    def trimmed(p):
        p = ga.atleast_1d(asarray(p))
        some = ga.trim_zeros(p, "f")
        return some if some.size else p[:1]
    return ga.convolve(trimmed(a1), trimmed(a2))


def polydiv(u, v):
    """The quotient and the rest, of polynomials with the highest power first. v begins with another number than 0."""
    u, v = ga.atleast_1d(asarray(u)) + 0.0, ga.atleast_1d(asarray(v)) + 0.0
    if u.ndim != 1 or v.ndim != 1 or not v.size:
        raise ValueError(f"gpuarr: shapes {u.shape} and {v.shape}: the coefficients stand in a line")
    dtype, rest, divisor = promote_types(u.dtype, v.dtype), u.tolist(), v.tolist()
    if divisor[0] == 0:
        raise ZeroDivisionError("gpuarr.polydiv: the first coefficient of v is 0")
    quotient = []
    for k in range(len(rest) - len(divisor) + 1):
        factor = rest[k] / divisor[0]
        quotient.append(factor)
        for i, c in enumerate(divisor):
            rest[k + i] -= factor * c
    first = next((k for k, c in enumerate(rest) if not abs(c) <= 1e-8), len(rest) - 1)
    return asarray(quotient or [0.0], dtype), asarray(rest[first:], dtype)


def polyder(p, m=1):
    """The derivative of the polynomial p[0] x^(n - 1) + ..., m times."""
    p, m = asarray(p), operator.index(m)
    if m < 0:
        raise ValueError(f"gpuarr: order {m}: use 0 or more")
    for _ in range(m):
        p = p[:-1] * ga.arange(p.size - 1, 0, -1)
    return p


def polyint(p, m=1, k=0):
    """The integral, m times; k: what is added, once or each time."""
    p, k, m = asarray(p), ga.atleast_1d(asarray(k)).tolist(), operator.index(m)
    k = k * m if len(k) == 1 else k
    if m < 0 or len(k) < m:
        raise ValueError(f"gpuarr: order {m}, with {len(k)} constants")
    for constant in k[:m]:
        p = ga.concatenate([p / ga.arange(p.size, 0, -1), asarray([constant * 1.0])])
    return p


def apply_along_axis(func1d, axis, arr, *given, **named):
    """The function of each line along the axis; what it gives stands in place of it."""
    a = ga.moveaxis(asarray(arr), axis, -1)
    count = math.prod(a.shape[:-1])
    if count == 0:
        raise ValueError("gpuarr: there are no lines")
    results = [asarray(func1d(line, *given, **named)) for line in ga.reshape(a, (count, a.shape[-1]))]
    r = ga.reshape(ga.stack(results), (*a.shape[:-1], *results[0].shape))
    return ga.moveaxis(r, tuple(range(a.ndim - 1, r.ndim)), tuple(range(axis % a.ndim, axis % a.ndim + results[0].ndim)))


def fabs(x, out=None, **named):
    """Without the sign, as real numbers."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"gpuarr: of real numbers, not of {x.dtype}: absolute() is of both")
    return ga.absolute(x if x.dtype.half or x.dtype.kind == "f" else ga.astype(x, "float32" if x.itemsize <= 2 else "float64"), out, **named)


def block(arrays):
    """Arrays in nested lists: the innermost are joined along the last axis, those around them along the one before."""
    def depth_of(x):
        if isinstance(x, tuple):
            raise TypeError("gpuarr: what stands in lists is joined; a tuple is no list")
        if not isinstance(x, list):
            return 0
        depths = {depth_of(part) for part in x}
        if len(depths) != 1:
            raise ValueError("gpuarr: a list is empty, or the lists are not all nested alike")
        return 1 + depths.pop()

    def arrays_in(x):
        return [a for part in x for a in arrays_in(part)] if isinstance(x, list) else [asarray(x)]

    def joined(x, depth):
        if depth == 0:
            a = asarray(x)
            return ga.reshape(a, (1,) * (dimensions - a.ndim) + a.shape)
        return ga.concatenate([joined(part, depth - 1) for part in x], axis=-depth)

    depth = depth_of(arrays)
    dimensions = max(depth, *(a.ndim for a in arrays_in(arrays))) if depth else asarray(arrays).ndim
    return joined(arrays, depth) if depth else ga.copy(asarray(arrays))


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *, threshold=None, edgeitems=None):
    """As str() shows it. The separator is a blank; with ", " array_repr() shows it."""
    if separator != " " or prefix:
        raise ValueError(f"gpuarr: a blank is written between elements, and nothing in front, not {separator if separator != ' ' else prefix!r}: see array_repr()")
    return ga.to_string(asarray(a), linewidth=max_line_width, precision=precision, suppress=suppress_small, threshold=threshold, edgeitems=edgeitems)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    return ga.to_string(asarray(a), linewidth=max_line_width, precision=precision, suppress=suppress_small)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    return ga.to_string(asarray(arr), linewidth=max_line_width, precision=precision, suppress=suppress_small, repr=True)


names = {name: named_as_itself(f) for name, f in list(globals().items()) if callable(f) and getattr(f, "__module__", "") == __name__ and not name.startswith("_")}
