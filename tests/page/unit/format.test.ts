import assert from "node:assert/strict";
import { test } from "node:test";
import {
  change,
  change_interval,
  counted,
  duration,
  p_value,
  percent,
  printable,
  interval_with_unit,
  quantity,
  range_with_unit,
  rate,
  seconds_per_unit,
  tick,
  times,
  unknown,
  with_unit,
} from "page/format";

test("quantities have four figures whatever their size", () => {
  assert.deepEqual(
    [0.0123456, 12.8204, 166.94, 1028.4, 123456.7, 0].map((value) => quantity(value)),
    ["0.01235", "12.82", "166.9", "1,028", "123,457", "0"],
  );
  assert.equal(quantity(1.5e-9), "1.500e-9");
});

test("what is unknown is never a number", () => {
  for (const say of [quantity, change, percent, p_value, times, duration]) {
    assert.equal(say(null), unknown);
    assert.equal(say(Number.NaN), unknown);
  }
  assert.equal(rate(undefined, "FLOP/s"), unknown);
  assert.equal(change_interval(null), unknown);
});

test("a change has its sign, and none when it rounds to nothing", () => {
  assert.equal(change(1.0151), "+1.51 %");
  assert.equal(change(0.985), "−1.50 %");
  assert.equal(change(1.00001), "±0.00 %");
  assert.equal(change(40), "40.0×");
  assert.equal(change_interval([1.0081, 1.0221]), "+0.81 % to +2.21 %");
  assert.equal(change_interval([0.2, 2]), "−80.00 % to +100.00 %");
  assert.equal(change_interval([0.2, 2.1]), "varies too much to say");
  assert.equal(change_interval([32.3, 349.1]), "32.3× to 349×", "the least is certain");
  assert.equal(interval_with_unit([12, 119], "us"), "12.00 to 119.0 us");
  assert.equal(interval_with_unit([0, 120], "us"), "varies too much to say");
  assert.equal(interval_with_unit([-1, 120], "1"), "-1.000 to 120.0");
});

test("small p-values keep their exponent", () => {
  assert.equal(p_value(0.00072), "7.2e-4");
  assert.equal(p_value(0.0051), "0.005");
  assert.equal(p_value(1), "1.000");
});

test("rates take the prefix that fits", () => {
  assert.equal(rate(8.0068e14, "FLOP/s"), "801 TFLOP/s");
  assert.equal(rate(4.2625e12, "B/s"), "4.26 TB/s");
  assert.equal(rate(1e14, "FLOP/s", tick), "100 TFLOP/s");
});

test("axes carry no idle zeros", () => {
  assert.deepEqual([0, 5, 18.6, -0.5, 1000, 2.1e-4].map(tick), ["0", "5", "18.6", "−0.5", "1,000", "2.1e-4"]);
});

test("units of time are known, and names of objects' members are none", () => {
  assert.equal(seconds_per_unit("us"), 1e-6);
  for (const unit of ["constructor", "__proto__", "bytes", ""]) assert.equal(seconds_per_unit(unit), null);
});

test("letters that steer are shown, not obeyed", () => {
  assert.equal(printable("a\u202eb\u0007c\u001b[31m\ud800d\u200f"), "a\\u202eb\\u0007c\\u001b[31m\\ud800d\\u200f");
  assert.equal(printable("漢字 🚀 é\n"), "漢字 🚀 é\n");
});

test("a long text loses its middle", () => {
  const cut = printable("a".repeat(50) + "b".repeat(50), 21);
  assert.equal(cut, `${"a".repeat(10)}…${"b".repeat(10)}`);
});

test("one is not counted as several", () => {
  assert.equal(counted(1, "process", "processes"), "1 process");
  assert.equal(counted(2000, "sample"), "2,000 samples");
});

test("times have the unit that a person reads; other quantities keep theirs", () => {
  assert.equal(with_unit(0.0003233, "s"), "323.3 µs");
  assert.equal(with_unit(3327393, "us"), "3.327 s");
  assert.equal(with_unit(12.82, "us"), "12.82 us");
  assert.equal(with_unit(3327393, "bytes"), "3,327,393 bytes");
  assert.equal(with_unit(12003, "s"), "12,003 s");
  assert.equal(range_with_unit(48797, 52457, "us"), "48.80 to 52.46 ms");
  assert.equal(range_with_unit(9.7, 12, "us"), "9.700 to 12.00 us");
  assert.equal(range_with_unit(9000, 12000, "bytes"), "9,000 to 12,000 bytes");
  assert.equal(range_with_unit(null, 12, "us"), unknown);
});
