"""The libraries that people use instead, as far as they are installed, and what Numba compiles of them."""
import functools
import math
import os
import re
import tempfile
import warnings

os.environ.setdefault("NUMBA_CACHE_DIR", os.path.join(tempfile.gettempdir(), "gpuarr_bench_numba"))
warnings.filterwarnings("ignore")
import numpy as np


def optional(name):
    try:
        module = __import__(name, fromlist=["_"])
    except ImportError:
        return None
    return module if module.__file__ else None  # a folder of that name, as tools/dask, is no module


signal, ndimage, distance, fft = (optional("scipy." + m) for m in ("signal", "ndimage", "spatial.distance", "fft"))
numba, ne, cv2, bn, dask = (optional(m) for m in ("numba", "numexpr", "cv2", "bottleneck", "dask"))
astropy_stats = optional("astropy.stats")


def jit(f):
    return numba.njit(parallel=True, fastmath=True, cache=True)(f) if numba else None


prange = numba.prange if numba else range


@jit
def numba_add(x, y, o):
    for i in prange(x.size):
        o[i] = x[i] + y[i]


@jit
def numba_multiply_add(x, y, z, o):
    for i in prange(x.size):
        o[i] = x[i] * y[i] + z[i]


@jit
def numba_sin2_cos2(x, y, o):
    for i in prange(x.size):
        o[i] = math.sin(x[i]) ** 2 + math.cos(y[i]) ** 2


@jit
def numba_where(x, o):
    for i in prange(x.size):
        o[i] = 1 if x[i] > 0.5 else 0


@jit
def numba_sum(x):
    s = 0.0
    for i in prange(x.size):
        s += x[i]
    return s


@jit
def numba_picture(rgb):
    for i in prange(rgb.shape[0]):
        for j in range(rgb.shape[1]):
            for c in range(3):
                v = math.sin((j + (25 if c == 1 else 0)) / 50.0) ** 2 + math.cos((i + (25 if c == 2 else 0)) / 50.0) ** 2
                rgb[i, j, c] = math.sqrt(v) if v > 1.3 else v


@jit
def numba_cityblock(x, y, o):
    for i in prange(x.shape[0]):
        for j in range(y.shape[0]):
            s = 0.0
            for k in range(x.shape[1]):
                s += abs(x[i, k] - y[j, k])
            o[i, j] = s


@jit
def numba_sqeuclidean(x, y, o):
    for i in prange(x.shape[0]):
        for j in range(y.shape[0]):
            s = 0.0
            for k in range(x.shape[1]):
                s += (x[i, k] - y[j, k]) ** 2
            o[i, j] = s


@jit
def numba_heat(x, o):
    for i in prange(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            o[i, j] = x[i, j] + 0.1 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4 * x[i, j])


def numba_stencil_heat():
    """The same through Numba's @stencil."""
    if not numba:
        return None
    kernel = numba.stencil(lambda x: x[0, 0] + 0.1 * (x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1] - 4 * x[0, 0]))
    return numba.njit(parallel=True, fastmath=True)(lambda x, o: kernel(x, out=o))


@jit
def numba_convolve(a, k, o):
    for i in prange(k.size - 1, a.size):
        s = o.dtype.type(0)
        for u in range(k.size):
            s += a[i - u] * k[u]
        o[i] = s


def into(compiled, *operands):
    """A compiled loop that fills its last operand."""
    if not compiled:
        return None

    def call():
        compiled(*operands)
        return operands[-1]
    return call


def expression(text, **names):
    return (lambda: ne.evaluate(text, local_dict=names)) if ne else None


def opencv(f):
    return f if cv2 else None


# ---- formulas as text -------------------------------------------------------------------------------------------------------------
FORMULAS = {  # as tools/bench_eval.h has them; and what Numba compiles, where that is not the same
    "line": ("x*y+1", None),
    "waves": ("sin(x)**2+cos(y)**2", "square(sin(x))+square(cos(y))"),
    "bell": ("exp(-(x-300)**2/100**2-(y-100)**2/100**2)", "exp(-square(x-300)/10000-square(y-100)/10000)"),
    "choice": ("where(x>h, sqrt(x), y)", "sqrt(x) if x > h else y"),
    "ratio": ("(x-y)/(x+y)", None),
    "polynomial": ("((((((7*x+6)*x+5)*x+4)*x+3)*x+2)*x+1)*x+h", None),
    "squares": ("sum((x-y)**2)", None),
    "length": ("sqrt(x*x+y*y+z*z)", None),
    "plane": ("2*x+3*y-4*z+5", None),
    "tanh": ("tanh(x)*exp(-y)/(1+x*x)", None),
}


@functools.lru_cache(None)
def fused_loop(name, dtype):
    """The formula as a parallel loop of Numba's, (x, y, z, o) -> None or the sum, in the arithmetic of the dtype."""
    if not numba:
        return None
    text, other = FORMULAS[name]
    names = {"prange": numba.prange, "square": numba.njit(lambda a: a * a), "h": dtype(0.5)}
    names.update({f: getattr(np, f) for f in ("sin", "cos", "exp", "sqrt", "tanh")})

    def constant(found):
        names["c" + found.group()] = dtype(int(found.group()))
        return "c" + found.group()
    body = re.sub(r"(?<![A-Za-z_0-9.])\d+", constant, other or text)
    lines = ["def loop(x_, y_, z_, o_):", " s = 0.0", " for i in prange(x_.size):", "  x, y, z = x_[i], y_[i], z_[i]"]
    lines += ["  s += square(x - y)", " return s"] if name == "squares" else [f"  o_[i] = {body}"]
    exec("\n".join(lines), names)
    return numba.njit(parallel=True)(names["loop"])
