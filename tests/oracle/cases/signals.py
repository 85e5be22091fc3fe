"""Signals: filters along a line, spectra, peaks, integrals."""
import warnings

import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Skip, attempt, exact, same_form, first_bad
from ..dtypes import C64, C128, F32, F64, FLOATS, I64, INTS, finite
from ..optional import part_of_scipy, signal
from ..windows import BORDERS
from .linear import on_cpu


def near(scale, factor=1.0):
    """Within rounding errors of numbers of this size, in the dtype that SciPy has."""
    def check(want, got):
        same_form(want, got)
        step = (2.0**-16 if got.dtype in (F32, C64) else 2.0**-42) * factor
        bad = ~(np.abs(want.astype(C128) - got.astype(C128)) <= scale * step) & ~(np.isnan(want) & np.isnan(got))
        if bad.any():
            first_bad(bad, want, got)
    return check


def several(checks):
    return lambda want, got: [check(np.asarray(w), g) for check, w, g in zip(checks, want, got, strict=True)]


def tried(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except (*ERRORS, RuntimeError, NotImplementedError, np.linalg.LinAlgError) as e:
            return e


def line_array(c, dtypes=INTS[:6] + FLOATS * 2, ndim=None):
    a = finite(c.array(c.dtype(dtypes), c.shape(ndim or c.pick(1, 1, 1, 2, 2, 3)), "small"))
    return a, c.r.randrange(-a.ndim, a.ndim)


def size_of(*arrays):
    return max([float(np.abs(a).max(initial=0)) for a in arrays if a is not None] + [1.0])


@case("cumulative_trapezoid", "simpson")
def integrals(c):
    y, axis = line_array(c)
    if y.dtype.kind == "u" or y.dtype == np.dtype("i1"):
        raise Skip  # NumPy's own sums wrap here, or not
    named = {"axis": c.pick(axis, axis, None), "dx": c.pick(None, 0.5, 3.0)}
    axis = -1 if named["axis"] is None else axis
    if c.chance(0.5):
        shape = y.shape if c.chance(0.5) else (y.shape[axis],)
        named["x"] = np.cumsum(c.g.integers(c.pick(0, 1), 9, shape) / 4.0, -1 if len(shape) == 1 else axis)
        c.note("x", named["x"])
    if c.name == "cumulative_trapezoid" and c.chance(0.5):
        named["initial"] = c.pick(0.0, 0.0, 0.0, 1.0)
    given = {k: v for k, v in named.items() if v is not None}
    want = tried(lambda: getattr(part_of_scipy("integrate"), c.name)(y.astype(np.result_type(y, F64)), **given))
    if y.size == 0 and 0 in y.shape and y.shape[axis]:
        raise Skip
    if y.shape[axis] == 0:
        want = ValueError("empty")
    if not isinstance(want, Exception):
        want = np.asarray(want).astype(np.result_type(y, F32) if y.dtype.kind in "fc" and "x" not in given else np.result_type(y, F64))
    c.judge(want, lambda: getattr(c.ga, c.name)(y, **named), near(size_of(y) * 40 * max(y.shape[axis], 1) ** 2), {k: v for k, v in named.items() if k != "x"})


@case("fftconvolve")
def fftconvolve(c):
    a, _ = line_array(c)
    axes = c.pick(None, None, tuple(c.r.sample([d - a.ndim * c.chance(0.3) for d in range(a.ndim)], c.r.randint(1, a.ndim))))
    lengths = [c.r.randint(1, max(2, min(9, n + 2))) for n in a.shape]
    if axes:
        lengths = [m if d in [x % a.ndim for x in axes] else c.pick(n, n, 1, *([m] if c.chance(0.1) else [])) for d, (m, n) in enumerate(zip(lengths, a.shape))]
        if c.chance(0.05):
            axes += c.pick(axes[:1], (a.ndim,))
    v = finite(c.array(c.dtype(INTS[:6] + FLOATS), tuple(lengths), "small"))
    if a.size == 0:
        raise Skip
    mode = c.pick(None, "full", "same", "valid")
    named = {"axis": axes[0] if axes and len(axes) == 1 and c.chance(0.5) else axes}
    c.judge(tried(lambda: signal().fftconvolve(a, v, mode or "full", named["axis"])), lambda: c.ga.fftconvolve(a, v, mode=mode and ["full", "same", "valid"].index(mode) + 1, **named),
            near(size_of(a) * size_of(v) * v.size, 2.0**26 if {a.dtype, v.dtype} & {F32, C64} else 1), {"mode": mode, "axes": axes})


def coefficients(c, n):
    """Of a filter whose impulse response does not grow."""
    poles = c.g.uniform(-0.9, 0.9, n) if c.chance(0.5) else np.repeat(c.g.uniform(0, 0.9, n), 1)
    return np.poly(poles) if n else np.ones(1)


@case("lfilter")
def lfilter(c):
    on_cpu(c)
    x, axis = line_array(c, INTS[:6] + FLOATS * 3)
    b, a = c.g.integers(-4, 5, c.r.randint(1, 5)) / 2.0, coefficients(c, c.r.randint(0, 4)) * c.pick(1, 2)
    if c.chance(0.4) and x.dtype in (F32, C64):
        b, a = b.astype(F32), a.astype(F32)
    named, options = {"axis": axis}, {"axis": axis}
    k = max(len(a), len(b)) - 1
    if c.chance(0.5):
        shape = list(x.shape)
        shape[axis] = k
        if c.chance(0.3):
            shape[c.r.randrange(x.ndim)] = 1
            shape[axis] = k
        named["zi"] = options["zi"] = c.view((c.g.integers(-9, 9, shape) / 2).astype(c.pick(F64, x.dtype if x.dtype.kind in "fc" else F64)))
        c.note("zi", named["zi"])
        named["zf"] = True
    if 0 in x.shape and (len(a) == 1 or "zi" in named):
        raise Skip
    c.note("b", b)
    c.note("a", a)
    dtype = np.result_type(b, a, x, *([named["zi"]] if "zi" in named else []))
    wide = C128 if dtype.kind == "c" else F64
    want = tried(lambda: signal().lfilter(b.astype(F64), a.astype(F64), x.astype(wide), **{k: v.astype(wide) if k == "zi" else v for k, v in options.items()}))
    scale = 1e4 * size_of(x, named.get("zi"))
    if isinstance(want, tuple):
        return c.judge([w.astype(dtype) for w in want], lambda: c.ga.lfilter(b, a, x, **named), several([near(scale)] * 2), {"axis": axis})
    c.judge(want if isinstance(want, Exception) else want.astype(dtype), lambda: c.ga.lfilter(b, a, x, **named), near(scale), {"axis": axis})


@case("sosfilt")
def sosfilt(c):
    on_cpu(c)
    x, axis = line_array(c, FLOATS)
    if 0 in x.shape:
        raise Skip
    n = c.r.randint(1, 4)
    sos = np.array([np.hstack([c.g.integers(-4, 5, 3) / 2.0, coefficients(c, 2)]) for _ in range(n)])
    if c.chance(0.1):
        sos[0, 3] = 2
    c.note("sos", sos)
    named, options = {"axis": axis}, {"axis": axis}
    if c.chance(0.5):
        shape = list(x.shape)
        shape[axis] = 2
        named["zi"] = options["zi"] = c.view(c.g.integers(-9, 9, [n, *shape]) / 2)
        c.note("zi", named["zi"])
        named["zf"] = True
    want = tried(lambda: signal().sosfilt(sos, x, **options))
    scale = 1e6 * size_of(x, named.get("zi"))
    c.judge(want, lambda: c.ga.sosfilt(sos, x, **named), several([near(scale)] * 2) if isinstance(want, tuple) else near(scale), {"axis": axis})


@case("medfilt")
def medfilt(c):
    a, _ = line_array(c, INTS[:6] + [F32, F64])
    sizes = tuple(c.pick(1, 3, 5, 5, 4 if c.chance(0.1) else 3) for _ in range(a.ndim))
    if a.size == 0:
        raise Skip
    c.judge(tried(lambda: signal().medfilt(np.array(a, order='C'), sizes)), lambda: c.ga.medfilt(a, sizes), lambda w, g: exact(w, g, False), {"sizes": str(sizes)})


@case("hilbert", "resample")
def analytic(c):
    x, axis = line_array(c)
    if 0 in x.shape:
        raise Skip
    if c.name == "hilbert":
        n = c.pick(None, None, c.r.randint(1, 20))
        return c.judge(tried(lambda: signal().hilbert(x, n, axis)), lambda: c.ga.hilbert(x, n=n, axis=axis), near(size_of(x) * 8), {"axis": axis, "n": n})
    num = c.r.randint(1, 3 * x.shape[axis])
    if x.dtype.kind == "c" and num == 2 * x.shape[axis] and x.shape[axis] == 1:
        raise Skip
    given = c.pick(None, axis)
    c.note("num", num)
    c.judge(tried(lambda: signal().resample(x, num, axis=given or 0)), lambda: c.ga.resample(x, num, axis=given), near(size_of(x) * 40), {"axis": given})


@case("detrend")
def detrend(c):
    x, axis = line_array(c)
    if 0 in x.shape:
        raise Skip
    kind = c.pick(None, "linear", "constant")
    named, options = {"axis": axis, "type": {None: None, "linear": 2, "constant": 1}[kind]}, {"axis": axis, "type": kind or "linear"}
    if c.chance(0.4):
        named["bp"] = options["bp"] = c.g.integers(0, x.shape[axis] + 1, c.r.randint(1, 3)).astype(c.pick(I64, np.int32))
    if x.dtype.kind in "iu":
        x = x.astype(c.pick(np.int32, np.int64))
    c.judge(tried(lambda: signal().detrend(x.astype(np.result_type(x, F64)), **options).astype(x.dtype if x.dtype.kind in "fc" else F64)), lambda: c.ga.detrend(x, **named), near(size_of(x) * 60 * x.shape[axis]), {"axis": axis, "type": kind, "bp": str(named.get("bp"))})


@case("savgol_filter")
def savgol(c):
    x, axis = line_array(c, INTS[:6] + [F32, F64] * 2)
    if 0 in x.shape:
        raise Skip
    window = c.r.randint(1, max(1, min(11, x.shape[axis] + 1)))
    order, deriv, delta = c.r.randint(0, min(5, window)), c.pick(0, 0, 1, 2), c.pick(1.0, 0.5)
    border = c.pick(None, None, 1, 2, 3, 4)
    named = {"axis": axis, "deriv": deriv, "delta": delta, "border": border, "cval": 2.0 if border == 1 else None}
    options = {"axis": axis, "deriv": deriv, "delta": delta, "mode": "interp" if border is None else BORDERS[border], "cval": 2.0}
    c.note("window, order", (window, order))
    want = tried(lambda: signal().savgol_filter(x.astype(F64), window, order, **options).astype(x.dtype if x.dtype == F32 else F64))
    c.judge(want, lambda: c.ga.savgol_filter(x, window, order, **named), near(size_of(x) * 1000, 8), named)


@case("periodogram", "welch", "spectrogram")
def spectra(c):
    x, axis = line_array(c)
    if 0 in x.shape or x.ndim == 8:
        raise Skip
    n = x.shape[axis]
    options, named = {"axis": axis, "fs": c.pick(1.0, 4.0)}, {"axis": axis, "frequencies": True}
    named["fs"] = options["fs"]
    kind = c.pick(None, None, None, "boxcar", "hann", "hamming", "blackman", "nuttall", "blackmanharris", "flattop", "values", "values",
                  "triang", "bartlett", "parzen", "bohman", "barthann", "cosine", "lanczos", "tukey")
    per = None
    if c.name != "periodogram":
        per = c.pick(None, c.r.randint(1, n), c.r.randint(1, n))
        if kind == "values":
            per = per or c.r.randint(1, n)
            options["window"] = named["values"] = c.view(c.g.uniform(0.5, 1.5, per))
            c.note("values", named["values"])
        if per:
            options["nperseg"] = named["nperseg"] = per
            if c.chance(0.5):
                options["noverlap"] = named["noverlap"] = c.r.randint(0, per - 1)
    if kind not in (None, "values"):
        options["window"], named["window"] = kind, kind.encode()
    if c.chance(0.4):
        options["nfft"] = named["nfft"] = c.r.randint(1, 9) + (min(per or 256, n) if c.name != "periodogram" else c.r.randint(0, n))
    detrend = c.pick(None, None, 1, 2, 3)
    if detrend:
        named["detrend"], options["detrend"] = detrend, {1: "constant", 2: "linear", 3: False}[detrend]
    if c.chance(0.3):
        named["return_onesided"] = options["return_onesided"] = False
    if c.chance(0.4):
        named["scaling"], options["scaling"] = 1, "spectrum"
    if c.name == "welch" and c.chance(0.3):
        named["average"], options["average"] = 1, "median"
    if c.name == "spectrogram" and c.chance(0.3):
        named["mode"], options["mode"] = c.pick((1, "complex"), (2, "magnitude"))
    want = tried(lambda: getattr(signal(), c.name)(x.astype(np.result_type(x, F64)), **options))
    if isinstance(want, Exception):
        return c.judge(want, lambda: getattr(c.ga, c.name)(x, **named), exact)
    f, *t, p = want
    narrow = x.dtype in (F32, C64)
    if not np.isfinite(p).all():
        raise Skip  # a window without a sum
    p = p.astype(C64 if narrow else C128) if named.get("mode") == 1 else np.real(p).astype(F32 if narrow else F64)
    want = [p, f, *t]
    scale = max(np.abs(p).max(), size_of(x) ** 2 * n * 40)
    if t:
        named["times"] = True
    c.judge(want, lambda: getattr(c.ga, c.name)(x, **named), several([near(scale, 16)] + [near(max(1.0, n))] * 2), {k: v for k, v in named.items() if k != "values"}) if t else \
        c.judge(want, lambda: getattr(c.ga, c.name)(x, **named), several([near(scale, 16), near(8.0)]), {k: v for k, v in named.items() if k != "values"})


@case("find_peaks")
def find_peaks(c):
    if c.ga.gpu:
        raise Skip
    n = c.pick(0, 1, 2, 5, 20, 60, 300)
    x = c.view(c.g.integers(-4, c.pick(0, 5, 30), n).astype(c.pick(F32, F64, I64)) if c.chance(0.7) else c.g.standard_normal(n))
    distance = c.pick(1.0, 2.0, 3.5, 7.0) if c.chance(0.4) else None
    if distance:  # of equal heights SciPy takes any first
        x = c.view(c.g.permutation(n).astype(c.pick(F32, I64)))
    c.note("x", x)
    alone = c.chance(0.4)  # the places, by heights and a distance
    options, named = {"rel_height": c.pick(0.5, 0.25, 1.0)}, {}
    for name, values in {"height": (-3, 0, 2), "threshold": (0, 1, 2), "prominence": (1, 2, 4), "width": (0, 1, 2.5), "plateau_size": (1, 2, 3)}.items():
        low, high = (c.pick(*values) if c.chance(0.25) else None), (c.pick(*values) + 2 if c.chance(0.15) else None)
        if alone and name != "height":
            continue
        options[name] = (low, high)
        named[name], named[name + "_max"] = low, high
    if distance:
        options["distance"] = named["distance"] = distance
    if c.chance(0.4):
        options["wlen"] = named["wlen"] = c.pick(2, 3, 6, 9)
    named["rel_height"] = options["rel_height"]
    peaks, said = signal().find_peaks(np.array(x), **options)
    if alone:
        return c.judge(peaks.astype(I64), lambda: c.ga.find_peaks(x, **named), exact, named)
    names = "peak_heights left_thresholds right_thresholds prominences left_bases right_bases widths width_heights left_ips right_ips plateau_sizes left_edges right_edges".split()
    want = [peaks.astype(I64), *(said[k].astype(I64 if "bases" in k or "edges" in k or "sizes" in k else F64) for k in names)]
    named["found"] = [None] * 13
    c.judge(want, lambda: c.ga.find_peaks(x, **named), several([exact if w.dtype == I64 else near(40.0) for w in want]), {k: v for k, v in named.items() if k != "found"})
