// The suite as measured on the current side: speedups, roofline, quality against time, phases, ladders.

import type { PageDocument } from "../data";
import { printable } from "../format";
import { grouped, ladder_of, size_of } from "../plots/names";
import { cost_metric, pareto, qualities } from "../plots/pareto";
import { phases } from "../plots/phases";
import { roofline } from "../plots/roofline";
import { most_rows, speedup } from "../plots/speedup";
import { waterfall } from "../plots/waterfall";
import { el } from "./dom";
import { dispose_within, type Draw, figure } from "./figure";

interface Choice {
  label: string;
  options: string[];
}

// A figure that is one of several: a list beside its title chooses which. One option needs no list.
function chosen_figure(choices: Choice[], draw: (picked: string[]) => Draw): HTMLElement {
  const place = el("div", "slot");
  const lists = choices.map((choice) => {
    const list = el("select", { attributes: { "aria-label": choice.label } });
    choice.options.forEach((option, at) => list.append(el("option", { attributes: { value: at } }, printable(option, 90))));
    list.addEventListener("change", () => {
      show();
      list.focus();
    });
    return list;
  });
  const show = () => {
    const picked = choices.map((choice, at) => choice.options[Number(lists[at]?.value ?? 0)] ?? "");
    dispose_within(place);
    place.replaceChildren(figure(draw(picked), "h3", lists.filter((_, at) => (choices[at]?.options.length ?? 0) > 1)));
  };
  show();
  return place;
}

export function suite_section(page: PageDocument): HTMLElement {
  const { report, details } = page.current;
  const cost = cost_metric(report.cases);
  const timed = report.cases.filter((one) => one.metric === cost?.metric);
  const devices = [...new Set(details.map((one) => one.device))];
  const with_ceilings = devices.filter((device) => report.machines[device]?.ceilings["gemm_flops_per_s"]);

  const with_speedup = timed.filter((one) => one.speedup);
  const problems = grouped(details, ladder_of);
  const every = "all cases";
  const speedup_groups = with_speedup.length > most_rows ? [...problems.keys()] : [every, ...(problems.size > 1 ? problems.keys() : [])];
  const names_in = (groups: Map<string, { case: string }[]>, group: string) => new Set(groups.get(group)?.map((one) => one.case) ?? []);

  const sizes = grouped(details, size_of);
  const size_names = [...sizes].filter(([, some]) => some.length > 1).map(([name]) => name);
  const pareto_groups = size_names.length > 0 ? size_names : [every];
  const offered = cost ? qualities(report.cases, details, cost.metric).map((one) => one.name) : [];
  const ladders = [...problems].filter(([, some]) => some.length > 1).map(([name]) => name);

  return el(
    "section", { attributes: { id: "suite", "aria-labelledby": "suite-title" } },
    el("h2", { attributes: { id: "suite-title" } }, page.comparison ? "Suite, current side" : "Suite"),
    el("div", "charts suite-charts",
      chosen_figure([{ label: "Cases with speedups", options: speedup_groups }], ([group]) => (look) => {
        const names = names_in(problems, group ?? "");
        return speedup(group === every ? timed : timed.filter((one) => names.has(one.case)), look);
      }),
      chosen_figure([{ label: "Problem of the ladder", options: ladders }], ([ladder]) => (look) =>
        waterfall(report.cases, problems.get(ladder ?? "") ?? [], ladder ?? "", cost?.metric ?? "", look)),
      ...(with_ceilings.length > 0 ? with_ceilings : devices.slice(0, 1)).map((device) =>
        figure((look) => roofline(timed, details, device, report.machines[device], look), "h3")),
      chosen_figure([{ label: "Problem size", options: pareto_groups }, { label: "Quality", options: offered }], ([group, quality]) => (look) => {
        const names = names_in(sizes, group ?? "");
        const kept = <One extends { case: string }>(list: readonly One[]) => (group === every ? [...list] : list.filter((one) => names.has(one.case)));
        return pareto(kept(report.cases), kept(details), quality ?? null, look);
      }),
      chosen_figure([{ label: "Cases with phases", options: details.length > most_rows ? [...problems.keys()] : [every] }], ([group]) => (look) =>
        phases(group === every ? details : (problems.get(group ?? "") ?? []), look)),
    ),
  );
}
