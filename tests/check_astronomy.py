#!/usr/bin/env python3
"""Runs examples/astronomy on every image of a data folder and compares all numbers with its reference.json (astropy and SciPy).

    check_astronomy.py PROGRAM [DATA]      PROGRAM: may have arguments, "build/astronomy --device cuda"; DATA: by default ../shared/data beside the repository
"""
import json
import pathlib
import subprocess
import sys

count = dict(passed=0, failed=0, skipped=0)


def compare(where, got, want, tolerance):
    """The differences, one sentence each."""
    if isinstance(want, dict):
        for key in want.keys() | got.keys() if isinstance(got, dict) else want.keys():
            if not isinstance(got, dict) or key not in got or key not in want:
                yield f"{where}.{key}: in only one of the two"
            else:
                yield from compare(f"{where}.{key}", got[key], want[key], tolerance)
    elif isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            yield f"{where}: {got!r}, expected {want!r}"
        else:
            for i, pair in enumerate(zip(got, want)):
                yield from compare(f"{where}[{i}]", *pair, tolerance)
    elif isinstance(want, float):
        if not isinstance(got, (int, float)) or not abs(got - want) <= tolerance * abs(want):
            yield f"{where}: {got!r}, expected {want!r} within {tolerance:g} of it"
    elif got != want:
        yield f"{where}: {got!r}, expected {want!r}"


def check(program, image, want):
    try:
        run = subprocess.run([*program.split(), str(image), "--json"], capture_output=True, text=True)
    except OSError as error:
        return [f"cannot run {program}: {error}"]
    try:
        got = json.loads(run.stdout)
    except ValueError as error:
        return [f"exit {run.returncode}, no JSON ({error}); {run.stderr.strip()}"]
    wrong = list(compare("", got, want, 1e-6 if want["dtype"] == "float32" else 1e-9))
    return wrong + ([f"exit {run.returncode}; {run.stderr.strip()}"] if run.returncode else [])


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
data = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).parents[2] / "shared" / "data"
if not (data / "reference.json").is_file():
    print(f"SKIP: there is no {data}/reference.json, so the astronomy example was NOT compared with astropy and SciPy")
    count["skipped"] += 1
else:
    references = json.loads((data / "reference.json").read_text())
    for want in references:
        image = data / want["file"]
        if not image.is_file():
            print(f"SKIP: {image} is missing")
            count["skipped"] += 1
            continue
        wrong = check(sys.argv[1], image, want)
        print(f"{'FAIL' if wrong else 'ok  '} {want['file']}: {want['lesson']['sources']} and {want['background']['sources']} sources")
        for sentence in wrong[:20]:
            print("    ", sentence)
        count["failed" if wrong else "passed"] += 1
    for image in sorted(data.glob("*.fits")):
        if image.name not in [want["file"] for want in references]:
            print(f"SKIP: {image.name} has no reference")
            count["skipped"] += 1

print("{passed} passed, {failed} failed, {skipped} skipped".format(**count))
sys.exit(count["failed"] > 0)
