// Runs one job of a workflow file as GitHub's runner would, in the current folder, which is the workspace:
//
//   node runner.mjs WORKFLOW JOB EVENT.json RESULT.json [--matrix NAME=VALUE]... [--with NAME=VALUE]... [--needs JOB=RESULT[,OUTPUT=VALUE]...]... [--needs-file JOB=RESULT.json]... [--vars NAME=VALUE]... [--called-by RESULT.json]
//
// EVENT.json: {"event_name": ..., "event": payload, and other members of the github context}. --matrix
// is one of the jobs that `strategy` makes, in JSON if it begins so, --needs and --needs-file the result of an earlier job, and
// its outputs. --with overrides an input of the local action that the job uses. A job that calls a workflow only fills in its
// inputs; --called-by gives its result to the jobs of that workflow. A workflow that is not called must name the event in its `on`,
// or nothing runs and the runner fails. Conditions, env, inputs and outputs are
// evaluated from the files; `run:` steps and local composite actions are executed; of the actions of
// others four do something. actions/upload-artifact copies the folder to the folder `artifacts` beside RESULT.json, and
// actions/download-artifact copies from there. actions/checkout with a `path` puts its `sparse-checkout` of `ref`, or a clone, there.
// The repository is the folder REPOSITORY_FOLDER, or the workspace; another one, which the called workflow is then of, is OTHER_REPOSITORY.
// actions/github-script runs its script with the API at GITHUB_API_URL. SIGTERM cancels the job: the step that runs gets SIGINT, and steps that ask for it
// still run.
//
// RESULT.json: name of the check, ran, conclusion, concurrency, outputs (of the job, and of the local action's step), annotations, summary,
// artifacts, and steps with their conclusion and exit status. The log goes to standard output, the exit
// status is 0 unless the runner itself fails.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import octokit from "@actions/github";
import { parse } from "yaml";
import { fill, fillAll, holds } from "./expressions.mjs";

const [workflowFile, jobName, eventFile, resultFile, ...rest] = process.argv.slice(2);
const overrides = {};
const matrix = {};
const needs = {};
const vars = {};
let called;
for (let i = 0; i < rest.length; i += 2) {
  if (rest[i] === "--called-by") {
    called = JSON.parse(fs.readFileSync(rest[i + 1], "utf8")).inputs;
    continue;
  }
  if (!["--with", "--matrix", "--needs", "--needs-file", "--vars"].includes(rest[i]) || !rest[i + 1]?.includes("=")) throw new Error(`unknown argument ${rest[i]}`);
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(rest[i + 1]);
  const [result, ...outputs] = value.split(",");
  if (rest[i] === "--needs-file") {
    const earlier = JSON.parse(fs.readFileSync(value, "utf8"));
    needs[name] = { result: earlier.conclusion, outputs: earlier.outputs };
  } else if (rest[i] === "--matrix" && value.startsWith("{")) matrix[name] = JSON.parse(value);
  else if (rest[i] === "--needs") needs[name] = { result, outputs: Object.fromEntries(outputs.map((one) => one.split("="))) };
  else ({ "--with": overrides, "--matrix": matrix, "--vars": vars })[rest[i]][name] = value;
}

const workspace = process.cwd();
const scratch = fs.mkdtempSync(path.join(path.dirname(path.resolve(resultFile)), "job-"));
const workflow = parse(fs.readFileSync(workflowFile, "utf8"));
const job = workflow.jobs[jobName];
const event = JSON.parse(fs.readFileSync(eventFile, "utf8"));
const github = {
  repository: "example/kernels", base_ref: "", head_ref: "", token: "none", workspace,
  server_url: "https://github.com", ref_name: (event.ref ?? "").replace(/^refs\/(heads|tags)\//, ""), ...event,
};
const folderOf = (repository) =>
  repository && repository !== github.repository ? process.env.OTHER_REPOSITORY : process.env.REPOSITORY_FOLDER ?? workspace;
const ownRepository = called && process.env.OTHER_REPOSITORY ? "OWNER/harness" : github.repository;
const inJob = {
  workflow_repository: ownRepository,
  workflow_sha: ownRepository === github.repository ? github.sha : execFileSync("git", ["rev-parse", "HEAD"], { cwd: folderOf(ownRepository), encoding: "utf8" }).trim(),
};
const inputs = called ? {} : event.event.inputs ?? {};
if (called) {
  for (const [name, { default: value }] of Object.entries(workflow.on.workflow_call.inputs)) inputs[name] = called[name] ?? value;
}
// Whether `on` of a workflow names this event, with its type and branch. https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
function startsBy(on) {
  const named = typeof on === "string" ? { [on]: null } : Array.isArray(on) ? Object.fromEntries(on.map((one) => [one, null])) : on;
  if (!(github.event_name in named)) return false;
  const { types, branches } = named[github.event_name] ?? {};
  const ofPullRequest = github.event_name.startsWith("pull_request");
  const known = types ?? (ofPullRequest ? ["opened", "synchronize", "reopened"] : undefined);
  if (ofPullRequest && !known.includes(github.event.action ?? "synchronize")) return false;
  const branch = ofPullRequest ? github.base_ref : (github.event.merge_group?.base_ref ?? github.ref ?? "").replace("refs/heads/", "");
  const matches = (pattern) => new RegExp(`^${pattern.replace(/[.+]/g, "\\$&").replace(/\*\*|\*/g, (stars) => (stars === "*" ? "[^/]*" : ".*"))}$`).test(branch);
  return branches === undefined || branches.some(matches);
}
if (!called && !startsBy(workflow.on)) throw new Error(`${workflowFile} does not start by ${github.event_name}`);

const contexts = { github, job: inJob, matrix, needs, inputs, vars, secrets: {}, runner: { temp: scratch }, env: {} };
const result = { ran: false, conclusion: "skipped", outputs: {}, annotations: [], artifacts: [], steps: [], summary: "" };
const state = { failed: false, cancelled: false };
let running;

process.on("SIGTERM", () => {
  state.cancelled = true;
  running?.kill("SIGINT");
});

// The command that the runner takes from a line of the log. Between stop-commands and its token nothing is.
let stopped = null;
function interpret(line) {
  const command = /^\s*::([^\s:]+)(?: (.*?))?::(.*)$/.exec(line);
  if (stopped !== null) {
    if (line.trim() === `::${stopped}::`) stopped = null;
    return;
  }
  if (!command) return;
  const [, kind, properties, message] = command;
  if (kind === "stop-commands") stopped = message;
  else if (["error", "warning", "notice"].includes(kind)) {
    const read = (text) => text.replace(/%0D/g, "\r").replace(/%0A/g, "\n").replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%25/g, "%");
    const pairs = (properties ?? "").split(",").filter(Boolean).map((pair) => /^([^=]*)=(.*)$/.exec(pair).slice(1));
    result.annotations.push({ kind, ...Object.fromEntries(pairs.map(([name, value]) => [name.trim(), read(value)])), message: read(message) });
  } else throw new Error(`unexpected workflow command ${kind}: ${line}`);
}

// The file that a step's outputs are written to: NAME=VALUE or NAME<<END, lines, END.
function readOutputs(file) {
  const outputs = {};
  const lines = fs.readFileSync(file, "utf8").split("\n");
  while (lines.length > 0) {
    const line = lines.shift();
    if (line === "") continue;
    const match = /^([A-Za-z_][\w-]*)(=|<<)(.*)$/.exec(line);
    if (!match) throw new Error(`a line of GITHUB_OUTPUT is no output: ${line}`);
    outputs[match[1]] = match[2] === "=" ? match[3] : lines.splice(0, lines.indexOf(match[3]) + 1).slice(0, -1).join("\n");
  }
  return outputs;
}

let count = 0;
async function execute(script, shell, environment, actionPath, folder = ".") {
  const files = {};
  for (const name of ["script.sh", "output", "summary"]) {
    files[name] = path.join(scratch, `${++count}-${name}`);
    fs.writeFileSync(files[name], name === "script.sh" ? script : "");
  }
  const { HARNESS, PLUGIN, ...inherited } = process.env;  // the test's own, which a job has not
  const options = shell === "bash" ? ["--noprofile", "--norc", "-e", "-o", "pipefail"] : ["-e"];
  running = spawn("bash", [...options, files["script.sh"]], {
    cwd: path.resolve(workspace, folder),
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited, CI: "true", GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: github.event_name,
      GITHUB_EVENT_PATH: path.resolve(eventFile), GITHUB_BASE_REF: github.base_ref, GITHUB_HEAD_REF: github.head_ref,
      GITHUB_REPOSITORY: github.repository, GITHUB_SHA: github.sha ?? "", GITHUB_REF: github.ref ?? "",
      GITHUB_WORKSPACE: workspace, RUNNER_TEMP: scratch, GITHUB_OUTPUT: files.output,
      GITHUB_STEP_SUMMARY: files.summary, ...environment, ...(actionPath ? { GITHUB_ACTION_PATH: actionPath } : {}),
    },
  });
  for (const stream of [running.stdout, running.stderr]) {
    let pending = "";
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      process.stdout.write(text);
      const lines = (pending + text).split("\n");
      pending = lines.pop();
      lines.forEach(interpret);
    });
    stream.on("end", () => pending && interpret(pending));
  }
  const status = await new Promise((done) => running.on("close", (code, signal) => done(code ?? `signal ${signal}`)));
  running = undefined;
  const summary = fs.readFileSync(files.summary);
  if (summary.length > 1024 * 1024) throw new Error(`a step's summary has ${summary.length} bytes and would be dropped`);
  result.summary += summary.toString();
  stopped = null;  // ends with the step
  return { status, outputs: readOutputs(files.output) };
}

const artifacts = path.join(path.dirname(path.resolve(resultFile)), "artifacts");
function upload(inputs) {
  const source = path.resolve(workspace, inputs.path);
  if (!fs.existsSync(source)) return;
  const target = path.join(artifacts, inputs.name);
  fs.rmSync(target, { recursive: true, force: true });
  fs.cpSync(source, target, { recursive: true });
  result.artifacts.push(inputs.name);
}

function download(inputs) {
  if (inputs.name) {  // into the folder itself
    if (fs.existsSync(path.join(artifacts, inputs.name))) fs.cpSync(path.join(artifacts, inputs.name), inputs.path, { recursive: true });
    return;
  }
  const pattern = new RegExp(`^${inputs.pattern.replace(/[.+]/g, "\\$&").replace(/\*/g, ".*")}$`);
  for (const name of fs.existsSync(artifacts) ? fs.readdirSync(artifacts) : [])
    if (pattern.test(name)) fs.cpSync(path.join(artifacts, name), path.join(inputs.path, name), { recursive: true });
}

// As actions/github-script: the script is the body of an async function.
async function runScript(inputs, environment) {
  const outputs = {};
  const core = { info: console.log, notice: console.log, setOutput: (name, value) => (outputs[name] = value) };
  const [owner, repo] = github.repository.split("/");
  const context = { repo: { owner, repo }, sha: github.sha, runId: 5, serverUrl: github.server_url, payload: github.event };
  const AsyncFunction = (async () => {}).constructor;
  const before = { ...process.env };
  Object.assign(process.env, environment);
  try {
    const client = octokit.getOctokit(inputs["github-token"] ?? github.token, { baseUrl: process.env.GITHUB_API_URL });
    await new AsyncFunction("github", "context", "core", "require", inputs.script)(client, context, core, createRequire(import.meta.url));
    return { status: 0, outputs };
  } catch (error) {
    console.log(error);
    return { status: 1, outputs };
  } finally {
    process.env = before;
  }
}

function checkOut(inputs) {
  const folder = path.resolve(workspace, inputs.path);
  const source = folderOf(inputs.repository);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const git = (...words) => execFileSync("git", words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (inputs["sparse-checkout"]) {
    const tree = execFileSync("git", ["archive", inputs.ref], { cwd: source, maxBuffer: 1 << 28 });
    execFileSync("tar", ["-x", "-C", folder], { input: tree });
    for (const name of fs.readdirSync(folder))  // its files of the top come, too
      if (name !== inputs["sparse-checkout"] && fs.statSync(path.join(folder, name)).isDirectory()) fs.rmSync(path.join(folder, name), { recursive: true });
    return;
  }
  git("init", "-q");
  git("fetch", "-q", source, "+refs/remotes/origin/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*", "+refs/heads/*:refs/pull/*");
  git("-c", "advice.detachedHead=false", "checkout", "-q", "--detach", inputs.ref);
}

async function runUses(step, known, environment) {
  const given = fillAll(step.with, known, state);
  if (!step.uses.startsWith("./")) {
    if (step.uses.startsWith("actions/upload-artifact@")) upload(given);
    if (step.uses.startsWith("actions/checkout@") && given.path) checkOut(given);
    if (step.uses.startsWith("actions/download-artifact@")) download(given);
    if (step.uses.startsWith("actions/github-script@")) return runScript(given, environment);
    return { status: 0, outputs: {} };
  }
  const folder = path.resolve(workspace, step.uses);
  const action = parse(fs.readFileSync(path.join(folder, "action.yml"), "utf8"));
  const inputs = {};
  const inside = { ...known, github: { ...known.github, action_path: folder }, inputs, steps: {} };
  for (const [name, input] of Object.entries(action.inputs)) inputs[name] = overrides[name] ?? given[name] ?? String(fill(input.default, inside, state) ?? "");
  const status = await runSteps(action.runs.steps, inside, environment, folder);
  const outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, output]) => [name, fill(output.value, inside, state)]));
  Object.assign(result.outputs, outputs);
  return { status, outputs };
}

// The first failing step's status; the rest run as their conditions say.
async function runSteps(steps, known, inherited, actionPath) {
  let first = 0;
  for (const step of steps) {
    const name = step.name ?? step.uses ?? step.run;
    if (!holds(step.if, known, state)) {
      result.steps.push({ name, conclusion: "skipped" });
      continue;
    }
    const environment = { ...inherited, ...fillAll(step.env, known, state) };
    const { status, outputs } = step.uses
      ? await runUses(step, known, environment)
      : await execute(fill(step.run, known, state), step.shell, environment, actionPath, step["working-directory"] ?? job.defaults?.run?.["working-directory"]);
    if (step.id) known.steps[step.id] = { outputs };
    result.steps.push({ name, conclusion: status === 0 ? "success" : "failure", status });
    if (status !== 0) state.failed = true;
    if (status !== 0 && first === 0) first = status;
  }
  return first;
}

const { concurrency } = { ...workflow, ...job };
if (job.name) result.name = fill(job.name, contexts);
if (concurrency) result.concurrency = { group: fill(concurrency.group, contexts), cancel: fill(concurrency["cancel-in-progress"], contexts) };
if (job.uses) result.inputs = Object.fromEntries(Object.entries(job.with ?? {}).map(([name, value]) => [name, fill(value, contexts)]));
if (!job.uses && holds(job.if, contexts, { failed: Object.values(needs).some((one) => one.result !== "success") })) {
  result.ran = true;
  const environment = { ...fillAll(workflow.env, contexts), ...fillAll(job.env, contexts) };
  const known = { ...contexts, env: environment, steps: {} };
  result.status = await runSteps(job.steps, known, environment);
  Object.assign(result.outputs, fillAll(job.outputs, known));
  result.conclusion = state.cancelled ? "cancelled" : state.failed ? "failure" : "success";
}
fs.writeFileSync(resultFile, JSON.stringify(result, null, 1));
