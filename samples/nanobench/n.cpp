#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
int main(int argc, char** argv) {
  namespace n = ankerl::nanobench;
  std::string dir = argv[1];
  n::Bench b;
  b.title("a title").unit("byte").warmup(2).epochs(3).minEpochIterations(10).relative(true).context("gpu", "none").timeUnit(std::chrono::microseconds{1}, "us");
  volatile double d = 1.0;
  b.batch(64).run("fold \"quoted\", comma", [&] { for (int i = 0; i < 64; i++) d = d + 1; });
  b.batch(1).unit("op").run("same name", [&] { d = d * 1.01; });
  b.run("same name", [&] { for (int i = 0; i < 1000; i++) d = d + 1; });
  b.complexityN(100).run("with n", [&] { for (int i = 0; i < 100; i++) d = d + 1; });
  int k = 0;
  b.epochs(3).minEpochIterations(1).run("unstable", [&] { std::this_thread::sleep_for(std::chrono::microseconds(++k % 3 == 0 ? 3000 : 10)); });
  b.minEpochIterations(1000000).run("nothing", [&] {});
  std::ofstream j(dir + "/json.json"); b.render(n::templates::json(), j);
  std::ofstream c(dir + "/csv.csv"); b.render(n::templates::csv(), c);
   
}
