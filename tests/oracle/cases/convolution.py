"""Convolution and correlation."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Mismatch, Skip, exact
from ..dtypes import BOOL, C128, C64, DTYPES, F64, FLOATS, I64, INTS, saturating
from ..binding import GaError
from ..optional import ndimage, signal
from ..windows import BORDERS, bordered, draw_border, whole

MODES = [None, "full", "same", "valid"]  # in the order of ga_mode, ga_boundary
BOUNDARIES = "fill wrap symm".split()
DIRECT, FFT = 1, 2  # of ga_method


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
    named["border"], named["cval"] = draw_border(c)
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
        return c.judge(saturating(whole(want), result), call, exact, named)
    size = max(float(np.abs(x[np.isfinite(x)]).max(initial=0)), abs(cval)) * float(np.abs(w).sum())
    slack = np.finfo(result.type(0).real.dtype).eps * size * (w.size + 20)
    c.judge(want, call, lambda wanted, got: Close(2, slack)(wanted, got, result), named)
