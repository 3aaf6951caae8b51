// Gives criterion.rs the values of the file REPLAY, one a line, as the times of a benchmark.
use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{Criterion, SamplingMode, Throughput};
use std::time::Duration;

struct Replay;
struct Plain;

impl ValueFormatter for Plain {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "us"
    }
    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "us"
    }
    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "us"
    }
}

impl Measurement for Replay {
    type Intermediate = ();
    type Value = f64;
    fn start(&self) {}
    fn end(&self, _: ()) -> f64 {
        0.0
    }
    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }
    fn zero(&self) -> f64 {
        0.0
    }
    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        &Plain
    }
}

fn main() {
    let file = std::env::var("REPLAY").unwrap();
    let values: Vec<f64> = std::fs::read_to_string(file).unwrap().lines().map(|l| l.parse().unwrap()).collect();
    let mut criterion = Criterion::default().with_measurement(Replay).configure_from_args();
    let mut group = criterion.benchmark_group("probe");
    // As many iterations in each sample. The warm-up ends at the first call, whose value does not count.
    group.sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_nanos(1));
    group.sample_size(values.len());
    let mut calls = 0;
    group.bench_function("probe", |b| {
        b.iter_custom(|iterations| {
            let value = if calls == 0 { 1.0 } else { values[calls - 1] };
            calls += 1;
            std::thread::sleep(Duration::from_micros(1)); // the warm-up takes time of the clock
            value * iterations as f64
        })
    });
    group.finish();
    criterion.final_summary();
}
