// Case names beside each other: what all of them share is said once.

import type { CaseDetails } from "../data";
import { printable } from "../format";

// The parts between slashes that differ between these cases.
export function short_names(cases: readonly string[]): string[] {
  const parts = cases.map((name) => name.split("/"));
  const first = parts[0];
  const same_shape = first !== undefined && parts.every((some) => some.length === first.length);
  if (!same_shape || cases.length < 2) return cases.map((name) => printable(name, 80));
  const telling = first.map((_, at) => parts.some((some) => some[at] !== first[at]));
  return parts.map((some) => printable(some.filter((_, at) => telling[at]).join(" ") || some.join("/"), 80));
}

function text_of(params: CaseDetails["params"], keep: (value: unknown) => boolean): string {
  return Object.entries(params)
    .filter(([, value]) => keep(value))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ");
}

// Cases that solve one problem and differ by variant alone, in suite order: the rungs of a ladder.
export function ladder_of(one: CaseDetails): string {
  return [one.workload, text_of(one.params, () => true), one.device].filter((part) => part !== "").join(" ");
}

// Cases of one size, whatever their variant and number format: those that may stand in for each other.
export function size_of(one: CaseDetails): string {
  return [one.workload, text_of(one.params, (value) => typeof value === "number"), one.device]
    .filter((part) => part !== "")
    .join(" ");
}

// Cases of one workload and form (number format, mode), whatever their size and variant.
export function form_of(one: CaseDetails): string {
  return [one.workload, text_of(one.params, (value) => typeof value !== "number"), one.device]
    .filter((part) => part !== "")
    .join(" ");
}

// The size of each case: its numbers, without those that are the same in all of them.
export function sizes_beside(cases: readonly CaseDetails[]): string[] {
  const first = cases[0]?.params ?? {};
  const same = new Set(
    Object.keys(first).filter((name) => cases.every((one) => one.params[name] === first[name])),
  );
  return cases.map((one) => {
    const numbers = Object.entries(one.params).filter(([name, value]) => typeof value === "number" && !same.has(name));
    return numbers.map(([name, value]) => `${name}=${String(value)}`).join(" ") || one.workload || one.case;
  });
}

// Ladders with more than one rung. Cases of an import name no variant and make none.
export function ladders_of(cases: readonly CaseDetails[]): Map<string, CaseDetails[]> {
  const ladders = grouped(
    cases.filter((one) => one.variant !== ""),
    ladder_of,
  );
  return new Map([...ladders].filter(([, rungs]) => rungs.length > 1));
}

export function grouped(cases: readonly CaseDetails[], key: (one: CaseDetails) => string): Map<string, CaseDetails[]> {
  const groups = new Map<string, CaseDetails[]>();
  for (const one of cases) {
    const name = key(one);
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return groups;
}
