"""A training step of PyTorch, as a program: nothing in it is made for the harness."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60)
steps = parser.parse_args().steps

torch.manual_seed(1)
layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 4).cuda().bfloat16()
optimiser = torch.optim.AdamW(model.parameters(), fused=True)
batch = torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)

for _ in range(steps):
    optimiser.zero_grad(set_to_none=True)
    model(batch).square().mean().backward()
    optimiser.step()
torch.cuda.synchronize()
