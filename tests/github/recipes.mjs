// The commands of the example files for other CIs:
//
//   node recipes.mjs gitlab FILE    checks the job's keys; prints its script, variables first
//   node recipes.mjs jenkins FILE   checks that the file is whole; prints the scripts of its sh steps
import assert from "node:assert/strict";
import fs from "node:fs";
import { parse } from "yaml";

const [kind, file] = process.argv.slice(2);
const text = fs.readFileSync(file, "utf8");

function checkReports(script, junit) {
  assert.ok(script.includes(`junit=${junit},`), `no step writes ${junit}`);
}

// https://docs.gitlab.com/ci/yaml
function gitlab() {
  const { perf } = parse(text);
  const known = ["stage", "tags", "resource_group", "timeout", "rules", "variables", "script", "artifacts"];
  assert.deepEqual(Object.keys(perf).filter((key) => !known.includes(key)), []);
  assert.ok(perf.script.every((line) => typeof line === "string"));
  assert.ok(Object.values(perf.variables).every((value) => typeof value === "string"));
  assert.equal(perf.artifacts.when, "always");
  assert.equal(perf.variables.GIT_DEPTH, "0");
  checkReports(perf.script.join("\n"), perf.artifacts.reports.junit);
  assert.ok(perf.artifacts.paths.some((path) => perf.artifacts.reports.junit.startsWith(path)));
  const variables = Object.entries(perf.variables).map(([name, value]) => `export ${name}='${value}'`);
  return [...variables, ...perf.script].join("\n");
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
  // A string in three quotes keeps its lines; a backslash and a newline join two of them.
  const scripts = [...text.matchAll(/\bsh(?: '(.*)'|\(.*script: '''([^]*?)'''\))/g)].map(([, line, block]) => line ?? block.replace(/\\\n/g, ""));
  assert.equal(scripts.length, 2);
  checkReports(scripts[1], /junit testResults: '([^']*)'/.exec(text)[1]);
  return [...variables, ...scripts].join("\n");
}

process.stdout.write(`${kind === "gitlab" ? gitlab() : jenkins()}\n`);
