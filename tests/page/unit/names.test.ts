import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped, ladder_of, ladders_of, short_names, size_of } from "page/plots/names";
import { matched } from "page/view/kernels";
import { document_in } from "./documents";

test("what all cases share is left out of their names", () => {
  assert.deepEqual(short_names(["gelu/a/m=1/k=2", "gelu/b/m=1/k=2", "gelu/b/m=3/k=2"]), ["a m=1", "b m=1", "b m=3"]);
  assert.deepEqual(short_names(["gelu/a"]), ["gelu/a"]);
  assert.deepEqual(short_names(["gelu/a", "copy"]), ["gelu/a", "copy"]);
});

const details = document_in("run").current.details;

test("the variants of one problem are one ladder, in the order of the suite", () => {
  const ladders = ladders_of(details);
  assert.equal(ladders.size, 9);
  const [first] = ladders.values();
  assert.deepEqual(
    first!.map((one: { variant: string }) => one.variant),
    ["cublas_unfused", "cublas_elementwise", "cublaslt_epilogue", "wmma_fused"],
  );
});

test("one size is one group, whatever the number format", () => {
  const group = grouped(details, size_of).get(size_of(details[0]));
  assert.equal(group!.length, 8);
  assert.notEqual(ladder_of(details[0]), ladder_of(group!.at(-1)!));
});

test("cases of an import make no ladder", () => {
  assert.equal(ladders_of(document_in("comparison").current.details).size, 0);
});

test("kernels of one name are matched in launch order", () => {
  const kernel = (name: string, us: number) => ({ name, us }) as never;
  const pairs = matched(
    [kernel("a", 1), kernel("a", 2), kernel("gone", 3)],
    [kernel("new", 9), kernel("a", 4), kernel("a", 5)],
  );
  assert.deepEqual(
    pairs.map((one) => [one.before?.us, one.now?.us]),
    [
      [undefined, 9],
      [1, 4],
      [2, 5],
      [3, undefined],
    ],
  );
});
