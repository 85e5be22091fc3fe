#!/usr/bin/env python3
"""What `make bench` and `make curves` write, from numbers that are made up: is the HTML well formed, and does it have every row? Who is
behind, what fell, and where does a curve bend? Nothing is timed, and NumPy is needed only for what bench.py itself refuses."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from benching import drawing, judging, pages  # noqa: E402

passed = failed = 0


def check(what, ok):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL", what)


class Reader(HTMLParser):
    """The texts of a page's cells; problems: tags that are not closed in turn, and whatever would be fetched from elsewhere."""
    VOID = {"meta", "input", "br", "rect", "line"}

    def __init__(self, text):
        super().__init__()
        self.open, self.problems, self.rows, self.words, self.sorted_by = [], [], [], [], []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        self.problems += [f"{tag} {name}" for name in names if name in ("src", "href", "onerror") or names.count(name) > 1]
        if tag in ("link", "img", "iframe"):
            self.problems.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.sorted_by.append(dict(attributes).get("data-v"))

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes another")

    def handle_data(self, data):
        self.words.append(data)
        if self.open and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data


def bench_line(row, dtype, ratio, best=True, **more):
    line = dict(theme="filters & <more>", row=row, dtype=dtype, size="10000000", gpuarr_ms=2.0, gpuarr_min_ms=1.9, peer='NumPy "x" <y>', peer_ms=2.0 * ratio,
                peer_min_ms=1.9, ratio=ratio, ratio_low=0.9 * ratio, ratio_high=1.1 * ratio, pairs=15, best=best, target=1, status="", bound_ms=0.5, bound="copy",
                share=0.25)
    return {**line, **more}


def of_bench():
    lines = [bench_line("x > t", "float32", 0.5, status="behind"), bench_line("where(x > t, 1, 0)", "float64", 3.0), bench_line("a & b", "uint8", 5000.0),
             bench_line("x > t", "float32", 7.25, best=False, peer="Numba"), bench_line("sort", "float64", 1.5, target=2, status="short", bound_ms=0, bound="", share=0),
             bench_line("</td><script>", "float64", 0.1, theme="files")]
    read = Reader(pages.bench_page(lines, ["NumPy <2>", "2 processors"]))
    check(f"the page of bench is well formed: {read.problems}", not read.problems)
    body = read.rows[1:]
    check("a row for each best peer", len(body) == 5)
    check("a cell for each heading", all(len(cells) == len(read.rows[0]) for cells in read.rows))
    for line in lines:
        if line["best"]:
            check(f"the page has {line['row']} {line['dtype']}", any(line["row"] in r and line["dtype"] in r and line["peer"] in r and line["theme"] in r for r in body))
    check("what missed is said", [r[13] for r in body] == ["behind", "", "", "short", ""])
    check("other peers stand in the row", "7.25x Numba" in body[0][14] and not body[1][14])
    check("the bound is in the row", body[0][11] == "25 %" and "copy" in body[0][12] and body[3][11] == "")
    check("the notes are there", "NumPy <2>" in read.words)
    check("numbers are sorted as numbers", sum(v is not None and float(v) > 0 for v in read.sorted_by) >= 15)
    inside(drawing.chart(lines), ["x > t  1e7", "where(x > t, 1, 0)  1e7", "a & b  1e7", "sort  1e7", "</td><script>  1e7", "files", "5000x"])
    check("no lines make a page and a picture, too", not Reader(pages.bench_page([], [])).problems and drawing.chart([]).commands().startswith("page "))


def inside(canvas, words):
    """All that is drawn lies on the page, and these words are there; the same as SVG."""
    x2, y2 = canvas.width, canvas.height
    for what, x, y, *more in canvas.items:
        if what == "text":
            ends = [x + len(more[1]) * drawing.LETTER * more[0], y + drawing.LINE * more[0]]
        else:
            ends = [x + more[0], y + more[1]] if what == "box" else more[:2]
        check(f"{what} {x} {y} {more} is on the page of {x2} x {y2}", min(x, y, *ends) >= 0 and max(x, ends[0]) <= x2 and max(y, ends[1]) <= y2)
    drawn = [item[-1] for item in canvas.items if item[0] == "text"]
    for word in words:
        check(f"'{word}' is in the picture", word in drawn)
    check("one command a line", canvas.commands().count("\n") == len(canvas.items) + 1)
    read = Reader(canvas.svg())
    check(f"the SVG is well formed: {read.problems}", not read.problems and all(word in read.words for word in words))


def of_against():
    common = dict(theme="sorts", dtype="float32", size="1000", low=0.9, high=1.2, this_ms=1.1, other_ms=1.0, same_bits=True)
    found = [dict(common, row="sort <1>", ratio=1.1, fell=True), dict(common, row="median", ratio=0.95, fell=False, same_bits=False)]
    read = Reader(pages.against_page(found, "this & that", ["2 rows"]))
    check(f"the page of AGAINST is well formed: {read.problems}", not read.problems)
    check("it names what fell", [(r[1], r[9], r[10]) for r in read.rows[1:]] == [("sort <1>", "fell", ""), ("median", "", "other bits")])


def of_curves():
    ours, theirs = {1000: 1.0, 10000: 1.0, 100000: 2.0, 1000000: 2.2}, {1000: 3.0, 10000: 3.0, 100000: 3.1, 1000000: 9.0}
    bent = judging.bends(ours, [theirs])
    check("a curve bends where the peer's does not", [(small, large) for small, large, *_ in bent] == [(10000, 100000)])
    check("by how much, and it is still ahead", bent and abs(bent[0][2] - 2) < 1e-9 and abs(bent[0][4] - 1.55) < 1e-9)
    check("a curve that rises as the peer's does not bend", not judging.bends({10: 1.0, 100: 2.0}, [{10: 1.0, 100: 1.9}]))
    check("the fastest of the peers counts", not judging.bends({10: 1.0, 100: 2.0}, [{10: 1.0, 100: 1.9}, {10: 50.0, 100: 50.0}]))
    check("at the bound of the memory nothing bends", not judging.bends(ours, [theirs], {100000: 1.9}) and judging.bends(ours, [theirs], {100000: 1.5}))
    check("without a peer nothing is said", not judging.bends({10: 1.0, 100: 2.0}, [{10: 1.0}]))
    panels = [dict(title="sin(x)**2 < y", unit="ns per element", series={"gpuarr, 1 thread": ours, "NumPy & co": theirs}, bent={("gpuarr, 1 thread", 100000)},
                   bends=["2.00 times <as long>"], bound={1000: 0.5, 10000: 0.5}), dict(title="nothing", unit="ns", series={}, bent=set(), bends=[], bound={})]
    canvas = drawing.curves_chart(panels, "1 place")
    inside(canvas, ["sin(x)**2 < y", "gpuarr, 1 thread", "NumPy & co", "1e3", "1e6", "nothing"])
    read = Reader(pages.curves_page(canvas.svg(), panels, ["1 place"]))
    check(f"the page of curves is well formed: {read.problems}", not read.problems)
    check("it says what bends", "2.00 times <as long>" in read.words)
    check("it has the numbers of each curve", [r[0] for r in read.rows if r][1:3] == ["gpuarr, 1 thread", "NumPy & co"] and read.rows[1][3] == "2")


def of_judging():
    check("as fast as the peer, within 3 %", judging.status(0.97, 1, 0.1) == "" and judging.status(0.96, 1, 0.1) == "behind")
    check("short of an aim", judging.status(3, 5, 0.1) == "short" and judging.status(3, 2, 0.1) == "" and judging.status(3, 2, 0.1, [(1, 4)]) == "short")
    check("near the bound nothing is missed", judging.status(0.9, 5, 0.86) == "")
    check("a bar below 1 is a bar", judging.status(0.85, 0.8, 0) == "" and judging.status(0.75, 0.8, 0) == "behind")
    steady, wild = [1.10 + 0.001 * k for k in range(15)], [0.8 + 0.05 * k for k in range(15)]
    check("a row that fell", judging.fell(steady))
    check("noise is no fall", not judging.fell(wild) and not judging.fell([1.01 + 0.0001 * k for k in range(15)]) and not judging.fell(sorted(1 / r for r in steady)))
    limits = judging.Limits("2e11 1e11 1000 4e11 8e11 100000 1e10 2e10")
    check("rates between the sizes that were measured", limits.rate(10, 1) == 4e11 and limits.rate(1e9, 2) == 2e10 and 1e10 < limits.rate(10000, 1) < 4e11)
    check("the larger bound counts", limits.least("float32", moved=1e6) == (1e-4, "copy") and limits.least("float64", moved=1e6, flops=1e9) == (1e-2, "fma"))
    check("where nothing is known", limits.least("float32") == (0, ""))


def of_files():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(pages.written(folder, "a.html", "old"))
        try:
            pages.written(folder, "a.html", "x" * 100000 + "\ud800")  # a text that no file takes
        except UnicodeError:
            pass
        check("a file that cannot be written whole stays as it was", path.read_text() == "old" and [p.name for p in path.parent.iterdir()] == ["a.html"])
        check("the next one takes its place", pathlib.Path(pages.written(folder, "a.html", "new")).read_text() == "new")


def of_refusals():
    """What bench.py says in one sentence; `cat` stands for the program, which is not asked."""
    for arguments, sentence in ((["--out", "/dev/null"], "bench: /dev/null is no folder"), (["--out", "/proc/bench"], "bench: /proc/bench: No such file or directory"),
                                (["--out", "/proc"], "bench: /proc"), (["--check", "--only", "nonsense"], "bench: no row is called 'nonsense'")):
        ran = subprocess.run([sys.executable, pathlib.Path(drawing.__file__).parents[1] / "bench.py", "cat", *arguments], capture_output=True, text=True)
        check(f"bench.py {arguments} says '{sentence}': {ran.stderr}", ran.returncode == 1 and ran.stderr.startswith(sentence) and ran.stderr.count("\n") == 1)


of_bench()
of_against()
of_files()
if importlib.util.find_spec("numpy"):
    of_refusals()
of_curves()
of_judging()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
