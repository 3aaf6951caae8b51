// One issue for the slowdowns of the branch that is measured at night: opened when a suite turns red, updated each night,
// closed when all its suites have passed. Called by action.yml through actions/github-script; the tests call it with the
// same client. `folder` has a folder of reports a suite, as ci/action leaves them.
//
// Names of cases and commits are others' text, so they are only shown in blocks of code. The issue's own state is JSON in
// a comment of its body: records, and cases that it has told of. Returns the marks of alerts, as `harness records mark`
// takes them: {record, mark}, by the labels that people gave the issues.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { fenced, plain, readReport } = require("../report_text.cjs");

const marker = "<!-- harness: alert -->";
const alertLabel = "performance alert";
const labels = {
  [alertLabel]: { color: "b60205", description: "A suite regressed on the branch" },
  "true alert": { color: "d93f0b", description: "The code did get slower" },
  "false alert": { color: "c5def5", description: "The code did not get slower" },
};
const limit = 65536;           // what GitHub takes in an issue
const reportLimit = 64 << 20;  // bytes of a JSON report
const mostRows = 20;           // cases that are shown of a suite
const mostKnown = 3000;        // cases that the state remembers
const mostRecords = 300;
const daysOfMarks = 100;       // `harness history` looks back 90 days

const isRecord = (text) => typeof text === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
const isCommit = (text) => typeof text === "string" && /^[0-9a-f]{40,64}$/.test(text);

function readJson(folder, name, format) {
  try {
    const report = JSON.parse(readReport(folder, name, reportLimit) ?? "");
    return report && report.format === format ? report : null;
  } catch {
    return null;
  }
}

const percent = (share) => `${share < 0 ? "-" : "+"}${Math.abs(share * 100).toFixed(2)} %`;

function row(one) {
  const interval = one.interval ? ` [${percent(one.interval[0] - 1)}, ${percent(one.interval[1] - 1)}]` : "";
  const change = one.ratio ? percent(one.ratio - 1) : "from or to zero";
  return `${one.case}  ${one.metric}  ${change}${interval}`;
}

// A suite's report in short: {suite, state, red: [{case, text}], record, commits, searched}. `state` is red, passed, or
// undecided where there is no verdict.
function readSuite(folder) {
  const report = readJson(folder, "verdict.json", "harness-comparison");
  if (!report || typeof report.suite !== "string" || !Array.isArray(report.cases)) return null;
  const red = report.cases.filter((one) => one.verdict === "regressed" && !one.waiver && !one.informative);
  const search = readJson(folder, "bisection.json", "harness-bisect");
  return {
    suite: report.suite,
    state: red.length > 0 ? "red" : report.exit_code === 0 ? "passed" : "undecided",
    red: red.map((one) => ({ case: String(one.case), text: row(one) })),
    record: report.current?.id,
    searched: search?.cases ?? [],
    commits: (search?.culprits ?? []).filter((one) => isCommit(one.commit)),
  };
}

function readSuites(folder) {
  let names = [];
  try {
    names = fs.readdirSync(folder).sort();
  } catch {
    // No suite left a report.
  }
  return names.map((name) => readSuite(path.join(folder, name))).filter(Boolean);
}

// The state of an issue, in a comment of its body, where nothing can end the comment.
function stateText(state) {
  return `<!-- harness: state ${JSON.stringify(state).replace(/[<>-]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)} -->`;
}

function stateOf(issue) {
  const state = { suites: {}, records: [], commits: [], ended: false };
  try {
    const kept = JSON.parse(/<!-- harness: state (\{.*\}) -->/.exec(issue.body ?? "")[1]);
    for (const [suite, known] of Object.entries(kept.suites)) state.suites[suite] = known.map(String);
    state.records = kept.records.filter(isRecord);
    state.commits = kept.commits.filter(isCommit);
    state.ended = kept.ended === true;
  } catch {
    // Somebody edited it away.
  }
  return state;
}

const short = (name) => crypto.createHash("sha256").update(name).digest("hex").slice(0, 8);

// Adds a night to a state. Returns what it had not told of.
function add(state, suites) {
  const news = { cases: [], commits: [] };
  let known = Object.values(state.suites).reduce((sum, cases) => sum + cases.length, 0);
  for (const one of suites.filter((each) => each.state === "red")) {
    const cases = (state.suites[one.suite] ??= []);
    for (const { case: name, text } of one.red) {
      if (cases.includes(short(name)) || known >= mostKnown) continue;
      cases.push(short(name));
      ++known;
      news.cases.push(text);
    }
    if (isRecord(one.record) && !state.records.includes(one.record)) state.records.push(one.record);
    for (const { commit } of one.commits)
      if (one.commits.length === 1 && !state.commits.includes(commit)) {
        state.commits.push(commit);
        news.commits.push(one.commits[0]);
      }
  }
  state.records = state.records.slice(-mostRecords);
  return news;
}

function commitText(commits) {
  return commits.map((one) => plain(`${one.commit.slice(0, 10)}  ${String(one.date).slice(0, 10)}  ${one.author}  ${one.subject}`).replace(/\n/g, " ")).join("\n");
}

function suiteText(one) {
  const lines = one.red.slice(0, mostRows).map(({ text }) => plain(text).replace(/\n/g, " "));
  if (one.red.length > mostRows) lines.push(`and ${one.red.length - mostRows} more`);
  let text = `${one.suite}\n${lines.map((line) => `  ${line}`).join("\n")}`;
  if (one.commits.length === 1) text += `\n  first slower commit, by ${one.searched.join(", ")}:\n    ${commitText(one.commits)}`;
  if (one.commits.length > 1) text += `\n  slower since one of these commits:\n${commitText(one.commits).replace(/^/gm, "    ")}`;
  return text;
}

function body(state, suites, run) {
  const red = suites.filter((one) => one.state === "red");
  const named = [...new Map(red.filter((one) => one.commits.length === 1).map((one) => [one.commits[0].commit, one])).keys()];
  const head = [
    marker, stateText(state),
    red.length > 0 ? `### Slower at ${run.sha}` : `### Passed at ${run.sha}`, "",
    ...(named.length > 0 ? [`First slower commit: ${named.join(", ")}`, ""] : []),
    `[Log, reports and artifacts of the run](${run.url})`, "", "",
  ].join("\n");
  const foot = [
    "", "Fix it, accept it with a waiver, or pin a new baseline. The issue closes itself when these suites have passed.",
    "", "Was it true? The label `true alert` or `false alert` says so, and `harness history` counts it.", "",
  ].join("\n");
  const room = limit - Buffer.byteLength(head + foot);
  return head + (red.length > 0 ? fenced(red.map(suiteText).join("\n\n"), room) : "") + foot;
}

function title(suites) {
  const names = suites.filter((one) => one.state === "red").map((one) => one.suite);
  return `Slower: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more suites` : ""}`.replace(/[^\x20-\x7e]/g, "?").slice(0, 250);  // GitHub takes 256
}

async function makeLabels(github, repo) {
  for (const [name, label] of Object.entries(labels)) {
    try {
      await github.rest.issues.createLabel({ ...repo, name, ...label });
    } catch (error) {
      if (error.status !== 422) throw error;  // 422: there is one
    }
  }
}

const labelsOf = (issue) => issue.labels.map((one) => (typeof one === "string" ? one : one.name));

// The mark of an issue's records; an issue with both labels has none.
function marksOf(issues, now) {
  const first = new Date(now - daysOfMarks * 86400e3).toISOString();
  const marks = [];
  for (const issue of issues.filter((one) => one.created_at >= first)) {
    const given = ["true", "false"].filter((mark) => labelsOf(issue).includes(`${mark} alert`));
    if (given.length === 1) marks.push(...stateOf(issue).records.map((record) => ({ record, mark: given[0] })));
  }
  return marks;
}

module.exports = async function alert({ github, context, core, folder, now = Date.now() }) {
  const repo = context.repo;
  const run = {
    sha: context.sha,
    url: `${process.env.GITHUB_SERVER_URL ?? "https://github.com"}/${repo.owner}/${repo.repo}/actions/runs/${context.runId}`,
  };
  const suites = readSuites(folder);
  const isRed = suites.some((one) => one.state === "red");
  const issues = (await github.paginate(github.rest.issues.listForRepo, { ...repo, state: "all", labels: alertLabel, per_page: 100 }))
    .filter((issue) => !issue.pull_request && (issue.body ?? "").startsWith(marker));  // the newest first
  const current = issues.find((issue) => !stateOf(issue).ended);

  const update = (issue, state, more = {}) =>
    github.rest.issues.update({ ...repo, issue_number: issue.number, body: body(state, suites, run), ...more });
  const say = (issue, text) => github.rest.issues.createComment({ ...repo, issue_number: issue.number, body: text });
  const open = async () => {
    await makeLabels(github, repo);
    const state = stateOf({});
    add(state, suites);
    const { data } = await github.rest.issues.create({ ...repo, title: title(suites), body: body(state, suites, run), labels: [alertLabel] });
    core.info(`opened #${data.number}`);
  };

  if (!current) {
    if (isRed) await open();
    return marksOf(issues, now);
  }
  const state = stateOf(current);
  const news = add(state, suites);
  const told = Object.keys(state.suites);  // none where somebody edited the state away
  const passed = (suite) => suites.some((one) => one.suite === suite && one.state === "passed");
  if (isRed && current.state === "closed" && news.cases.length > 0) {
    // Somebody has closed it, and what is new needs an issue of its own.
    await github.rest.issues.update({ ...repo, issue_number: current.number, body: body({ ...stateOf(current), ended: true }, suites, run) });
    await open();
  } else if (isRed) {
    await update(current, state);
    if (current.state === "open" && news.cases.length + news.commits.length > 0)
      await say(current, `At ${run.sha}:\n\n` + fenced([...news.cases.map(plain), ...(news.commits.length > 0 ? [`first slower commit: ${commitText(news.commits)}`] : [])].join("\n"), limit - 200));
    core.info(`updated #${current.number}`);
  } else if (told.length > 0 && told.every(passed)) {
    state.ended = true;
    if (current.state === "open") await say(current, `All its suites passed at ${run.sha}: [run](${run.url}).`);
    await update(current, state, current.state === "open" ? { state: "closed", state_reason: "completed" } : {});
    core.info(`closed #${current.number}`);
  } else {
    core.info(`#${current.number} stays open: no verdict of ${told.filter((suite) => !passed(suite)).length} of its suites`);
  }
  return marksOf(issues, now);
};
