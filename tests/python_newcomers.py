"""A part of tests/python.py: what who knows NumPy and SciPy takes for granted: the kinds of errors, files that are refused, words, results."""
import errno
import itertools
import os
import pickle
import tempfile
import warnings
import weakref

from python_checks import check, fails, ga, np, same
from gpuarr.native import file_error  # the checks have said where it is


def files_refused():
    """What open() raises of a file that is missing, a directory, or not ours, with errno and the name; still what it was before."""
    x = ga.arange(3.0)
    with tempfile.TemporaryDirectory() as folder:
        nowhere, locked = folder + "/no/x.dat", folder + "/locked"
        ga.tofile(x, locked)
        os.chmod(locked, 0)
        readers = [getattr(ga, name) for name in "load load_from loadtxt genfromtxt fromfile fits_read imread".split()]
        writers = [lambda path, call=call: call(path, x) for call in (ga.save, ga.savetxt, lambda path, a: ga.tofile(a, path), ga.savez, ga.savez_compressed)]
        for call in readers + writers:
            for path, kind, number in ((nowhere, FileNotFoundError, errno.ENOENT), (folder, IsADirectoryError, errno.EISDIR)):
                try:
                    check(False, f"{path}: no error, but {call(path)!r}")
                except OSError as e:
                    check(isinstance(e, kind) and isinstance(e, ga.NoFile) and (e.errno, e.filename) == (number, path) and str(e).startswith("gpuarr."), f"{e!r}: {e.errno} {e.filename}")
                    again = pickle.loads(pickle.dumps(e))
                    check((type(again), str(again), again.errno, again.filename) == (type(e), str(e), number, path), f"from another process: {again!r}")
            fails(lambda: call(None), [TypeError], "", "no name of a file")
        if os.geteuid():  # root may read all
            fails(lambda: ga.fromfile(locked), [PermissionError, ga.NoFile], locked, "a file that is not ours")
        refused = file_error(ga.NoFile, f"gpuarr.load: cannot open '{locked}': {os.strerror(errno.EACCES)}", locked)  # which root does not see
        check(isinstance(refused, PermissionError) and (refused.errno, refused.filename) == (errno.EACCES, locked), f"{refused!r}")
        fails(lambda: ga.load(locked + "/x"), [NotADirectoryError], "", "a file in a file")


def whole_words():
    """A word is matched as a whole; what is said of a wrong one is Python's; a function's name stands once."""
    x = ga.asarray([3.0, 1, 2])
    for call, wrong, said in ((lambda: ga.quantile(x, 0.5, method="cdf"), "'cdf'", "'inverted_cdf'"), (lambda: ga.percentile(x, 5, method="unbiased"), "'unbiased'", "'hazen'"),
                              (lambda: ga.pad(x, 1, mode="onstant"), "'onstant'", "there are 'constant', 'edge'"), (lambda: ga.convolve(x, x, mode="auto"), "'auto'", "there are 'full', 'same', 'valid'"),
                              (lambda: ga.zeros(2, device="gpu"), "'gpu'", "there are 'cpu', 'cuda'"), (lambda: ga.detrend(x, type="line"), "'line'", "there are 'constant', 'linear'"),
                              (lambda: ga.gaussian_filter(x, 1, mode="bad"), "gaussian_filter: mode = 'bad'", "'reflect', 'constant'"), (lambda: ga.uniform_filter(x, 3, mode=99), "mode = 99", "use 'reflect'"),
                              (lambda: ga.shift(x, 1, mode=99), ": mode = 99", "use 'reflect'"), (lambda: ga.gaussian_filter(x, 1, border="bad"), "gaussian_filter: border = 'bad'", "'reflect', 'constant'"),
                              (lambda: ga.sort(x, kind="bad"), "'bad'", "'quicksort', 'heapsort', 'mergesort', 'stable'"),
                              (lambda: ga.argsort(x, kind="bad"), "'bad'", "'stable'"), (lambda: ga.partition(x, 1, kind="quicksort"), "'quicksort'", "'introselect'")):
        fails(call, [ValueError], wrong, f"{wrong} is no word")
        fails(call, [ValueError], said, f"the words for {wrong}")
        try:
            call()
        except ValueError as e:
            check("ga_" not in str(e) and "default" not in str(e), f"{e} says what Python knows")
    for word in ("median_unbiased", "GA_MEDIAN_UNBIASED", "Median_Unbiased"):
        same(ga.quantile(x, 0.25, method=word), np.quantile([3.0, 1, 2], 0.25, method="median_unbiased"), f"by {word}", close=True)
    for kind in (None, "quicksort", "heapsort", "mergesort", "stable"):
        same(ga.sort(x, kind=kind), [1.0, 2, 3], f"sorted, {kind}")
    try:
        ga.nanmax(ga.asarray([1j]))
    except TypeError as e:
        check(str(e) == "gpuarr.nanmax does not exist for complex128", f"a name twice: {e}")


def numpys_kinds():
    """The kinds of NumPy's errors, castings, and ways to call that newcomers know."""
    n, one = np.arange(6.0).reshape(2, 3), [1.0, 1, 1]
    a, v = ga.asarray(n), ga.arange(5)
    for call in (lambda m, x, w: m.average(x[0], weights=[1, -1, 0.0]), lambda m, x, w: m.average(x, axis=1, weights=w * [1.0, -1, 0]), lambda m, x, w: m.average([], weights=[]),
                 lambda m, x, w: m.average(x, weights=w), lambda m, x, w: m.average(x, axis=0, weights=w), lambda m, x, w: float(x), lambda m, x, w: int(x), lambda m, x, w: complex(x),
                 lambda m, x, w: bool(x), lambda m, x, w: x.item(), lambda m, x, w: x["a"], lambda m, x, w: x[1.5], lambda m, x, w: x[0, object()], lambda m, x, w: x.item(1.5),
                 lambda m, x, w: x.item("a"), lambda m, x, w: m.copyto(x, x, casting="bad"), lambda m, x, w: m.can_cast("i4", "i8", "bad")):
        try:
            check(False, f"NumPy gives {call(np, n, np.array(one))!r}")
        except Exception as e:
            fails(lambda: call(ga, a, ga.asarray(one)), [type(e)], "", f"as NumPy: {e!r}")
    same(ga.average(a, axis=1, weights=[1.0, 2, 1]), np.average(n, axis=1, weights=[1, 2, 1]), "weights along an axis")
    for g, w in zip(ga.average(a, 1, [1.0, 2, 1], True), np.average(n, 1, [1, 2, 1], True)):
        same(g, w, "and their sums")
    check(ga.average(a, weights=a).item() == np.average(n, weights=n) and ga.average(a).item() == 2.5, "averages of all elements")
    for kind in (float, int, complex):
        check(kind(ga.asarray(3)) == kind(ga.asarray(3.0)) == 3, f"{kind.__name__} of an array without dimensions")
        for shape in ((1,), (1, 1), (0,)):
            fails(lambda: kind(ga.ones(shape)), [TypeError], f"the shape {shape}", f"{kind.__name__} of an array of shape {shape}")
    check(a[:1, 1:2].item() == 1 and bool(a[:1, 1:2]), "the element of an array of one, and its truth")
    dtypes = "bool int8 uint8 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        for one in dtypes:
            wrong = [other for other in dtypes if ga.can_cast(one, other, casting) != np.can_cast(one, other, casting)]
            check(not wrong, f"can_cast({one!r}, ..., {casting!r}) of {wrong}")
            for src in (np.zeros(2, one), np.zeros((), one)):
                for dst in ("int32", "float32", "complex128"):
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            np.copyto(np.ones(2, dst), src, casting=casting)
                    except TypeError:
                        fails(lambda: ga.copyto(ga.ones(2, dst), src, casting=casting), [TypeError], "", f"copyto of {one} to {dst}, {casting}")
                    else:
                        d = ga.ones(2, dst)
                        ga.copyto(d, src, casting=casting)
                        check(not ga.any(d), f"copyto of {one} to {dst}, {casting}")
    d = ga.zeros(2, "float32")
    ga.copyto(d, 1.5, casting="safe")
    check(d.tolist() == [1.5, 1.5] and ga.can_cast("int8", "int16") and not ga.can_cast("int16", "int8"), "a number of Python's has no dtype")
    same(ga.lexsort(np.array([3, 1, 2])), np.lexsort(np.array([3, 1, 2])), "keys that are numbers")
    same(ga.bincount([]), np.bincount([]), "bincount of nothing")
    same(ga.bincount([], minlength=2), np.bincount([], minlength=2), "and two bins")
    for s in (slice(1, 3), slice(None, None, 2), slice(3, 0, -1), slice(2, 2), slice(-2, None), slice(None)):
        same(ga.delete(v, s), np.delete(np.arange(5), s), f"without {s}")
        for axis in (None, 0, -1):
            same(ga.delete(a, s, axis), np.delete(n, s, axis), f"without {s} along {axis}")
    same(ga.delete(arr=v, obj=slice(1, 3)), [0, 3, 4], "a slice by NumPy's name")
    fails(lambda: ga.delete(a, slice(1), axis=2), [IndexError, ValueError], "no axis 2", "an axis that is not there")
    ab, b = [[0.0, 1, 1], [4, 4, 4], [1, 1, 0]], [5.0, 6, 5]
    for x in (ga.solve_banded((1, 1), ab, b), ga.solve_banded(1, 1, ab, b), ga.solve_banded((1, 1), ab=ab, b=b)):
        same(x, np.ones(3), "a banded matrix", close=True)
    with tempfile.TemporaryDirectory() as folder:
        ga.savez(folder + "/a.npz", x=a, y=v)
        with ga.load(folder + "/a.npz") as z:
            check(z.files == ["x", "y"] and z["y"].tolist() == v.tolist(), f"the names in an archive: {z.files}")
        fails(lambda: z["x"], [KeyError], "x", "an archive that was closed")


def several_results():
    """Where NumPy and SciPy return several results, so does gpuarr: two rows do not unpack as if they were two results."""
    spots, x = ga.asarray([[1, 1, 0], [0, 0, 1]]), np.array([0.0, 2, 0, 5, 1, 4, 4, 1])
    labels, n = ga.label(spots)
    same(labels, np.array([[1, 1, 0], [0, 0, 2]], "i4"), "labels")
    check(n == 2 and ga.label(spots, connectivity=2)[1] == 1, f"and their number: {n}")
    same(ga.label(spots, count=False), labels, "the labels alone")
    peaks, found = ga.find_peaks(x)
    same(peaks, [1, 3, 5], "peaks")
    check(found == {}, f"and nothing that was not asked for: {found}")
    same(ga.find_peaks(x, found=False), peaks, "the peaks alone")
    sides, bases = {"left_thresholds", "right_thresholds"}, {"prominences", "left_bases", "right_bases"}
    for named, keys, count in (({"height": 3}, {"peak_heights"}, 2), ({"height": (2, 4)}, {"peak_heights"}, 2), ({"height": (None, 4)}, {"peak_heights"}, 2), ({"height": np.array([2, 4])}, {"peak_heights"}, 2),
                               ({"height_max": 4}, {"peak_heights"}, 2), ({"threshold": 1}, sides, 2), ({"prominence": 3}, bases, 2),
                               ({"width": 0}, bases | {"widths", "width_heights", "left_ips", "right_ips"}, 3),
                               ({"plateau_size": 2, "height": 0}, {"plateau_sizes", "left_edges", "right_edges", "peak_heights"}, 1)):
        peaks, found = ga.find_peaks(x, **named)
        check(found.keys() == keys and {v.size for v in found.values()} == {peaks.size} == {count}, f"find_peaks by {named}: {peaks}, {found}")
    same(ga.find_peaks(x, 3)[1]["peak_heights"], [5.0, 4.0], "heights, by position")
    for few in (x.astype("f4"), x.astype("i2"), x, x * 0):
        same(ga.find_peaks(few, 3)[1]["peak_heights"], ga.find_peaks(few, 3, found=True)[1]["peak_heights"], f"heights of {few.dtype}")
    fails(lambda: ga.find_peaks(x, (1, 2, 3)), [ValueError], "(least, most)", "three limits")
    for wlen, whole in ((1.5, 2), (2.5, 3), (np.float64(4), 4), (1e30, 99)):
        same(ga.find_peaks(x, prominence=0, wlen=wlen)[1]["prominences"], ga.find_peaks(x, prominence=0, wlen=whole)[1]["prominences"], f"wlen = {wlen}")
    for wlen in (0.5, 1.0, -3.5):
        fails(lambda: ga.find_peaks(x, wlen=wlen), [ValueError], "wlen", f"wlen = {wlen}")
    a, b = np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([1.0, 2, 4])
    for m, v in ((a, b), (a, np.stack([b, b * b], 1)), (a[:1], b[:1])):
        got, want = ga.lstsq(m, v), np.linalg.lstsq(m, v)
        check(len(got) == 4 and got[2] == want[2] and isinstance(got[2], int), f"the rank: {got}")
        for k in (0, 1, 3):
            check(got[k].shape == want[k].shape and np.allclose(got[k], want[k]), f"result {k} of lstsq: {got[k]}, not {want[k]}")
    check(ga.lstsq(a, b, rank=True)[1] == 2 and len(ga.lstsq(a, b, rank=True)) == 2, "what was asked for alone")
    x, w = np.array([0.0, 1, 2, 3, 4.5]), np.array([1.0, 2, 1, 0.5, 1])
    for y in (x * x - x, np.stack([x**3, 1 - x], 1)):
        for given in ((1,), (2, 1e-10), (1, None, True, w), (2, 0.5, True, w), (2, None, False, w, False)):
            full = {"full": True} if len(given) < 3 else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # NumPy's, about the rank
                got, want = ga.polyfit(x, y, *given, **full), np.polyfit(x, y, *given, **full)
            if len(given) == 5:
                got, want = [got], [want]
            check(len(got) == len(want) and all(np.shape(g) == np.shape(h) and np.allclose(g, h) for g, h in zip(got, want)), f"polyfit{given} {full}: {got}, not {want}")
    for cov in (True, "unscaled"):
        got, want = ga.polyfit(x, x * x, 1, w=w, cov=cov), np.polyfit(x, x * x, 1, w=w, cov=cov)
        check(all(np.allclose(g, h) for g, h in zip(got, want)), f"polyfit with cov={cov!r}: {got}, not {want}")
    fails(lambda: ga.polyfit(x, x, 1, cov="scaled"), [ValueError], "'unscaled', not 'scaled'", "another word for cov")
    wave = np.cos(np.arange(64) * np.pi / 4)
    for call in (ga.periodogram, ga.welch):
        f, power = call(wave, nperseg=32) if call is ga.welch else call(wave)
        check(f.shape == power.shape and f[0] == 0 and f[-1] == 0.5 and f[int(ga.argmax(power))] == 0.125, f"{call.__name__}: {f} {power}")
        high = call(wave + 1, detrend=False)[1]
        check(high[0] > 0.1 > call(wave + 1)[1][0] and high.tolist() == call(wave + 1, detrend="none")[1].tolist(), f"{call.__name__} of what keeps its mean: {high}")
    same(ga.periodogram(wave, frequencies=False), ga.periodogram(wave)[1], "the spectrum alone")
    same(ga.periodogram(wave, frequencies=True)[1], ga.periodogram(wave)[0], "as C has it")
    m = ga.array([[2.0, 1, 1], [1, 3, 1]])
    for r, names in ((ga.unique_all(m), "values indices inverse_indices counts"), (ga.unique_counts(m), "values counts"), (ga.qr(m), "Q R"),
                     (ga.unique_inverse(m), "values inverse_indices"), (ga.svd(m), "U S Vh"), (ga.slogdet(m[:, :2]), "sign logabsdet"),
                     (ga.eigh(m[:, :2]), "eigenvalues eigenvectors"), (ga.eig(m[:, :2]), "eigenvalues eigenvectors")):
        check(all(getattr(r, name) is part for name, part in zip(names.split(), r)) and len(r) == len(names.split()), f"results by {names}")
        check(str(pickle.loads(pickle.dumps(r))) == str(r), f"results by {names}, pickled")
    check(ga.unique_inverse(m).inverse_indices.tolist() == [[1, 0, 0], [0, 2, 0]], "where each element is found, with the shape of the array")
    same(ga.qr(m, mode="r"), ga.qr(m).R, "R alone")
    f, t, power = ga.spectrogram(wave, nperseg=16)
    check(power.shape == (f.size, t.size) and f[-1] == 0.5 and t[0] == 8, f"a spectrogram: {f} {t}")
    z = ga.spectrogram(wave, nperseg=16, mode="complex")[2]
    same(ga.spectrogram(wave, nperseg=16, mode="magnitude")[2], abs(z), "the magnitudes of a spectrogram")
    same(ga.spectrogram(wave, nperseg=16, mode="angle")[2], ga.angle(z), "the angles of a spectrogram")
    same(ga.spectrogram(wave, nperseg=16, mode="phase")[2], ga.unwrap(ga.angle(z), axis=0), "its phases")
    pieces = ga.spectrogram(wave, nperseg=16, noverlap=8, window="hann")[2]
    check(np.allclose(np.asarray(ga.welch(wave, nperseg=16, average="median")[1]) * (1 + sum(1 / (k + 1) - 1 / k for k in range(2, pieces.shape[1], 2))),
                      np.median(np.asarray(pieces), axis=1)), "the median of the pieces")
    fails(lambda: ga.welch(wave, average="mode"), [ValueError], "average", "no average")
    y, state = ga.lfilter([1.0], [1.0, -0.5], [1.0, 0, 0], zi=[0.0])
    check(y.tolist() == [1, 0.5, 0.25] and state.tolist() == [0.125], "the state of a filter")
    check(ga.lfilter([1.0], [1.0, -0.5], [1.0, 0, 0]).tolist() == y.tolist(), "no state that was not given")
    y, state = ga.sosfilt([[1.0, 0, 0, 1, -0.5, 0]], [1.0, 0, 0], zi=[[0.0, 0]])
    check(y.tolist() == [1, 0.5, 0.25] and state.tolist() == [[0.125, 0]], "the state of sections")


def archives():
    """What is no array in an .npz is found, and reading it keeps nothing of who reads."""
    class Local:
        pass

    seen = []

    def read(kept):
        local = Local()
        seen.append(weakref.ref(local))
        try:
            kept["odd"]
        except ga.Error as e:
            return str(e)

    with tempfile.TemporaryDirectory() as folder:
        np.savez(folder + "/a.npz", odd=np.array([{}, 1], object), x=np.arange(3))
        kept = ga.load(folder + "/a.npz")
        check("odd" in kept and "x" in kept and "y" not in kept, "names in an archive")
        check(len({read(kept) for _ in range(3)}) == 1 and "Python objects" in read(kept), "the same sentence each time")
        check(not any(ref() for ref in seen), "no frame of who has read is kept")
        seen.append(weakref.ref(kept))
        del kept
        check(seen[-1]() is None, "nor is the archive, when nobody has it")


def few_of_many():
    """Ranges of histograms, and .ddof, as NumPy takes and refuses them."""
    x, y = np.array([0.1, 0.3, 0.6, 0.7, 0.9, 0.2]), np.array([0.5, 0.5, 3, -1, 0.5, 0.5])
    rules = "auto", "fd", "scott", "stone", "sturges"
    for bins, limits in [*itertools.product((*rules, 4), ((0.5, 0.5), [0.2, 0.9], np.array([2, 2]), (0, 1))), ("auto", (3, 3))]:
        got, want = ga.histogram(x, bins, limits), np.histogram(x, bins, limits)
        check(np.array_equal(got[0], want[0]) and np.allclose(got[1], want[1]), f"{bins} between {limits}: {got}, not {want}")
    for limits in ((0,), (0, 1, 2), (0.9, 0.1), (0, np.inf), (np.nan, 1)):
        for bins in ("auto", 4):
            fails(lambda: np.histogram(x, bins, limits), [ValueError], "", "as NumPy")
            fails(lambda: ga.histogram(x, bins, limits), [ValueError], "", f"{bins} bins between {limits}")
    for bins in (2, [2, [0, 0.5, 1]], [[0, 0.5, 1], [0, 0.2, 0.7]]):
        for limits in ([(0, 1), None], [None, (0, 2)], [None, None], np.array([[0, 1], [0, 1]]), [(0, 1), (0, 2)]):
            for got, want in zip(ga.histogram2d(x, y, bins, limits), np.histogram2d(x, y, bins, limits)):
                same(got, want, f"{bins} bins between {limits}", close=True)
            same(ga.histogramdd((x, y), bins, limits)[0], np.histogramdd((x, y), bins, limits)[0], f"{bins} bins between {limits}, of points")
        for limits in ([(0, 1)], [(0, 1)] * 3, [], [0, 1, 0, 1], [0.5]):
            fails(lambda: ga.histogram2d(x, y, bins, limits), [ValueError], f"{len(limits)} ranges for 2 axes", f"{bins} bins between {limits}")
            fails(lambda: ga.histogramdd((x, y), bins, limits), [ValueError], f"{len(limits)} ranges for 2 axes", f"{bins} bins between {limits}")
    n = np.arange(6.0).reshape(2, 3)
    for name in ("var", "std", "nanvar", "nanstd"):
        got, want = getattr(ga, name), getattr(np, name)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for ddof in (np.nan, np.float32(0.5), np.float16(1.5), np.array(0.5), np.int8(1), 1, 2.0, 3.5, np.inf):
                for options in ({"axis": 1, "ddof": ddof}, {"ddof": ddof}, {"axis": 0, "correction": ddof}, {"correction": ddof, "ddof": 0, "axis": 1}):
                    same(got(n, **options), want(n, **options), f"{name} with {options}", close=True)
        same(got(n, 1, None, None, np.float32(0.5), True), want(n, 1, None, None, np.float32(0.5), True), f"{name} by position", close=True)
        for more in ({"ddof": 1, "correction": 0.5}, {"ddof": 0.5, "correction": 1}, {"ddof": 1, "correction": 1}):
            fails(lambda: got(n, **more), [ValueError], "ddof and correction", f"{name} with {more}")
        fails(lambda: got(n, 0, None, None, 1, correction=1), [ValueError], "ddof and correction", f"{name} with both, by position")
        fails(lambda: got(n, 0, None, None, 0.5, ddof=0.5), [TypeError], "ddof", f"{name} with ddof twice")
        for shape in (5, (), (1,), (1, 3), (2, 3)):
            out = ga.zeros(shape)
            for ddof in (0.5, 1):
                for axis in (0, None) if shape else (0,):
                    fails(lambda: got(n, axis, ddof=ddof, out=out), [ValueError, ga.ShapeError], "out has", f"{name} into the shape {shape}")
            check(not ga.any(out), "nothing was written")


def orders_and_structures():
    """The order K of views with and without strides; structures of labels."""
    random = np.random.default_rng(7)
    memory = np.arange(1000)
    for _ in range(300):
        d = int(random.integers(1, 6))
        m = np.lib.stride_tricks.as_strided(memory[500:], random.integers(1, 4, d), 8 * random.choice([0, 0, 1, 2, 3, 6, 9, -1, -3, -9], d))
        for order in "KA":
            same(ga.ravel(ga.asarray(m), order=order), m.ravel(order), f"order {order} of {m.shape}, {m.strides}")
        same(ga.asarray(m).flatten(order="K"), m.flatten("K"), f"flattened: {m.shape}, {m.strides}")
    wide = np.broadcast_to(np.arange(3)[:, None], (2, 3, 4))
    for m in (wide, wide.T, wide.transpose(1, 2, 0), np.arange(6).reshape(2, 3).T):
        m = m.view()
        m.flags.writeable = False
        for order in "CFAK":
            same(ga.ravel(m, order), m.ravel(order), f"order {order} of what may not be written")
        same(ga.reshape(m, (-1, 2), "A"), m.reshape((-1, 2), order="A"), "reshaped, too")
        same(ga.ravel(ga.broadcast_to(ga.arange(3), (2, 3)).T, "K"), np.ravel(np.broadcast_to(np.arange(3), (2, 3)).T, "K"), "of a broadcast view")

    for d, n in ((1, 7), (2, 6), (3, 4)):
        spots = random.random([n] * d) < 0.4
        for k in range(1, d + 1):
            s = ga.generate_binary_structure(d, k)
            want, count = ga.label(spots, connectivity=k)
            for structure in (s, np.asarray(s), s.tolist(), np.asarray(s) * 2, k):
                for call in (lambda: ga.label(spots, structure), lambda: ga.label(spots, structure=structure), lambda: ga.label(input=spots, structure=structure, output=None)):
                    labels, found = call()
                    same(labels, np.asarray(want), f"labels by {structure}")
                    check(found == count, f"{found} objects, not {count}")
        for wrong in (np.zeros([3] * d), np.eye(3) if d == 2 else np.arange(3**d).reshape([3] * d) > 3**d // 2):
            fails(lambda: ga.label(spots, wrong), [ValueError], f"generate_binary_structure({d}, 1 to {d})", "another structure")
        for wrong in (np.ones([3] * (d + 1)), np.ones([5] * d), np.ones(2)):
            fails(lambda: ga.label(spots, structure=wrong), [ValueError], "a structure of the shape", "a structure of another shape")
    fails(lambda: ga.label(spots, s, connectivity=1), [TypeError], "give one of both", "a structure and its number")
    check(ga.label(spots, None, "int64")[0].dtype == "int64" and ga.label(spots, s, count=False).dtype == "int32", "the dtype by position")


def arguments_refused():
    """What was taken for something else, or for nothing, is refused with a sentence."""
    x, edges = np.array([1.0, 2, 3]), [1, 2, 3]
    for weights in ([1.0, 2, 3, 4], [1.0, 2], [[1.0, 2, 3]]):
        for call in (lambda: ga.histogram(x, edges, weights=weights), lambda: ga.histogram(x, 2, weights=weights), lambda: ga.histogram2d(x, x, [edges, edges], weights=weights),
                     lambda: ga.histogramdd((x, x), [edges, edges], weights=weights)):
            fails(call, [ga.ShapeError], f"weights have shape {np.shape(weights)}, a (3,): each element needs one", f"weights {weights}")
    fails(lambda: ga.histogram(x[:, None], edges, weights=x[None]), [ga.ShapeError], "weights have shape (1, 3), a (3, 1)", "weights that lie otherwise")
    same(ga.histogram(x[:, None], edges, weights=[[2], [3], [4]])[0], np.histogram(x, edges, weights=[2, 3, 4])[0], "weights that lie as the elements do")
    for call, words in ((lambda: ga.index(x, 3), "index = '3': give NumPy's notation as a text"), (lambda: ga.index(x, "%d", "a"), "index = '%d': %d format"),
                        (lambda: ga.index(x, "0", 1), "index = '0': not all"), (lambda: ga.stack(None), "arrays = 'None': give a list"), (lambda: ga.stack(3), "arrays = '3': give a list")):
        fails(call, [TypeError], words, words)
    for call in (ga.tril_indices_from, ga.triu_indices_from):
        fails(lambda: call(x), [ValueError], f"gpuarr.{call.__name__}: an array of shape (3,) is no matrix", "indices of a vector")
    fails(lambda: ga.eigvalsh(np.eye(2), np.eye(2)), [ValueError], "UPLO is 'L' or 'U', not", "two matrices")
    wave = np.cos(np.arange(300) * 0.3)
    for call in (ga.welch, ga.spectrogram):
        for named, words in (({"nperseg": 0}, "pieces of 0 elements"), ({"nperseg": -1}, "pieces of -1 elements"), ({"nfft": 0}, "nfft = 0: use 256 or more"),
                             ({"noverlap": -1}, "noverlap = -1: use 0 or more"), ({"nperseg": np.int64(0)}, "pieces of 0 elements")):
            fails(lambda: call(wave, **named), [ValueError], words, f"{call.__name__} with {named}")
        fails(lambda: call(wave, window=np.ones(301)), [ValueError], "301 elements", "a window that is too long")
    fails(lambda: ga.periodogram(wave, nfft=0), [ValueError], "nfft = 0: use 1 or more", "a transform of nothing")
    for call, n in ((ga.periodogram, 300), (ga.welch, 256), (ga.spectrogram, 256)):
        kaiser, hann = np.kaiser(n + 1, 5)[:-1], 0.5 - 0.5 * np.cos(np.arange(n) * 2 * np.pi / n)
        for got, want in zip(call(wave, 1.0, ("kaiser", 5)), call(wave, window=kaiser)):
            same(got, want, f"{call.__name__} by Kaiser's window", close=True)
        for got, want in zip(call(wave, window=hann.tolist()), call(wave, window="hann")):
            same(got, want, f"{call.__name__} by values", close=True)
        for got, want in zip(call(wave, window=("hann",)), call(wave, window="hann")):
            same(got, want, f"{call.__name__} by a name in a tuple")
        fails(lambda: call(wave, 1.0, ("dpss", 5)), [ValueError], "or its values, not ('dpss', 5)", "a window by two words")
    for call in (ga.welch, ga.spectrogram):
        for got, want in zip(call(wave[:20], window=("kaiser", 5), nperseg=64), call(wave[:20], window=("kaiser", 5), nperseg=20)):
            same(got, want, f"{call.__name__} by Kaiser's window, of a line that is shorter")
    for limit in ("height", "threshold", "prominence", "width"):
        for wrong in (np.zeros(300), (np.zeros(300), None), [1, 2, 3]):
            fails(lambda: ga.find_peaks(wave, **{limit: wrong}), [ValueError], f"{limit} is a number or (least, most) for all elements", f"{limit} of many")


def lists_of_integers():
    """Python's integers, alone or in lists, take the dtype of the array that they are assigned to."""
    for dtype in ("bool", "int8", "uint8", "int32", "uint64", "float32", "complex64"):
        for assign in (lambda m, a: a.__setitem__((0, slice(3)), [1, 0, 2]), lambda m, a: a.__setitem__(..., [[1, 2, 3], (4, 5, 6)]), lambda m, a: a.__setitem__(0, range(3)),
                       lambda m, a: a.__setitem__(([0, 1], [2, 1]), [5, 0]), lambda m, a: a.__setitem__(m.asarray([[True, False, True]] * 2), [1, 0, 2, 3]), lambda m, a: a.__setitem__(1, 5),
                       lambda m, a: a.__setitem__((1, 2), True), lambda m, a: a.__setitem__(0, np.int64(3)), lambda m, a: a.__setitem__(a != a, []), lambda m, a: a.fill(7),
                       lambda m, a: m.place(a, a == 0, [1, 2]), lambda m, a: m.putmask(a, a == 0, [1, 0, 2]), lambda m, a: m.putmask(a, a == 0, 3), lambda m, a: m.put(a, [1, 3], [7, 0]),
                       lambda m, a: m.put(a, 2, 7), lambda m, a: m.fill_diagonal(a, [3, 4]), lambda m, a: m.fill_diagonal(a, val=3), lambda m, a: m.put_along_axis(a, m.asarray([[0], [2]]), [[1], [2]], 1)):
            got, want = ga.zeros((2, 3), dtype), np.zeros((2, 3), dtype)
            assign(ga, got)
            assign(np, want)
            same(got, want, f"integers into {dtype}")
    a = ga.zeros((2, 3), "uint8")
    for assign in (lambda: a.__setitem__(0, [300, 1, 2]), lambda: a.__setitem__(0, -1), lambda: a.__setitem__([0], [-1, 1, 2]), lambda: ga.place(a, a == 0, [256]), lambda: ga.putmask(a, a == 0, 300),
                   lambda: ga.put(a, [0], [300]), lambda: ga.fill_diagonal(a, [300, 1]), lambda: ga.insert(a, 1, [1, 300, 2], 0), lambda: ga.insert(a, 1, -1)):
        fails(assign, [OverflowError], "does not fit", "an integer that does not fit")
    for value in ([1.5, 2, 3], 1.5, np.array([1, 2, 3]), ga.asarray([1, 2, 3])):
        fails(lambda: a.__setitem__(0, value), [TypeError], "", f"{value!r} into uint8")
    check(not ga.any(a), "nothing was written")
    for values in ([1, 2, 3], 7, [True, False, True]):
        same(ga.insert(a, 1, values, 0), np.insert(np.asarray(a), 1, values, 0), f"{values} inserted")
    same(ga.einsum("ij->ji", [[1, 2]]), [[1], [2]], "lists that are one operand")
    same(ga.einsum("ij->ji", np.array([[1, 2]])), [[1], [2]], "an array")
    for operands in ([np.ones(2), np.ones(2)], [[1.0, 1], [1.0, 1]], (ga.ones(2), [1, 1])):
        check(ga.einsum("i,i", operands).item() == 2, "a list of operands")
    same(ga.einsum("ij->ji", [np.array([[1, 2]])]), [[1], [2]], "a list of one operand")
    x, y = np.arange(6).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    for given in ((x, [0, 1], y, [1, 2]), (x, [0, 1], y, [1, 2], [2, 0]), (x, [..., 1]), (y, [30, 2], [30]), (x, [0, 1], [])):
        same(ga.einsum(*given), np.einsum(*given), f"axes as numbers: {given[1::2]}")
    same(ga.einsum("ij,jk", x, y, dtype="c16", order="C"), np.einsum("ij,jk", x, y, dtype="c16", order="C"), "dtype")
    same(ga.einsum("ij->i", y, dtype="f4", casting="same_kind"), np.einsum("ij->i", y, dtype="f4", casting="same_kind"), "casting")
    fails(lambda: ga.einsum("ij->i", y, dtype="f4"), [TypeError], "gpuarr.einsum", "float64 is not float32 safely")
    fails(lambda: ga.einsum(x, y), [TypeError], "a list of its axes", "no axes")
    check(ga.dtype("f4") is ga.float32 and ga.dtype(float) is ga.float64 and ga.dtype(np.dtype("i2")) is ga.int16, "dtypes by their names")
    check(pickle.loads(pickle.dumps(ga.float32)) is ga.float32 and isinstance(ga.float32, ga.dtype), "a dtype is one")
    fails(lambda: ga.dtype("i3"), [TypeError], "there are bool", "no dtype")
    same(ga.asarray([1, 2], order="C"), [1, 2], "order")
    fails(lambda: ga.asarray(x, order="F"), [ValueError], "order", "Fortran's")
    labels = np.array([[1, 2, 2], [2, 1, 0]])
    for index in (1.0, np.array(2.0), np.int64(1), [[1, 2], [0, 7]]):
        check(ga.variance(x, labels, index).shape == np.shape(index), f"a variance for {index!r}")


def further_ways():
    """Labels alone, dtypes by NumPy's letters and words, options of files, orders."""
    a, labels = [[1.0, 2, 3, 4]], [[1, 1, 2, 2]]
    for name, want in (("variance", 0.25), ("standard_deviation", 0.5), ("minimum_position", [0, 2]), ("maximum_position", [0, 3]), ("center_of_mass", [0, 18 / 7])):
        call = getattr(ga, name)
        for index in (2, np.int32(2), np.array(2), ga.asarray(2)):
            same(call(a, labels, index), want, f"{name} of one label", close=True)
        same(call(a, labels, index=2), call(a, labels, [2])[0], f"{name}, by name")
    check([v.tolist() for v in ga.extrema(a, labels, 2)] == [3, 4, [0, 2], [0, 3]], "extrema of one label")
    check(ga.center_of_mass(a, labels, 2, sums=True)[1].tolist() == 7, "its sum")
    words = "int uint float double single half complex intc uintc int_ bool_ byte ubyte short ushort long ulong longlong ulonglong intp uintp csingle cdouble".split()
    for name in (*"?bBhHiIlLqQefdFDnNpP", *words, "=f8", "|u1", "<f4", "<d", ">u1", np.longlong, float, int, bool, complex):
        check(ga.zeros(1, name).dtype == np.dtype(name).name, f"the dtype {name!r}: {ga.zeros(1, name).dtype}")
    for name in (">f8", ">i4", ">d"):
        fails(lambda: ga.zeros(1, name), [TypeError], f"fromfile(path, {name[1:]!r}, swapped=True)", f"another byte order, {name}")
    for name in ("", "g", "O", "S3", "V", "<", type("P", (), {})):
        fails(lambda: ga.zeros(1, name), [TypeError], "has no dtype", f"the dtype {name!r}")
    with tempfile.TemporaryDirectory() as folder:
        x = np.arange(4.0)
        np.save(folder + "/x.npy", x)
        np.savez(folder + "/x.npz", x=x)
        for mode in (None, "r", "c"):
            mapped = ga.load(folder + "/x.npy", mmap_mode=mode, allow_pickle=False)
            same(mapped, x, f"a file, mapped {mode}")
            mapped[0] = 7
        same(ga.load(folder + "/x.npy"), x, "what was written is not in the file")
        fails(lambda: ga.load(folder + "/x.npy", "r+"), [ValueError], "'r' or 'c', not 'r+'", "a file to write into")
        swapped = x.astype(">f8")
        swapped.tofile(folder + "/swapped")
        for read in (lambda dtype: ga.fromfile(folder + "/swapped", dtype), lambda dtype: ga.frombuffer(swapped.tobytes(), dtype)):
            fails(lambda: read(swapped.dtype), [TypeError], "'>f8' is of another byte order", "NumPy's dtype of another byte order")
        for dtype in ("float64", "f8", x.dtype, swapped.dtype):
            same(ga.fromfile(folder + "/swapped", dtype, swapped=True), x, f"elements of another byte order, {dtype!r}")
        check(ga.asarray(swapped, swapped.dtype).tolist() == x.tolist(), "an array of another byte order")
        np.save(folder + "/objects.npy", np.array([{}, 1], object))
        fails(lambda: ga.load(folder + "/objects.npy", allow_pickle=True), [ga.Error], "Python objects", "objects in a file")
        with ga.load(folder + "/x.npz") as z:
            check("x.npy" in z and "y.npy" not in z and 1 not in z and z["x.npy"].tolist() == x.tolist() and z.files == ["x"], "an array by its file's name")
            fails(lambda: z["y.npy"], [KeyError], "y", "a file that is not there")
    for order in (None, "C", "A", "K"):
        same(ga.ravel([[1, 2]], order), [1, 2], f"raveled, order {order}")
        same(ga.array([[1, 2]], order=order), [[1, 2]], f"an array, order {order}")
    for make in (ga.zeros, ga.ones, ga.empty, lambda shape, **named: ga.full(shape, 3, **named), lambda shape, **named: ga.zeros_like([1], shape=shape, **named), ga.array):
        check(make([2], order="C").ndim == 1, "an array in C's order")
        fails(lambda: make([2], order="F"), [ValueError], "order is 'C', not 'F'", "an array in Fortran's order")
    for k in range(4):
        same(ga.array([[1, 2]], ndmin=k), np.array([[1, 2]], ndmin=k), f"at least {k} dimensions")
    n, mask = np.array([[1.0, np.nan, 3], [4, 5, 9]]), np.array([True, True, False])
    for name in ("nanmean", "nanvar", "nanstd"):
        for named in ({}, {"axis": 1}, {"axis": 0, "keepdims": True}):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for where in (mask, mask.tolist(), True, n > 1):
                    same(getattr(ga, name)(n, where=where, **named), getattr(np, name)(n, where=where, **named), f"{name} of some, {named}", close=True)
    for formula, call in (("min(x, where=True)", ga.min), ("mean(x, where=True)", ga.mean), ("std(x, where=True)", ga.std), ("var(x, 0, where=True)", lambda x: ga.var(x, 0))):
        same(ga.eval(formula, x=ga.asarray(n)), call(n), formula)
    fails(lambda: ga.eval("(33554431 ** 22) >= 1"), [ValueError], "beyond 126 bits", "an integer on the way")
