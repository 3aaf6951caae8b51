"""torch.compile with CUDA graphs."""
import torch

torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)).cuda().eval()
compiled = torch.compile(net, mode="reduce-overhead")
x = torch.randn(256, 1024, device="cuda")
with torch.no_grad():
    for i in range(40):
        torch.compiler.cudagraph_mark_step_begin()
        if i >= 10:
            torch.cuda.nvtx.range_push("step")
        compiled(x)
        if i >= 10:
            torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
