// From the text inside the page's data element to its documents: base64 of raw-deflated UTF-8 JSON, one a line; a history
// is several with dots between them (history_data.ts).
// One small library does it in every browser and in node, so that there is one path to test.

import { inflateSync, strFromU8 } from "fflate";
import type { ClaimsPage } from "./claims_data";
import type { Contents, PageDocument, PlacementColumns, PlacementDetails, ProcessDetails } from "./data";
import type { History, HistoryHead, SeriesPoints } from "./history_data";

export class Unreadable extends Error {}

export interface Packed {
  contents: Contents | null; // null where there is one report
  claims: ClaimsPage | null; // they lead the reports, or are the one
  pages: PageDocument[];
  histories: History[]; // where there are some, there are no pages
}

export function decode(text: string): Packed {
  const [first = "@", ...others] = text.trim().split(/\s+/);
  if (first === "" || first.startsWith("@")) {
    throw new Unreadable("This page was built without a report in it. Write one with `--report html=FILE`.");
  }
  const alone = { contents: null, claims: null, pages: [], histories: [] };
  if (is_history(first)) return { ...alone, histories: [history_in(first)] };
  const json = unpacked(first);
  if (are_claims(json)) return { ...alone, claims: claims_in(json) };
  if (!json.startsWith('{"format":"harness-pages"')) return { ...alone, pages: [parse(json)] };
  const contents = JSON.parse(json) as Contents;
  check_version(contents.version);
  if (others.length !== contents.parts.filter((part) => part.page).length) throw new Unreadable(damaged);
  const histories = others.filter(is_history).map(history_in);
  const texts = others.filter((one) => !is_history(one)).map(unpacked);
  const claims = texts[0] !== undefined && are_claims(texts[0]) ? claims_in(texts[0]) : null;
  return { contents, claims, pages: texts.slice(claims ? 1 : 0).map(parse), histories };
}

// It alone ends its first packed text with a dot.
function is_history(text: string): boolean {
  return text.includes(".");
}

function are_claims(json: string): boolean {
  return json.startsWith('{"format":"harness-claims-page"');
}

function history_in(text: string): History {
  const [first = "", ...packed] = text.split(".").filter(Boolean);
  const head = JSON.parse(unpacked(first)) as HistoryHead;
  check_version(head.version);
  const opened = new Map<number, SeriesPoints[]>();
  const points_of = (row: number) => {
    const at = Math.floor(row / head.block);
    const block = packed[at];
    if (block === undefined) return null;
    if (!opened.has(at)) opened.set(at, JSON.parse(unpacked(block)) as SeriesPoints[]);
    return opened.get(at)?.[row % head.block] ?? null;
  };
  const commits = head.commits.map(([hash, date, subject, record]) => ({ hash, date, subject, record }));
  return { head, commits, points_of };
}

function claims_in(json: string): ClaimsPage {
  const claims = JSON.parse(json) as ClaimsPage;
  check_version(claims.version);
  return claims;
}

const damaged = "The report in this page is damaged: the file was cut short or changed. Write it again.";

export function unpacked(base64: string): string {
  try {
    const letters = atob(base64);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; ++at) bytes[at] = letters.charCodeAt(at);
    return strFromU8(inflateSync(bytes));
  } catch {
    throw new Unreadable(damaged);
  }
}

function check_version(version: unknown): void {
  if (version !== 1) throw new Unreadable(`This report is of version ${String(version)}; this page reads version 1.`);
}

export function parse(json: string): PageDocument {
  let found: PageDocument;
  try {
    found = JSON.parse(json) as PageDocument;
  } catch {
    throw new Unreadable("The report is no JSON document.");
  }
  if (found === null || typeof found !== "object" || found.format !== "harness-page") {
    throw new Unreadable("This is no report of harness: its format is not `harness-page`.");
  }
  check_version(found.version);
  for (const side of [found.baseline, found.current])
    for (const details of side?.details ?? []) {
      details.phases = mean_phases(details.phases);
      for (const series of details.series)
        for (const process of series.processes) process.placements = rows_of(process.placements);
    }
  return found;
}

// A phase that a process does not tell took no time there.
function mean_phases(phases: Record<string, number> | { seconds: Record<string, number> }[] | null) {
  if (!Array.isArray(phases)) return phases;
  const sums = new Map<string, number>();
  for (const { seconds } of phases)
    for (const [name, one] of Object.entries(seconds)) sums.set(name, (sums.get(name) ?? 0) + one / phases.length);
  return Object.fromEntries(sums);
}

function rows_of(placements: PlacementDetails[] | PlacementColumns): PlacementDetails[] {
  if (Array.isArray(placements)) return placements;
  return Array.from({ length: placements.rows }, (_, row) => {
    const own = Object.entries(placements.each).map(([name, column]) => [name, column[row]]);
    return { ...placements.same, ...Object.fromEntries(own) } as PlacementDetails;
  });
}

// The samples (or quantiles) of a process, NaN where what was recorded is no number. See data.ts.
export function values_of(process: ProcessDetails): number[] {
  let sum = 0;
  return process.deltas.map((delta) => {
    if (delta === null) return Number.NaN;
    sum += delta;
    return sum / process.per_unit;
  });
}
