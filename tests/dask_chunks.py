"""dask_chunks.py [LIBRARY]: tools/dask/gpuarr_dask.py, on NumPy arrays and on Dask's threads, processes and (where it is installed)
distributed schedulers. Chunk by chunk there are the bits of the call on the whole array, and NumPy's or SciPy's where those are exact.
LIBRARY is made of gpuarr_dask.c and an implementation; without one it is compiled. Ends with 'N passed, N failed, N skipped'."""
import os
import pickle
import sys
import tempfile

os.environ.setdefault("GPUARR_NUM_THREADS", "2")
if len(sys.argv) > 1:
    os.environ["GPUARR_DASK_LIBRARY"] = os.path.abspath(sys.argv[1])  # for the processes, too
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools", "dask")
sys.path.insert(0, folder)
os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])

passed = failed = skipped = 0
KERNELS = """
GA_ELEMENTWISE(axpy, float, (float a, float x, float y), a * x + y)
GA_ELEMENTWISE_T(sigmoid, FLT, T, (T x), 1 / (1 + GA_EXP(-x)))
"""


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL", what, flush=True)


def same(got, want, what):
    import numpy as np
    got, want = np.asarray(got), np.asarray(want)
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        check(False, f"{what}: {got.dtype} {got.shape}, not {want.dtype} {want.shape}")
    else:
        check(got.tobytes() == want.tobytes(), f"{what}: {np.count_nonzero(got != want)} of {got.size} differ")


def fails(call, words, what):
    try:
        call()
    except Exception as e:
        check(words in str(e), f"{what} says: {e}")
    else:
        check(False, f"{what} does not fail")


def tests(ga, np, da, dask):
    from scipy import ndimage
    from scipy.spatial.distance import cdist
    r = np.random.default_rng(3)
    x, y = r.random((210, 330)) * 4 - 2, r.random((210, 330)).astype("f4")
    k = r.integers(-50, 50, (210, 330)).astype("i2")
    X, Y, K = da.from_array(x, chunks=(64, 100)), da.from_array(y, chunks=(210, 90)), da.from_array(k, chunks=(50, 330))

    # NumPy arrays
    same(ga.add(x, y), x + y, "add")
    same(ga.multiply(k, 3), k * 3, "a number adopts the array's dtype")
    same(ga.multiply(y, np.float64(3)), y * np.float64(3), "a number of NumPy has its own")
    same(ga.add(x[::-1, ::2], k[:, 165:].T[:165, :210].T), x[::-1, ::2] + k[:, 165:], "views")
    same(ga.add(x.astype(">f8"), 1), x + 1, "the other byte order")
    same(ga.where(k > 0, x, 0.0), np.where(k > 0, x, 0.0), "where")
    same(ga.max(x, axis=1), x.max(axis=1), "max")
    same(ga.argmax(x, axis=0), x.argmax(axis=0), "argmax")
    check(np.allclose(ga.std(x, axis=(0, 1), ddof=1), x.std(ddof=1), rtol=1e-14), "std")
    check(abs(ga.sin(x) - np.sin(x)).max() < 1e-15, "sin")
    check({"hypot", "clip", "where"} <= set(ga.names("map")) and "nanmax" in ga.names("reduce"), "names")
    fails(lambda: ga.add(x, x[:, 1:]), "broadcast", "shapes that do not fit")
    fails(lambda: ga.bitwise_and(x, 1), "bitwise_and", "bits of floats")
    fails(lambda: ga.bitwise_and(X, 1), "bitwise_and", "bits of chunked floats")
    fails(lambda: ga.add(x.astype("f2"), 1), "float16", "float16")
    fails(lambda: ga.add(x, "1"), "not str", "text")
    fails(lambda: ga.add(k, 2**64), "64 bits", "a large number")
    fails(lambda: ga.add(np.zeros((1,) * 9), 1), "8 dimensions", "nine dimensions")
    same(ga.add(np.zeros(3, "u8"), 2**64 - 1), np.full(3, 2**64 - 1, "u8"), "the largest uint64")
    fails(lambda: ga.map("hypot", x), "no such call", "too few operands")
    fails(lambda: ga.sum(X, axis=2), "no axis 2", "an axis that is not there")
    fails(lambda: ga.cdist(x, y, "manhattan"), "no metric", "a metric")
    fails(lambda: ga.cdist(X, Y[:, 1:]), "features", "points of different spaces")
    fails(lambda: ga.gaussian_filter(X, 1, mode="symm"), "no mode", "a mode")
    fails(lambda: ga.sine, "no 'sine'", "a name")

    # chunks: what each must be equal to, to the last bit
    weights = r.random((4, 5))
    cases = {
        "three operands": (ga.multiply_add(X, Y, 2.0), ga.multiply_add(x, y, 2.0)),
        "broadcast": (ga.hypot(X, Y[0]), ga.hypot(x, y[0])),
        "NumPy and Dask": (ga.subtract(x[:, :1], X), x[:, :1] - x),
        "clip": (ga.clip(K, -3, 5), np.clip(k, -3, 5)),
        "a chain": (ga.sqrt(ga.add(ga.square(ga.sin(X)), ga.square(ga.cos(Y)))), ga.sqrt(ga.add(ga.square(ga.sin(x)), ga.square(ga.cos(y))))),
        "integers to floats": (ga.exp(K), ga.exp(k)),
        "sum of lines that lie in a chunk": (ga.sum(Y, axis=0), ga.sum(y, axis=0)),
        "std of them": (ga.std(K, axis=1, ddof=1, keepdims=True), ga.std(k, axis=1, ddof=1, keepdims=True)),
        "min across chunks": (ga.min(X), x.min()),
        "max across chunks": (ga.max(X, axis=0, keepdims=True), x.max(axis=0, keepdims=True)),
        "sum of integers": (ga.sum(K), k.sum()),
        "count_nonzero": (ga.count_nonzero(K, axis=0), np.count_nonzero(k, axis=0)),
        "any": (ga.any(ga.greater(X, 1.99), axis=1), (x > 1.99).any(axis=1)),
        "argmin, brought together": (ga.argmin(X, axis=1), x.argmin(axis=1)),
        "cityblock": (ga.cdist(X, da.from_array(x[:70], chunks=(33, 50)), "cityblock"), ga.cdist(x, x[:70], "cityblock")),
        "euclidean float32": (ga.cdist(Y, Y), ga.cdist(y, y)),
        "gaussian_filter": (ga.gaussian_filter(X, 2), ga.gaussian_filter(x, 2)),
        "gaussian_filter, two sigmas": (ga.gaussian_filter(Y, (1, 3), mode="mirror"), ga.gaussian_filter(y, (1, 3), mode="mirror")),
        "wide": (ga.gaussian_filter(X, 30, mode="nearest"), ga.gaussian_filter(x, 30, mode="nearest")),
        "uniform_filter": (ga.uniform_filter(K, 5, mode="wrap"), ga.uniform_filter(k, 5, mode="wrap")),
        "median_filter": (ga.median_filter(X, 3), ndimage.median_filter(x, 3)),
        "rank_filter": (ga.rank_filter(K, -2, (1, 7), mode="constant", cval=1), ndimage.rank_filter(k, -2, (1, 7), mode="constant", cval=1)),
        "sobel": (ga.sobel(X, axis=0, mode="wrap"), ga.sobel(x, axis=0, mode="wrap")),
        "laplace": (ga.laplace(X), ga.laplace(x)),
        "convolve": (ga.convolve(X, weights), ga.convolve(x, weights)),
    }
    source = os.path.join(tempfile.mkdtemp(), "mine.c")
    with open(source, "w") as f:
        f.write(KERNELS)
    axpy, sigmoid = ga.kernel(source, "axpy"), ga.kernel(source, "sigmoid")
    cases["a kernel"] = (axpy(2, X, Y), (np.float32(2) * x.astype("f4") + y))
    cases["a kernel of T"] = (sigmoid(Y), sigmoid(y))
    broken = ga.kernel(source, "no_such_kernel")
    fails(lambda: broken(x), "no_such_kernel", "a kernel that is not there")
    os.remove(source)  # its text is what the workers get
    near = {"sum": (ga.sum(X), x.sum()), "sum float32": (ga.sum(Y, axis=1), y.sum(axis=1, dtype="f8").astype("f4")),
            "mean": (ga.mean(X, axis=1), x.mean(axis=1)), "mean of integers": (ga.mean(K), k.mean()),
            "std": (ga.std(X, ddof=1), x.std(ddof=1)), "var": (ga.var(Y, axis=1, keepdims=True), y.var(axis=1, keepdims=True, dtype="f8").astype("f4")),
            "prod": (ga.prod(ga.exp(ga.multiply(X, 1e-3)), axis=0), np.exp(x * 1e-3).prod(axis=0)), "nansum": (ga.nansum(X, axis=0), x.sum(axis=0))}
    lazy, whole = [c[0] for c in cases.values()], [c[1] for c in cases.values()]
    for name, array in zip(cases, lazy):
        check(array.dtype == cases[name][1].dtype and array.shape == cases[name][1].shape, f"{name}: dtype and shape before computing")
    check(ga.sin(X).name == ga.sin(X).name, "the same call has the same name")
    check(len(pickle.dumps(ga.sin(X))) > 0, "pickle")

    def each(title, **how):
        for name, got, want in zip(cases, dask.compute(*lazy, **how), whole):
            same(got, want, f"{name}, {title}")
        for (name, (_, want)), got in zip(near.items(), dask.compute(*[c[0] for c in near.values()], **how)):
            want = np.asarray(want)
            tolerance = 1e-6 if want.dtype == np.float32 else 1e-13 * max(1, abs(x).sum() / max(1e-3, abs(want).min()) if "sum" in name else 1)
            check(got.dtype == want.dtype and got.shape == want.shape and np.allclose(got, want, rtol=tolerance, atol=0), f"{name}, {title}: {got}, not {want}")

    for scheduler in ("threads", "processes"):
        each(scheduler, scheduler=scheduler, num_workers=2)
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("SKIP distributed is not installed here: pip install distributed")
        return 1
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):
        each("distributed")
    return 0


def main():
    global skipped
    try:
        import dask
        import dask.array as da
        import numpy as np
        import scipy
    except ImportError as e:
        print(f"SKIP {e}: build/venv/bin/pip install 'dask[array]' scipy")
        skipped = 1
    else:
        import gpuarr_dask as ga
        skipped = tests(ga, np, da, dask)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":  # the processes of Dask import this file again
    sys.exit(main())
