"""Fourier transforms, frequencies and shifts."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Skip
from ..dtypes import DTYPES, FLOATS, finite, wide
from ..outputs import put_result

NORMS = {"backward": 0, "ortho": 1, "forward": 2}
REAL_OPERAND, REAL_RESULT = ("rfft", "ihfft", "rfft2", "rfftn"), ("irfft", "hfft", "irfft2", "irfftn")
LENGTHS = (16, 30, 60, 64, 77, 100, 105, 128, 210, 243, 256, 360, 512, 625, 1000, 1024, 1080)  # in lanes, or in two chains
PRIMES = (47, 61, 67, 127, 251, 509)  # stages of their own, and convolutions


def operand(c, real, shape):
    dtypes = [d for d in DTYPES + FLOATS * 4 if not real or d.kind != "c"]
    a = finite(c.array(style=c.pick("small", "unit", "tame"), among=dtypes, shape=shape))
    return a if np.abs(a.astype(np.clongdouble)).max(initial=0) < 1e30 else np.where(np.abs(a) < 1e30, a, 1).astype(a.dtype)


def judge_transform(c, a, named, axes, count):
    """NumPy's in a wider dtype; the error is measured by the length of the vector that is transformed."""
    f, call = getattr(np.fft, c.name), getattr(c.ga, c.name)
    norm = named.pop("norm", None)
    ours = dict(named, **({} if norm is None else {"norm": NORMS[norm]}))
    c.note("options", dict(named, norm=norm))
    single = a.dtype.itemsize == (8 if a.dtype.kind == "c" else 4) and a.dtype.kind in "fc"
    result = np.dtype(("f" if c.name in REAL_RESULT else "c") + str((4 if single else 8) * (1 if c.name in REAL_RESULT else 2)))
    x = a.astype(np.dtype(("c" if a.dtype.kind == "c" else "f") + str(8 if not single and a.dtype.kind != "c" else 16 if a.dtype.kind == "c" else 4)))
    try:
        want = f(x.astype(wide(x.dtype)), norm=norm, **named)
    except ERRORS as e:
        return c.judge(e, lambda: call(a, **ours))
    if a.size == 0 and want.size > 0:
        raise Skip  # NumPy reads what is not there
    scale = 1 if norm == "ortho" else np.sqrt(float(count))
    divided = (norm or "backward") == ("backward" if c.name in ("ifft", "irfft", "ihfft", "ifft2", "irfft2", "ifftn", "irfftn") else "forward")
    size = np.sqrt(np.sum(np.abs(x.astype(np.clongdouble))**2, axis=axes, keepdims=True)) * (1 / np.sqrt(float(count)) if divided and norm != "ortho" else 1)
    slack = 8 * (np.log2(count) + 2) * np.finfo(result).eps * size.astype(float) * (1 if scale == 1 else np.sqrt(2))
    put_result(c, call, a, ours, want.astype(wide(result)), result, Close(1, slack))


@case("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
def one_axis(c):
    shape = c.shape()
    if shape and c.chance(0.5):
        shape = tuple(c.pick(1, 1, 2, 3, 17) for _ in shape[1:3]) + (c.pick(*LENGTHS, *PRIMES),)
        shape = tuple(c.r.sample(shape, len(shape)))
    a = operand(c, c.name in REAL_OPERAND, shape)
    named = {"axis": c.axis(a.ndim, several=False), "norm": c.pick(None, None, *NORMS)}
    named = {k: v for k, v in named.items() if v is not None}
    axis = named.get("axis", -1)
    n = a.shape[axis] if -a.ndim <= axis < a.ndim else 1
    if c.chance(0.4):
        named["n"] = c.pick(0, 1, 2, n + 1, max(n - 1, 1), c.r.randint(1, 40), c.pick(*LENGTHS))
    count = named.get("n", 2 * (n - 1) if c.name in REAL_RESULT else n)
    judge_transform(c, a, named, axis if a.ndim and -a.ndim <= axis < a.ndim else None, max(count, 1))


@case("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
def several_axes(c):
    a = operand(c, c.name in REAL_OPERAND, c.shape())
    named = {"norm": c.pick(None, None, *NORMS)}
    if a.ndim and c.chance(0.5):
        named["axes"] = tuple(k - a.ndim if c.chance(0.3) else k for k in c.r.sample(range(a.ndim), c.r.randint(1, a.ndim)))
    if c.name.endswith("2") and a.ndim < 2:
        named["axes"] = named.get("axes", (0,))
    axes = named.get("axes") or tuple(range(-2, 0) if c.name.endswith("2") else range(-a.ndim, 0))
    if axes and c.chance(0.4):
        named["s"] = tuple(c.pick(-1, c.r.randint(1, 20), c.r.randint(1, 20)) for _ in axes)
        named["axes"] = axes
    count = 1.0
    for k, axis in enumerate(axes):
        given = named.get("s", (-1,) * len(axes))[k]
        n = a.shape[axis] if -a.ndim <= axis < a.ndim else 1
        count *= max(given if given > 0 else n * (1 + (c.name in REAL_RESULT)), 1)
    if count > 1e6:
        raise Skip  # gigabytes: eight axes, each longer than it is
    judge_transform(c, a, {k: v for k, v in named.items() if v is not None}, tuple(axes) or None, count)


@case("fftfreq", "rfftfreq")
def frequencies(c):
    n, d = c.r.randint(1, 60), c.pick(1.0, 0.1, 0.25, 3.0)
    c.note("n, d", (n, d))
    c.compare(getattr(np.fft, c.name), getattr(c.ga, c.name), n, d=d)


@case("fftshift", "ifftshift")
def shifts(c):
    a = c.array()
    if a.ndim == 0:
        raise Skip  # NumPy has no shift of no axes
    axis = c.axis(a.ndim)
    f, call = getattr(np.fft, c.name), getattr(c.ga, c.name)
    if isinstance(axis, tuple):
        return c.compare(lambda x: f(x, axes=axis), lambda x: call(x, axes=axis), a)
    if axis is None:
        return c.compare(f, call, a)
    c.compare(lambda x: f(x, axes=axis), lambda x: call(x, axis=axis), a)
