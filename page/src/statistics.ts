// Figures of samples for the plots: quantiles, empirical distribution, density. Verdicts are not made
// here; they come with the report.

export function finite(values: readonly number[]): number[] {
  return values.filter((value) => Number.isFinite(value));
}

export function sorted(values: readonly number[]): number[] {
  return finite(values).sort((left, right) => left - right);
}

// Linear between order statistics (type 7 of Hyndman and Fan 1996). `ordered` ascending, not empty.
export function quantile(ordered: readonly number[], probability: number): number {
  const at = (ordered.length - 1) * Math.min(1, Math.max(0, probability));
  const low = Math.floor(at);
  const lower = ordered[low] ?? Number.NaN;
  const upper = ordered[Math.min(low + 1, ordered.length - 1)] ?? Number.NaN;
  return lower + (at - low) * (upper - lower);
}

// Corners of the empirical distribution function: one a distinct value, with the share of values not
// above it. For quantiles at equal steps of probability it is the same curve, at fewer points.
export function distribution(values: readonly number[]): [number, number][] {
  const ordered = sorted(values);
  const corners: [number, number][] = [];
  ordered.forEach((value, index) => {
    if (value !== ordered[index + 1]) corners.push([value, (index + 1) / ordered.length]);
  });
  return corners;
}

// Smallest step between distinct values: what a clock resolves.
function resolution(ordered: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < ordered.length; ++index) {
    const step = (ordered[index] as number) - (ordered[index - 1] as number);
    if (step > 0 && step < least) least = step;
  }
  return Number.isFinite(least) ? least : 0;
}

// Gaussian kernel density at `points` places between the extremes, with Silverman's bandwidth
// 0.9 min(sd, IQR / 1.34) n^(-1/5), at least the step of the clock. Empty without two distinct values.
export function density(values: readonly number[], points = 64): [number, number][] {
  const ordered = sorted(values);
  const least = ordered[0];
  const most = ordered[ordered.length - 1];
  if (least === undefined || most === undefined || least === most) return [];
  const count = ordered.length;
  const mean = ordered.reduce((sum, value) => sum + value, 0) / count;
  const sd = Math.sqrt(ordered.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, count - 1));
  const iqr = quantile(ordered, 0.75) - quantile(ordered, 0.25);
  const scale = iqr > 0 ? Math.min(sd, iqr / 1.34) : sd;
  const width = Math.max(0.9 * scale * count ** -0.2, resolution(ordered));
  const curve: [number, number][] = [];
  for (let index = 0; index < points; ++index) {
    const at = least + ((most - least) * index) / (points - 1);
    let sum = 0;
    for (const value of ordered) sum += Math.exp(-0.5 * ((at - value) / width) ** 2);
    curve.push([at, sum / (count * width * Math.sqrt(2 * Math.PI))]);
  }
  return curve;
}

// Ends of an axis over several sets of values: without far outliers (beyond 3 interquartile ranges of their own set),
// unless leaving them out gains little. `below` and `above` count what lies outside.
export interface Clip {
  lo: number;
  hi: number;
  below: number;
  above: number;
}

export function clipped(sets: readonly (readonly number[])[]): Clip | null {
  const ordered = sets.map(sorted).filter((set) => set.length > 0);
  if (ordered.length === 0) return null;
  const all = ordered.flat();
  const least = Math.min(...ordered.map((set) => set[0] as number));
  const most = Math.max(...ordered.map((set) => set[set.length - 1] as number));
  const near = ordered.map(without_far);
  const lo = Math.min(...near.map((set) => set[0] as number));
  const hi = Math.max(...near.map((set) => set[set.length - 1] as number));
  if (most - least <= 1.5 * (hi - lo)) return { lo: least, hi: most, below: 0, above: 0 };
  return {
    lo,
    hi,
    below: all.filter((value) => value < lo).length,
    above: all.filter((value) => value > hi).length,
  };
}

// A set of which a quarter or more is one value may have no interquartile range: then that of the middle 80 %.
function without_far(ordered: readonly number[]): readonly number[] {
  const [low, high] = [quantile(ordered, 0.25), quantile(ordered, 0.75)];
  const spread = high - low || quantile(ordered, 0.9) - quantile(ordered, 0.1);
  const near = ordered.filter((value) => value >= low - 3 * spread && value <= high + 3 * spread);
  return near.length > 0 ? near : ordered;
}
