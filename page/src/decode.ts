// From the text inside the page's data element to the document: base64 of raw-deflated UTF-8 JSON.
// One small library does it in every browser and in node, so that there is one path to test.

import { inflateSync, strFromU8 } from "fflate";
import type { PageDocument, PlacementColumns, PlacementDetails, ProcessDetails } from "./data";

export class Unreadable extends Error {}

export function decode(base64: string): PageDocument {
  const text = base64.trim();
  if (text === "" || text.startsWith("@")) {
    throw new Unreadable("This page was built without a report in it. Write one with `--report html=FILE`.");
  }
  let json: string;
  try {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    json = strFromU8(inflateSync(packed));
  } catch {
    throw new Unreadable("The report in this page is damaged: the file was cut short or changed. Write it again.");
  }
  return parse(json);
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
  if (found.version !== 1) {
    throw new Unreadable(`This report is of version ${String(found.version)}; this page reads version 1.`);
  }
  for (const side of [found.baseline, found.current])
    for (const details of side?.details ?? [])
      for (const series of details.series)
        for (const process of series.processes) process.placements = rows_of(process.placements);
  return found;
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
