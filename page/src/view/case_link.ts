// The address of a case on this page: #case=ID&metric=M, with &suite=S where there are several suites.

import { type Entry, find_entry } from "../report";

export function case_link({ case: name, metric, suite }: Entry): string {
  const field = (key: string, text: string) => `${key}=${encodeURIComponent(well_formed(text))}`;
  return `#${[field("case", name), field("metric", metric), ...(suite ? [field("suite", suite)] : [])].join("&")}`;
}

export function linked_entry(entries: readonly Entry[], hash: string): Entry | undefined {
  if (!hash.startsWith("#case=")) return undefined;
  const fields = new URLSearchParams(hash.slice(1).replace(/\+/g, "%2B"));
  return find_entry(entries, fields.get("case") ?? "", fields.get("metric"), fields.get("suite"));
}

// encodeURIComponent throws on half a surrogate pair.
function well_formed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
