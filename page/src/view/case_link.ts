// The address of a case on this page: #case=ID&metric=M, with &suite=S where there are several suites; in a history
// with &device=D, and &commit=HASH where a commit was chosen.

import { type Entry, find_entry } from "../report";

export interface Linked {
  case: string;
  metric: string;
  suite?: string;
  device?: string;
  commit?: string;
}

export function case_link(linked: Linked): string {
  const fields = (["case", "metric", "suite", "device", "commit"] as const).flatMap((key) =>
    linked[key] || key === "case" ? [`${key}=${encodeURIComponent(well_formed(linked[key] ?? ""))}`] : [],
  );
  return `#${fields.join("&")}`;
}

export function fields_of(hash: string): URLSearchParams | null {
  return hash.startsWith("#case=") ? new URLSearchParams(hash.slice(1).replace(/\+/g, "%2B")) : null;
}

export function linked_entry(entries: readonly Entry[], hash: string): Entry | undefined {
  const fields = fields_of(hash);
  return fields ? find_entry(entries, fields.get("case") ?? "", fields.get("metric"), fields.get("suite")) : undefined;
}

// encodeURIComponent throws on half a surrogate pair.
function well_formed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
