"""The pages: one file each, nothing from elsewhere. A table is sorted by a click on a heading, and filtered by text, theme and what missed."""
import contextlib
import html
import math
import os


def written(folder, name, text):
    """The path of this file, which stays as it was unless all of the text is written."""
    path = os.path.join(folder, name)
    try:
        with open(path + ".part", "w") as f:
            f.write(text)
        os.replace(path + ".part", path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(path + ".part")
        raise
    return path


STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 1em auto; max-width: 90em; padding: 0 .7em; color: #262626; background: #fff }
h1 { font-size: 1.4em; margin: .3em 0 } p { margin: .4em 0 } svg { width: 100%; min-width: 50em; height: auto; font-family: monospace }
.wide { overflow-x: auto } form { position: sticky; top: 0; background: #fff; padding: .5em 0; display: flex; flex-wrap: wrap; gap: .6em; z-index: 1 }
input, select { font: inherit; padding: .2em } table { border-collapse: collapse; width: 100% }
th { text-align: left; cursor: pointer; border-bottom: 2px solid; white-space: nowrap } th:hover { background: #eee }
td { border-bottom: 1px solid #ddd; padding: .15em .6em .15em 0; vertical-align: middle } td.number { text-align: right; font-variant-numeric: tabular-nums }
th.number { text-align: right; padding-right: .6em } tr.behind { background: #fbe4e4 } tr.short { background: #fdf3de }
.bar { position: relative; width: 15em; height: 1.1em; background: linear-gradient(#888, #888) no-repeat var(--one) 0 / 1px 100% #f4f4f4 }
.bar i, .bar b, .bar u { position: absolute; top: .2em; height: .7em; background: #1f5fa8 } .bar u { top: .5em; height: .1em; background: #000 }
.behind .bar i { background: #c03030 } .short .bar i { background: #e0a030 } .bar b { top: 0; height: 1.1em; width: 2px; background: #000 }
@media (max-width: 50em) { .extra { display: none } .bar { width: 7em } body { font-size: 13px } }
"""

SCRIPT = """
const rows = [...document.querySelectorAll('tbody tr')], form = document.querySelector('form'), count = document.querySelector('output');
function filter() {
  const words = form.words.value.toLowerCase().split(/\\s+/), theme = form.theme.value;
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = theme && row.dataset.theme !== theme || form.missed.checked && !row.className || !words.every(w => text.includes(w));
    shown += !row.hidden;
  }
  count.value = shown + ' of ' + rows.length + ' rows';
}
form.oninput = filter;
form.onsubmit = () => false;
let last = -1, up = 1;
document.querySelectorAll('th').forEach((heading, column) => heading.onclick = () => {
  up = column === last ? -up : 1;
  last = column;
  const value = row => row.cells[column].dataset.v ?? row.cells[column].textContent, number = heading.className.includes('number');
  rows.sort((a, b) => up * (number ? value(a) - value(b) : value(a).localeCompare(value(b))));
  document.querySelector('tbody').append(...rows);
});
filter();
"""


def page(title, body, script=""):
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{html.escape(title)}</h1>\n{body}\n'
            + (f"<script>{script}</script>\n" if script else "") + "</body>\n</html>\n")


def paragraphs(*texts):
    return "\n".join(f"<p>{html.escape(text)}</p>" for text in texts if text)


class Cell:
    """What a cell shows, and the number by which its column is sorted."""
    def __init__(self, shown, value=None, inside=None):
        self.shown, self.value, self.inside = str(shown), value, inside  # inside: HTML in place of the escaped text


def bar(ratio, low, high, bound=0):
    """A cell with a bar from 1x on a logarithmic axis, the spread of the pairs, and a tick at the bound; from 0.25x to 1000x."""
    def at(r):
        return 100 * math.log(min(max(r, 0.25), 1000) / 0.25) / math.log(4000)
    one, to = at(1), at(ratio)
    tick = f'<b style="left:{at(bound):.1f}%"></b>' if bound else ""
    return Cell(f"{ratio:.2f}x", ratio, f'<div class="bar" style="--one:{one:.1f}%"><i style="left:{min(one, to):.1f}%;width:{max(abs(to - one), 0.7):.1f}%"></i>'
                f'<u style="left:{at(low):.1f}%;width:{max(at(high) - at(low), 0.3):.1f}%"></u>{tick}</div>')


def table(columns, rows):
    """columns: (heading, class) with class '', 'number', 'extra' or both; rows: (theme, status, cells)."""
    themes = list(dict.fromkeys(theme for theme, _, _ in rows))
    text = ['<form><input name="words" type="search" placeholder="filter: float32 axis">', '<select name="theme"><option value="">all themes</option>']
    text += [f'<option>{html.escape(theme)}</option>' for theme in themes]
    text += ['</select>', '<label><input name="missed" type="checkbox"> only what missed</label><output></output></form>', '<div class="wide"><table>',
             "<thead><tr>" + "".join(f'<th class="{style}">{html.escape(heading)}</th>' for heading, style in columns) + "</tr></thead>", "<tbody>"]
    for theme, status, cells in rows:
        text.append(f'<tr data-theme="{html.escape(theme)}" class="{html.escape(status)}">')
        for cell, (_, style) in zip(cells, columns):
            sorted_by = f' data-v="{cell.value:.9g}"' if cell.value is not None else ""
            text.append(f'<td class="{style}"{sorted_by}>{cell.inside or html.escape(cell.shown)}</td>')
        text.append("</tr>")
    return "\n".join(text + ["</tbody></table></div>"])


def bench_page(lines, notes):
    """The page of bench.json's lines: a row for each best peer, the others in its last cell."""
    columns = [("theme", "extra"), ("row", ""), ("dtype", ""), ("size", "extra"), ("gpuarr, ms", "number"), ("peer, ms", "number extra"), ("fastest peer", "extra"),
               ("ratio", "number"), ("", "number"), ("half of the pairs", "extra"), ("aim", "number extra"), ("of the bound", "number"), ("bound", "extra"), ("missed", ""),
               ("others", "extra")]
    rows = []
    for line in lines:
        if line["best"]:
            others = [o for o in lines if not o["best"] and all(o[k] == line[k] for k in ("theme", "row", "dtype", "size"))]
            bound = line["bound_ms"]
            rows.append((line["theme"], line["status"], [
                Cell(line["theme"]), Cell(line["row"]), Cell(line["dtype"]), Cell(line["size"]), Cell(f"{line['gpuarr_ms']:.4g}", line["gpuarr_ms"]),
                Cell(f"{line['peer_ms']:.4g}", line["peer_ms"]), Cell(line["peer"]), Cell(f"{line['ratio']:.2f}x", line["ratio"]),
                bar(line["ratio"], line["ratio_low"], line["ratio_high"], line["peer_ms"] / bound if bound else 0),
                Cell(f"{line['ratio_low']:.2f} to {line['ratio_high']:.2f}, {line['pairs']} pairs", line["ratio_high"] - line["ratio_low"]),
                Cell(f"{line['target']:g}x" if line["target"] else "", line["target"]), Cell(f"{100 * line['share']:.0f} %" if bound else "", line["share"]),
                Cell(f"{bound:.3g} ms, {line['bound']}" if bound else ""), Cell(line["status"]),
                Cell(", ".join(f"{o['ratio']:.2f}x {o['peer']}" for o in others))]))
    told = ("The ratio is the time of the fastest other library divided by gpuarr's: the median of neighbouring pairs. The line in a bar is half of the pairs, "
            "the tick is where the memory or the arithmetic of this machine would end (copy, read, fma). behind: slower than the peer; short: not what is aimed at.")
    return page("make bench", paragraphs(*notes, told) + "\n" + table(columns, rows), SCRIPT)


def against_page(found, title, notes):
    """found: dicts of theme, row, dtype, size, ratio (this / other), low, high, this_ms, other_ms, fell, same_bits."""
    columns = [("theme", "extra"), ("row", ""), ("dtype", ""), ("size", "extra"), ("this, ms", "number"), ("other, ms", "number"), ("this / other", "number"),
               ("half of the pairs", "extra"), ("other / this", "number"), ("fell", ""), ("bits", "extra")]
    rows = [(f["theme"], "behind" if f["fell"] else "", [
        Cell(f["theme"]), Cell(f["row"]), Cell(f["dtype"]), Cell(f["size"]), Cell(f"{f['this_ms']:.4g}", f["this_ms"]), Cell(f"{f['other_ms']:.4g}", f["other_ms"]),
        Cell(f"{f['ratio']:.3f}", f["ratio"]), Cell(f"{f['low']:.3f} to {f['high']:.3f}"), bar(1 / f["ratio"], 1 / f["high"], 1 / f["low"]),
        Cell("fell" if f["fell"] else ""), Cell("" if f["same_bits"] else "other bits")]) for f in found]
    return page(title, paragraphs(*notes) + "\n" + table(columns, rows), SCRIPT)


def curves_page(svg, panels, notes):
    bent = [text for one in panels for text in one["bends"]]
    body = [paragraphs(*notes), "<h2>Curves that bend where the fastest peer's does not</h2>",
            "<ul>" + "".join(f"<li>{html.escape(text)}</li>" for text in bent) + "</ul>" if bent else "<p>none</p>", f'<div class="wide">{svg}</div>',
            "<details><summary>the numbers</summary>"]
    for one in panels:
        sizes = sorted({n for of in one["series"].values() for n in of})
        body.append(f'<div class="wide"><table><thead><tr><th>{html.escape(one["title"])}, {html.escape(one["unit"])}</th>'
                    + "".join(f'<th class="number">{n:.3g}</th>' for n in sizes) + "</tr></thead><tbody>")
        for name, of in one["series"].items():
            body.append(f"<tr><td>{html.escape(name)}</td>" + "".join(f'<td class="number">{format(of[n], ".3g") if n in of else ""}</td>' for n in sizes) + "</tr>")
        body.append("</tbody></table></div>")
    return page("make curves", "\n".join(body + ["</details>"]))
