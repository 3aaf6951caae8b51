// ci/comment.cjs with the API client that actions/github-script gives it, against a server that keeps
// pull requests and comments as GitHub does: 100 a page at most, linked by a header.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import github from "@actions/github";

const comment = createRequire(import.meta.url)(path.join(process.env.HARNESS_SOURCE, "ci/comment.cjs"));
const marker = "<!-- harness: perf -->";
const sha = "a".repeat(40);
const bot = { login: "github-actions[bot]", type: "Bot" };
const base = { full_name: "example/kernels", id: 1 };
const fork = { full_name: "somebody/kernels", id: 2 };

let server, folder, pulls, comments, requests, notices;

function pull(number, repo, headSha = sha, branch = "change") {
  return { number, state: "open", head: { sha: headSha, ref: branch, repo, label: `${repo.full_name.split("/")[0]}:${branch}` } };
}

// One page of a list, with the link to the next.
function page(request, response, list) {
  const url = new URL(request.url, `http://${request.headers.host}`);
  const size = Math.min(100, Number(url.searchParams.get("per_page") ?? 30));
  const number = Number(url.searchParams.get("page") ?? 1);
  if (number * size < list.length) {
    url.searchParams.set("page", number + 1);
    response.setHeader("link", `<${url}>; rel="next"`);
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(list.slice((number - 1) * size, number * size)));
}

function change(request, response, then) {
  let text = "";
  request.on("data", (part) => (text += part));
  request.on("end", () => {
    const { body } = JSON.parse(text);
    if (body.length > 65536) {
      response.statusCode = 422;
      return response.end(JSON.stringify({ message: "Body is too long (maximum is 65536 characters)" }));
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(then(body)));
  });
}

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "harness-comment-"));
  server = http.createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    requests.push(`${request.method} ${url.pathname}`);
    const list = /^\/repos\/example\/kernels\/issues\/(\d+)\/comments$/.exec(url.pathname);
    const one = /^\/repos\/example\/kernels\/issues\/comments\/(\d+)$/.exec(url.pathname);
    if (request.method === "GET" && url.pathname === "/repos/example/kernels/pulls")
      page(request, response, pulls.filter((each) => each.state === url.searchParams.get("state") && each.head.label === url.searchParams.get("head")));
    else if (request.method === "GET" && /pulls\/\d+$/.test(url.pathname)) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(pulls.find((each) => url.pathname.endsWith(`/${each.number}`))));
    } else if (request.method === "GET" && list) page(request, response, comments.filter((each) => each.issue === Number(list[1])));
    else if (request.method === "POST" && list)
      change(request, response, (body) => comments[comments.push({ id: comments.length + 1, issue: Number(list[1]), user: bot, body }) - 1]);
    else if (request.method === "PATCH" && one)
      change(request, response, (body) => Object.assign(comments.find((each) => each.id === Number(one[1])), { body }));
    else {
      response.statusCode = 404;
      response.end("{}");
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
});
after(() => {
  server.close();
  server.closeAllConnections?.();
  fs.rmSync(folder, { recursive: true });
});
beforeEach(() => {
  [pulls, comments, requests, notices] = [[], [], [], []];
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
});

// The work of comment.yml after a run of `repo` at `headSha` ended.
async function comes(run = {}, repo = base) {
  const workflow_run = {
    id: 5, head_sha: sha, head_branch: "change", conclusion: "failure", pull_requests: [],
    html_url: "https://github.com/example/kernels/actions/runs/5",
    head_repository: { ...repo, owner: { login: repo.full_name.split("/")[0] } }, ...run,
  };
  await comment({
    github: github.getOctokit("none", { baseUrl: `http://127.0.0.1:${server.address().port}` }),
    context: { repo: { owner: "example", repo: "kernels" }, payload: { workflow_run } },
    core: { notice: (text) => notices.push(text), info: () => {} },
    folder,
  });
}
// The work of the job `comment` of gate.yml for a pull request of this repository.
async function comesInTheRun(number, conclusion, headSha = sha, call = undefined) {
  await comment({
    github: github.getOctokit("none", { baseUrl: `http://127.0.0.1:${server.address().port}` }),
    context: { repo: { owner: "example", repo: "kernels" }, runId: 5, serverUrl: "https://github.com", payload: { pull_request: pull(number, base, headSha) } },
    core: { notice: (text) => notices.push(text), info: () => {} },
    folder, conclusion, call,
  });
}
// The report of a suite, in the folder of its artifact.
function report(text, suite = "fusion") {
  const artifact = path.join(folder, `harness-report-${suite}.yaml`);
  fs.mkdirSync(artifact, { recursive: true });
  fs.writeFileSync(path.join(artifact, "verdict.txt"), text);
}

test("the first run makes a comment, the second updates it", async () => {
  pulls = [pull(7, base)];
  report("REGRESSED: 1 of 2 cases\n");
  await comes();
  assert.equal(comments.length, 1);
  assert.equal(comments[0].issue, 7);
  assert.ok(comments[0].body.startsWith(`${marker}\n### perf failed at ${sha}`), comments[0].body);
  assert.match(comments[0].body, /actions\/runs\/5/);
  assert.match(comments[0].body, /```text\nREGRESSED: 1 of 2 cases\n```/);
  report("UNCHANGED\n");
  await comes({ conclusion: "success" });
  assert.equal(comments.length, 1);
  assert.match(comments[0].body, /perf passed/);
  assert.match(comments[0].body, /UNCHANGED/);
});

test("a run comments on its own pull request, with what its judge said", async () => {
  pulls = [pull(7, base)];
  const judged = path.join(folder, "harness-report-one", "fusion.yaml");
  fs.mkdirSync(judged, { recursive: true });
  fs.writeFileSync(path.join(judged, "verdict.txt"), "REGRESSED\n");
  await comesInTheRun(7, "failure");
  await comesInTheRun(7, "success");
  assert.equal(comments.length, 1);
  assert.ok(comments[0].body.startsWith(`${marker}\n### perf passed at ${sha}`), comments[0].body);
  assert.match(comments[0].body, /github.com\/example\/kernels\/actions\/runs\/5/);
  assert.match(comments[0].body, /```text\nREGRESSED\n```/);
  await comesInTheRun(7, "failure", "b".repeat(40));
  assert.equal(comments.length, 1);
  assert.match(comments[0].body, /perf passed/);
  assert.equal(notices.length, 1);
});

test("each call of the gate has a comment of its own", async () => {
  pulls = [pull(7, base)];
  report("UNCHANGED\n");
  const one = { key: "00000001", suite: "suite.yaml", runner: '"ubuntu-24.04"' };
  const other = { key: "00000002", suite: "a.yaml\n`@everyone` <b>", runner: '["self-hosted"]' };
  for (const conclusion of ["failure", "success"])
    for (const call of [one, other]) await comesInTheRun(7, conclusion, sha, call);
  assert.equal(comments.length, 2);
  assert.ok(comments[0].body.startsWith(`<!-- harness: perf 00000001 -->\n### perf passed at ${sha}: \`suite.yaml\` on \`"ubuntu-24.04"\`\n`), comments[0].body);
  assert.match(comments[1].body, /: `a.yaml @everyone <b>` on `\["self-hosted"\]`\n/);
});

test("the comment is found behind 250 others, and nobody else's is taken for it", async () => {
  pulls = [pull(7, base)];
  report("first\n");
  for (let i = 0; i < 250; ++i) comments.push({ id: i + 1, issue: 7, user: { login: "a", type: "User" }, body: `${marker}\nmine` });
  comments.push({ id: 251, issue: 7, user: { login: "other[bot]", type: "Bot" }, body: `${marker}\nanother bot's` });
  comments.push({ id: 252, issue: 7, user: bot, body: `talks about ${marker}` });
  comments.push({ id: 253, issue: 7, user: null, body: marker });
  await comes();
  assert.equal(comments.length, 254);
  report("second\n");
  await comes();
  assert.equal(comments.length, 254);
  assert.match(comments[253].body, /second/);
  assert.equal(comments.filter((one) => /second/.test(one.body)).length, 1);
});

test("a fork's pull request is found by its head, not by what the report says", async () => {
  pulls = [pull(3, base), pull(9, fork)];
  report("see pull request #3\n");
  fs.writeFileSync(path.join(folder, "pr"), "3");
  await comes({}, fork);
  assert.deepEqual(comments.map((one) => one.issue), [9]);
});

test("a fork's run does not choose the heading", async () => {
  pulls = [pull(9, fork)];
  report("UNCHANGED\n");
  await comes({ conclusion: "success" }, fork);
  assert.ok(comments[0].body.startsWith(`${marker}\n### perf, reported by a fork at ${sha}\n`), comments[0].body);
  assert.doesNotMatch(comments[0].body, /passed/);
});

test("a run of a commit that is no longer the head says nothing", async () => {
  pulls = [pull(9, fork, "b".repeat(40))];
  report("old\n");
  await comes({}, fork);
  assert.equal(comments.length, 0);
  assert.equal(notices.length, 1);
  assert.ok(requests.every((one) => one.startsWith("GET")));
});

test("a closed pull request, another repository of the same owner and a fork that is gone get none", async () => {
  pulls = [{ ...pull(4, fork), state: "closed" }, pull(5, { full_name: "somebody/other", id: 8 }), { ...pull(6, fork), head: { ...pull(6, fork).head, repo: null } }];
  await comes({}, fork);
  await comes({ head_repository: null });
  assert.equal(comments.length, 0);
  assert.equal(notices.length, 2);
});

test("of two pull requests with one head the event names the one that was measured", async () => {
  pulls = [pull(7, base), pull(8, base)];
  await comes({ pull_requests: [{ number: 8 }] });
  assert.deepEqual(comments.map((one) => one.issue), [8]);
  await comes();
  assert.equal(comments.length, 1);
});

test("hostile text stays in its block and draws what it is", async () => {
  pulls = [pull(7, base)];
  report("```\n@everyone <img src=https://example.org/x> [click](https://example.org)\n" +
    "``````\n\x1b[31mred\x1b[0m \u202egnp.exe\u202c \u0000 <!-- harness: perf -->\n~~~\n");
  await comes();
  const lines = comments[0].body.split("\n");
  const opening = lines.findIndex((line) => /^`+text$/.test(line));
  const fence = lines[opening].replace("text", "");
  const closing = lines.findIndex((line, index) => index > opening && /^ {0,3}`+\s*$/.test(line) && line.trim().length >= fence.length);
  assert.equal(fence.length, 7);
  assert.equal(lines.slice(closing + 1).join(""), "");
  assert.ok(lines.slice(0, opening).every((line) => !/everyone|img|click/.test(line)));
  assert.doesNotMatch(comments[0].body, /[\x00-\x08\x0b-\x1f\u202a-\u202e]/);
  assert.match(comments[0].body, /red gnp\.exe/);
});

test("every suite's report is shown, as much of each as there is room", async () => {
  pulls = [pull(7, base)];
  report("of fusion\n");
  report("of attention\n", "attention");
  fs.writeFileSync(path.join(folder, "stray"), "no folder\n");
  await comes();
  assert.match(comments[0].body, /```text\nof attention\n```\n```text\nof fusion\n```\n$/);
  for (const suite of ["fusion", "attention"]) report(`${suite} ${"x".repeat(60)}\n`.repeat(2000), suite);
  await comes();
  const { body } = comments[0];
  assert.equal(body.match(/cut here/g).length, 2);
  assert.ok(Buffer.byteLength(body) <= 65536 && Buffer.byteLength(body) > 64000, `${body.length}`);
  for (let number = 0; number < 300; ++number) report("x".repeat(1000), `suite${number}`);
  await comes();
  assert.ok(Buffer.byteLength(comments[0].body) <= 65536);
});

test("a long report is cut at a line and says so", async () => {
  pulls = [pull(7, base)];
  report("ä line with letters of two bytes: äöü\n".repeat(20000));
  await comes();
  const { body } = comments[0];
  assert.ok(Buffer.byteLength(body) <= 65536 && Buffer.byteLength(body) > 60000, `${body.length}`);
  assert.match(body, /äöü\n\.\.\. cut here: .*\n```\n$/);
  report("x".repeat(3 << 20));
  await comes();
  assert.ok(comments[0].body.length <= 65536);
  assert.match(comments[0].body, /cut here/);
});

test("no run of backticks is long enough to get out or to fail", async () => {
  pulls = [pull(7, base)];
  for (const text of ["`".repeat(1 << 20), "`a".repeat(1 << 19), `${"`".repeat(999)}\nout\n`, `${"`".repeat(70000)}\nout\n`]) {
    report(text);
    await comes();
    const fence = /\n(`+)text\n/.exec(comments[0].body)[1];
    const inside = comments[0].body.split(`\n${fence}text\n`)[1].split(`\n${fence}\n`)[0];
    assert.ok(!inside.includes(fence));
    assert.ok(Buffer.byteLength(comments[0].body) <= 65536);
    assert.ok(comments[0].body.endsWith(`\n${fence}\n`));
  }
});

test("a report that is missing, empty, a link, a folder or a pipe is none", async () => {
  pulls = [pull(7, base)];
  report("");
  const file = path.join(folder, "harness-report-fusion.yaml", "verdict.txt");
  const secret = path.join(folder, "secret");
  const kinds = [() => {}, () => fs.writeFileSync(file, "\u200b\n \x1b[0m"), () => fs.symlinkSync(secret, file), () => fs.mkdirSync(file),
    () => execFileSync("mkfifo", [file])];
  for (const make of kinds) {
    fs.rmSync(file, { recursive: true, force: true });
    fs.writeFileSync(secret, "secret");
    make();
    await comes({ conclusion: "cancelled" });
    assert.match(comments[0].body, /was cancelled.*The run left no report\.\n$/s);
    assert.doesNotMatch(comments[0].body, /secret/);
  }
});

test("an API that refuses fails the job", async () => {
  await assert.rejects(comment({
    github: github.getOctokit("none", { baseUrl: `http://127.0.0.1:${server.address().port}/nowhere`, request: { retries: 0 } }),
    context: { repo: { owner: "example", repo: "kernels" }, payload: { workflow_run: { head_repository: { ...base, owner: { login: "example" } }, head_branch: "change" } } },
    core: { notice: () => {}, info: () => {} },
    folder,
  }));
});
