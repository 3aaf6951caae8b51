// plot.mjs: every plot as a file of its own, and what it says when it cannot.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { document_in, hostile_document } from "../lib/pages.mjs";

const program = join(process.env.PAGE_BUILD, "dist/plot.mjs");
const documents = Object.fromEntries(
  ["comparison", "run"].map((name) => {
    const path = join(process.env.PAGES, `${name}.document.json`);
    writeFileSync(path, JSON.stringify(document_in(name)));
    return [name, path];
  }),
);

function plot(...words) {
  return spawnSync("node", [program, ...words], { encoding: "utf8", maxBuffer: 1 << 26 });
}

// Elements close in the order in which they opened, attributes are quoted, nothing else holds "<".
function assert_well_formed(svg) {
  const open = [];
  const rest = svg.replace(
    /<(\/?)([\w:]+)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, closes, name, _attributes, empty) => {
      if (closes) assert.equal(open.pop(), name);
      else if (!empty) open.push(name);
      return "";
    },
  );
  assert.deepEqual(open, []);
  assert.ok(!/[<>]/.test(rest), rest.slice(0, 200));
  // eslint-disable-next-line no-control-regex
  assert.ok(!/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(svg), "letters that XML must not hold");
}

const hot = ["--case", "gelu/mode=hot"];
const pictures = [
  ["comparison", "distribution", hot],
  ["comparison", "ecdf", hot],
  ["comparison", "interval", hot],
  ["comparison", "timeline", hot],
  ["run", "speedup", []],
  ["run", "roofline", []],
  ["run", "ceiling", []],
  ["run", "pareto", []],
  ["run", "waterfall", []],
  ["run", "samples", []],
  ["run", "metric", ["--metric", "gpu_time"]],
];

for (const [from, name, words] of pictures) {
  test(`${name} becomes a drawing with a title and words`, () => {
    const result = plot("--plot", name, ...words, "--width", "640", documents[from]);
    assert.equal(result.status, 0, result.stderr);
    assert_well_formed(result.stdout);
    assert.match(result.stdout, /^<svg [^>]*width="640"/);
    assert.match(result.stdout, /<title>.+<\/title><desc>.+<\/desc>/);
    assert.ok((result.stdout.match(/<path/g) ?? []).length > 10, "hardly anything is drawn");
  });
}

test("cases with the tag `stages` become a drawing of stages", () => {
  const run = document_in("run");
  const { details, report } = run.current;
  const point = (name) => name.replace(/^([^/]*)\/[^/]*\//, "$1/");
  const [relative] = report.cases.filter((one) => one.speedup);
  for (const one of details)
    if (point(one.case) === point(relative.speedup.reference)) one.tags = ["stages"];
  const path = join(process.env.PAGES, "stages.document.json");
  writeFileSync(path, JSON.stringify(run));
  const result = plot("--plot", "stages", path);
  assert.equal(result.status, 0, result.stderr);
  assert_well_formed(result.stdout);
  assert.match(result.stdout, /Speedup stage by stage/);
  assert.match(result.stdout, /\(step /);
});

test("the document may come from standard input, and the drawing be dark and of a height", () => {
  const input = readFileSync(documents.comparison, "utf8");
  const result = spawnSync("node", [program, "--plot", "interval", ...hot, "--theme", "dark", "--height", "300"], {
    input,
    encoding: "utf8",
  });
  assert.equal(result.status, 0, result.stderr);
  assert.match(result.stdout, /height="300"/);
  assert.match(result.stdout, /fill="#171c24"/);
});

test("a file that ends in .png is a PNG, or the missing program is named", () => {
  const out = join(process.env.PAGES, "speedup.png");
  const result = plot("--plot", "speedup", "-o", out, documents.run);
  if (spawnSync("rsvg-convert", ["--version"]).error) {
    assert.equal(result.status, 1);
    assert.match(result.stderr, /rsvg-convert.*librsvg2-bin/);
  } else {
    assert.equal(result.status, 0, result.stderr);
    assert.ok(existsSync(out));
    assert.equal(readFileSync(out).subarray(1, 4).toString(), "PNG");
  }
});

test("data that is not there is said in words, with status 1", () => {
  const result = plot("--plot", "phases", documents.comparison);
  assert.equal(result.status, 1);
  assert.match(result.stderr, /not in the record.*harness run/);
  const cost = plot("--plot", "break-even", documents.run);
  assert.equal(cost.status, 1);
  assert.match(cost.stderr, /setup_time/);
  const in_turn = plot("--plot", "stages", documents.run);
  assert.equal(in_turn.status, 1);
  assert.match(in_turn.stderr, /in stages.*tags: \[stages\]/);
});

test("mistakes name the nearest that would do", () => {
  assert.match(plot("--plot", "intervall", documents.run).stderr, /unknown plot "intervall"; known are .*interval/);
  assert.match(
    plot("--plot", "ecdf", "--case", "gelu/mode=hott", documents.comparison).stderr,
    /nearest is "gelu\/mode=/,
  );
  assert.match(plot("--plot", "ecdf", ...hot, "--metric", "time", documents.comparison).stderr, /it has "gpu_time"/);
  assert.match(plot("--plot", "ecdf", documents.comparison).stderr, /name it with --case/);
  assert.match(plot("--plot", "ecdf", "--width", "wide", documents.comparison).stderr, /--width is a number/);
  assert.equal(plot("--plot", "nothing").status, 2);
  assert.equal(plot("--colour", "red").status, 2);
});

test("hostile names stay text in a drawing", () => {
  for (const [from, name] of [
    ["comparison", "distribution"],
    ["comparison", "timeline"],
    ["run", "speedup"],
    ["run", "pareto"],
    ["run", "waterfall"],
    ["run", "samples"],
    ["run", "metric"],
    ["run", "roofline"],
    ["run", "ceiling"],
  ]) {
    const attacked = hostile_document(document_in(from), ["unit"]); // a plot of times needs a unit of time
    const path = join(process.env.PAGES, "hostile.document.json");
    writeFileSync(path, JSON.stringify(attacked));
    const words = from === "comparison" ? ["--case", attacked.comparison.cases[0].case] : [];
    // A command line cannot carry a zero byte: such a case has no plot by name.
    if (words.some((word) => word.includes("\0"))) continue;
    const result = plot("--plot", name, ...words, path);
    assert.equal(result.status, 0, `${name}: ${result.stderr}`);
    assert_well_formed(result.stdout);
    assert.ok(!/<(script|img|iframe|foreignObject)/i.test(result.stdout));
  }
});
