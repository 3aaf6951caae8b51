// The suite as measured on the current side: speedups, roofline, quality against time, phases, ladders.

import type { CaseDetails, PageDocument } from "../data";
import { counted, printable } from "../format";
import { ceiling } from "../plots/ceiling";
import { form_of, grouped, ladder_of, ladders_of, size_of } from "../plots/names";
import { cost_metric, pareto, qualities } from "../plots/pareto";
import { phases } from "../plots/phases";
import { roofline } from "../plots/roofline";
import { most_rows, speedup } from "../plots/speedup";
import { waterfall } from "../plots/waterfall";
import { machine_of } from "../report";
import type { RunCase } from "../reports";
import { el, names_of } from "./dom";
import { dispose_within, type Draw, figure } from "./figure";
import { over_shapes } from "./over_shapes";

interface Choice {
  label: string;
  options: string[];
}

// A figure that is one of several: a list beside its title chooses which. One option needs no list.
function chosen_figure(choices: Choice[], draw: (picked: string[]) => Draw): HTMLElement {
  const place = el("div", "slot");
  const lists = choices.map((choice) => {
    const list = el("select", { attributes: { "aria-label": choice.label } });
    choice.options.forEach((option, at) =>
      list.append(el("option", { attributes: { value: at } }, printable(option, 90))),
    );
    list.addEventListener("change", () => {
      show();
      list.focus();
    });
    return list;
  });
  const show = () => {
    const picked = choices.map((choice, at) => choice.options[Number(lists[at]?.value ?? 0)] ?? "");
    dispose_within(place);
    place.replaceChildren(
      figure(
        draw(picked),
        "h3",
        lists.filter((_, at) => (choices[at]?.options.length ?? 0) > 1),
      ),
    );
  };
  show();
  return place;
}

const every = "all cases";

// The cases (or anything with their names) of a group; all where no group is named.
function members<One extends { case: string }>(
  list: readonly One[],
  groups: Map<string, CaseDetails[]>,
  group: string | undefined,
): One[] {
  const names = new Set(groups.get(group ?? "")?.map((one) => one.case) ?? []);
  return group === undefined || group === every ? [...list] : list.filter((one) => names.has(one.case));
}

// Only where a quality varies: over the cases of a problem size, else over all.
function pareto_figure(cases: readonly RunCase[], details: readonly CaseDetails[]): HTMLElement | null {
  const sizes = grouped(details, size_of);
  const cost = cost_metric(cases);
  const offered = cost ? qualities(cases, details, cost.metric).map((one) => one.name) : [];
  if (!cost || offered.length === 0) return null;
  const several = [...sizes]
    .filter(([name, some]) => qualities(members(cases, sizes, name), some, cost.metric).length > 0)
    .map(([name]) => name);
  return chosen_figure(
    [
      { label: "Problem size", options: several.length > 0 ? several : [every] },
      { label: "Quality", options: offered },
    ],
    ([group, quality]) =>
      (look) =>
        pareto(members(cases, sizes, group), members(details, sizes, group), quality ?? null, look),
  );
}

// The workloads and number formats that have a share of a ceiling, those with most cases first.
function ceiling_figure(cases: readonly RunCase[], details: readonly CaseDetails[]): HTMLElement {
  const known = new Set(cases.filter((one) => one.share_of_ceiling != null).map((one) => one.case));
  const forms = grouped(
    details.filter((one) => known.has(one.case)),
    form_of,
  );
  const names = [...forms].sort(([, left], [, right]) => right.length - left.length).map(([name]) => name);
  return chosen_figure(
    [{ label: "Workload and number format", options: names }],
    ([form]) =>
      (look) =>
        ceiling(members(cases, forms, form ?? ""), forms.get(form ?? "") ?? [], form ?? "", look),
  );
}

export function suite_section(page: PageDocument, scope: string): HTMLElement {
  const { report, details } = page.current;
  const { cases } = report;
  const devices = [...new Set(details.map((one) => one.device))];
  const with_ceilings = devices.filter((device) => machine_of(report, device)?.ceilings["gemm_flops_per_s"]);
  const problems = grouped(details, ladder_of);
  const ladders = ladders_of(details);
  const with_speedup = cases.filter((one) => one.speedup);
  const many = with_speedup.length > most_rows;
  const figures = [
    page.comparison === null && with_speedup.length > 0
      ? null
      : chosen_figure(
          [
            {
              label: "Cases with speedups",
              options: many
                ? [...ladders.keys()]
                : [every, ...(ladders.size > 1 && with_speedup.length > 0 ? ladders.keys() : [])],
            },
          ],
          ([group]) =>
            (look) =>
              speedup(members(cases, ladders, group), look),
        ),
    chosen_figure([{ label: "Problem of the ladder", options: [...ladders.keys()] }], ([ladder]) => (look) => {
      const rungs = ladders.get(ladder ?? "") ?? [];
      return waterfall(
        cases,
        rungs,
        ladder ?? "",
        cost_metric(members(cases, ladders, ladder ?? ""))?.metric ?? "",
        look,
      );
    }),
    ...(with_ceilings.length > 0 ? with_ceilings : devices.slice(0, 1)).map((device) =>
      el(
        "div",
        "slot",
        figure((look) => roofline(cases, details, device, machine_of(report, device), look), "h3"),
      ),
    ),
    ceiling_figure(cases, details),
    pareto_figure(cases, details),
    chosen_figure(
      [{ label: "Cases with phases", options: details.length > most_rows ? [...problems.keys()] : [every] }],
      ([group]) =>
        (look) =>
          phases(members(details, problems, group), look),
    ),
  ].filter((one) => one !== null);
  const absent = figures.filter((one) => one.querySelector(".missing") && !one.querySelector("select"));
  const drawn = figures.filter((one) => !absent.includes(one));
  const id = `${scope}suite-title`;
  return el(
    "section",
    { attributes: { id: `${scope}suite`, "aria-labelledby": names_of(scope, id) } },
    el("h2", { attributes: { id } }, page.comparison ? "Suite, current side" : "Suite"),
    over_shapes(report, scope),
    drawn.length > 0 ? el("div", "charts", ...drawn) : null,
    absent.length > 0
      ? el(
          "details",
          null,
          el("summary", null, `${counted(absent.length, "plot")} without data here, and how to get it`),
          el("div", "charts", ...absent),
        )
      : null,
  );
}
