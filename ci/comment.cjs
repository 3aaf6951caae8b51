// One comment a pull request with the verdict of its last perf run, made once and then updated. Called by
// perf-comment.yml through actions/github-script, whose API client pages, retries and authenticates, and
// which needs nothing installed; the tests call it with the same client.
//
// Text that a fork could have written is distrusted. Pull request, commit and run come from the
// event and the API. The reports in `folder`, a folder a suite, were made by the pull request's code: each is read as
// text of bounded size and shown in a block of code, where no link, mention or HTML lives.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { fenced, plain, readReport } = require("./report_text.cjs");

const marker = "<!-- harness: perf -->";
const limit = 65536;        // what GitHub takes in a comment, in characters; here bytes, which is never more
const most = 20;            // reports that are shown

// The reports of the suites, in the order of their folders' names.
function readReports(folder) {
  let names = [];
  try {
    names = fs.readdirSync(folder).sort();
  } catch {
    // A run that failed early has left none.
  }
  return names.slice(0, most).map((name) => plain(readReport(path.join(folder, name), "verdict.txt") ?? "")).filter((text) => text.trim() !== "");
}

const outcomes = {
  success: "passed",
  failure: "failed",
  cancelled: "was cancelled",
  timed_out: "ran out of time",
};

// A fork's run follows the fork's own workflow, so its conclusion says nothing here.
function heading(run, repo) {
  if (run.head_repository.full_name !== `${repo.owner}/${repo.repo}`)
    return `### perf, reported by a fork at ${run.head_sha}\n\nThe fork's own workflow made this report. Nothing here has checked it.`;
  return `### perf ${outcomes[run.conclusion] || "ended without a verdict"} at ${run.head_sha}`;
}

function body(run, repo, folder) {
  const reports = readReports(folder);
  const head = `${marker}\n${heading(run, repo)}\n\n[Log, summary and artifacts of the run](${run.html_url})\n\n`;
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

async function findComment(github, repo, number) {
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...repo,
    issue_number: number,
    per_page: 100,
  });
  return comments.find((one) =>
    one.user && one.user.type === "Bot" && one.user.login === "github-actions[bot]" &&
    (one.body || "").startsWith(marker));
}

module.exports = async function comment({github, context, core, folder}) {
  const run = context.payload.workflow_run;
  const repo = context.repo;
  if (!run.head_repository) {
    core.notice("the fork that this run measured is gone");
    return;
  }
  const pull = await findPullRequest(github, repo, run);
  if (!pull) {
    core.notice(`no open pull request has the measured commit ${run.head_sha} as its head: nothing to comment on`);
    return;
  }
  const text = body(run, repo, folder);
  const known = await findComment(github, repo, pull.number);
  if (known) {
    await github.rest.issues.updateComment({...repo, comment_id: known.id, body: text});
  } else {
    await github.rest.issues.createComment({...repo, issue_number: pull.number, body: text});
  }
  core.info(`${known ? "updated" : "wrote"} the comment on #${pull.number}`);
};
