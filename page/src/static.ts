// node plot.mjs --plot NAME [--case ID] [--metric M] [--width W] [--height H] [--theme light|dark] [-o OUT] [DOCUMENT]
//
// One plot of a page document (JSON, from a file or standard input) as SVG, drawn by the functions that the page
// uses. Where OUT ends in .png, `rsvg-convert` (Debian: librsvg2-bin) makes a PNG with the system's fonts. Exit status 1: the data for this plot is not there; 2: wrong usage.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "./decode";
import { plot_names, standing_plot } from "./standing";

class Usage extends Error {}

const usage =
  `usage: node plot.mjs --plot ${plot_names.join("|")} [--case ID] [--metric M]\n` +
  "                     [--width 800] [--height H] [--theme light|dark] [-o OUT.svg|OUT.png] [DOCUMENT.json]";

function arguments_of(words: string[]): Map<string, string> {
  const known = ["plot", "case", "metric", "width", "height", "theme", "output"];
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; ++at) {
    const word = words[at] as string;
    if (word === "--help" || word === "-h") throw new Usage(usage);
    const name = word === "-o" ? "output" : word.startsWith("--") ? word.slice(2) : null;
    if (name === null) given.set("document", word);
    else if (!known.includes(name))
      throw new Usage(`unknown option ${word}; known are ${known.map((one) => `--${one}`).join(", ")}`);
    else if (words[at + 1] === undefined) throw new Usage(`${word} needs a value`);
    else given.set(name, words[++at] as string);
  }
  return given;
}

function pixels(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 100 || number > 10000)
    throw new Usage(`--${name} is a number of pixels from 100 to 10000, not "${text}"`);
  return number;
}

function as_png(svg: string, output: string): void {
  const run = spawnSync("rsvg-convert", ["--format", "png", "--zoom", "2", "--output", output], { input: svg });
  if (run.error)
    throw new Error(
      "PNG needs the program `rsvg-convert` (Debian and Ubuntu: apt-get install librsvg2-bin), or write an .svg instead",
    );
  if (run.status !== 0) throw new Error(`rsvg-convert: ${run.stderr.toString().trim()}`);
}

function main(): void {
  const given = arguments_of(process.argv.slice(2));
  const name = given.get("plot");
  if (name === undefined || !plot_names.includes(name)) {
    throw new Usage(name === undefined ? usage : `unknown plot "${name}"; known are ${plot_names.join(", ")}`);
  }
  const theme = given.get("theme") ?? "light";
  if (theme !== "light" && theme !== "dark") throw new Usage(`--theme is light or dark, not "${theme}"`);
  const width = pixels(given.get("width"), "width") ?? 800;
  const height = pixels(given.get("height"), "height");
  const svg = standing_plot(parse(readFileSync(given.get("document") ?? 0, "utf8")), {
    plot: name,
    case: given.get("case") ?? null,
    metric: given.get("metric") ?? null,
    width,
    height,
    dark: theme === "dark",
  });
  const output = given.get("output");
  if (output === undefined) process.stdout.write(svg);
  else if (output.endsWith(".png")) as_png(svg, output);
  else writeFileSync(output, svg);
}

try {
  main();
} catch (problem) {
  process.stderr.write(`plot: ${problem instanceof Error ? problem.message : String(problem)}\n`);
  process.exitCode = problem instanceof Usage ? 2 : 1;
}
