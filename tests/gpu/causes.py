"""Why a step, or a kernel, got slower, on a GPU.

  causes.py FOLDER OUT    FOLDER has bin/ and lib/, and slower/lib where counters are to be read; records, reports and
                          causes.md go to OUT

A training step of PyTorch launches one kernel more, in a function and an NVTX range of its own: the report has to name
kernel, line and range. Two kernels that run at the same time no longer do: the sum of their times stays, and the step
has to be red. A build with HARNESS_SLOWER has to be red with counters, or with the reason why there are none.
Prints a table; exit status 1 where one of them is missed. Needs PyTorch, nvcc and a GPU, and three minutes.
"""
import json
import pathlib
import subprocess
import sys

folder, out = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
suites = pathlib.Path(__file__).resolve().parents[2] / "suites"
harness = folder / "bin" / "harness"
out.mkdir(parents=True, exist_ok=True)
table, missed = ["| change | told | |", "|---|---|---|"], 0

train = '''import torch
torch.manual_seed(1)
layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 4).cuda().bfloat16()
optimiser = torch.optim.AdamW(model.parameters(), fused=True)
batch = torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)
large = torch.zeros(1 << 25, device="cuda")

def loss(x):
    %s
    return x.square().mean()

def step():
    torch.cuda.nvtx.range_push("forward")
    y = model(batch)
    torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.range_push("loss")
    value = loss(y)
    torch.cuda.nvtx.range_pop()
    value.backward()
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)

for _ in range(40):
    step()
torch.cuda.synchronize()
'''
# Two kernels of half the multiprocessors each, on two streams, or on one.
streams = '''__global__ void work(float* to, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1.0001f + 0.5f;
  to[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void other(float* to, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1.0002f + 0.25f;
  to[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
int main() {
  float *one, *two;
  cudaMalloc(&one, 1 << 20);
  cudaMalloc(&two, 1 << 20);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  for (int i = 0; i < 200; ++i) {
    work<<<60, 128, 0, first>>>(one, 40000);
    other<<<60, 128, 0, STREAMS == 1 ? first : second>>>(two, 40000);
    cudaDeviceSynchronize();
  }
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
'''


def run(*words):
    done = subprocess.run([harness, *words], cwd=out, capture_output=True, text=True, check=False)
    (out / "last.txt").write_text(done.stdout + done.stderr)
    return done.returncode


def compared(program, name):
    status = run("compare", "--baseline", name + ".before.json", "--current", name + ".after.json", "--report", "json=" + name + ".json")
    rows = json.loads((out / (name + ".json")).read_text())["cases"]
    return status, {row["metric"]: row for row in rows if row["case"] == program}


def tell(change, told, good):
    global missed
    missed += 0 if good else 1
    table.append("| %s | %s | %s |" % (change, told, "ok" if good else "MISSED"))


def program(name, command, margin):
    (out / (name + ".yaml")).write_text("version: 2\nname: %s\nprograms:\n  - {name: %s, command: %s, reads: cuda_trace, device: cuda, "
                                        "timeout: 3m, gate: {margin: %s}}\n" % (name, name, command, margin))


def measure(name, side):
    if run("run", name + ".yaml", "--quiet", "--output", "%s.%s.json" % (name, side)) != 0:
        sys.exit((out / "last.txt").read_text())


def places():
    program("train", "[python3, train.py]", "1%")
    for side, more in (("before", "pass"), ("after", "large.cos_()")):
        (out / "train.py").write_text(train % more)
        measure("train", side)
    record = json.loads((out / "train.after.json").read_text())
    case = next(one for one in record["cases"] if one["id"] == "train")
    kernels = next(one for one in case["results"] if one["process"] == 1)["kernels"]
    having = {part: sum(any(place.get(part) for place in one.get("callers", [])) for one in kernels) for part in ("host", "python", "range")}
    tell("none: a training step", "of %d kernels %d have a function, %d a line, %d a range"
         % (len(kernels), having["host"], having["python"], having["range"]), having["host"] == len(kernels) and having["python"] > 0)
    status, rows = compared("train", "train")
    first = (rows["kernel_time"].get("change_causes") or [{}])[0]
    tell("one kernel more, in loss()", "exit %d; %s at %s in `%s`" % (status, first.get("code"), first.get("caller_python"),
                                                                      first.get("caller_range")),
         status == 1 and first.get("code") == "kernels" and "in loss" in first.get("caller_python", "")
         and first.get("caller_range") == "loss")


def overlap():
    (out / "streams.cu").write_text(streams)
    program("streams", "[./streams]", "1%")
    for side, number in (("before", 2), ("after", 1)):
        subprocess.run(["nvcc", "-O2", "-arch=sm_90", "-DSTREAMS=%d" % number, "-o", out / "streams", out / "streams.cu"], check=True)
        measure("streams", side)
    status, rows = compared("streams", "streams")
    told = {name: rows[name].get("ratio") or 0 for name in ("kernel_time", "busy_time")}
    tell("two streams become one", "exit %d; busy_time %s, %.2f times; kernel_time %.2f times"
         % (status, rows["busy_time"]["verdict"], told["busy_time"], told["kernel_time"]),
         status == 1 and rows["busy_time"]["verdict"] == "regressed" and told["busy_time"] > 1.5 and told["kernel_time"] < 1.1)


def counters():
    for side, libraries in (("baseline", folder / "lib"), ("current", folder / "slower" / "lib")):
        (out / side / "lib").mkdir(parents=True, exist_ok=True)
        for name in ("libharness_kernels.so", "libharness_cuda.so"):
            (out / side / "lib" / name).write_bytes((libraries / name).read_bytes())
    status = run("ab", str(suites / "probe.yaml"), "--store", "ab.db", "--filter", "probe_gelu/vector8*", "--baseline-build", "baseline",
                 "--current-build", "current", "--report", "json=ab.json")
    report = json.loads((out / "ab.json").read_text())
    red = [row for row in report["cases"] if row["verdict"] == "regressed"]
    explained = sum(any(cause["code"] == "counters" for cause in row.get("change_causes") or []) for row in red)
    refused = [remark for remark in report["facts"]["remarks"] if remark["code"] == "counters_unread"]
    tell("a slower build", "exit %d; %d red, %d with counters%s" % (status, len(red), explained, "; refused" if refused else ""),
         status == 1 and len(red) > 0 and (explained > 0 or refused))


places()
overlap()
if (folder / "slower").is_dir():
    counters()
text = "\n".join(table) + "\n"
(out / "causes.md").write_text(text)
print(text)
sys.exit(1 if missed else 0)
