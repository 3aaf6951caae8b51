// The claims of all suites: what was said, what was measured, how sure.

import type { CheckedClaim, ClaimStatus, ClaimsPage } from "../claims_data";
import { counted, percent, printable } from "../format";
import { claimed_speedups } from "../plots/claimed_speedups";
import { el, name_of, prose, scrolling, table } from "./dom";
import { figure } from "./figure";

const signs: Record<ClaimStatus, string> = { confirmed: "✓", refuted: "✕", open: "?" };
const classes: Record<ClaimStatus, string> = { confirmed: "improved", refuted: "failed", open: "inconclusive" };

function status_badge(status: ClaimStatus): HTMLElement {
  return el(
    "span",
    `badge ${classes[status] ?? ""}`,
    el("span", { class: "sign", attributes: { "aria-hidden": true } }, signs[status] ?? ""),
    printable(status, 20),
  );
}

function found_cell(one: CheckedClaim): HTMLElement {
  const rating = one.rating ? ` (${printable(one.rating, 20)})` : "";
  const more = [one.scope, one.gap].filter(Boolean).map((text) => el("div", "faint", printable(text, 200)));
  const cases =
    one.cases.length > 1
      ? el(
          "details",
          null,
          el("summary", null, counted(one.cases.length, "case")),
          table(
            ["case", "measured", "answer"],
            one.cases.map((pair) => [
              name_of(printable(pair.case, 200)),
              printable(pair.found || pair.gap, 120),
              status_badge(pair.status),
            ]),
          ),
        )
      : null;
  return el("div", null, el("strong", null, printable(one.found, 120)), rating, ...more, cases);
}

export function claims_section(page: ClaimsPage, id: string): HTMLElement {
  const rows = page.claims.map((one) => [
    el("span", "said", printable(one.says, 400)),
    printable(one.claimed, 80),
    found_cell(one),
    el("span", null, status_badge(one.status), one.gate ? " gated" : ""),
    printable(one.suite, 60),
    el("span", "faint", printable(one.source, 200)),
  ]);
  const title = `${id}-title`;
  const speedups = page.claims.filter((one) => one.figure === "speedup" && one.interval);
  return el(
    "section",
    { class: "claims", attributes: { id, "aria-labelledby": title } },
    el("h2", { attributes: { id: title } }, "Claims"),
    rows.length > 0 ? el("p", null, printable(page.headline, 200)) : null,
    rows.length > 0
      ? scrolling(
          "Table of claims",
          table(["statement", "claimed", "measured", "answer", "suite", "source"], rows, { class: "claimed" }),
        )
      : el("p", null, prose("No suite here has claims: the key `claims` of a suite holds them.")),
    speedups.length > 0 ? figure((look) => claimed_speedups(speedups, look), "h3") : null,
    rows.length > 0
      ? el(
          "p",
          "faint",
          `In brackets: the ${percent(page.confidence)} interval of one value a process. Confirmed: all of it lies in ` +
            "the range that is claimed. Refuted: all of it lies outside.",
        )
      : null,
  );
}
