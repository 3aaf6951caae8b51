import assert from "node:assert/strict";
import { test } from "node:test";
import { clipped, density, distribution, quantile } from "page/statistics";

test("quantiles are those of R's type 7", () => {
  const ordered = [1, 2, 4, 8, 16];
  assert.deepEqual(
    [0, 0.25, 0.5, 0.9, 1].map((share) => Number(quantile(ordered, share).toFixed(9))),
    [1, 2, 4, 12.8, 16],
  );
});

test("the distribution has one corner a distinct value and ends at one", () => {
  assert.deepEqual(distribution([3, 1, 1, 2, Number.NaN]), [
    [1, 0.5],
    [2, 0.75],
    [3, 1],
  ]);
  assert.deepEqual(distribution([]), []);
});

test("the density holds about all of the mass, where the values are", () => {
  const values = [...Array(200).keys()].map((at) => 10 + Math.sin(at) + (at % 7) / 10);
  const curve = density(values, 200);
  const step = (curve[1] as number[])[0]! - (curve[0] as number[])[0]!;
  const mass = curve.reduce((sum, [, height]) => sum + height * step, 0);
  assert.ok(mass > 0.85 && mass < 1.02, String(mass));
  assert.equal((curve[0] as number[])[0], Math.min(...values));
  assert.equal((curve.at(-1) as number[])[0], Math.max(...values));
});

test("two modes stay two", () => {
  const curve = density([...Array(50).fill(22.5), ...Array(50).fill(25.5), 22.6, 25.4], 31).map(([, height]) => height);
  assert.ok((curve[15] as number) < 0.2 * Math.max(...curve));
});

test("without two distinct values there is no density", () => {
  assert.deepEqual(density([5, 5, 5]), []);
  assert.deepEqual(density([]), []);
});

test("far outliers are left out at both ends and counted", () => {
  const near = [...Array(997).keys()].map((at) => 10 + at / 997);
  const range = clipped([near.concat(500, 501), near.concat(-40)])!;
  assert.deepEqual([range.below, range.above], [1, 2]);
  assert.ok(range.lo === 10 && range.hi < 11, JSON.stringify(range));
});

test("what is far for one set may be near for another", () => {
  const around = (center: number) => [...Array(100).keys()].map((at) => center + at / 100);
  assert.deepEqual(clipped([around(10), around(500)]), { lo: 10, hi: 500.99, below: 0, above: 0 });
});

test("an axis that gains little, or knows little, holds everything", () => {
  assert.deepEqual(clipped([[1, 2, 3]]), { lo: 1, hi: 3, below: 0, above: 0 });
  assert.deepEqual(clipped([[5, 5, 5]]), { lo: 5, hi: 5, below: 0, above: 0 });
  assert.equal(clipped([[Number.NaN], []]), null);
});
