"""NumPy's ways to pad that C has not, made of other calls: each axis after the other, of what it is padded to so far."""
from .arrays import asarray
from .native import functions as ga

STATISTICS = {"maximum": "max", "mean": "mean", "median": "median", "minimum": "min"}
MODES = ("linear_ramp", *STATISTICS)


def pairs_of(name, value, ndim):
    """(before, behind) for each axis, of one value, a pair, or a pair for each axis."""
    value = value.tolist() if hasattr(value, "tolist") else value
    pairs = list(value) if isinstance(value, (list, tuple)) else [value]
    if not any(isinstance(p, (list, tuple)) for p in pairs):
        pairs = [pairs]
    pairs = (pairs * ndim if len(pairs) == 1 else pairs) if ndim else []
    if len(pairs) != ndim or any(len(p) not in (1, 2) for p in pairs):
        raise ValueError(f"gpuarr.pad: {name} = {value} for {ndim} dimensions: give one, (before, after), or such a pair for each axis")
    return [(p[0], p[-1]) for p in pairs]


def along(a, axis, *limits):
    return a[(slice(None),) * axis + (slice(*limits),)]


def filled(padded, shape, before, value):
    """With one value on all edges."""
    for axis, n in enumerate(shape):
        for edge in ((0, before[axis]), (before[axis] + n, None)):
            along(padded, axis, *edge)[...] = value
    return padded


def ramp(edge, axis, width, end):
    """From the end value on, up to the edge, which is not of it."""
    steps = ga.reshape(ga.arange(width, device=edge.device), [width if k == axis else 1 for k in range(edge.ndim)])
    r = steps * ((ga.astype(edge, "complex128" if edge.dtype.kind == "c" else "float64") - end) / width) + end
    return ga.astype(ga.floor(r) if edge.dtype.kind in "iu" else r, edge.dtype)


def statistic(part, axis, mode):
    r = getattr(ga, STATISTICS[mode])(part, axis=axis, keepdims=True)
    return ga.astype(ga.rint(r) if part.dtype.kind in "iu" and r.dtype.kind == "f" else r, part.dtype)


def padded_by(a, widths, mode, *, stat_length=None, end_values=None, **wrong):
    """With the widths (before, behind) of each axis."""
    wrong.update({} if mode == "linear_ramp" else {"end_values": end_values}, **({"stat_length": stat_length} if mode == "linear_ramp" else {}))
    wrong = [n for n, v in wrong.items() if v is not None]
    if wrong:
        raise ValueError(f"gpuarr.pad: mode {mode!r} takes no {wrong[0]}")
    a = asarray(a)
    lengths, ends = pairs_of("stat_length", stat_length, a.ndim), pairs_of("end_values", 0 if end_values is None else end_values, a.ndim)
    for axis, pair in enumerate(widths):
        n, sides = a.shape[axis], []
        if min(pair) < 0 or any(k is not None and k < 1 for k in lengths[axis]) or not n and max(pair):
            raise ValueError(f"gpuarr.pad: widths {pair} and stat_length {lengths[axis]} along axis {axis} with length {n}: "
                             "widths are 0 or more, the others 1 or more")
        for k, (width, length, end) in enumerate(zip(pair, lengths[axis], ends[axis])):
            length = n if length is None else min(length, n)
            if mode == "linear_ramp":
                side = ramp(along(a, axis, n - 1, n) if k else along(a, axis, 0, 1), axis, width, end) if width else None
                sides.append(ga.flip(side, axis) if k and width else side)
            else:
                side = statistic(along(a, axis, n - length, n) if k else along(a, axis, 0, length), axis, mode) if width else None
                sides.append(ga.repeat(side, width, axis=axis) if width else None)
        parts = [p for p in (sides[0], a, sides[1]) if p is not None]
        a = ga.concatenate(parts, axis=axis) if len(parts) > 1 else a
    return a
