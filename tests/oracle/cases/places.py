"""Elements read and written at places: one, by index arrays, along an axis, by a mask."""
import numpy as np

from ..case import case
from ..comparing import Skip, attempt, exact, same_bool
from ..dtypes import BOOL, C128, DTYPES, FLOATS, I64, INTS, fits
from .copies import saturating

INDICES = [np.dtype(d) for d in ("i8", "i8", "i4", "u1", "i2")]


def indices(c, n, shape, wrong=0.02):
    """Integers for an axis of length n, many of them twice, some from the end."""
    dtype = c.pick(*INDICES)
    low = 0 if dtype.kind == "u" else -n
    high = n + c.chance(wrong)
    if min(n, 128) != n:
        dtype = I64
    v = c.g.integers(low, max(high, low + 1), shape) if n else np.zeros(shape)
    if c.chance(0.3) and n:
        v = v // 3
    return c.view(np.asarray(v, dtype))


def values(c, a, shape):
    """What is written: of the dtype of a, or one that goes into it."""
    if c.chance(0.25):
        v = c.number()
        if isinstance(v, complex) and a.dtype.kind != "c" or isinstance(v, float) and a.dtype.kind not in "fc" or not isinstance(v, bool) and a.dtype == BOOL:
            raise Skip
        if not fits(v, a.dtype) or type(v) is int and a.dtype.kind in "fc" and abs(v) >= 2**63:
            raise Skip
        return v
    among = [d for d in DTYPES if np.can_cast(d, a.dtype, "same_kind")] + [a.dtype] * 8
    return c.array(c.pick(*among), shape, name="values")


def cast(v, a):
    return saturating(v, a.dtype) if isinstance(v, np.ndarray) else v


def target(c, ndim=None):
    return c.array(shape=c.shape(ndim, 100), repeat=False, among=DTYPES + [C128], name="a")


def in_order(a, index, v, add=False):
    """a[index] = v, or a[index] += v, one after the other in C order: NumPy goes through index arrays as they lie in memory."""
    at = np.arange(a.size).reshape(a.shape)[index]
    want = a.copy(order="C")
    v = np.ascontiguousarray(np.broadcast_to(np.asarray(cast(v, a), a.dtype), at.shape)).ravel()
    with np.errstate(all="ignore"):
        if add:
            np.add.at(want.reshape(-1), at.ravel(), v)
        else:
            want.reshape(-1)[at.ravel()] = v
    return want


def written(c, want, call, a):
    """The whole array afterwards; one that must not be written keeps what it had."""
    before = a.copy()
    c.judge(want, call)
    if isinstance(want, Exception):
        exact(before, a)


@case("set_at")
def set_at(c):
    a = target(c, c.r.randint(1, 4))
    if a.size == 0:
        raise Skip
    at = tuple(c.r.randint(-n, n - 1 + c.chance(0.02)) for n in a.shape)
    v = values(c, a, ())
    v = v.item() if isinstance(v, np.ndarray) else v
    if isinstance(v, complex) and a.dtype.kind != "c" or not fits(v, a.dtype) or type(v) is int and abs(v) >= 2**63:
        raise Skip
    c.note("at, value", (at, v))
    want = a.copy()
    failed = attempt(lambda: want.__setitem__(at, v))
    c.judge(failed or want, lambda: (c.ga.set_at(a, v, at), a.copy())[1])


def index_list(c, a):
    """Index arrays that broadcast, None for whole axes, or a mask."""
    if c.chance(0.15) and a.ndim:
        k = c.r.randint(1, a.ndim)
        return [c.array(BOOL, a.shape[:k], name="mask")]
    n = c.r.randint(1, a.ndim)
    shape = c.shape(c.r.randint(0, 2), 20)
    if len(shape) and shape[0] > 50:
        shape = (7,)
    given = [indices(c, a.shape[d], c.broadcast(shape)) if c.chance(0.75) or n == 1 else None for d in range(n)]
    if all(g is None for g in given):
        given[-1] = indices(c, a.shape[n - 1], shape)
    c.note("index", given)
    return given


def as_index(given):
    return tuple(slice(None) if g is None else g for g in given)


def index_among(c, a):
    """An index of NumPy's with arrays, masks, slices, integers and new axes, and what gpuarr gets for it: the arrays and the text."""
    shape = c.shape(c.r.randint(0, 2), 12)
    items, axis = [], 0
    hidden = c.r.randint(0, a.ndim) if c.chance(0.4) else 0
    place = c.r.randint(0, a.ndim - hidden) if hidden or c.chance(0.2) else -1
    while True:
        if axis == place:
            items.append(Ellipsis)
            axis, place = axis + hidden, -1
        if axis >= a.ndim or (place < 0 and items and c.chance(0.1)):
            break
        kind = c.pick("array", "array", "mask", "slice", "integer", "newaxis", "flag")
        n = a.shape[axis]
        if kind == "array" or (kind == "integer" and n == 0):
            items.append(indices(c, n, c.broadcast(shape)))
        elif kind == "mask":
            items.append(np.array(c.g.random(n) < 0.4))
        elif kind == "slice":
            items.append(c.pick(slice(None), slice(1, None), slice(None, None, -1), slice(-3, 5, 2)))
        elif kind == "integer":
            items.append(c.r.randint(-n, n - 1))
        elif len(items) < axis + 2:
            items.append(None if kind == "newaxis" else np.array(c.chance(0.8)))
            continue
        else:
            continue
        axis += 1
    if not any(isinstance(k, np.ndarray) for k in items):
        items.append(np.array(True))
    arrays, text = [], []
    for k in items:
        if isinstance(k, np.ndarray):
            arrays.append(k)
        text.append(f"${len(arrays)}" if isinstance(k, np.ndarray) else "newaxis" if k is None else "..." if k is Ellipsis else str(k) if isinstance(k, int)
                    else ":".join("" if v is None else str(v) for v in (k.start, k.stop, k.step)))
    c.note("index", (", ".join(text), arrays))
    return tuple(items), arrays, {"index": ", ".join(text).encode()}


def any_index(c, a):
    """An index of NumPy's, and the arrays and options that gpuarr gets for it."""
    if c.chance(0.5):
        return index_among(c, a)
    given = index_list(c, a)
    return as_index(given), given, {}


@case("index_take_n", covers=("index_take",))
def index_take(c):
    a = c.array(shape=c.shape(c.r.randint(1, 4), 100), name="a")
    index, arrays, options = any_index(c, a)
    c.judge(attempt(lambda: np.ascontiguousarray(a[index]).reshape(a[index].shape)), lambda: c.ga.index_take_n(a, arrays, **options))


@case("index_put_n", "add_at_n", covers=("index_put", "add_at"))
def index_put(c):
    a = target(c, c.r.randint(1, 4))
    index, arrays, options = any_index(c, a)
    picked = attempt(lambda: a[index])
    v = values(c, a, c.broadcast(picked.shape) if isinstance(picked, np.ndarray) else ())
    want = attempt(lambda: in_order(a, index, v, c.name == "add_at_n"))
    written(c, want, lambda: getattr(c.ga, c.name)(a, arrays, v, **options), a)


@case("take_along_axis", "put_along_axis")
def along_axis(c):
    a = target(c, c.r.randint(1, 4))
    axis = c.pick(None, c.r.randint(-a.ndim, a.ndim - 1 + c.chance(0.02)))
    d = -1 if axis is None else axis
    n = a.shape[d] if -a.ndim <= d < a.ndim else 1
    shape = [k if c.chance(0.8) else 1 for k in a.shape]
    if -a.ndim <= d < a.ndim:
        shape[d] = c.r.randint(0, 12)
    index = indices(c, n, tuple(shape))
    c.note("indices, axis", (index, axis))
    if c.name == "take_along_axis":
        return c.judge(attempt(lambda: np.take_along_axis(a, index, d)), lambda: c.ga.take_along_axis(a, index, axis=axis))
    picked = attempt(lambda: np.take_along_axis(a, index, d))
    v = values(c, a, c.broadcast(picked.shape) if isinstance(picked, np.ndarray) else ())
    grid = [np.arange(k).reshape([-1 if j == i else 1 for j in range(a.ndim)]) for i, k in enumerate(a.shape)]

    def put():
        grid[range(a.ndim)[d]] = index
        return in_order(a, tuple(grid), v)
    return written(c, attempt(put), lambda: c.ga.put_along_axis(a, index, v, axis=axis), a)


@case("put", "place")
def put(c):
    a = target(c)
    v = values(c, a, c.shape(c.pick(0, 1, 1, 2), 20))
    want = a.copy()
    if c.name == "place":
        mask = c.array(c.pick(BOOL, BOOL, I64), a.shape, "small", name="mask")
        failed = attempt(lambda: np.place(want, mask.astype(bool), cast(v, a)))
        return written(c, failed or want, lambda: c.ga.place(a, mask, v), a)
    mode = c.pick(None, 0, 1, 2)
    index = indices(c, a.size, c.shape(c.pick(0, 1, 1, 2), 20), wrong=0.3 if mode else 0.02)
    c.note("indices, mode", (index, mode))
    failed = attempt(lambda: np.put(want, index, cast(v, a), ["raise", "wrap", "clip"][mode or 0]))
    return written(c, failed or want, lambda: c.ga.put(a, index, v, mode=mode), a)


def choices(c, n, shape):
    among = DTYPES if c.chance(0.3) else [c.dtype(DTYPES)]
    xs = [c.number() if c.chance(0.2) else c.array(c.pick(*among), c.broadcast(shape) if c.chance(0.4) else shape, name=f"choice {k}") for k in range(n)]
    if any(type(x) is int and not -2**63 <= x < 2**63 for x in xs):
        raise Skip
    return xs


@case("choose_n", covers=("choose",))
def choose(c):
    shape, n = c.shape(None, 100), c.r.randint(1, 5)
    mode = c.pick(None, 1, 2)
    a = np.asarray(c.g.integers(0 if not mode else -9, n + c.chance(0.02) if not mode else 9, shape), c.pick(I64, np.dtype("i2")))
    a = c.view(a) if c.chance(0.9) else a > 0
    c.note("a, mode", (a, mode))
    xs = choices(c, n, shape)
    dtype = attempt(lambda: np.result_type(*xs))
    want = attempt(lambda: np.choose(a, [np.asarray(x, dtype) for x in xs], mode=["raise", "wrap", "clip"][mode or 0]))
    c.judge(want if isinstance(want, Exception) else np.asarray(want), lambda: c.ga.choose_n(a, xs, mode=mode))


@case("select_n", covers=("select",))
def select(c):
    shape, n = c.shape(None, 100), c.r.randint(1, 4)
    conditions = [c.array(BOOL if c.chance(0.995) else I64, c.broadcast(shape) if c.chance(0.2) else shape, name="condition") for _ in range(n)]
    xs = [x if isinstance(x, np.ndarray) else c.array(shape=shape) for x in choices(c, n, shape)] + [c.pick(0, 1, 2.5)]
    want = attempt(lambda: np.select(conditions, xs[:-1], xs[-1]))
    c.judge(want if isinstance(want, Exception) else np.asarray(want), lambda: c.ga.select_n(conditions, xs[:-1], xs[-1]))


@case("piecewise_n", covers=("piecewise",))
def piecewise(c):
    x, n = c.array(shape=c.shape(c.r.randint(1, 3), 100), name="x"), c.r.randint(1, 4)
    conditions = [c.array(BOOL, x.shape, name="condition") for _ in range(n)]
    xs = [c.r.randint(0, 1) if x.dtype != BOOL else c.chance(0.5) for _ in range(n + c.chance(0.5))]
    c.note("values", xs)
    c.judge(attempt(lambda: np.piecewise(x, conditions, xs)), lambda: c.ga.piecewise_n(x, conditions, xs))


@case("sort_complex")
def sort_complex(c):
    a = c.array(shape=c.shape(c.r.randint(1, 3), 100), style="small")
    c.judge(np.sort_complex(a), lambda: c.ga.sort_complex(a))


@case("packbits", "unpackbits")
def bits(c):
    packs = c.name == "packbits"
    a = c.array(among=[BOOL, BOOL, np.dtype("u1"), np.dtype("i4")] if packs else [np.dtype("u1")] * 30 + [I64])
    axis, order = c.pick(None, c.axis(a.ndim, several=False)), c.pick(None, 0, 1)
    if a.ndim == 0:
        axis = None
    named = {"axis": axis, "bitorder": order}
    given = {"axis": axis, "bitorder": ["big", "little"][order or 0]}
    if not packs and c.chance(0.5):
        named["count"] = given["count"] = c.r.randint(-20, 40)
    c.note("options", given)
    if not packs and a.size == 0 and named.get("count"):
        raise Skip  # NumPy leaves what is behind no bits as it found it
    want = attempt(lambda: getattr(np, c.name)(a, **given))
    c.judge(want, lambda: getattr(c.ga, c.name)(a, **named))


KINDS = ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric")


@case("result_type_n", "isdtype", covers=("result_type",))
def dtypes(c):
    if c.name == "isdtype":
        dtype, kind = c.dtype(DTYPES + [C128]), c.pick(*KINDS)
        return c.judge(bool(np.isdtype(dtype, kind)), lambda: c.ga.isdtype(dtype, kind), same_bool)
    xs = c.operands(c.r.randint(1, 3), DTYPES + [C128])
    if any(type(x) is int and not -2**63 <= x < 2**63 for x in xs):
        raise Skip
    c.judge(np.zeros(1, np.result_type(*xs)), lambda: np.zeros(1, c.ga.result_type_n(xs)))
