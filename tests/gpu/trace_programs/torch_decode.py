"""A decoder with attention by cuDNN or the like, token by token."""
import torch

torch.manual_seed(1)
layer = torch.nn.TransformerDecoderLayer(512, 8, batch_first=True).cuda().half().eval()
memory = torch.randn(4, 128, 512, device="cuda", dtype=torch.half)
tokens = torch.randn(4, 1, 512, device="cuda", dtype=torch.half)
with torch.no_grad():
    for _ in range(40):
        torch.cuda.nvtx.range_push("step")
        tokens = torch.cat([tokens, layer(tokens, memory)[:, -1:]], dim=1)
        q = tokens.view(4, -1, 8, 64).transpose(1, 2)
        torch.nn.functional.scaled_dot_product_attention(q, q, q)
        torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
