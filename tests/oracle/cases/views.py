"""Views: the same elements, in the same memory."""
import numpy as np

from ..binding import bounds, root_of
from ..case import Case, case
from ..comparing import Skip, attempt, same_view
from ..dtypes import BOOL, DTYPES
from ..structs import address


def judge_view(c, want, call, named=None):
    def check(want, got):
        same_view(c, want, got, c.ga.lies)
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
    axes = {"axes": tuple(c.r.randint(-a.ndim, a.ndim) for _ in range(2))} if c.chance(0.5) else {}
    judge_view(c, attempt(lambda: np.rot90(a, k, **axes)), lambda: c.ga.rot90(a, k, **axes), {"k": k, **axes})


@case("sliding_window_view")
def sliding_window_view(c):
    a, r = c.array(), c.r
    axis = r.choice((None, tuple(r.randrange(-a.ndim, a.ndim) for _ in range(r.randint(1, 3))), r.randint(-a.ndim, a.ndim))) if a.ndim else None
    count = 1 if isinstance(axis, int) else len(axis) if axis else a.ndim + c.chance(0.03)
    window = tuple(r.randint(0, 1 if c.chance(0.3) else 4) for _ in range(count))
    if a.ndim + count > 8:
        raise Skip
    want = attempt(lambda: np.lib.stride_tricks.sliding_window_view(a, window, axis=axis))
    judge_view(c, want, lambda: c.ga.sliding_window_view(a, window, axis=axis), {"window": window, "axis": axis})


@case("as_strided")
def as_strided(c):
    a, r = c.array(shape=c.shape(c.r.randint(1, 2), 30)), c.r
    if bounds(a) != bounds(root_of(a)):
        a = a.copy()  # on the GPU a view comes with the memory of its root, on the CPU with its own
    ndim, size = r.randint(0, 3), a.itemsize
    shape, strides = tuple(r.randint(0, 4) for _ in range(ndim)), tuple(size * r.randint(-3, 6) for _ in range(ndim))
    low, high = bounds(a)
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    at = address(a)
    inside = 0 in shape or a.size and low <= at + sum(min(k, 0) for k in reach) and at + sum(max(k, 0) for k in reach) + size <= high
    want = np.lib.stride_tricks.as_strided(a, shape, strides) if inside else ValueError("beyond the memory")
    judge_view(c, want, lambda: c.ga.as_strided(a, shape, strides), {"shape": shape, "strides": strides})


@case("view_as")
def view_as(c):
    a, dtype = c.array(), c.dtype([d for d in DTYPES if d != BOOL])
    want = attempt(lambda: a.view(dtype))
    if isinstance(want, np.ndarray) and any(n % dtype.alignment for n in (address(want), *want.strides)):
        raise Skip  # gpuarr refuses what is not aligned
    judge_view(c, want, lambda: c.ga.view_as(a, dtype), {"dtype": dtype})
