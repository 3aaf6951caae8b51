// The suite as measured on the current side: speedups, roofline, quality against time, phases, ladders.

import type { CaseDetails, PageDocument } from "../data";
import { counted, printable } from "../format";
import { break_even, set_up_metric } from "../plots/break_even";
import { metric_by_variant, samples_by_variant } from "../plots/by_variant";
import { ceiling } from "../plots/ceiling";
import { form_of, grouped, ladder_of, ladders_of, size_of } from "../plots/names";
import { cost_metric, pareto, qualities, size_metrics, verification_error } from "../plots/pareto";
import { phases } from "../plots/phases";
import { roofline } from "../plots/roofline";
import type { Drawn, Look } from "../plots/plot";
import { most_rows, speedup } from "../plots/speedup";
import { staged, stages } from "../plots/stages";
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
function pareto_figure(
  cases: readonly RunCase[],
  details: readonly CaseDetails[],
  cost: RunCase | undefined,
): HTMLElement | null {
  const sizes = grouped(details, size_of);
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
        pareto(members(cases, sizes, group), members(details, sizes, group), quality ?? null, look, cost),
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

// A ladder of variants, by a list of its problems.
function ladder_figure(
  ladders: Map<string, CaseDetails[]>,
  draw: (rungs: CaseDetails[], name: string, look: Look) => Drawn,
): HTMLElement {
  return chosen_figure(
    [{ label: "Problem of the ladder", options: [...ladders.keys()] }],
    ([name]) =>
      (look) =>
        draw(ladders.get(name ?? "") ?? [], name ?? "", look),
  );
}

// Pictures of metrics that are no time: a declared metric by variant, and what a size buys.
function quality_figures(
  cases: readonly RunCase[],
  details: readonly CaseDetails[],
  ladders: Map<string, CaseDetails[]>,
): (HTMLElement | null)[] {
  const sizes = size_metrics(cases, details);
  const names = new Set(
    sizes
      .flatMap((size) => qualities(cases, details, size.metric).map((one) => one.name))
      .filter((name) => name !== verification_error),
  );
  const having = (metric: string) =>
    new Map([...ladders].filter(([, rungs]) => rungs.some((rung) => rung.series.some((one) => one.metric === metric))));
  return [
    ...sizes.flatMap((size) => [
      marked("quality-by-size", pareto_figure(cases, details, size)),
      marked(
        "size-ladder",
        ladder_figure(having(size.metric), (rungs, name, look) => waterfall(cases, rungs, name, size.metric, look)),
      ),
    ]),
    ...[...names].map((metric) =>
      marked(
        `metric-${metric}`,
        ladder_figure(having(metric), (rungs, _, look) => metric_by_variant(cases, rungs, metric, look)),
      ),
    ),
  ];
}

// Only where set-up times were asked for.
function break_even_figure(cases: readonly RunCase[], ladders: Map<string, CaseDetails[]>): HTMLElement | null {
  const timed = new Set(cases.filter((one) => one.metric === set_up_metric).map((one) => one.case));
  const some = new Map([...ladders].filter(([, rungs]) => rungs.filter((one) => timed.has(one.case)).length > 1));
  if (some.size === 0) return null;
  return ladder_figure(some, (rungs, name, look) => break_even(cases, rungs, name, look));
}

// Only where cases are tagged as stages.
function stages_figure(
  cases: readonly RunCase[],
  details: readonly CaseDetails[],
  time_of: (ladder: string) => string,
): HTMLElement | null {
  const ladders = staged(details);
  if (ladders.size === 0) return null;
  return ladder_figure(ladders, (rungs, name, look) => stages(cases, rungs, name, time_of(name), look));
}

// A picture that the list of pictures finds by its key.
function marked<Place extends HTMLElement | null>(key: string, place: Place): Place {
  if (place) place.dataset["picture"] = key;
  return place;
}

// `whole`: of a page of its own, which tells the plots without data and has the speedups of all cases above.
export function suite_section(page: PageDocument, scope: string, whole = true): HTMLElement {
  const { report, details } = page.current;
  const { cases } = report;
  const devices = [...new Set(details.map((one) => one.device))];
  const with_ceilings = devices.filter((device) => machine_of(report, device)?.ceilings["gemm_flops_per_s"]);
  const problems = grouped(details, ladder_of);
  const ladders = ladders_of(details);
  const with_speedup = cases.filter((one) => one.speedup);
  const time_of = (ladder: string) => cost_metric(members(cases, ladders, ladder))?.metric ?? "";
  const many = with_speedup.length > most_rows;
  const figures = [
    page.comparison === null && with_speedup.length > 0 && !many && whole
      ? null
      : marked(
          "speedup",
          chosen_figure(
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
        ),
    marked(
      "ladder",
      ladder_figure(ladders, (rungs, name, look) => waterfall(cases, rungs, name, time_of(name), look)),
    ),
    marked("stages", stages_figure(cases, details, time_of)),
    marked(
      "samples",
      ladder_figure(ladders, (rungs, name, look) => samples_by_variant(cases, rungs, time_of(name), look)),
    ),
    ...(with_ceilings.length > 0 ? with_ceilings : devices.slice(0, 1)).map((device) =>
      el(
        "div",
        { class: "slot", attributes: { "data-picture": "roofline" } },
        figure((look) => roofline(cases, details, device, machine_of(report, device), look), "h3"),
      ),
    ),
    marked("ceiling", ceiling_figure(cases, details)),
    marked("quality-by-time", pareto_figure(cases, details, cost_metric(cases))),
    ...quality_figures(cases, details, ladders),
    marked("break-even", break_even_figure(cases, ladders)),
    marked(
      "phases",
      chosen_figure(
        [{ label: "Cases with phases", options: details.length > most_rows ? [...problems.keys()] : [every] }],
        ([group]) =>
          (look) =>
            phases(members(details, problems, group), look),
      ),
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
    absent.length > 0 && whole
      ? el(
          "details",
          null,
          el("summary", null, `${counted(absent.length, "plot")} without data here, and how to get it`),
          el("div", "charts", ...absent),
        )
      : null,
  );
}
