"""Kernels of two streams that overlap, in an order that events give."""
import torch

torch.manual_seed(1)
side = torch.cuda.Stream()
a, b = torch.randn(2048, 2048, device="cuda"), torch.randn(1 << 22, device="cuda")
for _ in range(40):
    torch.cuda.nvtx.range_push("step")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        c = b.sin().cos()
    d = a @ a
    torch.cuda.current_stream().wait_stream(side)
    e = c[:2048] + d[0]
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
