// The workflows and the action are clean, and each planted mistake is found.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { haveShellcheck, lint } from "./lint.mjs";

const root = process.env.HARNESS_SOURCE;
const workflows = fs.readdirSync(path.join(root, ".github/workflows")).map((name) => `.github/workflows/${name}`);
const files = Object.fromEntries([...workflows, ".github/actionlint.yaml", "ci/action/action.yml", "ci/alert/action.yml"]
  .map((name) => [name, fs.readFileSync(path.join(root, name), "utf8")]));

test("the workflows and the action are clean", async () => {
  assert.ok(workflows.length >= 3);
  assert.deepEqual(await lint(files), []);
});

const perf = ".github/workflows/perf.yml";
const gate = ".github/workflows/gate.yml";
const comment = ".github/workflows/comment.yml";
const ci = ".github/workflows/ci.yml";
const action = "ci/action/action.yml";
const mistakes = [
  ["an unknown input of an action", gate, "fetch-depth: 0", "fetchdepth: 0", /fetchdepth/],
  ["an unknown runner label", perf, "linux, x64, gpu", "linux, x64, tpu", /label "tpu" is unknown/],
  ["an unknown context", gate, "github.ref }}", "github.reff }}", /reff/],
  ["an unknown key", comment, "timeout-minutes", "timeout-minute", /timeout-minute/],
  ["an unknown input of the local action", gate, "suite: ${{ matrix", "suit: ${{ matrix", /no input suit|needs the input suite/],
  ["an unknown input of the called workflow", perf, "suite: suites/", "suit: suites/", /no input suit$|needs the input suite/],
  ["a call without the rights that it needs", perf, "      pull-requests: write  # the comment\n", "", /does not give .* the right pull-requests/],
  ["a call of what is not here", perf, "workflows/gate.yml", "workflows/gates.yml", /not here/],
  ["a secret where code runs", gate, '${{ inputs.read-store }}', '${{ secrets.STORE }}', /reads secrets|secrets/],
  ["a token that stays", gate, /(clean: false[^]*?)persist-credentials: false/, "$1persist-credentials: true", /leaves a token/],
  ["an output that the job before has not", gate, "outputs.suites) }}\n    runs", "outputs.names) }}\n    runs", /names/],
  ["a time that is none", perf, "17 2 * * *", "17 25 * * *", /25/],
  ["a job that runs forks", gate, "outputs.measure == 'true'", "outputs.measure != 'false'", /a fork's code on a machine of ours/],
  ["no condition at all", gate, "    if: needs.plan.outputs.measure == 'true'\n", "", /a fork's code on a machine of ours/],
  ["another's action that moves", ci, /actions\/checkout@[0-9a-f]{40}/, "actions/checkout@v4", /not pinned/],
  ["no permissions", ci, "permissions:\n  contents: read\n", "", /no permissions/],
  ["pull_request_target", ci, "  pull_request:\n", "  pull_request_target:\n", /pull_request_target/],
  ["head code with write rights", comment, "          repository: ${{ job.workflow_repository }}\n          ref: ${{ job.workflow_sha }}",
    "          ref: ${{ github.event.workflow_run.head_sha }}", /with write rights/],
  ["an expression in a script", ci, "run: ci/lint.sh", "run: ci/lint.sh --since ${{ github.sha }}", /pass it through env/],
  ["an unknown output", ci, "steps.harness.outputs.verdict", "steps.harness.outputs.result", /no output result/],
  ["a step without shell", action, "      shell: bash\n", "", /shell/],
  ["an input in a script", action, '"$GITHUB_ACTION_PATH/program.sh"', '"$GITHUB_ACTION_PATH/program.sh" "${{ inputs.harness }}"', /pass it through env/],
  ["an input that nothing reads", action, "INPUT_ALLOW: ${{ inputs.allow }}", "INPUT_ALLOW: none", /the input allow is not used/],
  ["an input that is not declared", action, "inputs.fail-on", "inputs.failon", /inputs\.failon is not declared/],
  ["a step that is not there", action, "steps.program.outputs", "steps.programm.outputs", /there is no step programm/],
  ["an unknown key of the action", action, "using: composite", "using: composit", /composit/],
  ["an unknown key of a step", action, "shell: bash", "shel: bash", /unknown key shel/],
  ["an unknown function", action, "if: always()", "if: alway()", /alway/],
  ["an unknown key of the action that keeps the issue", "ci/alert/action.yml", "using: composite", "using: composit", /composit/],
  ["a broken expression", action, "${{ inputs.lock }}", "${{ inputs.lock && }}", /inputs\.lock &&/],
];
if (haveShellcheck) mistakes.push(["a script with an unquoted variable", ci, '--preset "$PRESET"', "--preset $PRESET", /SC2086/]);

for (const [what, file, from, to, finding] of mistakes)
  test(`${what} is found`, async () => {
    const text = files[file].replace(from, to);
    assert.notEqual(text, files[file]);
    const findings = await lint({ ...files, [file]: text });
    assert.ok(findings.some((one) => one.startsWith(file) && finding.test(one)), findings.join("\n"));
  });
