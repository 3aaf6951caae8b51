"""A training step of PyTorch, as a program: nothing in it is made for the harness but the lines of samples."""
import argparse
import json

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60)
steps = parser.parse_args().steps

torch.manual_seed(1)
layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 4).cuda().bfloat16()
optimiser = torch.optim.AdamW(model.parameters(), fused=True)
batch = torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)

events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(steps)]
for begin, end in events:
    begin.record()
    optimiser.zero_grad(set_to_none=True)
    model(batch).square().mean().backward()
    optimiser.step()
    end.record()
torch.cuda.synchronize()
times = [begin.elapsed_time(end) for begin, end in events[steps // 3:]]
print(json.dumps({"case": "step", "metric": "gpu_time", "unit": "ms", "process": 1, "placement": 0, "samples": times}))
