"""The command line: the operations take turns, what fails is printed, and counted."""
import argparse
import os
import traceback
import warnings

import numpy as np

from . import cases  # registers them
from .case import CASES, COVERED, Case
from .cases.elementwise import elementwise
from .cases.formulas import formulas
from .cases.reductions import reduction
from .comparing import Mismatch, Skip
from .header import coverage_faults, read_header, read_words
from .binding import Gpuarr

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read_options():
    parser = argparse.ArgumentParser(description="Compares gpuarr with NumPy and SciPy on random cases.")
    parser.add_argument("--lib", default="build/libgpuarr.so", help="a shared library of tests/impl.c and tests/oracle_kernels.c")
    parser.add_argument("--header", default=os.path.join(ROOT, "gpuarr.h"), help="its functions must be covered")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="operations, separated by commas")
    parser.add_argument("--without", default="", help="operations that are left out, separated by commas")
    parser.add_argument("--half", default="", help="a list of names, as tests/names.txt: these operations get half of the cases")
    parser.add_argument("--case", default="", help="operation:number, one case alone")
    parser.add_argument("--show", type=int, default=20, help="how many failures to print in full, at most two per operation")
    parser.add_argument("--table", action="store_true", help="print cases and failures by operation")
    parser.add_argument("-v", action="store_true", help="print each case before it runs: the last one is to blame for a crash")
    return parser.parse_args()


class Results:
    """The counts, in all and by operation, and what failed."""

    def __init__(self, operations):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.table = {name: [0, 0, 0] for name in operations}  # cases, failed, skipped

    def fail(self, name, what, again=""):
        self.failed += 1
        self.failures.append((name, what, again))

    def skip(self, name):
        self.skipped += 1
        self.table[name][2] += 1

    def print_failures(self, options):
        shown = {}
        for name, what, again in self.failures:
            shown[name] = shown.get(name, 0) + 1
            if shown[name] <= 2 and sum(min(n, 2) for n in shown.values()) <= options.show:
                again = f"\n    again: python3 tests/oracle.py --lib {options.lib} --device {options.device} {again}" if again else ""
                print(f"FAILED {name}: {what}{again}\n")

    def print_table(self):
        print(f"{'operation':20} {'cases':>7} {'failed':>7} {'skipped':>8}")
        for name, (n, bad, skipped) in sorted(self.table.items()):
            if n:
                print(f"{name:20} {n:7} {bad:7} {skipped:8}")


def register_rows(rows):
    """Cases for every row of the table that NumPy has."""
    for row in rows.values():
        if hasattr(np, row.name) or row.name == "multiply_add":
            CASES[row.name] = reduction(row) if row.family == "FOLD" else elementwise(row)
            COVERED.add(row.name)


def register_formulas(rows, words):
    CASES["eval_n"] = formulas(rows, words)
    COVERED.add("eval_n")


def plan_cases(names, count, half):
    """(operation, number of its case): the operations take turns; with a list `half`, those in it get every other case."""
    listed = set(" ".join(line.split("#")[0].rpartition(":")[2] for line in open(half, encoding="utf-8")).split()) if half else set()
    turns = [[n for n in names if (n.removesuffix("_n") in listed) == within] for within in (True, False)]
    turns = [turn for turn in turns if turn]
    for k in range(count if turns else 0):
        turn, k = turns[k % len(turns)], k // len(turns)
        yield turn[k % len(turn)], k // len(turn)


def run_case(ga, seed, name, number, results):
    c, again = Case(ga, name, f"{seed}:{name}:{number}"), f"--seed {seed} --case {name}:{number}"
    results.table[name][0] += 1
    try:
        CASES[name](c)
        results.passed += 1
        return
    except Skip:
        return results.skip(name)
    except Mismatch as e:
        what = str(e)
    except Exception as e:  # a mistake of this script is a failure as well
        what = "the script itself: " + "".join(traceback.format_exception(type(e), e, e.__traceback__)[-4:])
    results.table[name][1] += 1
    results.fail(name, what + "\n" + c.report(), again)


def main():
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    np.set_printoptions(threshold=60, edgeitems=4, linewidth=160, precision=17)
    options = read_options()
    if int(np.__version__.split(".")[0]) < 2:
        print(f"SKIP the random cases are compared with NumPy 2, and here is {np.__version__}: tools/deps.sh test installs it from PyPI")
        print(f"0 passed, 0 failed, {options.cases} skipped")
        return 0
    rows, public = read_header(options.header)
    ga = Gpuarr(os.path.abspath(options.lib), rows, options.device == "cuda")
    register_rows(rows)
    register_formulas(rows, read_words(options.header, rows))
    results = Results(CASES)
    if not options.only and not options.case:
        for fault in coverage_faults(rows, public, COVERED):
            results.fail("coverage", fault)
    names = [n for n in CASES if (not options.only or n in options.only.split(",")) and n not in options.without.split(",")]
    for name in [n for n in names if n in ga.signatures and not hasattr(ga, n)]:
        names.remove(name)
        results.fail(name, "the library does not have it")
    plan = plan_cases(names, options.cases, options.half)
    if options.case:
        name, number = options.case.split(":")
        plan = [(name, int(number))]
    for name, number in plan:
        if options.v:
            print(f"--seed {options.seed} --case {name}:{number}", flush=True)
        run_case(ga, options.seed, name, number, results)
    left = ga.lib.ga_memory_stats().arrays
    if left:
        results.fail("memory", f"{left} arrays are left over")
    results.print_failures(options)
    if options.table:
        results.print_table()
    print(f"{results.passed} passed, {results.failed} failed, {results.skipped} skipped")
    return 1 if results.failed else 0
