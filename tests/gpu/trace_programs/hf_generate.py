"""A causal language model that generates by Hugging Face's `generate`."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(1)
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=512, n_head=8, vocab_size=8192)).cuda().half().eval()
prompt = torch.randint(8192, (4, 32), device="cuda")
for _ in range(4):
    torch.cuda.nvtx.range_push("step")
    model.generate(prompt, max_new_tokens=24, do_sample=False, pad_token_id=0)
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
