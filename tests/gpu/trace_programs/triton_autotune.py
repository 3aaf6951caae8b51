"""A Triton kernel that is tuned in each start: several modules have a kernel of its name."""
# Not proven: the fastest configuration is chosen by its time, and the search launches by the clock
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block in (512, 1024) for warps in (2, 4)],
                 key=["n"])
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


torch.manual_seed(1)
x, y = torch.randn(1 << 22, device="cuda"), torch.randn(1 << 22, device="cuda")
out = torch.empty_like(x)
for _ in range(40):
    torch.cuda.nvtx.range_push("step")
    add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel())
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
