// Text of reports that others made, for comments and issues.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

// The end of a file that is too large is not read; a link or a folder is no report.
function readReport(folder, name, limit = 1 << 20) {
  const file = path.join(folder, name);
  let descriptor;
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    if (!fs.fstatSync(descriptor).isFile()) return null;
    const bytes = Buffer.alloc(Math.min(limit, fs.fstatSync(descriptor).size));
    return bytes.toString("utf8", 0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

// Less what draws nothing, colours, or turns the reading direction.
function plain(text) {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)/g, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "");
}

// A block of code that the text cannot end: its fence is longer than any run of backticks inside. At most
// `room` bytes, cut at the end of a line.
function fenced(text, room) {
  const note = "\n... cut here: the whole report is in the run's artifact";
  let shown = text.replace(/`{1000,}/g, "`").trimEnd();
  let longest = 2;
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  const space = room - Buffer.byteLength(`${fence}text\n\n${fence}\n`);
  if (Buffer.byteLength(shown) > space) {
    const kept = Buffer.from(shown).subarray(0, space - Buffer.byteLength(note)).toString("utf8");
    const end = kept.lastIndexOf("\n");
    shown = (end > 0 ? kept.slice(0, end) : kept.replace(/\ufffd$/, "")) + note;
  }
  return `${fence}text\n${shown}\n${fence}\n`;
}

module.exports = { fenced, plain, readReport };
