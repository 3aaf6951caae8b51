// The pictures that the deep dive asks for: where each is drawn, or which suite would give it.

import type { PageDocument } from "../data";
import { printable } from "../format";
import { el } from "./dom";

interface Wanted {
  title: string;
  keys: string[]; // of suite.ts; any of them
  suite: string; // "": any
}

const wanted: Wanted[] = [
  { title: "Accuracy against model size, with the Pareto line", keys: ["quality-by-size"], suite: "quantization" },
  { title: "Loss by mode, absolute and relative", keys: ["metric-loss"], suite: "quantization" },
  { title: "Model size by mode", keys: ["size-ladder"], suite: "quantization" },
  { title: "Speedups of fusion", keys: ["speedup", "over-shapes"], suite: "fusion" },
  { title: "Attention by variant and shape", keys: ["ceiling", "ladder"], suite: "attention" },
  { title: "Tensor Cores against the ceiling", keys: ["ceiling"], suite: "matmul" },
  { title: "Distributions of samples", keys: ["samples"], suite: "" },
  { title: "Backends by type of network", keys: ["speedup", "over-shapes"], suite: "backends" },
  { title: "Set-up and compilation, and after how many calls they pay", keys: ["break-even"], suite: "backends" },
  { title: "Baseline, quantization, fusion, compilation in turn", keys: ["stages"], suite: "backends" },
];

// `chapters`: the sections of the reports, in the order of `pages`.
export function pictures_section(pages: readonly PageDocument[], chapters: readonly HTMLElement[]): HTMLElement {
  const lines = wanted.map(({ title, keys, suite }) => {
    const places = pages.flatMap((page, at) => {
      const { name } = page.current.report.suite;
      const found = keys.some((key) => chapters[at]?.querySelector(`[data-picture="${key}"] .picture`));
      return found && (suite === "" || name === suite) ? [{ name, id: chapters[at]?.id ?? "" }] : [];
    });
    const where =
      places.length > 0
        ? places.flatMap(({ name, id }, at) => [
            at > 0 ? ", " : "",
            el("a", { attributes: { href: `#${id}` } }, printable(name, 40)),
          ])
        : [
            el(
              "span",
              "faint",
              `not drawn: ${suite ? `no record here has it; the suite \`${suite}\` gives it` : "no record here has samples"}`,
            ),
          ];
    return el("li", places.length > 0 ? "drawn-here" : "not-drawn", `${title}: `, ...where);
  });
  return el(
    "section",
    { attributes: { id: "pictures", "aria-labelledby": "pictures-title" } },
    el("h2", { attributes: { id: "pictures-title" } }, "Pictures"),
    el("ul", null, ...lines),
  );
}
