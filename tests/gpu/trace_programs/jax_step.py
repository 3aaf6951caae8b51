"""A training step of JAX, compiled by XLA."""
# Not proven: a kernel is given the address of 2,484 bytes of the host
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp
from torch.cuda import nvtx

key = jax.random.PRNGKey(1)
weights = {"one": jax.random.normal(key, (1024, 2048)), "two": jax.random.normal(key, (2048, 1024))}
x = jax.random.normal(key, (256, 1024))


def loss(weights, x):
    return jnp.mean((jax.nn.gelu(x @ weights["one"]) @ weights["two"] - x) ** 2)


@jax.jit
def step(weights, x):
    grads = jax.grad(loss)(weights, x)
    return jax.tree.map(lambda w, g: w - 0.01 * g, weights, grads)


for i in range(40):
    with nvtx.range("step"):
        weights = step(weights, x)
        jax.block_until_ready(weights)
