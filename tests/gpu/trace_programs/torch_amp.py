"""Training with mixed precision, and batches from worker processes."""
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
data = TensorDataset(torch.randn(2048, 3, 32, 32), torch.randint(10, (2048,)))
if __name__ == "__main__":
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 3), torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 3), torch.nn.ReLU(),
                              torch.nn.Flatten(), torch.nn.Linear(64 * 28 * 28, 10)).cuda()
    step, scaler = torch.optim.AdamW(net.parameters()), torch.amp.GradScaler()
    torch.backends.cudnn.benchmark = False
    for images, labels in DataLoader(data, batch_size=64, num_workers=2, shuffle=True):
        torch.cuda.nvtx.range_push("step")
        with torch.autocast("cuda"):
            loss = torch.nn.functional.cross_entropy(net(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
        scaler.scale(loss).backward()
        scaler.step(step)
        scaler.update()
        step.zero_grad()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
