"""Data-parallel training by torchrun: RANKS ranks, one unless the environment says otherwise."""
import os
import sys

ranks = os.environ.get("RANKS", "1")
if "RANK" not in os.environ:
    os.execvp(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", ranks, __file__])

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

# NCCL refuses two ranks on one GPU.
dist.init_process_group("nccl" if ranks == "1" else "gloo")
torch.manual_seed(1)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(1024, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 1024)).cuda())
optimiser = torch.optim.SGD(net.parameters(), lr=0.01)
torch.manual_seed(2 + dist.get_rank())
x = torch.randn(256, 1024, device="cuda")
for _ in range(40):
    torch.cuda.nvtx.range_push("step")
    net(x).square().mean().backward()
    optimiser.step()
    optimiser.zero_grad()
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
dist.destroy_process_group()
