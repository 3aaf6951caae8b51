#!/usr/bin/env python3
"""Draws scoreboard.svg and programs.svg from the tables of deciders in measured/deciders-h200.md."""
import html
from pathlib import Path

MEASURED = Path(__file__).resolve().parents[2] / "measured"
COLUMNS = (("suite of 18 red", "#c0392b", "unchanged suite of 18 called red"), ("+1 %", "#7fb3d5", "+1 % found"),
           ("+2 %", "#1f618d", "+2 % found"))
PROGRAMS, BIAS = "## Public programs", "## Bias"  # where the tables of programs begin and end
LEFT, WIDTH, ROW, TOP = 210, 420, 24, 58


def tables(text):
    """{decider: {column: number}} of all tables whose first column is `decider`."""
    found, header = {}, None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            header = None
        elif cells[0] == "decider":
            header = cells
        elif header and not set(cells[1]) <= set("-:"):
            row = found.setdefault(cells[0], {})
            for name, cell in zip(header[1:], cells[1:]):
                row.setdefault(name, cell.split(" ")[0])  # without its bounds
    return {name: row for name, row in found.items() if all(column in row for column, _, _ in COLUMNS)}


def draw(rows, file):
    height = TOP + ROW * len(rows) + 16

    def x(percent):
        return LEFT + WIDTH * percent / 100

    def text(at, y, words, anchor="start"):
        return f'<text x="{at:g}" y="{y:g}" text-anchor="{anchor}">{html.escape(words)}</text>'

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 30} {height}" '
             'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    at = LEFT
    for _, colour, words in COLUMNS:
        lines += [f'<circle cx="{at}" cy="16" r="5" fill="{colour}"/>', text(at + 10, 20, words)]
        at += 40 + 6.2 * len(words)
    for percent in range(0, 101, 20):
        lines += [f'<path d="M{x(percent):g} {TOP - 8}V{height - 12}" stroke="#ddd"/>',
                  text(x(percent), TOP - 14, f"{percent} %", "middle")]
    for i, (name, cells) in enumerate(rows.items()):
        y = TOP + ROW * i + 8
        lines.append(text(LEFT - 12, y + 4, name, "end"))
        for column, colour, _ in reversed(COLUMNS):
            at = x(float(cells[column]))
            lines.append(f'<circle cx="{at:g}" cy="{y}" r="5" fill="{colour}" fill-opacity="0.85"/>')
    file.write_text("\n".join([*lines, "</svg>"]) + "\n")


def main():
    text = (MEASURED / "deciders-h200.md").read_text()
    draw(tables(text[:text.index(PROGRAMS)]), MEASURED / "scoreboard.svg")
    draw(tables(text[text.index(PROGRAMS):text.index(BIAS)]), MEASURED / "programs.svg")


if __name__ == "__main__":
    main()
