import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { decode, parse, Unreadable, values_of } from "page/decode";
import { document_in } from "./documents";

const packed = (value: unknown) => deflateRawSync(Buffer.from(JSON.stringify(value))).toString("base64");
const least = { format: "harness-page", version: 1, title: "µ ✓ 漢" };

test("a document survives packing, with letters of every kind", () => {
  assert.deepEqual(decode(`\n ${packed(least)} \n`), { contents: null, claims: null, pages: [least], histories: [] });
});

test("several documents, one a line, come with their contents", () => {
  const part = (page: boolean) => ({ name: "a", headline: "b", tone: "bad", page });
  const contents = {
    format: "harness-pages",
    version: 1,
    headline: "h",
    tone: "bad",
    parts: [part(true), part(false)],
  };
  assert.deepEqual(decode(`${packed(contents)}\n${packed(least)}`), {
    contents,
    claims: null,
    pages: [least],
    histories: [],
  });
  const claims = { format: "harness-claims-page", version: 1, headline: "1 claim", confidence: 0.99, claims: [] };
  const led = { ...contents, parts: [{ name: "claims", headline: "", tone: "plain", page: true }, ...contents.parts] };
  assert.deepEqual(decode([led, claims, least].map(packed).join("\n")), {
    contents: led,
    claims,
    pages: [least],
    histories: [],
  });
  assert.deepEqual(decode(packed(claims)), { contents: null, claims, pages: [], histories: [] });
  assert.throws(() => decode(packed({ ...claims, version: 2 })), /version 2/);
  assert.throws(() => decode(packed(contents)), /damaged/, "a report is missing");
  assert.throws(() => decode(packed({ ...contents, version: 2 })), /version 2/);
});

test("a history unpacks a block of points when one of its series is asked for", () => {
  const head = { format: "harness-history-page", version: 1, headline: "h", commits: [["c", "d", "s", "r"]], block: 2 };
  const text = (...blocks: string[]) => [packed(head), ...blocks].map((one) => `${one}.`).join("");
  const [one] = decode(text(packed([{ at: [0] }, { at: [1] }]), "***")).histories;
  assert.ok(one);
  assert.deepEqual(one.commits, [{ hash: "c", date: "d", subject: "s", record: "r" }]);
  assert.deepEqual(one.points_of(1)?.at, [1]);
  assert.throws(() => one.points_of(2), /damaged/, "only now");
  assert.equal(one.points_of(4), null, "there was no room");
  assert.throws(() => decode(`${packed({ ...head, version: 2 })}.`), /version 2/);
  const parts = ["a", "b"].map((name) => ({ name, headline: "", tone: "plain", page: true }));
  const contents = { format: "harness-pages", version: 1, headline: "", tone: "plain", parts };
  assert.equal(decode([packed(contents), text(), text()].join("\n")).histories.length, 2);
});

test("a page without data says that none was put in", () => {
  assert.throws(() => decode("@HARNESS_DATA@"), /built without a report/);
  assert.throws(() => decode("  "), Unreadable);
});

test("damaged data is told from data of another format or version", () => {
  assert.throws(() => decode(packed(least).slice(0, 30)), /damaged|no JSON/);
  assert.throws(() => decode("***"), /damaged/);
  assert.throws(() => parse("[1"), /no JSON/);
  assert.throws(() => parse("null"), /no report of harness/);
  assert.throws(() => parse(JSON.stringify({ ...least, format: "harness-record" })), /no report of harness/);
  assert.throws(() => parse(JSON.stringify({ ...least, version: 2 })), /version 2/);
});

test("phases of an older document, an object a process, become their mean", () => {
  const of_process = (process: number, seconds: Record<string, number>) => ({ process, seconds });
  const phases = [of_process(1, { construct: 1, sampling: 2 }), of_process(2, { construct: 3 })];
  const read = (phases: unknown) =>
    parse(JSON.stringify({ ...least, current: { details: [{ series: [], phases }] } })).current?.details[0]?.phases;
  assert.deepEqual(read(phases), { construct: 2, sampling: 1 });
  assert.deepEqual(read({ construct: 4 }), { construct: 4 });
  assert.equal(read(null), null);
});

test("samples are sums of differences, and what was no number stays none", () => {
  const process = { per_unit: 1000, deltas: [38368, -1344, null, 1344] };
  assert.deepEqual(values_of(process as never), [38.368, 37.024, Number.NaN, 38.368]);
});

test("the samples of a page are those that were imported", () => {
  const page = document_in("comparison");
  const series = page.baseline.details.find((one: { case: string }) => one.case === "copy64MB/mode=hot").series[0];
  const first = values_of(series.processes[0]);
  assert.deepEqual(first.slice(0, 6), [38.368, 37.024, 38.368, 36.928, 38.048, 37.152]);
  assert.equal(first.length, series.processes[0].count);
});
