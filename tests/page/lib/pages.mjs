// Pages for tests: what the program wrote, read back, changed, and written again into its template.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";

const opening = '<script id="harness-data" type="application/octet-stream">';

export function path_of(name) {
  return join(process.env.PAGES, `${name}.html`);
}

export function document_in(name) {
  return documents_in(name)[0];
}

// The contents of a page of several, then each of its reports.
export function documents_in(name) {
  const html = readFileSync(path_of(name), "utf8");
  const from = html.indexOf(opening) + opening.length;
  const lines = html.slice(from, html.indexOf("</script>", from)).trim().split(/\s+/);
  return lines.map((line) => JSON.parse(inflateRawSync(Buffer.from(line, "base64")).toString("utf8")));
}

const text_of = (value) => deflateRawSync(Buffer.from(JSON.stringify(value)), { level: 9 }).toString("base64");
const packed = (value) => (Array.isArray(value) ? value.map((one) => `${text_of(one)}.`).join("") : text_of(value));

// Writes a document, or the contents and the documents of several, as a page and returns the page's path. The document of
// a history is an array: its head and its blocks of points.
export function write_page(name, ...documents) {
  const template = readFileSync(join(process.env.PAGE_BUILD, "dist/page.html"), "utf8");
  const data = documents.map(packed).join("\n");
  const html = template.replace("@HARNESS_DATA@", () => data).replace("@HARNESS_TITLE@", "test");
  writeFileSync(path_of(name), html);
  return path_of(name);
}

// The deep dive that was made on an H200 and kept: today's page must read it.
export function write_sample(name) {
  const file = join(process.env.PAGE_SOURCE, "../tests/data/h200/deep-dive.jsonl.xz");
  const lines = execFileSync("xz", ["-dc", file], { encoding: "utf8", maxBuffer: 1e8 }).trim().split("\n");
  return write_page(name, ...lines.map((line) => JSON.parse(line)));
}

// The page of three suites: a comparison, a run, and one without a page.
export function write_several(name) {
  const part = (suite, tone, page) => ({ name: suite, headline: `${suite} in one line`, tone, page });
  const parts = [part("probe", "bad", true), part("fusion", "strong", true), part("smoke", "doubtful", false)];
  const contents = { format: "harness-pages", version: 1, headline: "2 of 3 suites did not pass", tone: "bad", parts };
  return write_page(name, contents, document_in("comparison"), document_in("run"));
}

// Names that attack HTML, scripts, SVG, the direction of text, ECharts' templates and CSS.
export const hostile = [
  '<img src=x onerror="window.attacked=1">',
  "</script><script>window.attacked=1</script>",
  "<!-- <script> -->]]>",
  "<svg onload=window.attacked=1>",
  "\"'><iframe src=javascript:parent.attacked=1>",
  "\u202egnp.exe\u2066\u200f",
  "{a|b}{b} ${window.attacked=1} %s {{c}}",
  "\u0000\u0007\u001b[31mred\u009b",
  "half \ud800 a pair",
  "x".repeat(10000),
  "&lt;b&gt;&amp;&#x3c;",
  "__proto__",
  "constructor",
  "`code` and **bold**",
];

// Words that the format itself defines.
const defined = new Set([
  "format",
  "verdict",
  "outcome",
  "direction",
  "form",
  "bound",
  "kind",
  "change",
  "state",
  "class",
  "started",
  "expires",
  "today",
]);

// The document with every other text replaced, one text by one hostile name wherever it stands, so that
// references still hold. Cases keep names of their own behind it. Keys that come from suites and machines
// are replaced, too; texts under the keys in `kept` are not.
export function hostile_document(page_document, kept = []) {
  const given = new Map();
  const name_for = (text, key) => {
    if (text === "") return text;
    if (!given.has(text)) {
      const name = hostile[given.size % hostile.length];
      given.set(text, key === "case" || key === "reference" || key === "device" ? `${name}/${text}` : name);
    }
    return given.get(text);
  };
  const own_keys = new Set(["params", "machines", "seconds"]);
  const walk = (value, key) => {
    if (typeof value === "string") return defined.has(key) || kept.includes(key) ? value : name_for(value, key);
    if (Array.isArray(value)) return value.map((one) => walk(one, key));
    if (value === null || typeof value !== "object") return value;
    // fromEntries makes own properties even of the key "__proto__".
    return Object.fromEntries(
      Object.entries(value).map(([at, one]) => [own_keys.has(key) ? name_for(at, "device") : at, walk(one, at)]),
    );
  };
  return walk(page_document, "");
}

// The document with its cases repeated under new names until there are `count` of them.
export function repeated(page_document, count) {
  const copies = (list) =>
    Array.from({ length: count }, (_, at) => {
      const one = list[at % list.length];
      return { ...one, case: `${one.case}/copy=${Math.floor(at / list.length)}` };
    });
  const side = (one) =>
    one && { report: { ...one.report, cases: copies(one.report.cases) }, details: copies(one.details) };
  return {
    ...page_document,
    comparison: page_document.comparison && {
      ...page_document.comparison,
      cases: copies(page_document.comparison.cases),
    },
    current: side(page_document.current),
    baseline: side(page_document.baseline),
  };
}
