// The commands of the example files for other CIs:
//
//   node recipes.mjs gitlab FILE JOB    checks the job's keys; prints its script, variables first
//   node recipes.mjs jenkins FILE JOB   checks that the file is whole; prints the sh step of the stage
import assert from "node:assert/strict";
import fs from "node:fs";
import { parse } from "yaml";

const [kind, file, job] = process.argv.slice(2);
const text = fs.readFileSync(file, "utf8");

// https://docs.gitlab.com/ci/yaml
function gitlab() {
  const pipeline = parse(text);
  const one = pipeline[job];
  const known = ["stage", "tags", "resource_group", "timeout", "rules", "variables", "script", "artifacts"];
  assert.deepEqual(Object.keys(one).filter((key) => !known.includes(key)), []);
  assert.ok(one.script.every((line) => typeof line === "string"));
  const variables = Object.entries({ ...pipeline.variables, ...one.variables });
  assert.ok(variables.every(([, value]) => typeof value === "string"));
  assert.equal(one.artifacts.when, "always");
  assert.equal(pipeline.variables.GIT_DEPTH, "0");
  assert.equal(Boolean(one.tags?.includes("gpu")), job === "measure");  // a machine apart judges
  if (job === "judge") assert.ok(one.artifacts.paths.some((path) => one.artifacts.reports.junit.startsWith(path)));
  const [fork] = pipeline.measure.rules;
  assert.match(fork.if, /SOURCE_PROJECT_PATH != /);
  assert.deepEqual([fork.when, fork.allow_failure], ["manual", false]);
  return [...variables.map(([name, value]) => `export ${name}='${value}'`), ...one.script].join("\n");
}

// Comments and strings out, then every bracket has its partner.
function checkBrackets(groovy) {
  const code = groovy.replace(/'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/.*/g, "");
  const open = [];
  for (const [character] of code.matchAll(/[(){}[\]]/g)) {
    if ("({[".includes(character)) open.push(character);
    else assert.equal(open.pop(), { ")": "(", "}": "{", "]": "[" }[character], "brackets do not match");
  }
  assert.deepEqual(open, [], "a bracket is not closed");
  assert.doesNotMatch(code, /['"]/, "a string is not closed");
}

function jenkins() {
  checkBrackets(text);
  const variables = [...text.matchAll(/^ {4}(\w+) = '(.*?)'/gm)].map(([, name, value]) => `export ${name}='${value}'`);
  const stages = Object.fromEntries(text.split("stage('").slice(1).map((part) => [part.slice(0, part.indexOf("'")), part]));
  assert.deepEqual(Object.keys(stages), ["ask", "measure", "judge"]);
  assert.match(stages.ask, /when \{ expression \{ env\.CHANGE_FORK \} \}[^]*input /);
  assert.match(stages.judge, /agent \{ label '!gpu' \}/);
  assert.match(stages.judge, /junit testResults: 'judged\/junit.xml'/);
  // A string in three quotes keeps its lines; a backslash and a newline join two of them.
  const [, script] = /\bsh '''([^]*?)'''/.exec(stages[job]);
  return [...variables, script.replace(/\\\n/g, "")].join("\n");
}

process.stdout.write(`${kind === "gitlab" ? gitlab() : jenkins()}\n`);
