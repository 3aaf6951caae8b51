// GitHub's expressions, evaluated by GitHub's own library.
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

const statusFunctions = ["success", "failure", "cancelled", "always"];

const parseExpression = (expression, contexts, functions) =>
  new Parser(new Lexer(expression).lex().tokens, contexts, functions).parse();
const nullary = (name) => ({ name, minArgs: 0, maxArgs: 0 });

// The error of an expression that may name these contexts; an empty text when there is none.
export function check(expression, contexts) {
  try {
    parseExpression(expression, contexts, statusFunctions.map(nullary));
    return "";
  } catch (error) {
    return `${expression.trim()}: ${error.message}`;
  }
}

// evaluate("github.event_name == 'push'", {github: {...}}, {failed, cancelled}) -> a plain value.
export function evaluate(expression, contexts, state = {}) {
  const { failed = false, cancelled = false } = state;
  const now = { success: !failed && !cancelled, failure: failed && !cancelled, cancelled, always: true };
  const functions = new Map(statusFunctions.map((name) =>
    [name, { ...nullary(name), call: () => new data.BooleanData(now[name]) }]));
  const known = JSON.parse(JSON.stringify(contexts), data.reviver);
  const tree = parseExpression(expression, Object.keys(contexts), [...functions.values()]);
  const result = new Evaluator(tree, known, functions).evaluate();
  return JSON.parse(JSON.stringify(result, data.replacer) ?? "null");
}

function asText(value) {
  return value === null ? "" : String(value);
}

// A value of a workflow file, its ${{ }} filled in. A text that is one expression keeps its type.
export function fill(value, contexts, state) {
  if (typeof value !== "string") return value;
  const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(value.trim());
  if (whole) return evaluate(whole[1], contexts, state);
  return value.replace(/\$\{\{(.*?)\}\}/gs, (_, inside) => asText(evaluate(inside, contexts, state)));
}

export function fillAll(map, contexts, state) {
  return Object.fromEntries(Object.entries(map ?? {}).map(([name, value]) => [name, asText(fill(value, contexts, state))]));
}

// An `if:`; without a status function it means success() && (...), and without a text success().
export function holds(condition, contexts, state) {
  if (condition === undefined || condition === null) return evaluate("success()", contexts, state);
  const inside = String(condition).trim().replace(/^\$\{\{(.*)\}\}$/s, "$1");
  const asks = new RegExp(`\\b(${statusFunctions.join("|")})\\s*\\(`).test(inside);
  return Boolean(evaluate(asks ? inside : `success() && (${inside})`, contexts, state));
}
