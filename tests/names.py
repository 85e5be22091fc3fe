#!/usr/bin/env python3
"""Holds tests/names.txt to what there is: each name is declared, described, tried in a test by hand, and a case of the oracle. Run it in the root."""
import glob
import re
import sys


def read(*patterns):
    return "\n".join(open(path, encoding="utf-8").read() for pattern in patterns for path in sorted(glob.glob(pattern, recursive=True)))


def names():
    for line in open("tests/names.txt", encoding="utf-8"):
        words = line.split("#")[0].rpartition(":")[2].split()
        yield from ((word.lstrip("-"), word.startswith("-")) for word in words)


def meant(name, fronts):
    """What a name stands for that is a macro for another one."""
    other = re.search(rf"#define ga_{name}\(\.\.\.\) +GI_\w+\(ga_(\w+)", fronts)
    return other[1] if other else name


def faults(name, absent, header, fronts, table, trials, cases):
    there = re.search(rf"\bga_{name}(_n)?\b", header + fronts)
    if absent:
        return ["it is there, and the list says that it is not"] if there else []
    if not there:
        return ["there is no such function or macro"]
    if re.search(rf"^GA_\w+\( *{meant(name, fronts)},", table, re.M):
        return []  # a row: its line has the words and the example, and the oracle takes all rows
    said = []
    if not re.search(rf"\bga_{name}(_n)?\b", header):
        said.append("gpuarr.h says nothing of it")
    if not re.search(rf"\bga_{name}\(", trials):
        said.append("no test by hand calls it")
    if not re.search(rf"[\"'.]{meant(name, fronts)}(_n)?\b", cases):
        said.append("the oracle has no case of it")
    return said


def main():
    header, fronts = read("gpuarr.h"), read("gpuarr/face/*.h")
    table, trials, cases = read("gpuarr/rows/table.h"), read("tests/*.c"), read("tests/oracle/cases/*.py")
    passed = failed = skipped = 0
    for name, absent in names():
        found = faults(name, absent, header, fronts, table, trials, cases)
        for fault in found:
            print(f"FAIL {name}: {fault}")
        failed += len(found) > 0
        skipped += absent and not found
        passed += not absent and not found
    print(f"names: {skipped} are still to come" if skipped else "names: all are there")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
