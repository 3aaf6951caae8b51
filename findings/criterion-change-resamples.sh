#!/usr/bin/env bash
# criterion.rs 0.3.6 (Debian 12; 0.7.0 has the same code): the bootstrap of a change with 100,000 resamples draws only 317 of the
# new run, each with some 316 of the old one. So the interval is as uncertain as with 317 where the new run is the noisier one:
# the standard error of 12 comparisons of the same times varies by 3 to 4 %. With both runs exchanged it is some 0.2 %.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
crates="ahash-0.7 aho-corasick atty autocfg bitflags bstr bumpalo byteorder cast cfg-if clap-2 criterion-plot crossbeam-channel
  crossbeam-deque crossbeam-epoch crossbeam-utils csv csv-core either getrandom half hashbrown itertools itoa js-sys lazy-static
  libc log memchr memoffset num-cpus num-traits once-cell oorandom plotters plotters-backend plotters-svg proc-macro2 quote rayon
  rayon-core regex regex-automata regex-syntax ryu same-file scopeguard serde serde-cbor serde-derive serde-json smawk syn
  textwrap tinytemplate unicode-ident unicode-linebreak unicode-width version-check walkdir wasm-bindgen wasm-bindgen-backend
  wasm-bindgen-macro wasm-bindgen-macro-support wasm-bindgen-shared web-sys winapi winapi-i686-pc-windows-gnu winapi-util
  winapi-x86-64-pc-windows-gnu"
names=(librust-criterion-dev=0.3.6-4)
for crate in $crates; do names+=("librust-$crate-dev"); done
apt-get download -qq "${names[@]}" 2>/dev/null
for d in *.deb; do dpkg -x "$d" root; done
mkdir .cargo src
printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$t/root/usr/share/cargo/registry" > .cargo/config.toml
printf '[package]\nname = "spread"\nversion = "0.0.0"\nedition = "2018"\n[dependencies]\ncriterion = "=0.3.6"\n' > Cargo.toml
cat > src/main.rs <<'R'
use criterion::{Criterion, SamplingMode};
use std::time::Duration;
fn main() {
    let steady = std::env::var("RUN").unwrap() == "steady";
    let mut c = Criterion::default().configure_from_args();
    let mut group = c.benchmark_group("g");
    group.sampling_mode(SamplingMode::Flat).sample_size(100).warm_up_time(Duration::from_nanos(1));
    let mut call = 0;
    group.bench_function("f", |b| b.iter_custom(|n| {
        call += 1;
        std::thread::sleep(Duration::from_micros(1));
        let spread = call * 37 % 101 * if steady { 1 } else { 1000 };
        Duration::from_nanos(1_000_000 + spread) * n as u32
    }));
    group.finish();
}
R
CARGO_HOME=$t/home cargo build --release --offline --quiet 2> cargo.txt || { cat cargo.txt; exit 1; }
# spread OLD NEW: the sd of the standard errors of the change, relative to their mean.
spread() {
  export CRITERION_HOME=$t/$1-$2
  RUN=$1 target/release/spread --bench --noplot --save-baseline old > out.txt 2>&1
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    RUN=$2 target/release/spread --bench --noplot --baseline old > out.txt 2>&1
    sed 's/.*"point_estimate"[^}]*"standard_error":\([-0-9.e]*\)},"median".*/\1/' "$CRITERION_HOME/g/f/change/estimates.json"; echo
  done | awk 'NF { n++; s += $1; q += $1 * $1 } END { m = s / n; printf "%.5f\n", sqrt((q - n * m * m) / (n - 1)) / m }'
}
new=$(spread steady noisy); old=$(spread noisy steady)
echo "spread of the standard error: $new with a noisy new run, $old with a noisy old run; 100000 resamples give 0.0022"
awk -v new="$new" -v old="$old" 'BEGIN { exit !(new > 0.015 && old < 0.006) }'
