"""The command line of tools/bench.py."""
import argparse

parser = argparse.ArgumentParser(prog="bench.py", description="gpuarr beside what users would use instead, on the CPU")
parser.add_argument("program", help="tools/bench.c, compiled")
parser.add_argument("--quick", action="store_true", help="smaller and fewer: under three minutes, or two for --curves")
parser.add_argument("--check", action="store_true", help="time nothing: are the results right?")
parser.add_argument("--against", metavar="OTHER", help="the program of another commit, timed in pairs with PROGRAM; no peer is")
parser.add_argument("--curves", action="store_true", help="time per element as arrays grow, with more threads and on more ranks")
parser.add_argument("--mpi", metavar="PROGRAM", help="for --curves: tools/bench.c compiled with -DBENCH_MPI")
parser.add_argument("--only", default="", help="rows, or curves, whose name contains this")
parser.add_argument("--out", default="out", help="the folder for tables and pictures (out)")
args = parser.parse_args()
QUICK = args.quick or args.check


class Refused(Exception):
    """What was asked for cannot be done; the sentence says why."""
