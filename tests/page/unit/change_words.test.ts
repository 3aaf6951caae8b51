import assert from "node:assert/strict";
import { test } from "node:test";
import { change_of, interval_of, margin_of } from "page/change_words";

const shares = { ratio: 0.997, interval: [0.995, 0.999], margin: 0.01 } as any;
const points = {
  ...shares,
  in_unit: { margin: 0.5, unit: "points", difference: -0.3123, interval: [-0.4, 0.105], by_process: true },
} as any;

test("a margin in percent is told with the change in percent", () => {
  assert.equal(change_of(shares), "−0.30 %");
  assert.equal(interval_of(shares), "−0.50 % to −0.10 %");
  assert.equal(margin_of(shares), "1 %");
});

test("a margin in the metric's unit is told with the change in that unit", () => {
  assert.equal(change_of(points), "−0.312 points");
  assert.equal(interval_of(points), "−0.4 to +0.105 points");
  assert.equal(margin_of(points), "0.5 points");
  assert.equal(margin_of({ in_unit: { ...points.in_unit, unit: "absolute" } } as any), "0.5");
});

test("what is not known is told as unknown", () => {
  const unjudged = { in_unit: { ...points.in_unit, difference: 0, interval: null } } as any;
  assert.equal(interval_of(unjudged), "–");
  assert.equal(change_of(unjudged), "–");
  assert.equal(change_of(null), "–");
});
