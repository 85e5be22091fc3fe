"""A part of tests/python.py: what people from outside have tripped over: sentences in NumPy's words, first elements, labels, windows, paddings."""
import errno
import inspect
import os
import re
import subprocess
import sys
import tempfile

from python_checks import check, counts, fails, ga, np, same


def words_of_numpy():
    """What is said of missing and wrong arguments begins with the function's name, and calls them what NumPy does."""
    for name in ga.__all__:
        call = getattr(ga, name)
        if not inspect.isfunction(call) or call.__module__ != "gpuarr" and not call.__module__.startswith("gpuarr."):
            continue
        wanted = [p for p in inspect.signature(call).parameters.values() if p.default is p.empty and p.kind < 2]
        if not wanted or name == "asarray" or "dlpack" in name:
            continue
        said = re.escape(call.__name__)
        for more in ({}, {"no_such_option": 1}):
            try:
                check(False, f"{name}({more}): no error, but {call(**more)!r}")
            except Exception as e:
                text = str(e)
                check(isinstance(e, TypeError) and re.match(rf"gpuarr\.{said}( misses |: )", text), f"{name}({more}): {e!r}")
                check(not re.search(r"\w_(n|kths|stable|correction|frequencies|names|numbers|labels|integers)\(\)|\bmade\b", text), f"{name}({more}): {e!r}")
    for call, words in ((lambda: ga.partition([1, 2]), "gpuarr.partition misses kth: partition(a, kth, "), (lambda: ga.sort(), "gpuarr.sort misses a: sort(a, "),
                        (lambda: ga.std(), "gpuarr.std misses a: std(a, "), (lambda: ga.eval(), "gpuarr.eval misses formula: eval(formula, "),
                        (lambda: ga.split([1]), "gpuarr.split misses indices_or_sections"), (lambda: ga.delete([1]), "gpuarr.delete misses obj"),
                        (lambda: ga.hsplit([1, 2], "x"), "gpuarr.hsplit: indices_or_sections = 'x'"),
                        (lambda: ga.pad([1], "x"), "gpuarr.pad: pad_width = "), (lambda: ga.add(1), "gpuarr.add misses x2: add(x1, x2, "),
                        (lambda: ga.full(3), "gpuarr.full misses fill_value"), (lambda: ga.gaussian_filter("x", 1), "gpuarr.gaussian_filter: input = 'x'"),
                        (lambda: ga.sort([1], 0, axis=1), "gpuarr.sort: multiple values for argument 'axis'"), (lambda: ga.polyadd([1]), "gpuarr.polyadd misses a2"),
                        (lambda: ga.sort([1], 0, None, None, 5, 6), "gpuarr.sort: too many positional arguments"), (lambda: ga.rollaxis([1]), "gpuarr.rollaxis misses axis"),
                        (lambda: ga.tri(10**10, 10**10), "of float64 is more"), (lambda: ga.tri(10**10, 10**10, dtype="int8"), "of int8 is more")):
        fails(call, [], words, words)
    for kth in (5, [5], [5, 0], [0, -3]):
        fails(lambda: ga.partition([1, 2], kth), [ValueError], f"gpuarr.partition: kth = {5 if kth != [0, -3] else -3} is out of bounds for axis 0 with length 2", f"partition by {kth}")
    same(ga.eye(N=3, M=2, k=-1), np.eye(N=3, M=2, k=-1), "eye by NumPy's names")
    same(ga.tri(N=3, M=2), np.tri(N=3, M=2), "tri by NumPy's names")


def numbers_not_given():
    """What C takes for a number that was not given is one that is wrong here."""
    for call in (ga.tril_indices, ga.triu_indices):
        for m in (-1, -2, -2**63):
            fails(lambda: call(3, 0, m), [ValueError], str(m), f"{call.__name__} of {m} columns")
            fails(lambda: call(3, m=m), [ValueError], str(m), f"{call.__name__} of m = {m} columns")
        for m in (0, 2, 3, 5, None):
            for got, want in zip(call(3, 1, m), getattr(np, call.__name__)(3, 1, m)):
                same(got, want, f"{call.__name__} of {m} columns")
    for n in (-1, -2**63):
        fails(lambda: ga.vander([1, 2], n), [ValueError], str(n), f"{n} powers")
    same(ga.vander([1, 2], None), np.vander([1, 2]), "as many powers as elements")
    x = ga.ones((4, 4))
    for call in (lambda: ga.fft(x, n=-2**63), lambda: ga.welch(x, nperseg=-2**63), lambda: ga.unpackbits(ga.ones(3, "uint8"), count=-2**63), lambda: ga.sum(x, axis=-2**31),
                 lambda: ga.sum(x, axis=np.int64(-2**31)), lambda: ga.cov(x, ddof=-2**31), lambda: ga.distance_transform_bf(x, metric=-1), lambda: ga.savgol_filter(x, 3, 1, border=-1)):
        fails(call, [ValueError], "there is no", "a number that stands for none")
    for a in (np.zeros(0), np.zeros((2, 0)), np.zeros((0, 2))):
        for kth in (0, -1, 5, [0], [-1], [0, -1], [7, -9, 1]):
            for name in ("partition", "argpartition"):
                same(getattr(ga, name)(a, kth), getattr(np, name)(a, kth), f"{name} of shape {a.shape} by {kth}")


def first_elements():
    """Ranges begin with their start, as NumPy's."""
    with np.errstate(all="ignore"):
        for given in ((70000, 70003), (-70000, -69997), (-0.0, 3), (0.0, -3, -1), (-0.0, -3, -1), (65519, 65530), (-70000, 70000, 70000), (0, 200000, 40000), (-65520, -65000, 100), (-0.0, 0.5),
                      (1e39, 5e39, 1e39), (0, 5e39, 1e39), (-1e39, 1e39, 1e39), (-3, -0.0, 1)):
            for dtype in ("float16", "float32", "float64", "complex64"):
                got, want = np.asarray(ga.arange(*given, dtype=dtype)), np.arange(*given, dtype=dtype)
                check(got.dtype == want.dtype and got.shape == want.shape and np.array_equal(got[:2], want[:2], equal_nan=True)
                      and np.array_equal(np.signbit(got.real[:1]), np.signbit(want.real[:1])), f"arange{given} of {dtype}: {got}, not {want}")
            same(ga.arange(*given, dtype="float16"), np.arange(*given, dtype="float16"), f"arange{given}")
    for slices in (np.s_[-0.0:3, 0:2], np.s_[-0.0:1:3j, 0:2]):
        text = ", ".join(f"{s.start}:{s.stop}" + (f":{s.step.imag:g}j" if s.step else "") for s in slices)
        got, want = np.asarray(ga.mgrid(text)), np.mgrid[slices]
        check(np.array_equal(got, want) and np.array_equal(np.signbit(got), np.signbit(want)), f"mgrid of {text}: {got}")
    for values in ([2**63, -1], [-1, 2**63], [2**63, 1], [[2**63], [-1]], [2**63], [2**64 - 1, -2**63], [True, 2**63, -1], [2**63 - 1, -1], [2**63, -1, 0.5]):
        same(ga.asarray(values), np.asarray(values), f"{values}")
    u = ga.zeros(2, "uint64")
    u[:] = [1, 2**63]
    same(u, np.array([1, 2**63], "uint64"), "integers into uint64")
    fails(lambda: u.__setitem__(slice(None), [-1, 2**63]), [OverflowError], "does not fit", "negative ones into uint64")
    same(ga.asarray([True, 2**63]), np.asarray([True, 2**63]), "a truth beside a large integer")
    same(ga.asarray([2**64 - 1, 1], "uint64"), np.asarray([2**64 - 1, 1], "uint64"), "what uint64 holds")
    for dtype in ("uint64", "int64", "int8"):
        fails(lambda: ga.asarray([2**63, -1], dtype), [OverflowError], "does not fit", f"two signs as {dtype}")
    try:
        from scipy.spatial.distance import cdist, pdist
    except ImportError:
        counts["skipped"] += 1
        return print("SKIP cdist and pdist beside SciPy's: there is no SciPy here")
    points, others, weights = np.array([[1e200, 1, 3], [4, 5, 6]]), np.array([[0.0, 3, 1]]), [0, 1, 2]
    for metric in ("sqeuclidean", "euclidean", "cityblock"):
        same(ga.cdist(points, others, metric, w=weights), cdist(points, others, metric, w=weights), f"{metric} with a weight of 0", close=True)
        same(ga.pdist(points, metric, w=weights), pdist(points, metric, w=weights), f"{metric} of pairs", close=True)


def formulas():
    """Operands by name, as a mapping, or in order; what the formula does not name is left alone."""
    x, y = ga.asarray([1.0, 2]), ga.asarray([3.0, 4])
    for call in (lambda: ga.eval("x + y", x=x, y=y), lambda: ga.eval("x + y", {"x": x, "y": y}), lambda: ga.eval("x + y", {"x": x}, y=y), lambda: ga.eval("$1 + $2", [x, y]),
                 lambda: ga.eval("x + y", {"x": x, "y": y, "z": object(), "w": "no array"}), lambda: ga.eval("x + y", x=x, y=y, z=3), lambda: ga.eval("$1 + $2", [x, y, x]),
                 lambda: ga.eval("x + y", [x, y], names="x, y"), lambda: ga.eval("out + y", {"out": x, "y": y})):
        same(call(), [4.0, 6.0], "a formula")
    check(ga.eval("2 * 3", {}) == 6, "an empty mapping")
    same(ga.eval("x + sqrt(y)", {"x": x, "y": [4.0, 9], "sqrt": np.sqrt}), [3.0, 5.0], "a mapping with functions")
    fails(lambda: ga.eval("x", {"x": x}, names=""), [TypeError], "names is given twice", "names that are empty")
    for call, words in ((lambda: ga.eval("x", {"x": x}, x=y), "x is given twice"), (lambda: ga.eval("x", {"x": x}, names="x"), "names is given twice"),
                        (lambda: ga.eval("$1 + x", [y], x=x), "by their names and otherwise"), (lambda: ga.eval("x", x=x, names="x"), "by their names and otherwise")):
        fails(call, [TypeError], "gpuarr.eval: ", "operands in two ways")
        fails(call, [TypeError], words, "operands in two ways")
    fails(lambda: ga.eval("x + q", {"x": x}), [ValueError], "there is no \"q\"", "a name that is not in the mapping")


def measurements():
    """scipy.ndimage's: labels=None is the whole array, labels are broadcast, results have the index's shape."""
    try:
        from scipy import ndimage
    except ImportError:
        counts["skipped"] += 1
        return print("SKIP measurements beside SciPy's: there is no SciPy here")
    a, rows = np.arange(12.0).reshape(3, 4)[:, ::-1] % 7, [1, 1, 2, 2]
    labels = np.array([[0, 1, 1, 2], [3, 1, 2, 2], [3, 3, 0, 4]])
    of_scipy = {"sum_labels": "sum_labels", "mean_labels": "mean", "min_labels": "minimum", "max_labels": "maximum", "variance": "variance", "standard_deviation": "standard_deviation",
                "center_of_mass": "center_of_mass", "minimum_position": "minimum_position", "maximum_position": "maximum_position", "extrema": "extrema"}
    for name, theirs in of_scipy.items():
        ours, theirs = getattr(ga, name), getattr(ndimage, theirs)

        def compare(*given, whole=True):
            got, want = ours(*given), theirs(*given)
            got, want = (got, want) if name == "extrema" else ((got,), (want,))
            for g, w in zip(got, want):
                same(np.asarray(g), np.asarray(w).astype(np.asarray(g).dtype), f"{name}{given[1:]}", close=True)
        compare(a)
        compare(a, None)
        for index in (None, 1, [1, 2], [[1, 2], [0, 3]]):
            compare(a, None, index)
        for index in (1, np.int64(2), [1, 2], (3,), [4, 1, 9], []):
            with np.errstate(all="ignore"):
                if isinstance(index, list) and not index:
                    check(np.size(np.asarray(ours(a, labels, index)[0] if name == "extrema" else ours(a, labels, index))) == 0, f"{name} of no label")
                    continue
                compare(a, labels, index)
                compare(a, rows, index)
        if name != "center_of_mass":
            compare(a, labels, [[1, 2], [2, 3]])
        else:
            check(ours(a, labels, [[1, 2], [2, 3]]).shape == (2, 2, 2) and ours(a, labels, [[1, 2], [2, 3]])[1, 0].tolist() == ours(a, labels, 2).tolist(), "centers")
        fails(lambda: ours(a, [1, 2, 3], [1]), [ValueError], f"gpuarr.{name}: labels have shape (3,)", f"{name} of labels that do not fit")
        same(ours(a.astype("i2"), labels.tolist(), [1, 2])[0] if name == "extrema" else ours(a.astype("i2"), labels, [1, 2]),
             np.asarray(ours(a, labels, [1, 2])[0]).astype("i2") if name == "extrema" else ours(a, labels, [1, 2]), f"{name} of int16")
    for few in (np.full(3, 2**24 + 1, "f4") / 3, np.array([2**62, 2**62, 2**62]), np.array([True, False, True])):
        check(ga.sum_labels(few).item() == ga.sum_labels(few, np.ones(3, int), 1).item() == few.astype(float).sum(), f"the sum of {few.dtype}")
        check(ga.mean_labels(few).item() == ga.mean_labels(few, 1, 1).item(), f"the mean of {few.dtype}")
    center, total = ga.center_of_mass(a, sums=True)
    check(np.allclose(center, ndimage.center_of_mass(a)) and total == a.sum(), "the center of all, and the sum")
    check(ga.sum_labels(a, labels).shape == (4,), "without an index the labels from 1 on")


def long_paths():
    """A path that is long is shortened in the error, which has its errno and all of its name."""
    x = ga.arange(3.0)
    with tempfile.TemporaryDirectory() as folder:
        parts = folder + "/" + "/".join(["\u65e5" * 60] * 12) + "/x"
        for call in (ga.load, ga.load_from, ga.loadtxt, ga.fromfile, ga.imread, lambda p: ga.save(p, x), lambda p: ga.savez(p, x), lambda p: ga.savez_compressed(p, x), lambda p: ga.savetxt(p, x),
                     lambda p: ga.tofile(x, p)):
            for path, number in ((parts, errno.ENOENT), (folder + "/" + "y" * 5000, errno.ENAMETOOLONG)):
                try:
                    check(False, f"{path}: no error, but {call(path)!r}")
                except OSError as e:
                    check(isinstance(e, ga.NoFile) and e.errno == number and e.filename == path and "\ufffd" not in str(e), f"{e!r}: {e.errno}")
        # A limit on the size of files is as a disk that is full.
        program = f"""
import resource, gpuarr as ga
x = ga.random(100000)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for call in (ga.savez, ga.savez_compressed, ga.save, lambda p, x: ga.tofile(x, p)):
    try:
        call({folder + "/full"!r}, x)
    except OSError as e:
        print(e.errno, e.filename, e)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        check(len(lines) == 4 and all(line.startswith(f"{errno.EFBIG} {folder}/full gpuarr.") for line in lines), f"a full disk: {done}")
        check("tmp" not in done.stdout.replace(folder, "") and "part" not in done.stdout and "loose" not in done.stdout, f"no other names: {done.stdout}")
        check(os.listdir(folder) == [], f"nothing is left: {os.listdir(folder)}")


def windows():
    """Windows with parameters, as scipy.signal.get_window names them."""
    try:
        from scipy import signal
    except ImportError:
        counts["skipped"] += 1
        return print("SKIP windows beside SciPy's: there is no SciPy here")
    wave = np.cos(np.arange(300) * 0.3) + np.arange(300) % 7
    for window in (("tukey", 0.3), ("tukey", 0), ("tukey", 1.0), ("tukey", 2), ("gaussian", 20.0), ("kaiser", 5), ("exponential", None, 30.0), ("exponential", 10, 30.0), "exponential", ("exponential",), ("tukey",),
                   ("general_gaussian", 1.5, 40), ("general_hamming", 0.7), ("general_cosine", [0.4, 0.5, 0.1])):
        for name in ("periodogram", "welch", "spectrogram"):
            for more in ({}, {"nperseg": 63}) if name != "periodogram" else ({},):
                for got, want in zip(getattr(ga, name)(wave, 2.0, window, **more), getattr(signal, name)(wave, 2.0, window, **more)):
                    same(got, want, f"{name} by {window}", close=True)
    for window in ("gaussian", ("gaussian",), ("dpss", 5), ("hann", 3), ("kaiser",), ("tukey", 1, 2, 3), ("no such", 3), "kaiser", {"gaussian": 3}):
        for call in (ga.periodogram, ga.welch, ga.spectrogram):
            fails(lambda: call(wave, window=window), [ValueError], f"gpuarr.{call.__name__}: a window is a name, one with its parameters ('kaiser', ", f"{call.__name__} by {window}")


def paddings():
    """NumPy's modes that C has not."""
    random = np.random.default_rng(3)
    for a in (random.random((3, 4)), random.integers(-9, 9, (2, 3, 3)), random.random(5).astype("f4"), np.array([3, 200, 7], "u1"), random.random((2, 3)) + 1j):
        for width in (0, 2, (1, 3), [[k, 2] for k in range(a.ndim)]):
            for mode, options in (("linear_ramp", {}), ("linear_ramp", {"end_values": 5}), ("linear_ramp", {"end_values": (1, 2)}), ("maximum", {}), ("minimum", {"stat_length": 1}),
                                  ("mean", {}), ("mean", {"stat_length": (2, 1)}), ("median", {}), ("median", {"stat_length": 2}), ("maximum", {"stat_length": [(1, 2)] * a.ndim})):
                if a.dtype.kind == "c" and mode != "linear_ramp" and mode != "mean":
                    continue
                same(ga.pad(a, width, mode, **options), np.pad(a, width, mode, **options), f"{a.dtype} {a.shape} padded by {width}, {mode}, {options}", close=True)
                same(ga.pad(a, pad_width=width, mode=mode, **options), np.pad(a, width, mode, **options), "by name", close=True)
    for options in ({"mode": "mean", "end_values": 1}, {"mode": "linear_ramp", "stat_length": 1}, {"mode": "mean", "constant_values": 1}, {"mode": "maximum", "stat_length": 0},
                    {"mode": "mean", "stat_length": [1, 2, 3]}):
        fails(lambda: ga.pad(np.ones(3), 1, **options), [ValueError], "gpuarr.pad: ", f"padded with {options}")
    fails(lambda: ga.pad(np.ones(3), -1, "mean"), [ValueError], "gpuarr.pad: ", "a negative width")
    for dtype, value in (("i8", 2**53 + 1), ("i8", np.int64(-2**63 + 1)), ("u8", 2**63 - 1), ("u8", 2**64 - 1), ("u8", 5)):  # in all their digits
        for width in (1, ((1, 2), (0, 3)), 0):
            same(ga.pad(np.ones((2, 3), dtype), width, constant_values=value), np.pad(np.ones((2, 3), dtype), width, constant_values=value), f"{dtype} padded with {value}")
    same(ga.pad(np.ones(2, "i8"), 1, "edge", value=2**53 + 1), np.ones(4, "i8"), "a value that is not used")
    fails(lambda: ga.pad(np.ones(2, "i8"), 1, constant_values=2**63 + 1), [OverflowError], "does not fit int64", "a value beyond int64")
    same(ga.pad(np.ones((3, 0)), ((1, 1), (0, 0)), "mean"), np.pad(np.ones((3, 0)), ((1, 1), (0, 0)), "mean"), "an empty array")


def small_functions():
    """block, polydiv, fabs, arrays as text, .flat, .flags, tables by columns, places in Fortran's order."""
    ones, row = np.ones((2, 2)), np.array([[1, 2, 3]])
    for lists in ([[ones, ones[:, :1]], [row]], [1, 2, 3], [ones, ones], [[ones], [ones]], [[[1], [2]], [[3], [4]]], [np.array([1, 2]), 3], [[1, 2], [3, 4]], ones, 5):
        same(ga.block(lists), np.block(lists), f"a block of {lists}")
    for wrong, kind in (([[1, 2], []], ValueError), ([[1, 2], 3], ValueError), ([(1, 2)], TypeError), ([], ValueError), ([[ones, row], [ones]], ValueError)):
        fails(lambda: np.block(wrong), [kind], "", "as NumPy")
        fails(lambda: ga.block(wrong), [kind], "gpuarr", f"a block of {wrong}")
    for u, v in (([1, 5, 6], [1, 2]), ([1.0], [1, 2]), ([3, 0, 1, -7], [2, 1]), ([1, 2], [4.0]), ([1j, 2, 3], [1, 1j]), ([1, 2, 1], [1, 2, 1])):
        for got, want in zip(ga.polydiv(u, v), np.polydiv(u, v)):
            same(got, want, f"{u} by {v}", close=True)
    for got, want in zip(ga.polydiv([1, np.nan, 2], [1, 1]), np.polydiv([1, np.nan, 2], [1, 1])):
        same(got, want, "polydiv with NaN")
    fails(lambda: ga.polydiv([1, 2], [0, 1]), [ZeroDivisionError], "gpuarr", "by 0")
    for x in ([-1, 2], -1.5, np.array([-1.5, -0.0], "f4"), np.array([-np.inf, np.nan])):
        same(ga.fabs(x), np.fabs(x), f"fabs of {x}")
    fails(lambda: ga.fabs([1j]), [TypeError], "gpuarr", "fabs of complex numbers")
    thirds = np.arange(30) / 3
    for options in ({}, {"precision": 2}, {"max_line_width": 30}, {"suppress_small": True}, {"threshold": 5, "edgeitems": 1}):
        check(ga.array2string(thirds, **options) == np.array2string(thirds, **options), f"as text by {options}")
    check(ga.array_str(thirds, precision=3) == np.array_str(thirds, precision=3) and ga.array_repr(thirds, 60, 3) == np.array_repr(thirds, 60, 3), "str and repr")
    fails(lambda: ga.array2string(thirds, separator="; "), [ValueError], "'; '", "another separator")
    for n in (np.arange(6.0).reshape(2, 3), np.arange(6).reshape(2, 3).T, np.arange(12)[::-2], np.zeros((2, 0)), np.array(5)):
        a = ga.array(n)
        a = ga.asarray(n.copy(order="K")) if n.size else a
        for key in (0, -1, slice(1, 4), slice(None, None, -2), [0, 2, 1], ...):
            if n.size > 3 or n.size and key in (0, -1):
                same(a.flat[key], n.flat[key], f".flat[{key}]")
        check([x.item() for x in a.flat] == list(n.flat) and len(a.flat) == n.size, "through .flat")
        same(np.asarray(a.flat), n.ravel(), ".flat as an array")
        same(a.flat.copy(), n.flat.copy(), ".flat, copied")
        m = n.copy(order="K")
        for key, value in ((0, 9), (slice(1, 4), [7, 8]), ([4, 0], 3), (slice(None, None, 2), -1)):
            if m.size > 4:
                b = ga.asarray(m)  # which shares its memory
                want = m.copy(order="K")
                want.flat[key] = value
                b.flat[key] = value
                same(b, want, f".flat[{key}] = {value}")
                same(m, want, "in the memory of both")
        b = ga.asarray(m)
        b.flat = 3
        check((m == 3).all(), ".flat = 3")
    a, b = ga.zeros((2, 2), "int64"), ga.asarray([[1, 2], [3, 4]])
    a.flat = b.flat
    same(a, b, ".flat = .flat")
    a.flat[:2] = b.T.flat[2:]
    same(a, [[2, 4], [3, 4]], ".flat[:2] = .flat[2:]")
    same(ga.sum(b.T.flat), 10, "a call of .flat")
    same(b.flat == 3, b.numpy().flat == 3 if hasattr(b, "numpy") else np.asarray(b).ravel() == 3, ".flat == 3")
    same(b.flat != 3, np.asarray(b).ravel() != 3, ".flat != 3")
    fails(lambda: ga.arange(3).flat[5], [IndexError], "", "beyond the end")
    for n in (np.ones((2, 3)), np.ones((2, 3)).T, np.ones((4, 6))[::2, ::2], np.ones(3), np.array(1), np.ones((2, 0))):
        f = ga.asarray(n).flags
        check(all(getattr(f, k) == getattr(n.flags, k) for k in ("c_contiguous", "f_contiguous", "forc", "fnc", "aligned", "writeable", "contiguous")) and f["C"] == n.flags["C"]
              and f["F_CONTIGUOUS"] == n.flags["F_CONTIGUOUS"], f"flags of {n.shape}, {n.strides}")
    fails(lambda: ga.ones(1).flags["X"], [KeyError], "there is no flag 'X'", "no flag")
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/t.txt"
        np.savetxt(path, [[1, 2], [3, 4], [5, 6]])
        for name in ("loadtxt", "genfromtxt"):
            for got, want in zip(getattr(ga, name)(path, unpack=True), getattr(np, name)(path, unpack=True)):
                same(got, want, f"{name} by columns")
            same(getattr(ga, name)(path, unpack=False), getattr(np, name)(path), f"{name} by rows")
            for rows in (-1, -2):
                fails(lambda: getattr(ga, name)(path, max_rows=rows), [ValueError], f"gpuarr.{name}: max_rows = {rows}", f"{rows} rows of {name}")
    for order in "CF":
        for got, want in zip(ga.unravel_index([1, 5, 3], (2, 3), order=order), np.unravel_index([1, 5, 3], (2, 3), order=order)):
            same(got, want, f"places in order {order}")
    fails(lambda: ga.unravel_index([1], (2, 3), "K"), [ValueError], "order", "no order of places")
