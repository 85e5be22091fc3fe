"""bench.py PROGRAM [--quick | --check | --against OTHER | --curves] [--only TEXT] [--out DIR]: gpuarr beside what users would use instead.

PROGRAM is tools/bench.c compiled. Every row times gpuarr and each peer in pairs, one neighbour after the other, on the same numbers (never
zeros); each result is compared with the first peer's. Printed: medians (minima in brackets), the median ratio to the best peer with the
range of half of the pairs, the ratio that was aimed at, and the share of what this machine's memory or arithmetic can do. DIR/bench.json has
one object a line, DIR/bench.png is the picture, DIR/bench.html a page to sort and to filter.
With --against no peer is timed, but the same program of another commit; with --curves, how the time grows with the size (benching/curves.py).
"""
import json
import math
import os
import platform
import sys
import tempfile

import numpy as np

from benching import drawing, pages
from benching.judging import Limits, fell, middle, milliseconds, quarters, status
from benching.options import QUICK, Refused, args
from benching.peers import bn, cv2, dask, ne, numba, optional
from benching.rows import THREADS, themes
from benching.timing import Gpuarr, in_pairs, memory_grown, peer_seconds


def chosen_rows(gpuarr):
    for theme, sections in themes(gpuarr).items():
        for section in sections:
            for row in section():
                if args.only in f"{row.name} {row.dtype}":
                    row.theme = theme
                    yield row


def right(gpuarr, row):
    """(are the results of gpuarr right?, the bytes that the first peer took); peers that compute something else are left out."""
    reference = []
    peak = memory_grown(os.getpid(), lambda: reference.append(row.peers[0][1]()))
    reference, = reference
    problem = row.check(gpuarr.result(), reference)
    if problem:
        print(f"FAIL {row.name} {row.dtype} {row.size}: {problem} ({row.peers[0][0]})")
        return False, peak
    for name, call in row.peers[1:]:
        if name in row.only_time:
            continue
        problem = row.check(np.asarray(call()), reference)
        if problem:
            print(f"     {row.name} {row.dtype}: {name} is left out, its result {problem}")
            row.peers = [p for p in row.peers if p[0] != name]
    return True, peak


def measure(gpuarr, row, limits, peak):
    """The lines of bench.json of this row, one for each peer."""
    contestants = {name: (lambda k, call=call: peer_seconds(call, k)) for name, call in row.peers}
    contestants.update(row.ours)
    ours, timed = in_pairs(gpuarr.seconds, contestants, 0.02 if QUICK else 0.3, 3e-4 if QUICK else 1e-3, judged={*row.also, *row.ours})
    for name, scale in row.scale.items():
        timed[name] = tuple([t * scale for t in numbers] for numbers in timed[name])
    ratio = {name: middle(ratios) for name, (_, ratios) in timed.items()}
    best = min((name for name in timed if name not in row.ours), key=ratio.get)
    also = {name: (ratio[name], aim) for name, aim in row.also.items() if name in ratio}
    least, bound = limits.least(row.dtype, row.moved, row.read, row.flops)
    share = least / middle(ours)
    judged = status(ratio[best], row.target, share, also.values())
    low, high = quarters(timed[best][1])
    each = f"{middle(ours) / row.per[1] * 1e6:.2f} us a {row.per[0]}; {gpuarr.peak / 2**20:.0f} and {peak / 2**20:.0f} MiB" if row.per else ""
    print(f"{row.name:28} {row.dtype:8} {row.size:>9} {milliseconds(middle(ours)):>9} ({milliseconds(ours[0])}){'':3}"
          f"{milliseconds(middle(timed[best][0])):>9} {best:28} {ratio[best]:7.2f}x ({low:.2f} to {high:.2f}) "
          f"{'at least ' + format(row.target, 'g') + 'x' if row.target else '':14}{judged.upper():7}"
          + (f"{100 * share:4.0f} % of {bound} " if least else "") + each
          + "".join(f", {there:.{1 + (there < 3)}f}x {name}" + (f", at least {aim:g}x" if aim else "") for name, (there, aim) in also.items()), flush=True)
    lines = []
    for name, (times, ratios) in timed.items():
        low, high = quarters(ratios)
        lines.append(dict(theme=row.theme, row=row.name, dtype=row.dtype, size=row.size, gpuarr_ms=middle(ours) * 1e3, gpuarr_min_ms=ours[0] * 1e3, peer=name,
                          peer_ms=middle(times) * 1e3, peer_min_ms=times[0] * 1e3, ratio=ratio[name], ratio_low=low, ratio_high=high, pairs=len(ratios),
                          best=name == best, target=row.also.get(name, row.target), status=judged if name == best else "", bound_ms=least * 1e3, bound=bound,
                          share=share, **(dict(peak_bytes=gpuarr.peak, first_peer_peak_bytes=peak) if row.per else {})))
    return lines


def picture(gpuarr, name, canvas):
    """The canvas as a PNG file, which gpuarr writes."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.write(canvas.commands())
        f.flush()
        path = os.path.join(args.out, name)
        try:
            gpuarr.must(f"draw {f.name} {path}")
        except RuntimeError as error:
            raise Refused(error) from None
    return path


def pair(gpuarr, other, row):
    """What against() prints of a row; None if the other has no such row."""
    gpuarr.prepare(row.call, row.inputs)
    try:
        other.prepare(row.call, row.inputs)
    except RuntimeError as error:
        if "the program ended" in str(error):
            raise
        return None
    bits = gpuarr.result().tobytes() == other.result().tobytes()
    ours, timed = in_pairs(gpuarr.seconds, {"other": other.seconds}, 0.3 if QUICK else 2, 2e-3, judged=("other",))
    theirs, ratios = timed["other"]
    ratios = sorted(1 / r for r in ratios)
    low, high = quarters(ratios)
    return dict(theme=row.theme, row=row.name, dtype=row.dtype, size=row.size, ratio=middle(ratios), low=low, high=high, this_ms=middle(ours) * 1e3,
                other_ms=middle(theirs) * 1e3, fell=fell(ratios), same_bits=bits)


def table_of_pairs(found):
    print(f"{'':38} {'dtype':8} {'size':>13} {'this, ms':>10} {'other, ms':>10}  this / other (half of the pairs)")
    for f in found:
        print(f"{f['row']:38} {f['dtype']:8} {f['size']:>13} {milliseconds(f['this_ms'] / 1e3):>10} {milliseconds(f['other_ms'] / 1e3):>10}  "
              f"{f['ratio']:.3f} ({f['low']:.3f} to {f['high']:.3f}){'' if f['same_bits'] else '  other bits'}")


def against():
    """The time of each row, divided by that of the other program, the worst first; at the end those that fell by more than the noise."""
    gpuarr = Gpuarr(args.program)
    other = Gpuarr(args.against, gpuarr.files)
    found = []
    for row in chosen_rows(gpuarr):
        measured = pair(gpuarr, other, row)
        print(f"{row.name:38} {row.dtype:8} {row.size:>13}  " + (f"{measured['ratio']:.3f}" if measured else "not in the other"), file=sys.stderr, flush=True)
        if measured:
            found.append(measured)
    if not found:
        raise Refused(f"no row of both programs is called '{args.only}'")
    found.sort(key=lambda f: -f["ratio"])
    print()
    table_of_pairs(found)
    slower = [f for f in found if f["fell"]]
    mean = math.exp(sum(math.log(f["ratio"]) for f in found) / len(found))
    told = f"{len(found)} rows: {mean:.3f} of the other's time in the geometric mean; {len(slower)} fell by more than the noise of their pairs"
    path = pages.written(args.out, "against.html", pages.against_page(found, "make bench AGAINST", [told]))
    print(f"\n{told}{':' if slower else ''}")
    if slower:
        table_of_pairs(slower)
    print(path)
    return 0


def bench():
    gpuarr = Gpuarr(args.program)
    versions = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    for name, module in (("SciPy", optional("scipy")), ("Numba", numba), ("NumExpr", ne), ("OpenCV", cv2), ("bottleneck", bn),
                         ("Dask", dask), ("astropy", optional("astropy"))):
        versions.append(f"{name} {module.__version__}" if module else f"no {name} (make bench-deps)")
    notes = [", ".join(versions)]
    limits = None
    if not args.check:
        limits = Limits(gpuarr.ask("limits"))
        rates = ", ".join(f"{limits.rate(size, 1) / 1e9:.0f} and {limits.rate(size, 2) / 1e9:.0f} at {words}"
                          for size, words in ((2**16, "64 KiB"), (2**20, "1 MiB"), (2**24, "16 MiB"), (2**28, "256 MiB")))
        notes.append(f"{THREADS} processors; GB/s of copies and of reading {rates}; fused products {limits.flops['float32'] / 1e9:.0f} GFLOP/s float32, "
                     f"{limits.flops['float64'] / 1e9:.0f} float64")
        words = gpuarr.ask("overheads").split()
        each = ", ".join(f"{name} {float(seconds) * 1e6:.2f}" for name, seconds in zip(words[::2], words[1::2]))
        notes.append(f"microseconds that a ga_eval of 1000 float32, read before, takes beyond its kernels: {each}")
    print("\n".join(notes))
    if not args.check:
        print(f"{'':28} {'dtype':8} {'size':>9} {'gpuarr ms (least)':>21} {'best peer, ms':>9}", flush=True)
    lines, passed, failed, skipped = [], 0, 0, 0
    for row in chosen_rows(gpuarr):
        if not row.peers:
            print(f"SKIP {row.name}: no Dask (make bench-deps)")
            skipped += 1
            continue
        gpuarr.prepare(row.call, row.inputs)
        ok, peak = right(gpuarr, row)
        passed, failed = passed + ok, failed + (not ok)
        if ok and not args.check:
            lines += measure(gpuarr, row, limits, peak)
    if not passed + failed + skipped:
        raise Refused(f"no row is called '{args.only}'")
    if args.check:
        print(f"{passed} passed, {failed} failed, {skipped} skipped")
        return failed > 0
    best = [line for line in lines if line["best"]]
    behind, short = ([line for line in best if line["status"] == word] for word in ("behind", "short"))
    notes.append(f"{len(best)} rows: {len(best) - len(behind) - len(short)} reach their bar, {len(behind)} are behind a peer, {len(short)} short of their aim; "
                 f"{failed} wrong results")
    paths = [pages.written(args.out, "bench.json", "".join(json.dumps(line) + "\n" for line in lines)),
             pages.written(args.out, "bench.html", pages.bench_page(lines, notes)),
             picture(gpuarr, "bench.png", drawing.chart(lines))]
    for line in sorted(behind, key=lambda line: line["ratio"]):
        print(f"behind: {line['row']} {line['dtype']} {line['size']}: {line['ratio']:.2f}x {line['peer']}")
    print(f"{notes[-1]}. {', '.join(paths)}")
    return failed > 0


def main():
    if not args.check:
        os.makedirs(args.out, exist_ok=True)
        tempfile.TemporaryFile(dir=args.out).close()  # now, not when all is measured
    if args.curves:
        from benching.curves import curves
        gpuarr = Gpuarr(args.program)
        panels, notes = curves(gpuarr, Limits(gpuarr.ask("limits")))
        canvas = drawing.curves_chart(panels, notes[0])
        paths = [pages.written(args.out, "curves.json", json.dumps(panels, default=sorted) + "\n"),
                 pages.written(args.out, "curves.html", pages.curves_page(canvas.svg(), panels, notes)),
                 picture(gpuarr, "curves.png", canvas)]
        print(", ".join(paths))
        return 0
    return against() if args.against else bench()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nbench: stopped; its pages are written at the end", file=sys.stderr)
        sys.exit(130)
    except FileExistsError:
        sys.exit(f"bench: {args.out} is no folder")
    except OSError as error:
        sys.exit(f"bench: {error.filename or args.out}: {error.strerror}")
    except Refused as error:
        sys.exit(f"bench: {error}")
