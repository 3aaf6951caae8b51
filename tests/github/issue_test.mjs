// ci/alert/alert.cjs with the API client that actions/github-script gives it, against a server that keeps issues as GitHub
// does.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import github from "@actions/github";
import { empty, serve } from "./issues_server.mjs";

const alert = createRequire(import.meta.url)(path.join(process.env.HARNESS_SOURCE, "ci/alert/alert.cjs"));
const commit = (letter) => letter.repeat(40);
const record = (digit) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;

let server, folder, state, night;

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "harness-alert-"));
  server = serve(() => state, (changed) => (state = changed));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
});
after(() => {
  server.close();
  server.closeAllConnections?.();
  fs.rmSync(folder, { recursive: true });
});
beforeEach(() => {
  [state, night] = [empty(), 0];
  nothing();
});

function nothing() {
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
}

// A suite's verdict: the cases that regressed, or how it ended without one. `culprits`: of its search.
function suite(name, cases, { exit_code = cases.length > 0 ? 1 : 0, culprits, waived = [], informative = [] } = {}) {
  const artifact = path.join(folder, `harness-report-${name}.yaml`);
  fs.mkdirSync(artifact, { recursive: true });
  const rows = [...cases.map((one) => ({ case: one })), ...waived.map((one) => ({ case: one, waiver: {} })), ...informative.map((one) => ({ case: one, informative: true }))];
  fs.writeFileSync(path.join(artifact, "verdict.json"), JSON.stringify({
    format: "harness-comparison", version: 1, suite: name, exit_code, verdict: "regressed", current: { id: record(night) },
    cases: rows.map((one) => ({ metric: "gpu_time", verdict: "regressed", ratio: 1.0412, interval: [1.03, 1.05], waiver: null, informative: false, ...one })),
  }));
  if (culprits)
    fs.writeFileSync(path.join(artifact, "bisection.json"), JSON.stringify({
      format: "harness-bisect", cases: cases.slice(0, 1),
      culprits: culprits.map((hash) => ({ commit: hash, date: "2026-11-20T05:40:00Z", author: "Ann", subject: "larger tiles" })),
    }));
}

// A night with the suites that `measure` writes. Returns the marks.
async function comes(measure, more = {}) {
  nothing();
  ++night;
  measure();
  return alert({
    github: github.getOctokit("none", { baseUrl: `http://127.0.0.1:${server.address().port}` }),
    context: { repo: { owner: "example", repo: "kernels" }, sha: commit("abcdef"[night % 6]), runId: night },
    core: { info: () => {} },
    folder, ...more,
  });
}
const label = (issue, name) => issue.labels.push({ name });

test("a night without a regression opens nothing", async () => {
  await comes(() => suite("fusion", [], { waived: ["gelu"], informative: ["copy"] }));
  await comes(() => {});
  await comes(() => suite("fusion", [], { exit_code: 3 }));
  assert.equal(state.issues.length, 0);
  assert.ok(state.requests.every((one) => one.startsWith("GET")));
});

test("one issue is opened, updated and closed", async () => {
  await comes(() => suite("fusion", ["gelu/n=1"], { culprits: [commit("c")] }));
  assert.equal(state.issues.length, 1);
  const [issue] = state.issues;
  assert.equal(issue.title, "Slower: fusion");
  assert.match(issue.body, new RegExp(`First slower commit: ${commit("c")}\n`));
  assert.match(issue.body, /gelu\/n=1 {2}gpu_time {2}\+4\.12 % \[\+3\.00 %, \+5\.00 %\]/);
  assert.match(issue.body, /cccccccccc {2}2026-11-20 {2}Ann {2}larger tiles/);
  assert.match(issue.body, /actions\/runs\/1\)/);
  assert.deepEqual(state.labels.map((one) => one.name), ["performance alert", "true alert", "false alert"]);
  assert.deepEqual(issue.labels, [{ name: "performance alert" }]);

  await comes(() => suite("fusion", ["gelu/n=1"], { culprits: [commit("c")] }));
  assert.equal(state.issues.length, 1);
  assert.equal(state.comments.length, 0, "nothing new");
  assert.match(issue.body, /actions\/runs\/2\)/);

  await comes(() => (suite("fusion", ["gelu/n=1", "gelu/n=2"]), suite("attention", ["d=128"])));
  assert.equal(state.issues.length, 1);
  assert.equal(state.comments.length, 1);
  assert.match(state.comments[0].body, /gelu\/n=2 .*\nd=128|d=128 .*\ngelu\/n=2/s);
  assert.doesNotMatch(state.comments[0].body, /gelu\/n=1/);

  await comes(() => (suite("fusion", []), suite("attention", [], { exit_code: 3 })));
  assert.equal(issue.state, "open", "one suite has no verdict");
  await comes(() => suite("fusion", []));
  assert.equal(issue.state, "open", "one suite was not measured");
  await comes(() => (suite("fusion", []), suite("attention", []), suite("matmul", [], { exit_code: 5 })));
  assert.equal(issue.state, "closed");
  assert.equal(issue.state_reason, "completed");
  assert.match(state.comments.at(-1).body, /All its suites passed/);

  await comes(() => suite("fusion", ["gelu/n=1"]));
  assert.equal(state.issues.length, 2, "the next slowdown has an issue of its own");
  assert.equal(state.labels.length, 3);
});

test("several commits that could not be told apart are none that is named", async () => {
  await comes(() => suite("fusion", ["gelu"], { culprits: [commit("c"), commit("d")] }));
  assert.match(state.issues[0].body, /slower since one of these commits:\n {4}cccccccccc.*\n {4}dddddddddd/);
  assert.doesNotMatch(state.issues[0].body, /First slower/);
  await comes(() => suite("fusion", ["gelu"], { culprits: [commit("d")] }));
  assert.match(state.comments[0].body, /first slower commit: dddddddddd/);
});

test("an issue that somebody closed stays closed until something else is slower", async () => {
  await comes(() => suite("fusion", ["gelu"]));
  const [issue] = state.issues;
  issue.state = "closed";
  await comes(() => suite("fusion", ["gelu"]));
  assert.equal(state.issues.length, 1);
  assert.equal(issue.state, "closed");
  await comes(() => suite("fusion", ["gelu", "relu"]));
  assert.equal(state.issues.length, 2);
  assert.equal(issue.state, "closed");
  await comes(() => suite("fusion", ["gelu", "relu"]));
  assert.equal(state.issues.length, 2);
  await comes(() => suite("fusion", []));
  assert.equal(state.issues[1].state, "closed");
  assert.equal(state.comments.length, 1, "only to the open one");
});

test("labels are the marks of all records of an issue", async () => {
  await comes(() => suite("fusion", ["gelu"]));
  assert.deepEqual(await comes(() => suite("fusion", ["gelu"])), []);
  label(state.issues[0], "false alert");
  assert.deepEqual(await comes(() => suite("fusion", [])), [{ record: record(1), mark: "false" }, { record: record(2), mark: "false" }]);
  await comes(() => suite("fusion", ["gelu"]));
  label(state.issues[1], "true alert");
  assert.deepEqual((await comes(() => {})).map((one) => one.mark).sort(), ["false", "false", "true"]);
  label(state.issues[1], "false alert");
  assert.equal((await comes(() => {})).length, 2, "with both labels it has none");
  assert.deepEqual(await comes(() => {}, { now: Date.now() + 101 * 86400e3 }), [], "old ones are history");
});

test("other issues with the label are left alone, and the newest is found behind 250", async () => {
  for (let number = 1; number <= 250; ++number)
    state.issues.push({ number, state: "open", title: "mine", body: "about an alert", labels: [{ name: "performance alert" }, { name: "true alert" }], created_at: new Date().toISOString() });
  state.issues[7].body = null;
  await comes(() => suite("fusion", ["gelu"]));
  assert.equal(state.issues.length, 251);
  for (let number = 252; number <= 400; ++number)
    state.issues.push({ ...state.issues[0], number });
  assert.deepEqual(await comes(() => suite("fusion", [])), []);
  assert.equal(state.issues[250].state, "closed");
  assert.ok(state.issues.every((one) => one.number === 251 || one.body === null || one.body === "about an alert"));
});

test("names stay text, and the issue stays short enough", async () => {
  const hostile = "```\n@everyone <!-- --> [x](https://example.org) \u202e -->";
  await comes(() => suite("fusion --> @everybody", [hostile]));
  const [issue] = state.issues;
  const inside = /\n(`{4,})text\n([^]*?)\n\1\n/.exec(issue.body);
  assert.ok(inside[2].includes("@everyone"));
  const [, kept, ...lines] = issue.body.replace(inside[0], "").split("\n");
  assert.equal(kept.indexOf("-->"), kept.length - 3, "the state is a comment to its end");
  assert.doesNotMatch(lines.join("\n"), /-->|@every/, "outside the block nothing of theirs is text");
  assert.doesNotMatch(issue.body, /\u202e/);
  const many = Array.from({ length: 5000 }, (_, i) => `case_${"x".repeat(200)}_${i}`);
  await comes(() => Array.from({ length: 40 }, (_, i) => suite(`suite${i}`, many.slice(0, 20))));
  assert.ok(Buffer.byteLength(issue.body) <= 65536 && Buffer.byteLength(issue.body) > 60000, `${issue.body.length}`);
  assert.match(issue.body, /cut here/);
  for (const name of ["a", "b", "c"]) await comes(() => suite(name, many, { culprits: [commit("c")] }));
  assert.ok(Buffer.byteLength(issue.body) <= 65536, `${issue.body.length}`);
  assert.match(issue.body, /and 4980 more/);
  assert.ok(state.comments.every((one) => Buffer.byteLength(one.body) <= 65536));
});

test("a state that somebody edited is no error", async () => {
  await comes(() => suite("fusion", ["gelu"]));
  state.issues[0].body = "<!-- harness: alert -->\n<!-- harness: state {\"suites\": 3} -->";
  await comes(() => suite("fusion", ["gelu"]));
  assert.equal(state.issues.length, 1);
  assert.match(state.issues[0].body, /gelu/);
});

test("an API that refuses fails the job", async () => {
  await assert.rejects(alert({
    github: github.getOctokit("none", { baseUrl: `http://127.0.0.1:${server.address().port}/nowhere` }),
    context: { repo: { owner: "example", repo: "kernels" }, sha: commit("a"), runId: 1 }, core: { info: () => {} }, folder,
  }));
});
