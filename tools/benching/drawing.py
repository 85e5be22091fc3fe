"""The pictures, as boxes, lines and words: for the C program, which writes PNG, and as SVG for the pages."""
import html
import math

INK, GRID, PALE, BEHIND, SHORT = "262626", "d8d8d8", "f2f2f2", "c03030", "e0a030"
DTYPES = {"float32": "1f5fa8", "float64": "c8641e", "uint8": "2e8b57"}
SERIES = {"gpuarr, 2 threads": "1f5fa8", "gpuarr, 1 thread": "8ab4dc", "gpuarr, 2 ranks": "0f8a8a", "gpuarr, 1 rank": "7cc8c8", "NumPy": "c8641e",
          "NumPy, OpenBLAS": "c8641e", "NumExpr": "2e8b57", "Numba": "8a4fb0", "SciPy, 2 workers": "a08020", "Dask": "b03060"}
LETTER, LINE = 6, 8  # of the font, times the size


class Canvas:
    def __init__(self, width, height):
        self.width, self.height, self.items = int(width), int(height), []

    def box(self, x, y, width, height, colour):
        self.items.append(("box", int(x), int(y), max(1, int(width)), max(1, int(height)), colour))

    def line(self, x, y, x2, y2, colour):
        self.items.append(("line", int(x), int(y), int(x2), int(y2), colour))

    def text(self, x, y, words, size=2, anchor=0.0):
        """anchor: which part of the words lies left of x."""
        self.items.append(("text", int(x - anchor * len(words) * LETTER * size), int(y), size, words))

    def commands(self):
        return "".join(" ".join(map(str, item)) + "\n" for item in [("page", self.width, self.height), *self.items])

    def svg(self):
        drawn = [f'<svg viewBox="0 0 {self.width} {self.height}" role="img">', f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>']
        for what, *item in self.items:
            if what == "box":
                drawn.append('<rect x="{}" y="{}" width="{}" height="{}" fill="#{}"/>'.format(*item))
            elif what == "line":
                drawn.append('<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="#{}" stroke-width="3"/>'.format(*item))
            else:
                x, y, size, words = item
                drawn.append(f'<text x="{x}" y="{y + 7 * size}" font-size="{9 * size}" textLength="{len(words) * LETTER * size}">'
                             f'{html.escape(words)}</text>')
        return "\n".join(drawn + ["</svg>"])


def short_size(size):
    """10000000 as 1e7, where it is a power of ten."""
    return f"1e{len(size) - 1}" if len(size) > 4 and size.strip("0") == "1" else size


# ---- every row beside its best peer: one line for a row and size, one mark for a dtype -------------------------------------------------
PITCH, LABELS, PLOT, GAP, TOP = 22, 540, 560, 50, 130
LOW, HIGH = 0.25, 100
MARKS = (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100)


def chart(lines):
    """The picture of bench.json's lines, of which those of the best peers are drawn."""
    rows = {}  # theme -> label -> lines
    for line in lines:
        if line["best"]:
            label = f"{line['row']}  {short_size(line['size'])}"
            rows.setdefault(line["theme"], {}).setdefault(label, []).append(line)
    total = sum(len(labels) + 2 for labels in rows.values())
    columns = [[]]  # of themes; two columns of about the same height
    used = 0
    for theme, labels in rows.items():
        if used and used + (len(labels) + 2) / 2 > total / 2 and len(columns) == 1:
            columns.append([])
        columns[-1].append((theme, labels))
        used += len(labels) + 2
    tallest = max((sum(len(labels) + 2 for _, labels in column) for column in columns), default=0)
    canvas = Canvas(len(columns) * (LABELS + PLOT + GAP) + GAP, TOP + (tallest + 2) * PITCH)
    canvas.text(GAP, 20, "gpuarr beside the fastest other library: how many times as fast", 3)
    legend = GAP
    for name, colour in DTYPES.items():
        canvas.box(legend, 62, 14, 14, colour)
        canvas.text(legend + 22, 62, name)
        legend += 130
    for colour, words in ((BEHIND, "behind"), (SHORT, "short of what is aimed at")):
        frame(canvas, legend + 7, 69, colour)
        canvas.text(legend + 24, 62, words)
        legend += 60 + 12 * len(words)
    canvas.box(legend, 58, 4, 22, INK)
    canvas.text(legend + 14, 62, "the bound of memory or arithmetic")
    canvas.line(legend + 450, 69, legend + 480, 69, "909090")
    canvas.text(legend + 492, 62, "half of the pairs")
    for number, column in enumerate(columns):
        draw_column(canvas, column, GAP + number * (LABELS + PLOT + GAP))
    return canvas


def frame(canvas, x, y, colour):
    for dx, dy, width, height in ((-10, -10, 21, 3), (-10, 8, 21, 3), (-10, -10, 3, 21), (8, -10, 3, 21)):
        canvas.box(x + dx, y + dy, width, height, colour)


def draw_column(canvas, themes, left):
    plot = left + LABELS
    height = sum(len(labels) + 2 for _, labels in themes) * PITCH

    def at(ratio):
        return int(plot + PLOT * math.log(min(max(ratio, LOW), HIGH) / LOW) / math.log(HIGH / LOW))
    y = TOP
    for theme, labels in themes:
        canvas.text(left, y + PITCH + 1, theme, 2)
        canvas.box(left, y + 2 * PITCH - 4, LABELS - 20, 2, INK)
        y += 2 * PITCH
        for k, label in enumerate(labels):
            if k % 2 == 0:
                canvas.box(left, y, LABELS + PLOT, PITCH, PALE)
            y += PITCH
    for mark in MARKS:
        for row in (TOP - 20, TOP + height + 6):
            canvas.text(at(mark), row, f"{mark:g}x", 2, 0.5)
        canvas.box(at(mark) - (mark == 1), TOP, 3 if mark == 1 else 1, height, "606060" if mark == 1 else GRID)
    y = TOP
    for _, labels in themes:
        y += 2 * PITCH
        for label, lines in labels.items():
            canvas.text(left + 12, y + 4, label[:(LABELS - 24) // 12])
            for k, line in enumerate(lines):
                middle = y + PITCH // 2 + (2 * k - len(lines) + 1) * 2
                colour = DTYPES.get(line["dtype"], INK)
                canvas.line(at(line["ratio_low"]), middle, at(line["ratio_high"]), middle, "909090")
                if line["bound_ms"] and line["peer_ms"] < HIGH * line["bound_ms"]:
                    bound = at(line["peer_ms"] / line["bound_ms"])
                    canvas.box(bound - 2, y + 1, 4, PITCH - 2, INK)
                    canvas.box(bound - 2, y + 6, 4, PITCH - 12, colour)
            for k, line in enumerate(lines):
                middle = y + PITCH // 2 + (2 * k - len(lines) + 1) * 2
                if line["status"]:
                    frame(canvas, at(line["ratio"]), middle, BEHIND if line["status"] == "behind" else SHORT)
                canvas.box(at(line["ratio"]) - 6, middle - 6, 13, 13, DTYPES.get(line["dtype"], INK))
            beyond = [line["ratio"] for line in lines if line["ratio"] > HIGH]
            if beyond:
                canvas.text(at(HIGH) - 14, y + 4, ", ".join(f"{ratio:.0f}x" for ratio in beyond), 2, 1)
            y += PITCH


# ---- curves: time per element as arrays grow ------------------------------------------------------------------------------------------
PANEL, PANEL_HEIGHT, ACROSS = 560, 420, 3


def power(e):
    return f"{10.0**e:g}" if -3 <= e <= 3 else f"1e{e}"


def panel(canvas, left, top, title, unit, series, bent, bound):
    """series: name -> {size: nanoseconds}; bent: (name, size) where one of ours bends; bound: size -> what the memory of this machine needs."""
    x0, y0, width, height = left + 70, top + 34, PANEL - 110, PANEL_HEIGHT - 160
    points = [(n, ns) for of in series.values() for n, ns in of.items()]
    canvas.text(left + 8, top + 6, title)
    if not points:
        return
    low_n, high_n = (f(math.log10(n) + e) for f, n, e in ((math.floor, min(points)[0], 1e-9), (math.ceil, max(points)[0], -1e-9)))
    low, high = (f(math.log10(ns)) for f, ns in ((math.floor, min(ns for _, ns in points)), (math.ceil, max(ns for _, ns in points))))
    high, high_n = max(high, low + 1), max(high_n, low_n + 1)

    def x(n):
        return x0 + width * (math.log10(n) - low_n) / (high_n - low_n)

    def y(ns):
        return y0 + height * (high - math.log10(ns)) / (high - low)
    for e in range(low_n, high_n + 1):
        canvas.box(x(10**e), y0, 1, height, GRID)
        canvas.text(x(10**e), y0 + height + 8, f"1e{e}", 2, 0.5)
    for e in range(low, high + 1):
        canvas.box(x0, y(10**e), width, 1, GRID)
        canvas.text(x0 - 6, y(10**e) - 7, power(e), 2, 1)
    limit = sorted((n, ns) for n, ns in bound.items() if ns >= 10**low)
    for (n, ns), (next_n, next_ns) in zip(limit, limit[1:]):
        canvas.line(x(n), y(ns), x(next_n), y(next_ns), "b8b8b8")
    for k, (name, of) in enumerate(series.items()):
        colour, before = SERIES.get(name, INK), None
        for n in sorted(of):
            if before:
                canvas.line(x(before), y(of[before]), x(n), y(of[n]), colour)
            canvas.box(x(n) - 4, y(of[n]) - 4, 9, 9, colour)
            if (name, n) in bent:
                frame(canvas, x(n), y(of[n]), BEHIND)
            before = n
        key_x, key_y = left + 20 + k % 2 * (PANEL // 2), y0 + height + 36 + k // 2 * 24
        canvas.box(key_x, key_y + 4, 22, 6, colour)
        canvas.text(key_x + 30, key_y, name)
    canvas.text(left + PANEL - 40, top + 6, unit, 2, 1)


def curves_chart(panels, subtitle):
    """panels: dicts of title, unit, series, bent and bound."""
    down = -(-len(panels) // ACROSS)
    canvas = Canvas(ACROSS * PANEL + 20, 80 + down * PANEL_HEIGHT)
    canvas.text(20, 16, "time per element as arrays grow", 3)
    canvas.text(20, 50, subtitle)
    for x, colour, words in ((1010, "b8b8b8", "the bound of the memory"), (1370, None, "bends, the peer does not")):
        canvas.line(x - 30, 29, x, 29, colour) if colour else frame(canvas, x - 10, 29, BEHIND)
        canvas.text(x + 12, 22, words)
    for k, one in enumerate(panels):
        panel(canvas, 10 + k % ACROSS * PANEL, 80 + k // ACROSS * PANEL_HEIGHT, one["title"], one["unit"], one["series"], one["bent"], one["bound"])
    return canvas
