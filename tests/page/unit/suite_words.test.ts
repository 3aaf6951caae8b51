// The words and tables of a suite's section, on the pinned record of the fusion suite from an H200.
import assert from "node:assert/strict";
import { test } from "node:test";
import { process_words } from "page/format";
import { fewest_processes } from "page/view/environment";
import { telling, with_bounds } from "page/view/over_shapes";
import { document_in } from "./documents";

const { report } = document_in("run").current;

test("the speedups over shapes are those of the report", () => {
  const rows = telling(report.speedups_over_shapes);
  assert.ok(rows.has("gpu_time"));
  const [first] = rows.get("gpu_time")!;
  assert.equal(first!.shapes, report.cases.filter((one: any) => one.case.includes(`/${first!.variant}/`) && one.speedup).length);
  assert.match(with_bounds(first!.geometric_mean), /^\d\.\d+× \[\d\.\d+, \d\.\d+\]$/);
});

test("a metric that all variants share makes no table", () => {
  const [row] = telling(report.speedups_over_shapes).get("gpu_time")!;
  const same = { ratio: 1, interval: [1, 1], case: "x" };
  const dull = { ...row!, metric: "fusion_bound", geometric_mean: same, min: same, max: same };
  assert.deepEqual([...telling([row!, dull] as any).keys()], ["gpu_time"]);
  assert.deepEqual([...telling([{ ...dull, max: { ...same, ratio: 1.01 } }] as any).keys()], ["fusion_bound"]);
  assert.equal(telling([]).size, 0);
});

test("a speedup without bounds has none, and an unknown one is a dash", () => {
  assert.equal(with_bounds({ ratio: 1.5, interval: null }), "1.50×");
  assert.equal(with_bounds({ ratio: null, interval: null }), "–");
});

test("processes that hold both builds are counted as such", () => {
  const policy = { min_processes: 5, min_shared_processes: 3 } as any;
  assert.equal(fewest_processes(policy, false), "5 a side");
  assert.equal(fewest_processes(policy, true), "3 with both builds");
  assert.equal(fewest_processes({ min_processes: 5 } as any, true), "5 a side", "a document of before");
});

test("a row of an A/B run counts the processes that both builds shared once", () => {
  const row = { processes: [5, 5], processes_needed: 8 } as any;
  assert.equal(process_words(row, true), "5 with both builds; 8 of them would settle it");
  assert.equal(process_words(row, false), "5 baseline, 5 current; 8 a side would settle it");
  assert.equal(process_words({ processes: [5, 4] } as any, true), "5 baseline, 4 current");
});
