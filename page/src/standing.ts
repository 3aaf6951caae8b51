// A plot that stands alone: chosen by name, drawn to an SVG text without a browser, with its title.

import type { PageDocument } from "./data";
import { init, setPlatformAPI } from "./echarts";
import { printable } from "./format";
import { break_even } from "./plots/break_even";
import { metric_by_variant, samples_by_variant } from "./plots/by_variant";
import { ceiling } from "./plots/ceiling";
import { ecdf } from "./plots/ecdf";
import { interval } from "./plots/interval";
import { form_of, grouped, ladder_of, ladders_of, size_of } from "./plots/names";
import { cost_metric, pareto } from "./plots/pareto";
import { phases } from "./plots/phases";
import { type Drawn, is_missing, type Look } from "./plots/plot";
import { roofline } from "./plots/roofline";
import { sides_of } from "./plots/sides";
import { speedup } from "./plots/speedup";
import { staged, stages } from "./plots/stages";
import { timeline } from "./plots/timeline";
import { violin } from "./plots/violin";
import { waterfall } from "./plots/waterfall";
import { type Entry, entries_of, find_entry, machine_of, series_of } from "./report";
import { dark, font, light } from "./theme";

export interface Wanted {
  plot: string;
  case: string | null;
  metric: string | null;
  width: number;
  height?: number | undefined;
  dark: boolean;
}

type Maker = (page: PageDocument, wanted: Wanted, look: Look) => Drawn;

// Nearest name first: how many of its beginning letters, then of all parts, are the same.
function nearest(name: string, names: readonly string[]): string {
  const parts = new Set(name.split(/[/=]/));
  const score = (other: string) => other.split(/[/=]/).filter((part) => parts.has(part)).length;
  return [...names].sort((left, right) => score(right) - score(left))[0] ?? "";
}

function entry_for(page: PageDocument, wanted: Wanted): Entry {
  const entries = entries_of(page);
  if (wanted.case === null) throw new Error(`--plot ${wanted.plot} is of one case: name it with --case`);
  const found = find_entry(entries, wanted.case, wanted.metric);
  if (found) return found;
  const same = find_entry(entries, wanted.case, null);
  if (same)
    throw new Error(
      `case "${printable(wanted.case, 200)}" has no metric "${printable(wanted.metric ?? "", 80)}"; it has "${printable(same.metric, 80)}"`,
    );
  throw new Error(
    `there is no case "${printable(wanted.case, 200)}"; the nearest is "${printable(
      nearest(
        wanted.case,
        entries.map((one) => one.case),
      ),
      200,
    )}"`,
  );
}

// The group of cases that the named case belongs to, or all cases.
function group(page: PageDocument, wanted: Wanted, key: typeof ladder_of) {
  const { details } = page.current;
  if (wanted.case === null) return details;
  const own = details.find((one) => one.case === wanted.case);
  if (!own)
    throw new Error(
      `there is no case "${printable(wanted.case, 200)}" with samples; the nearest is "${printable(
        nearest(
          wanted.case,
          details.map((one) => one.case),
        ),
        200,
      )}"`,
    );
  return grouped(details, key).get(key(own)) ?? [];
}

function cases_of(page: PageDocument, names: readonly { case: string }[]) {
  const kept = new Set(names.map((one) => one.case));
  return page.current.report.cases.filter((one) => kept.has(one.case));
}

const of_samples =
  (draw: typeof violin): Maker =>
  (page, wanted, look) => {
    const entry = entry_for(page, wanted);
    return draw(
      sides_of(series_of(entry.baseline_details, entry.metric), series_of(entry.current_details, entry.metric)),
      look,
    );
  };

// A ladder of variants, the first of `ladders` where no case is named, and the metric that is told of it: a time, where
// none is named.
const of_ladder =
  (draw: typeof metric_by_variant, ladders = ladders_of): Maker =>
  (page, wanted, look) => {
    const { details, report } = page.current;
    const some = wanted.case === null ? ([...ladders(details).values()][0] ?? []) : group(page, wanted, ladder_of);
    return draw(report.cases, some, wanted.metric ?? cost_metric(cases_of(page, some))?.metric ?? "", look);
  };

const makers: Record<string, Maker> = {
  speedup: (page, wanted, look) =>
    speedup(
      (wanted.case === null ? page.current.report.cases : cases_of(page, group(page, wanted, ladder_of))).filter(
        (one) => wanted.metric === null || one.metric === wanted.metric,
      ),
      look,
    ),
  roofline: (page, wanted, look) => {
    const { details, report } = page.current;
    const device =
      (wanted.case === null
        ? details.find((one) => machine_of(report, one.device)?.ceilings["gemm_flops_per_s"])
        : group(page, wanted, ladder_of)[0]
      )?.device ?? "";
    return roofline(report.cases, details, device, machine_of(report, device), look);
  },
  ceiling: (page, wanted, look) => {
    const groups = [...grouped(page.current.details, form_of).values()];
    const largest = groups.reduce((most, one) => (one.length > most.length ? one : most), groups[0] ?? []);
    const some = wanted.case === null ? largest : group(page, wanted, form_of);
    return ceiling(cases_of(page, some), some, some[0] ? form_of(some[0]) : "", look);
  },
  pareto: (page, wanted, look) => {
    const groups = [...grouped(page.current.details, size_of).values()];
    const some =
      wanted.case === null
        ? (groups.find((one) => one.length > 1) ?? page.current.details)
        : group(page, wanted, size_of);
    return pareto(cases_of(page, some), some, wanted.metric, look);
  },
  phases: (page, wanted, look) => phases(group(page, wanted, ladder_of), look),
  waterfall: of_ladder((cases, rungs, metric, look) =>
    waterfall(cases, rungs, rungs[0] ? ladder_of(rungs[0]) : "", metric, look),
  ),
  "break-even": of_ladder((cases, rungs, _, look) =>
    break_even(cases, rungs, rungs[0] ? ladder_of(rungs[0]) : "", look),
  ),
  stages: of_ladder(
    (cases, rungs, metric, look) => stages(cases, rungs, rungs[0] ? ladder_of(rungs[0]) : "", metric, look),
    staged,
  ),
  samples: of_ladder(samples_by_variant),
  metric: of_ladder(metric_by_variant),
  distribution: of_samples(violin),
  ecdf: of_samples(ecdf),
  timeline: of_samples(timeline),
  interval: (page, wanted, look) => {
    const entry = entry_for(page, wanted);
    if (entry.row) return interval(entry.row, look);
    return {
      title: "Change against the margin",
      missing: "This is a run: nothing was compared.",
      remedy: "Use the document of a comparison.",
    };
  },
};

export const plot_names = Object.keys(makers);

const heading = 34;

// Widths of letters in shares of the font's size, about those of DejaVu Sans: text set in a narrower font
// leaves a gap, and none overlaps. Without a browser there is nothing to measure by.
const letter_widths: [RegExp, number][] = [
  [/[iljtfrI.,:;'|! ()[\]/]/, 0.4],
  [/[mwMW@%]/, 0.95],
  [/[^\u0000-\u02ff\u2000-\u20ff\u2200-\u22ff]/, 1],
];

setPlatformAPI({
  measureText(text: string, of_font?: string) {
    const size = Number(/([\d.]+)px/.exec(of_font ?? "")?.[1] ?? 12);
    let width = 0;
    for (const letter of text) width += size * (letter_widths.find(([letters]) => letters.test(letter))?.[1] ?? 0.63);
    return { width };
  },
});

export function standing_plot(page: PageDocument, wanted: Wanted): string {
  const theme = wanted.dark ? dark : light;
  const drawn = (makers[wanted.plot] as Maker)(page, wanted, { theme, width: wanted.width });
  if (is_missing(drawn)) throw new Error(`${drawn.missing} ${drawn.remedy}`);
  const height = (wanted.height ?? drawn.height + heading) - heading;
  if (height < 80) throw new Error(`--height must be at least ${80 + heading}`);
  const chart = init(null as unknown as HTMLElement, null, { renderer: "svg", ssr: true, width: wanted.width, height });
  chart.setOption({ ...drawn.option, tooltip: { show: false } });
  const inner = chart.renderToSVGString();
  chart.dispose();
  const of_case =
    wanted.case === null ? "" : ` · ${printable(wanted.case, Math.max(20, Math.floor(wanted.width / 9)))}`;
  return titled(inner, drawn.title + of_case, drawn.summary, wanted.width, height + heading, theme.surface, theme.text);
}

// The picture below a heading, on a ground, with its words for those who do not see it.
function titled(
  inner: string,
  title: string,
  summary: string,
  width: number,
  height: number,
  ground: string,
  ink: string,
): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">` +
    `<title>${escaped(title)}</title><desc>${escaped(summary)}</desc>` +
    `<rect width="${width}" height="${height}" fill="${ground}"/>` +
    `<text x="12" y="22" font-family="${escaped(font)}" font-size="14" font-weight="600" fill="${ink}">${escaped(title)}</text>` +
    still(inner).replace("<svg", `<svg y="${heading}"`) +
    "</svg>\n"
  );
}

// Without what ECharts adds for a pointer (styles on hovering, and the classes that they are for), and
// with text centred in a way that librsvg knows, too.
function still(picture: string): string {
  return picture
    .replace(/dominant-baseline="central"/g, 'dy="0.35em"')
    .replace(/<style\s*><!\[CDATA\[[\s\S]*?\]\]>\s*<\/style>/g, "")
    .replace(/ class="zr\d+-cls-\d+"| ecmeta_\w+="[^"]*"/g, "");
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
