// The results that the first picture shows, and where its marks lie.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axis_of, effect_of, fold_of, place_on, worst_of } from "page/plots/worst_cases";
import { entries_of } from "page/report";
import { document_in } from "./documents";

const row = (verdict: string, lo: number, hi: number, more = {}) =>
  ({ verdict, ratio: (lo + hi) / 2, interval: [lo, hi], margin: 0.01, direction: "lower", ...more }) as any;
const entry = (name: string, one: any) => ({ id: 0, suite: "", case: name, metric: "m", row: one, run: null }) as any;

test("right is worse, whatever the metric's direction", () => {
  assert.deepEqual(effect_of(row("regressed", 0.75, 0.875, { ratio: 0.8125, direction: "higher" })), {
    lo: 0.125,
    mid: 0.1875,
    hi: 0.25,
    margin: 0.01,
  });
  assert.equal(effect_of(row("missing", 1, 1, { interval: null })), null);
});

test("the axis holds zero, the margins and every interval, with round ticks between its ends", () => {
  const axis = axis_of([{ lo: 0.011, mid: 0.015, hi: 0.019, margin: 0.005 }]);
  assert.ok(axis.lo < -0.005 && axis.hi > 0.019);
  assert.deepEqual(
    axis.ticks.map((tick) => Number(tick.toFixed(9))),
    [-0.005, 0, 0.005, 0.01, 0.015],
  );
  assert.equal(place_on(axis, axis.lo), 0);
  assert.equal(place_on(axis, axis.hi), 1);
  assert.equal(place_on(axis, 7), 1, "an arrow at the end");
});

test("a wide interval does not make the band invisible, and a point far out is inside the axis all the same", () => {
  const wide = axis_of([{ lo: -2, mid: 0.01, hi: 4, margin: 0.01 }]);
  assert.ok((2 * 0.01) / (wide.hi - wide.lo) > 0.05);
  const far = axis_of([
    { lo: 0.78, mid: 0.84, hi: 0.91, margin: 0.05 },
    { lo: -0.9, mid: -0.8, hi: -0.7, margin: 0.05 },
  ]);
  assert.ok(far.hi > 0.84 && far.lo < -0.8);
});

test("whoever must act comes first, then who is nearest to the margin; the informative and the skipped never", () => {
  const quiet = [1.001, 1.009, 1.005].map((hi) => entry(`quiet ${hi}`, row("unchanged", 0.999, hi)));
  const { entries, results } = worst_of([
    entry("bad", row("regressed", 1.02, 1.04)),
    entry("told", row("regressed", 1.5, 1.6, { informative: true })),
    entry("none", row("skipped", 1, 1, { interval: null, ratio: null })),
    ...quiet,
  ]);
  assert.deepEqual(
    entries.map((one: any) => one.case),
    ["bad", "quiet 1.009", "quiet 1.005", "quiet 1.001"],
  );
  assert.equal(results, 4);
});

test("no more than twelve are shown", () => {
  const many = Array.from({ length: 30 }, (_, at) => entry(`bad ${at}`, row("regressed", 1.02, 1.04)));
  assert.equal(worst_of(many).entries.length, 12);
  assert.equal(worst_of(many).results, 30);
});

test("what asks for nothing is folded", () => {
  const folds = ["regressed", "inconclusive", "improved", "environment", "unchanged", "identical", "skipped"].map(
    (verdict) => fold_of(entry("x", row(verdict, 1, 1))),
  );
  assert.deepEqual(folds, [null, null, null, null, "unchanged", "identical", "skipped"]);
  assert.equal(fold_of(entry("x", row("regressed", 1, 1, { informative: true }))), "informative");
  const page = document_in("run");
  assert.ok(entries_of(page).every((one) => fold_of(one) === null));
});
