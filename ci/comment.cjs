// One comment a pull request and call of gate.yml with the verdict of the last run, made once and then updated. Called by
// gate.yml in the run itself, with the `conclusion` of its judge and the `call`: its key, suites and runner. For forks called by
// comment.yml after the run. They use actions/github-script, whose
// API client pages, retries and authenticates, and which needs nothing installed; the tests call it with the same client.
//
// Text that a fork could have written is distrusted. Pull request, commit and run come from the
// event and the API. The reports in `folder`, a folder a suite or a folder of such folders, may be made by the pull request's
// code: each is read as text of bounded size and shown in a block of code, where no link, mention or HTML lives.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { fenced, plain, readReport } = require("./report_text.cjs");

// The mark of the comment of a call; of a fork's run, which may have several calls, there is one for all.
const markerOf = (call) => `<!-- harness: perf${call ? ` ${call.key}` : ""} -->`;
const limit = 65536;        // what GitHub takes in a comment, in characters; here bytes, which is never more
const most = 20;            // reports that are shown

function foldersIn(folder) {
  try {
    return fs.readdirSync(folder, {withFileTypes: true}).filter((one) => one.isDirectory())
      .map((one) => path.join(folder, one.name)).sort();
  } catch {
    return [];  // a run that failed early has left none
  }
}

// The reports of the suites, in the order of their folders' names.
function readReports(folder) {
  const all = foldersIn(folder).slice(0, most).flatMap((one) => [one, ...foldersIn(one).slice(0, most)]);
  return all.map((one) => plain(readReport(one, "verdict.txt") ?? "")).filter((text) => text.trim() !== "").slice(0, most);
}

const outcomes = {
  success: "passed",
  failure: "failed",
  cancelled: "was cancelled",
  timed_out: "ran out of time",
};

// A word of the call in a heading, as code that it cannot leave.
const asCode = (text) => `\`${plain(text).replace(/[`\s]+/g, " ").trim().slice(0, 200)}\``;

// A fork's run follows the fork's own workflow, so its conclusion says nothing here.
function heading(run, repo, call) {
  if (run.head_repository.full_name !== `${repo.owner}/${repo.repo}`)
    return `### perf, reported by a fork at ${run.head_sha}\n\nThe fork's own workflow made this report. Nothing here has checked it.`;
  const what = call ? `: ${asCode(call.suite)} on ${asCode(call.runner)}` : "";
  return `### perf ${outcomes[run.conclusion] || "ended without a verdict"} at ${run.head_sha}${what}`;
}

function body(run, repo, folder, call) {
  const reports = readReports(folder);
  const head = `${markerOf(call)}\n${heading(run, repo, call)}\n\n[Log, summary and artifacts of the run](${run.html_url})\n\n`;
  if (reports.length === 0) return head + "The run left no report.\n";
  const room = Math.floor((limit - Buffer.byteLength(head)) / reports.length);
  return head + reports.map((report) => fenced(report, room)).join("");
}

// The open pull request whose head this run measured. The event names it for branches of this repository
// only; for forks it is found by its head, and only while that is still the commit that was measured.
async function findPullRequest(github, repo, run) {
  const candidates = await github.paginate(github.rest.pulls.list, {
    ...repo,
    state: "open",
    head: `${run.head_repository.owner.login}:${run.head_branch}`,
    per_page: 100,
  });
  const measured = candidates.filter(
    (one) => one.head.sha === run.head_sha && one.head.repo && one.head.repo.id === run.head_repository.id);
  if (measured.length < 2) return measured[0];
  const named = (run.pull_requests || []).map((one) => one.number);
  const chosen = measured.filter((one) => named.includes(one.number));
  return named.length === 1 ? chosen[0] : undefined;
}

async function findComment(github, repo, number, call) {
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...repo,
    issue_number: number,
    per_page: 100,
  });
  return comments.find((one) =>
    one.user && one.user.type === "Bot" && one.user.login === "github-actions[bot]" &&
    (one.body || "").startsWith(markerOf(call)));
}

// The run of a pull request of this repository, told by the run itself.
async function ownRun(github, context, conclusion) {
  const named = context.payload.pull_request;
  const { data: pull } = await github.rest.pulls.get({...context.repo, pull_number: named.number});
  const run = {
    head_sha: named.head.sha, head_repository: named.head.repo, conclusion,
    html_url: `${context.serverUrl}/${context.repo.owner}/${context.repo.repo}/actions/runs/${context.runId}`,
  };
  return { run, pull: pull.head.sha === named.head.sha ? pull : undefined };
}

module.exports = async function comment({github, context, core, folder, conclusion, call}) {
  const repo = context.repo;
  let run = context.payload.workflow_run, pull;
  if (!run) {
    ({ run, pull } = await ownRun(github, context, conclusion));
  } else if (!run.head_repository) {
    core.notice("the fork that this run measured is gone");
    return;
  } else {
    pull = await findPullRequest(github, repo, run);
  }
  if (!pull) {
    core.notice(`no open pull request has the measured commit ${run.head_sha} as its head: nothing to comment on`);
    return;
  }
  const text = body(run, repo, folder, call);
  const known = await findComment(github, repo, pull.number, call);
  if (known) {
    await github.rest.issues.updateComment({...repo, comment_id: known.id, body: text});
  } else {
    await github.rest.issues.createComment({...repo, issue_number: pull.number, body: text});
  }
  core.info(`${known ? "updated" : "wrote"} the comment on #${pull.number}`);
};
