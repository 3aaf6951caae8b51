// The device kernels of a call on both sides, and their changes: appeared, vanished, took longer,
// changed shape. As CUPTI saw them in a pass of its own.

import type { Kernel } from "../data";
import { change, counted, printable, quantity, unknown } from "../format";
import type { Entry } from "../report";
import type { KernelChange } from "../reports";
import { type Child, el, name_of, prose, scrolling, table } from "./dom";

const kinds: Record<KernelChange["change"], string> = {
  moved: "moved",
  appeared: "appeared",
  vanished: "vanished",
  reshaped: "changed shape",
};

export function call_time(kernel: Kernel): number {
  return kernel.us === null ? Number.NaN : kernel.us * kernel.launches;
}

function shape(kernel: Kernel): string {
  const shared = kernel.static_shared_bytes + kernel.dynamic_shared_bytes;
  return [
    `grid ${kernel.grid.join("×")}`,
    `block ${kernel.block.join("×")}`,
    counted(kernel.registers, "register"),
    shared > 0 ? `${quantity(shared / 1024, 3)} KiB shared` : "",
    kernel.launches === 1 ? "" : counted(kernel.launches, "launch", "launches"),
  ]
    .filter(Boolean)
    .join(", ");
}

// Kernels of both sides in launch order, matched by name (the second of one name with the second).
export function matched(baseline: readonly Kernel[], current: readonly Kernel[]): { before?: Kernel; now?: Kernel }[] {
  const left = [...baseline];
  const pairs: { before?: Kernel; now?: Kernel }[] = current.map((now) => {
    const at = left.findIndex((kernel) => kernel.name === now.name);
    return at < 0 ? { now } : { now, before: left.splice(at, 1)[0] as Kernel };
  });
  return [...pairs, ...left.map((before) => ({ before }))];
}

function change_list(changes: readonly KernelChange[]): HTMLElement {
  return el(
    "ul",
    null,
    ...changes.map((one) =>
      el(
        "li",
        null,
        el("strong", null, kinds[one.change] ?? one.change),
        " ",
        el("code", null, name_of(printable(one.kernel, 200))),
        one.ratio !== null ? `: ${change(one.ratio)}` : "",
        one.what ? ` (${printable(one.what, 300)})` : "",
      ),
    ),
  );
}

export function kernel_section(entry: Entry): HTMLElement {
  const head = el("h4", null, "Kernels");
  const [before, now] = [entry.baseline_details?.kernels ?? null, entry.current_details?.kernels ?? null];
  const changes = entry.row?.kernels ?? [];
  if (!before && !now && changes.length === 0) {
    return el(
      "div",
      "figure missing",
      head,
      el("p", null, "Which device kernels a call launches is not in the records."),
      el(
        "p",
        "faint",
        el("strong", null, "To get it: "),
        prose(
          "measure on a GPU with `harness run` where CUPTI is installed; CPU cases and imported samples have no kernels.",
        ),
      ),
    );
  }
  const both = entry.row !== null;
  const list = matched(both ? (before ?? []) : [], now ?? []);
  const time = (kernel: Kernel | undefined) => (kernel ? quantity(call_time(kernel)) : unknown);
  const state = (one: (typeof list)[number]): Child => {
    if (!before || !now) return unknown;
    if (!one.before) return el("strong", null, "appeared");
    if (!one.now) return el("strong", null, "vanished");
    const code = one.before.code && one.now.code ? (one.before.code === one.now.code ? "same code" : "other code") : "";
    return `${change(call_time(one.now) / call_time(one.before))}${code ? `, ${code}` : ""}`;
  };
  const shapes = (one: (typeof list)[number]): Child => {
    const [old, fresh] = [one.before && shape(one.before), one.now && shape(one.now)];
    return old && fresh && old !== fresh
      ? el("span", null, el("strong", null, "≠ "), `${old} → ${fresh}`)
      : (fresh ?? old ?? "");
  };
  const columns = both
    ? ["kernel", "baseline, µs a call", "current, µs a call", "change", "shape"]
    : ["kernel", "µs a call", "shape"];
  const rows = list.map((one) => {
    const name = el("code", null, name_of(printable((one.now ?? one.before)?.name ?? "", 300)));
    return both ? [name, time(one.before), time(one.now), state(one), shapes(one)] : [name, time(one.now), shapes(one)];
  });
  const absent = both && !before ? "the baseline" : both && !now ? "the current side" : "";
  return el(
    "div",
    "figure",
    head,
    changes.length > 0
      ? change_list(changes)
      : both && before && now
        ? el("p", null, "No kernel appeared, vanished or changed its shape beyond what the table shows.")
        : null,
    absent ? el("p", "faint", `The record of ${absent} holds no kernels, so nothing is said about what moved.`) : null,
    list.length > 0 ? scrolling("Kernels", table(columns, rows, { class: "numbers" })) : null,
  );
}
