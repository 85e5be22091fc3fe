#!/usr/bin/env python3
"""Is every row of the table checked? Each row is made wrong, one at a time, and tests/oracle.py must see it.

    python3 tests/mutate.py [--rows tanh,add] [--cases 400]

A mutant is a copy of the headers with one wrong row: a formula that is turned round or replaced by its first operand, a fold that forgets one
of two. An elementary function has four mutants, two for float32 and two for float64: its core is off by some 2^-20 or 2^-49, or what is
right where the core is not has the wrong sign. What another row computes (SWAP) is computed by a wrong one. The library is built for the
baseline, without optimisation. What was found stays in build/mutate until a header or the oracle changes, so a run that was stopped goes on
where it was.
The last line is `N passed, N failed, N skipped`; a mutant that lives is a failure.
"""
import argparse
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "build/mutate"
ROW = re.compile(r"^(GA_\w+)\(\s*(\w+),", re.M)


def split(row):
    """The columns of a row, with their blanks."""
    inside, columns, depth, quoted, start = row[row.index("(") + 1:row.rindex(")")], [], 0, False, 0
    for i, c in enumerate(inside):
        quoted ^= c == '"'
        depth += 0 if quoted else (c == "(") - (c == ")")
        if c == "," and depth == 0 and not quoted:
            columns.append(inside[start:i])
            start = i + 1
    return columns + [inside[start:]]


def mutants(line):
    """What is made wrong, each time: the row, a part of its function for one dtype, or which other row computes it."""
    if line.startswith("GA_ELEMENTARY"):
        name, text = split(line)[0].strip(), "".join(f.read_text() for f in (ROOT / "gpuarr/formulas").glob("*.h"))
        never = rf"gi_{name}_rare_f32\([^()]*\)\s*{{\s*(\(void\)\w;\s*)+return 0;"  # the core is always right
        return ["core_f32", "core_f64"] if re.search(never, text) else ["core_f32", "core_f64", "slow_f32", "slow_f64"]
    return ["exchanged"] if split(line)[1].strip() == "SWAP" else ["row"]


def wrong_row(line):
    kind, c = line[:line.index("(")], split(line)
    if kind == "GA_FOLD":
        c[6] = " a" if c[0].strip() not in ("any", "all") else " !(" + c[6].strip() + ")"
    elif c[2].strip() == "BOOL":
        c[3] = f" !({c[3].strip()})"
    elif c[2].strip() == "PART":
        c[3] = f" ({c[3].strip()}) + ({c[3].strip()}) + 1"
    elif c[3].strip() == "x":
        c[3] = " GA_NEG(x)"
    else:
        c[3] = " x"
    return f"{kind}({','.join(c)})"


def make(folder, line, what):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "gpuarr", folder / "gpuarr")
    for header in ROOT.glob("gpuarr*.h"):
        shutil.copy(header, folder)
    if what == "row":
        table = folder / "gpuarr/rows/table.h"
        table.write_text(table.read_text().replace(line, wrong_row(line)))
    elif what == "exchanged":
        name, rows = split(line)[0].strip(), folder / "gpuarr/ops/rows.h"
        text, made = re.subn(rf"(#define GI_ROW_exchanged_{name} +, gi_row_)(less|less_equal)\n",
                             lambda m: m[1] + ("less" if m[2] == "less_equal" else "less_equal") + "\n", rows.read_text())
        rows.write_text(text)
        if made != 1:
            sys.exit(f"GI_ROW_exchanged_{name} was not found in gpuarr/ops/rows.h")
    elif what:
        wrong_part(folder, split(line)[0].strip(), what)


def wrong_part(folder, name, part):
    """gi_NAME_PART is off by some 2^-20 (float32) or 2^-49; what is slow, and often 0 or infinite, has the wrong sign."""
    T, factor = ("float", "0x1.00001p0f") if part.endswith("f32") else ("double", "0x1.0000000000008p0")
    if part.startswith("slow"):
        factor = "-1"
    for f in (folder / "gpuarr/formulas").glob("*.h"):
        text = f.read_text()
        found = re.search(rf"^GI_(?:FORMULA|SLOW) \w+ +gi_{name}_{part}\(([^()]*)\)", text, re.M)
        if found:
            given = ", ".join(p.split()[-1] for p in found[1].split(","))
            text = re.sub(rf"\bgi_{name}_{part}\b", f"gi_{name}_right_{part}", text)
            f.write_text(text + f"\nGI_FORMULA {T} gi_{name}_{part}({found[1]}) {{ return gi_{name}_right_{part}({given}) * {factor}; }}\n")
            return
    sys.exit(f"gi_{name}_{part} was not found in gpuarr/formulas")


def build(name, line="", what=""):
    """The library, or why there is none."""
    folder, library = OUT / "tree", OUT / f"{name}.so"
    make(folder, line, what)
    built = subprocess.run(["clang", "-std=c11", "-O0", "-w", "-fPIC", "-shared", "-DGPUARR_BASELINE_ONLY", f"-I{folder}", "-Itests",
                            "tests/impl.c", "tests/oracle_kernels.c", "-o", library, "-lm", "-lpthread"],
                           cwd=ROOT, capture_output=True, text=True)
    return "does not compile: " + built.stderr[:300] if built.returncode else library


def judge(library, name, cases):
    """caught, lives, or what went wrong."""
    if isinstance(library, str):
        return library
    judged = subprocess.run([sys.executable, "tests/oracle.py", "--lib", library, "--cases", str(cases), "--seed", "1", "--only", name],
                            cwd=ROOT, capture_output=True, text=True)
    last = re.findall(r"^(\d+) passed, (\d+) failed", judged.stdout, re.M)
    if not last or last[-1] == ("0", "0"):
        return "the oracle says nothing: " + (judged.stdout + judged.stderr)[-300:]
    return "caught" if int(last[-1][1]) else "lives"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rows", default="")
    options.add_argument("--cases", type=int, default=400)
    o = options.parse_args()
    table = (ROOT / "gpuarr/rows/table.h").read_text()
    rows = {m[2]: table[m.start():table.index("\n", m.start())] for m in ROW.finditer(table)}
    asked = [r for r in o.rows.replace(" ", ",").split(",") if r] or list(rows)
    unknown = [r for r in asked if r not in rows]
    if unknown:
        sys.exit("no such row: " + ", ".join(unknown))
    OUT.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(str(o.cases).encode())
    for f in sorted([*ROOT.glob("gpuarr*.h"), *ROOT.glob("gpuarr/**/*.h"), *ROOT.glob("tests/oracle/**/*.py"), pathlib.Path(__file__)]):
        digest.update(f.read_bytes())
    passed, failed, right = 0, 0, None
    for name in asked:
        known = OUT / f"{name}.{digest.hexdigest()[:16]}"
        if not known.exists():
            right = right or build("right")
            verdict = judge(right, name, o.cases)
            if verdict == "lives":
                verdicts = {what: judge(build("wrong", rows[name], what), name, o.cases) for what in mutants(rows[name])}
                verdict = "caught" if set(verdicts.values()) == {"caught"} else ", ".join(f"{k} {v}" for k, v in verdicts.items())
            else:
                verdict = "the right one fails: " + verdict
            known.write_text(verdict)
        verdict = known.read_text()
        passed += verdict == "caught"
        failed += verdict != "caught"
        print(f"{'' if verdict == 'caught' else 'FAIL '}{name}: {verdict}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
