// Asks Bencher's t_test: of each line "boundary value history...", the upper limit and whether the value is
// an outlier.
use bencher_boundary::{MetricsBoundary, MetricsData};
use bencher_json::{Boundary, ModelTest};

fn main() {
    let log = slog::Logger::root(slog::Discard, slog::o!());
    for line in std::io::stdin().lines() {
        let numbers: Vec<f64> = line.unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
        let history = MetricsData { data: numbers[2..].to_vec() };
        let upper = Some(Boundary(numbers[0]));
        let answer = MetricsBoundary::new(&log, numbers[1], &history, ModelTest::TTest, None, None, upper).unwrap();
        match answer.limits.upper {
            Some(limit) => println!("{} {}", f64::from(limit), answer.outlier.is_some()),
            None => println!("none"),
        }
    }
}
