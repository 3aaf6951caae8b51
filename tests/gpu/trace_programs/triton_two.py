"""Two modules with a Triton kernel of one name, without a search."""
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


torch.manual_seed(1)
x = torch.randn(1 << 22, device="cuda")
out = torch.empty_like(x)
for _ in range(40):
    torch.cuda.nvtx.range_push("step")
    scale[(x.numel() // 512,)](x, out, x.numel(), BLOCK=512)
    scale[(x.numel() // 1024,)](x, out, x.numel(), BLOCK=1024)
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
