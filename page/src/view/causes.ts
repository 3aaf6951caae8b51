// Why a result changed, and the machine code of the kernels that differ: both sides next to each other.

import { counted, printable } from "../format";
import type { CodeSides, ComparisonRow } from "../reports";
import { el, name_of, prose, scrolling, table } from "./dom";

const shown_number = (value: number) => value.toLocaleString("en");

function figures(code: CodeSides): HTMLElement {
  const rows = code.differing.map((one) => [one.figure, shown_number(one.baseline), shown_number(one.current)]);
  return table(["figure", "baseline", "current"], rows, { class: "numbers" });
}

function lines(code: CodeSides): HTMLElement {
  const rows = code.lines.map((line) => {
    const differs = line.baseline !== line.current;
    const side = (text: string) => el("code", null, differs ? el("mark", null, printable(text, 80)) : printable(text, 80));
    return [differs ? "≠" : line.gap ? "⋮" : "", side(line.baseline), side(line.current)];
  });
  return table(["", "baseline", "current"], rows);
}

function code_of(code: CodeSides): HTMLElement {
  const name = printable(code.kernel, 200);
  const shown = code.lines.filter((line) => line.baseline !== line.current).length;
  return el(
    "details",
    "folded",
    el("summary", null, "Machine code of ", el("code", null, name_of(name)), ` on ${printable(code.architecture, 20)}`),
    code.differing.length > 0 ? scrolling(`Figures of ${name}`, figures(code)) : null,
    el(
      "p",
      "faint",
      code.too_long
        ? "Both sides are too long to be aligned."
        : `${counted(code.different, "line differs", "lines differ")}${shown < code.different ? `, of which ${shown} are shown` : ""}. ` +
            "Operations and the numbers in them are told, and not registers.",
    ),
    code.lines.length > 0 ? scrolling(`Instructions of ${name}`, lines(code)) : null,
  );
}

export function cause_section(row: ComparisonRow | null): HTMLElement | null {
  const why = row?.why ?? [];
  if (why.length === 0) return null;
  const code = (row?.code ?? []).filter((one) => one.architecture !== "" && !one.same);
  return el(
    "div",
    "figure",
    el("h4", null, "Why it changed"),
    el("ul", null, ...why.map((one) => el("li", null, el("bdi", null, prose(printable(one, 600)))))),
    ...code.map(code_of),
  );
}
