"""Small plots as SVG, readable on light and dark pages: each brings its own background, and follows the reader's preference."""

import math
from html import escape

STYLE = """
    svg { font: 12px system-ui, sans-serif }
    .page { fill: #ffffff } text { fill: #1f2328 } .quiet { fill: #59636e } .grid { stroke: #d1d9e0 }
    .c0 { fill: #0969da; stroke: #0969da } .c1 { fill: #bc4c00; stroke: #bc4c00 } .c2 { fill: #1a7f37; stroke: #1a7f37 }
    .c3 { fill: #8250df; stroke: #8250df } .c4 { fill: #a40e26; stroke: #a40e26 } .aim { stroke: #59636e; stroke-dasharray: 4 3 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117 } text { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #3d444d }
      .c0 { fill: #4493f8; stroke: #4493f8 } .c1 { fill: #f0883e; stroke: #f0883e } .c2 { fill: #3fb950; stroke: #3fb950 }
      .c3 { fill: #ab7df8; stroke: #ab7df8 } .c4 { fill: #f85149; stroke: #f85149 } .aim { stroke: #9198a1 }
    }
    polyline { fill: none; stroke-width: 2 } .bar { stroke: none }
"""
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 640, 160, 70, 40, 34


def document(title: str, height: int, parts: list[str], note: str = "") -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        f"<style>{STYLE}</style><rect class='page' width='{WIDTH}' height='{height}' rx='6'/>"
        f"<text x='16' y='24' font-weight='600'>{escape(title)}</text>"
        + (f"<text class='quiet' x='16' y='{height - 10}'>{escape(note)}</text>" if note else "")
        + "\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def bars(title: str, rows: list[tuple[str, list[float]]], series: list[str], unit: str = "", note: str = "") -> str:
    """Horizontal bars: for each row one bar for each series."""
    most = max(value for _, values in rows for value in values)
    thick, gap = 13, 10
    parts, y = [], TOP + (18 if len(series) > 1 else 0)
    if len(series) > 1:
        x = LEFT
        for number, name in enumerate(series):
            parts.append(f"<rect class='bar c{number}' x='{x}' y='{TOP - 6}' width='10' height='10'/>")
            parts.append(f"<text x='{x + 15}' y='{TOP + 3}'>{escape(name)}</text>")
            x += 15 + 8 * len(name) + 20
    for name, values in rows:
        middle = y + thick * len(values) / 2 + 4
        parts.append(f"<text x='{LEFT - 8}' y='{middle:.0f}' text-anchor='end'>{escape(name)}</text>")
        for number, value in enumerate(values):
            length = (WIDTH - LEFT - RIGHT) * value / most
            parts.append(f"<rect class='bar c{number}' x='{LEFT}' y='{y}' width='{length:.1f}' height='{thick - 2}'/>")
            parts.append(f"<text class='quiet' x='{LEFT + length + 5:.1f}' y='{y + 10}'>{number_text(value)}{unit}</text>")
            y += thick
        y += gap
    return document(title, y + BOTTOM, parts, note)


def lines(
    title: str, series: list[tuple[str, list[tuple[float, float]]]], x_label: str, y_label: str, *, logarithmic: bool = False,
    aim: float | None = None, note: str = "", top: float | None = None,
) -> str:  # fmt: skip
    """Lines over a common axis; `aim` is a dashed line."""
    left, height = 56, 300
    right = 130
    points = [point for _, values in series for point in values]
    lowest, highest = min(x for x, _ in points), max(x for x, _ in points)
    most = top or max([y for _, y in points] + ([aim] if aim else [])) * 1.08

    def across(x: float) -> float:
        if logarithmic:
            return left + (WIDTH - left - right) * math.log(x / lowest) / math.log(highest / lowest)
        return left + (WIDTH - left - right) * (x - lowest) / (highest - lowest)

    def up(y: float) -> float:
        return height - 50 - (height - 50 - TOP - 6) * y / most

    parts = []
    for tick in ticks(most):
        parts.append(f"<line class='grid' x1='{left}' x2='{WIDTH - right}' y1='{up(tick):.1f}' y2='{up(tick):.1f}'/>")
        parts.append(f"<text class='quiet' x='{left - 6}' y='{up(tick) + 4:.1f}' text-anchor='end'>{number_text(tick)}</text>")
    marks = sorted({x for x, _ in points}) if logarithmic else ticks(highest)
    for mark in marks:
        parts.append(f"<text class='quiet' x='{across(mark):.1f}' y='{height - 34}' text-anchor='middle'>{number_text(mark)}</text>")
    parts.append(f"<text class='quiet' x='{left}' y='{TOP}'>{escape(y_label)}</text>")
    parts.append(f"<text class='quiet' x='{WIDTH - right}' y='{height - 18}' text-anchor='end'>{escape(x_label)}</text>")
    if aim:
        parts.append(f"<line class='aim' x1='{left}' x2='{WIDTH - right}' y1='{up(aim):.1f}' y2='{up(aim):.1f}'/>")
    free: list[float] = []
    for number, (name, values) in enumerate(series):
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in values)
        parts.append(f"<polyline class='c{number}' style='fill:none' points='{path}'/>")
        if len(values) < 20:
            parts += [f"<circle class='c{number}' cx='{across(x):.1f}' cy='{up(y):.1f}' r='2.5'/>" for x, y in values]
        free.append(up(values[-1][1]))
    # Names stand beside the ends of their lines, and not on one another.
    for place, number in enumerate(sorted(range(len(series)), key=lambda each: free[each])):
        y = free[number] if place == 0 else max(free[number], last + 15)
        parts.append(f"<text class='c{number}' stroke='none' style='stroke:none' x='{WIDTH - right + 8}' y='{y + 4:.1f}'>{escape(series[number][0])}</text>")
        last = y
    return document(title, height, parts, note)


def ticks(most: float) -> list[float]:
    step = 10 ** math.floor(math.log10(most))
    for factor in (0.2, 0.25, 0.5, 1, 2, 5):
        if most / (step * factor) <= 6:
            return [step * factor * number for number in range(int(most / (step * factor)) + 1)]
    return [0, most]


def number_text(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1e6:g} M"
    if value >= 10_000 or value == int(value):
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
