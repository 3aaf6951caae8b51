import assert from "node:assert/strict";
import { test } from "node:test";
import { p_value, with_unit } from "page/format";
import { judged_p, worst_bound } from "page/view/comparison_columns";
import { sources_of } from "page/view/environment";

const row = { verdict: "improved", p_adjusted: 1, p_improved_adjusted: 0.002, interval: [0.9, 0.95], direction: "lower" };
const entry = (parts: object) => ({ row: { ...row, ...parts } }) as any;

test("an improved row shows the p of having improved", () => {
  assert.equal(judged_p(row as any), 0.002);
  assert.equal(judged_p({ ...row, verdict: "regressed", p_adjusted: 0.003 } as any), 0.003);
  assert.equal(judged_p(null), undefined);
});

test("intervals are sorted by their worst end, whatever the direction", () => {
  assert.ok(Math.abs((worst_bound(entry({})) ?? 0) + 0.05) < 1e-12);
  assert.ok(Math.abs((worst_bound(entry({ direction: "higher" })) ?? 0) - 0.1) < 1e-12);
  assert.equal(worst_bound(entry({ interval: null })), null);
});

test("what is nearly 0 is below the least p that is shown", () => {
  assert.equal(p_value(0), "< 1e-16");
  assert.equal(p_value(3e-17), "< 1e-16");
  assert.equal(p_value(2e-16), "2.0e-16");
});

test("a constant 0 is shown as 0, and the unit 1 not at all", () => {
  assert.equal(with_unit(0, "bytes"), "0 bytes");
  assert.equal(with_unit(0.5, "1"), "0.5000");
});

test("without a baseline the one side shown is the current one", () => {
  const [before, after] = [{ described: "none" }, { described: "now" }];
  const comparison = { baseline: before, current: after };
  assert.deepEqual(sources_of({ comparison, baseline: null } as any), [after]);
  assert.deepEqual(sources_of({ comparison, baseline: {} } as any), [before, after]);
});
