"""The models of the trace's figures, each as a program of its own: trace_models.py MODEL [--steps N].

The file `width` beside this one has the factor by which the layers are wider, 1 where there is none.
"""
import argparse
import pathlib

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("model", choices=["encoder768", "encoder256", "train", "conv"])
parser.add_argument("--steps", type=int, default=80)
arguments = parser.parse_args()
width = pathlib.Path(__file__).with_name("width")
factor = float(width.read_text()) if width.exists() else 1.0


def wide(channels):
    """Tensor cores want a multiple of 8."""
    return round(channels * factor / 8) * 8


def encoder(size, heads, hidden, layers, kind):
    layer = nn.TransformerEncoderLayer(size, heads, wide(hidden), batch_first=True, dropout=0.0)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).cuda().to(kind)


def inference(model, batch):
    model.eval()
    with torch.no_grad():
        for _ in range(arguments.steps):
            model(batch)


def training(model, optimiser, batch):
    for _ in range(arguments.steps):
        optimiser.zero_grad(set_to_none=True)
        model(batch).square().mean().backward()
        optimiser.step()


torch.manual_seed(1)
if arguments.model == "encoder768":
    inference(encoder(768, 12, 3072, 1, torch.float16), torch.randn(8, 512, 768, device="cuda", dtype=torch.float16))
elif arguments.model == "encoder256":
    inference(encoder(256, 4, 1024, 1, torch.float16), torch.randn(2, 128, 256, device="cuda", dtype=torch.float16))
elif arguments.model == "train":
    step = encoder(512, 8, 2048, 4, torch.bfloat16)
    training(step, torch.optim.AdamW(step.parameters()), torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16))
else:
    channels = wide(128)
    net = nn.Sequential(nn.Conv2d(64, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(),
                        nn.Conv2d(channels, 64, 3, stride=2, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    net = net.cuda().half().to(memory_format=torch.channels_last)
    images = torch.randn(64, 64, 64, 64, device="cuda", dtype=torch.float16).to(memory_format=torch.channels_last)
    training(net, torch.optim.SGD(net.parameters(), lr=1e-4), images)
torch.cuda.synchronize()
