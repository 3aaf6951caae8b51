"""Steps of PyTorch to record: a training step of a transformer, then one of a convolutional network. `--more 0.02` gives
both batches 2 % more items."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--more", type=float, default=0)
arguments = parser.parse_args()

torch.manual_seed(1)
items = round(200 * (1 + arguments.more))
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0), 2)
encoder = encoder.cuda().bfloat16()
words = torch.randn(items, 64, 512, device="cuda", dtype=torch.bfloat16)
images = torch.randn(items, 64, 32, 32, device="cuda")
network = nn.Sequential(
    nn.Conv2d(64, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU(),
    nn.Conv2d(128, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU(), nn.AdaptiveAvgPool2d(1)).cuda()
weights = [*encoder.parameters(), *network.parameters()]
optimiser = torch.optim.AdamW(weights, fused=True)

for _ in range(arguments.steps):
    with torch.cuda.nvtx.range("step"):
        optimiser.zero_grad(set_to_none=True)
        encoder(words).square().mean().backward()
        network(images).square().mean().backward()
        optimiser.step()
torch.cuda.synchronize()
