"""`make curves`: time per element from 10^3 to 10^9 elements (as far as the memory and the time go), with one thread and with two; per chunk
from 10 to 10^6 chunks, on one rank and on two; beside the peers. Which of our curves bend where the fastest peer's does not?"""
import os
import shutil
import subprocess
import time

import numpy as np

from .judging import bends
from .options import QUICK, Refused, args
from .peers import dask, expression, fft, fused_loop, into, numba, numba_add, numba_sum, optional
from .timing import peer_seconds, practice, rest

F32, F64 = np.float32, np.float64
THREADS = [1, 2] if (os.cpu_count() or 1) > 1 else [1]
LIMIT = 100 if QUICK else 540  # seconds, for all
LONGEST = 10                   # seconds of a call: then that curve ends
random = np.random.default_rng(1)


def plural(n, word):
    return f"{n} {word}" + ("s" if n > 1 else "")


class Family:
    """A call that stands for its family. inputs: name -> (dtype, shape of n), the peers: (x, y, z, out) -> name -> call or None."""
    def __init__(self, title, row, inputs, peers, unit="ns per element", work=lambda n: n, arrays=3, moved=0, read=0):
        self.title, self.row, self.inputs, self.peers, self.unit, self.work = title, row, inputs, peers, unit, work
        self.arrays = arrays  # of float64 and n elements, so many are needed
        self.moved, self.read = moved, read  # bytes per element that bound the time


def line(n):
    return (n,)


def square(n):
    side = round(n**0.5)
    return (side, side)


def cube_side(n):
    side = round(n**(1 / 3))
    return (side, side)


def power_of_two(n):
    return (1 << round(np.log2(n)),)


def families():
    wide, single = (F64, line), (F32, line)
    generator = np.random.default_rng(1)
    waves = "sin(x)**2 + cos(y)**2"
    return [
        Family("add, float64", "add", dict(x=wide, y=wide), lambda x, y, z, o: {
            "NumPy": lambda: np.add(x, y, out=o), "NumExpr": expression("x + y", x=x, y=y), "Numba": into(numba_add, x, y, o)}, moved=24),
        Family("exp, float32", "exp", dict(x=single), lambda x, y, z, o: {"NumPy": lambda: np.exp(x, out=o), "NumExpr": expression("exp(x)", x=x)},
               moved=8),
        Family("where(m, x, y), float64", "where_array", dict(x=wide, y=wide, z=(np.bool_, line)), lambda x, y, z, o: {
            "NumPy": lambda: np.where(z, x, y), "NumExpr": expression("where(z, x, y)", x=x, y=y, z=z)}, moved=25),
        Family(waves, "eval_waves", dict(x=wide, y=wide), lambda x, y, z, o: {
            "NumPy": lambda: np.sin(x)**2 + np.cos(y)**2, "NumExpr": expression(waves, x=x, y=y),
            "Numba": (lambda: fused_loop("waves", F64)(x, y, y, o)) if numba else None}, arrays=5, moved=24),
        Family("sum, float64", "sum", dict(x=wide), lambda x, y, z, o: {"NumPy": x.sum, "Numba": (lambda: numba_sum(x)) if numba else None}, arrays=1, read=8),
        Family("sum, axis 0, float64", "sum_0", dict(x=(F64, square)), lambda x, y, z, o: {"NumPy": lambda: x.sum(axis=0)}, arrays=1, read=8),
        Family("cumsum, float64", "cumsum", dict(x=wide), lambda x, y, z, o: {"NumPy": x.cumsum}, arrays=2, moved=16),
        Family("sort, float64", "sort", dict(x=wide), lambda x, y, z, o: {"NumPy": lambda: np.sort(x)}, arrays=4, moved=16),
        Family("convolve, 15 weights", "convolve", dict(x=wide, y=(F64, lambda n: (15,))), lambda x, y, z, o: {"NumPy": lambda: np.convolve(x, y)},
               moved=16),
        Family("matmul, float64", "matmul", dict(x=(F64, cube_side), y=(F64, cube_side)), lambda x, y, z, o: {"NumPy, OpenBLAS": lambda: x @ y},
               "ns per product", lambda n: round(n**(1 / 3))**3, 0),
        Family("fft, float64, powers of two", "fft", dict(x=(F64, power_of_two)), lambda x, y, z, o: {
            "SciPy, 2 workers": fft and (lambda: fft.fft(x, workers=2)), "NumPy": lambda: np.fft.fft(x)}, work=lambda n: power_of_two(n)[0], arrays=6, moved=24),
        Family("random, float32", "random", dict(x=single), lambda x, y, z, o: {"NumPy": lambda: generator.random(x.size, dtype=F32)}, arrays=2, moved=4),
    ]


def chunk_families():
    da = optional("dask.array")

    def computed(made):
        return lambda: dask.compute(made(), scheduler="threads", num_workers=max(THREADS))

    def ten(n):
        a = da.zeros(n * 100, chunks=100)
        for i in range(10):
            a = a + (i + 0.5)
        return a.sum()
    size = {"x": (np.bool_, line)}  # of which only the number of elements counts
    return [Family("10 additions, chunks of 100", "many_chunks", size, lambda x, y, z, o: {"Dask": da and computed(lambda: ten(x.size))},
                   "ns per chunk", arrays=0),
            Family("sum(sin(k)**2), 1e4 a chunk", "sine_chunks", size, lambda x, y, z, o: {
                "Dask": da and computed(lambda: (da.sin(da.arange(x.size * 10000, chunks=10000, dtype=F64))**2).sum())}, "ns per chunk", arrays=0)]


def free_memory():
    try:
        with open("/proc/meminfo") as f:
            return next(int(text.split()[1]) * 1024 for text in f if text.startswith("MemAvailable"))
    except OSError:
        return 4 << 30


def filled(dtype, shape):
    made = random.random(shape, dtype=F32 if dtype == F32 else F64)
    return made > 0.5 if dtype == np.bool_ else made


def with_threads(gpuarr, threads):
    def seconds(calls):
        gpuarr.must(f"threads {threads}")
        return gpuarr.seconds(calls)
    return seconds


def on_ranks(ranks, row):
    """Seconds of a row of bench.c on so many ranks of one thread, by mpirun; None where it fails."""
    def seconds(n):
        try:
            run = subprocess.run(["mpirun", "-n", str(ranks), args.mpi, row, str(n)], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                                 env={**os.environ, "GPUARR_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        except (OSError, subprocess.TimeoutExpired):
            return None
        return float(run.stdout.split()[0]) if run.returncode == 0 and run.stdout.split() else None
    return seconds


def point(gpuarr, family, n, unfinished, budget):
    """name -> the least seconds of a call with n elements, of those that are not finished."""
    arrays = {name: filled(dtype, shape(n)) for name, (dtype, shape) in family.inputs.items()}
    gpuarr.must("forget")
    for name, (dtype, shape) in family.inputs.items():
        gpuarr.must(f"random {name} {np.dtype(dtype).name} {'x'.join(map(str, shape(n)))}")
    gpuarr.must("row " + family.row)
    x = arrays["x"]
    peers = family.peers(x, arrays.get("y"), arrays.get("z"), np.empty_like(x))
    contestants = {f"gpuarr, {plural(t, 'thread')}": with_threads(gpuarr, t) for t in reversed(THREADS)}
    contestants.update({name: (lambda k, call=call: peer_seconds(call, k)) for name, call in peers.items() if call})
    contestants = {name: run for name, run in contestants.items() if unfinished is None or name in unfinished}
    calls, least = {}, {}
    for name, run in contestants.items():
        rest()
        calls[name], least[name] = practice(run, 1e-3)
    end, rounds = time.perf_counter() + budget, 0
    while rounds < 3 or time.perf_counter() < end and rounds < 30:
        for name, run in contestants.items():
            if least[name] < 0.5 or rounds == 0 and least[name] < 2:  # what takes long is not repeated
                rest()
                least[name] = min(least[name], run(calls[name]))
        rounds += 1
    gpuarr.must("forget")
    return least


def grown(gpuarr, family, sizes, end):
    """series: name -> {elements: nanoseconds per element}"""
    series, unfinished, before, once = {}, None, None, {}
    for n in sizes:
        if 2 * 8 * family.arrays * n > free_memory() / 2:
            print(f"  {family.title}: ends before {n:.0e} elements, for the memory")
            break
        expected = {name: seconds * n / before for name, seconds in once.items()} if before else {}
        unfinished = {name for name in once if expected[name] < LONGEST} if before else None
        if not all(name in unfinished for name in once if name.startswith("gpuarr")) or \
                time.perf_counter() + 4 * sum(expected[name] for name in expected if name in unfinished) > end:
            print(f"  {family.title}: ends before {n:.0e} elements, for the time")
            break
        once, before = point(gpuarr, family, n, unfinished, 0.05 if QUICK else 0.25), n
        for name, seconds in once.items():
            series.setdefault(name, {})[family.work(n)] = seconds / family.work(n) * 1e9
    return series


def our_bends(series, bound):
    """[(name, what judging.bends says)] of gpuarr's curves."""
    peers = [of for name, of in series.items() if not name.startswith("gpuarr")]
    return [(name, bend) for name, of in series.items() if name.startswith("gpuarr") for bend in bends(of, peers, bound)]


def confirm(gpuarr, family, sizes, series, bound, end):
    """Times once more where a curve seems to bend, as far as the time goes: it may be chance."""
    suspects = {size for _, (small, large, *_) in our_bends(series, bound) for size in (small, large)}
    for n in sizes:
        work = family.work(n)
        names = [name for name, of in series.items() if work in of and "rank" not in name]
        seconds = sum(series[name][work] for name in names) * work * 1e-9
        if work in suspects and time.perf_counter() + 4 * seconds < end:
            for name, once in point(gpuarr, family, n, names, 0.1).items():
                series[name][work] = min(series[name][work], once / work * 1e9)


def ranks_grown(family, sizes, end):
    series = {}
    for ranks in (2, 1):
        seconds, last = on_ranks(ranks, family.row), 0
        for n in sizes:
            if last * 30 > LONGEST or time.perf_counter() > end:
                break
            last = seconds(n)
            if not last:
                print(f"SKIP {plural(ranks, 'rank')}: mpirun failed")
                break
            series.setdefault(f"gpuarr, {plural(ranks, 'rank')}", {})[n] = last / n * 1e9
    return series


def sizes_between(low, high):
    """Powers of ten, and without QUICK what is between them."""
    return [round(10**(e / 2)) for e in range(2 * low, 2 * high + 1, 2 if QUICK else 1)]


def curves(gpuarr, limits):
    """(panels for drawing.curves_chart, sentences about them)"""
    start = time.perf_counter()
    fused_loop("waves", F64) and fused_loop("waves", F64)(*(np.ones(8) for _ in range(4)))  # compiled before it is timed
    mpi = args.mpi and shutil.which("mpirun")
    if not mpi:
        print("SKIP ranks: there is no mpirun, or no mpicc (openmpi-bin, libopenmpi-dev)")
    todo = [(family, sizes_between(3, (9 if QUICK else 11) if family.row == "matmul" else 7 if QUICK else 9)) for family in families()]
    todo += [(family, sizes_between(1, 5 if QUICK else 6)) for family in chunk_families()]
    todo = [(family, sizes) for family, sizes in todo if args.only in family.title]
    if not todo:
        raise Refused(f"no curve is called '{args.only}'")
    panels, notes = [], []
    for k, (family, sizes) in enumerate(todo):
        end = time.perf_counter() + (start + LIMIT - time.perf_counter()) / (len(todo) - k)
        chunked, ranked = family.unit == "ns per chunk", mpi and family.row == "sine_chunks"
        series = grown(gpuarr, family, sizes, end - (LIMIT / 30 if ranked else 0))
        works = {n for of in series.values() for n in of}
        bound = {n: limits.least("float64", family.moved * n, family.read * n)[0] / n * 1e9 for n in works} if family.moved or family.read else {}
        confirm(gpuarr, family, sizes, series, bound, end)
        if ranked:
            series.update(ranks_grown(family, sizes, end))
        bent, told = set(), []
        for name, (small, large, rise, other, ahead) in our_bends(series, bound):
            bent.add((name, large))
            told.append(f"{family.title}: {name}: {rise:.2f} times as long per {'chunk' if chunked else 'element'} at {large:.2g} as at {small:.2g}, "
                        f"the fastest peer {other:.2f} times; there we are {ahead:.1f} times as fast as it")
        panels.append(dict(title=family.title, unit=family.unit, series=series, bent=bent, bends=told, bound=bound))
        largest = max((n for of in series.values() for n in of), default=0)
        print(f"{family.title:36} to {largest:.1e}, {time.perf_counter() - start:4.0f} s", flush=True)
        for text in told:
            print("  BENDS " + text)
    count = sum(len(one["bends"]) for one in panels)
    notes.append(f"{count} places where a curve of gpuarr's bends and the fastest peer's does not; {time.perf_counter() - start:.0f} s")
    print(notes[0])
    return panels, notes
