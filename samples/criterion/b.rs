use criterion::{black_box, criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion, SamplingMode, Throughput};
use std::time::Duration;

fn plain(c: &mut Criterion) {
    c.bench_function("add 100", |b| b.iter(|| sample::add(black_box(100))));
    c.bench_function("path/with: odd \"name\" µ", |b| b.iter(|| sample::add(black_box(10))));
}
fn grouped(c: &mut Criterion) {
    let mut g = c.benchmark_group("group");
    for n in [64u64, 1024].iter() {
        g.throughput(Throughput::Bytes(*n));
        g.bench_with_input(BenchmarkId::new("fold", n), n, |b, &n| b.iter(|| sample::add(black_box(n))));
        g.throughput(Throughput::Elements(*n));
        g.bench_with_input(BenchmarkId::new("elements", n), n, |b, &n| b.iter(|| sample::add(black_box(n))));
    }
    g.bench_with_input(BenchmarkId::from_parameter("only"), &3u64, |b, &n| b.iter(|| sample::add(black_box(n))));
    g.finish();
    let mut f = c.benchmark_group("flat");
    f.sampling_mode(SamplingMode::Flat).sample_size(10);
    f.bench_function("slow", |b| b.iter(|| std::thread::sleep(Duration::from_millis(1))));
    f.bench_function("batched", |b| b.iter_batched(|| vec![1u8; 64], |v| v.len(), BatchSize::SmallInput));
    f.bench_function("zero", |b| b.iter_custom(|_| Duration::new(0, 0)));
    f.finish();
}
criterion_group! { name = b; config = Criterion::default().warm_up_time(Duration::from_millis(5)).measurement_time(Duration::from_millis(30)).sample_size(10).nresamples(1001).without_plots(); targets = plain, grouped }
criterion_main!(b);
