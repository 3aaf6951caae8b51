/* y = 3 x, as a plug-in of the harness in plain C. */
#include <harness/sdk/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const harness_parameter parameters[] = {{"n", HARNESS_INTEGER, "elements", NULL, 1},
                                               {NULL, 0, NULL, NULL, 0}};
static const harness_variant variants[] = {
    {"loop", "cpu", "one loop"}, {"by_four", "cpu", "four elements a turn"}, {NULL, NULL, NULL}};
const harness_plugin_description harness_plugin = {
    HARNESS_PLUGIN_VERSION, "scale", "y = 3 x", parameters, variants, NULL};

enum { reference, loop, by_four };

typedef struct {
  int way;
  int64_t n;
  harness_tensor tensors[2];
  void *x, *y;
} scale;

int harness_open(const harness_request* request, void** state) {
  scale* made = calloc(1, sizeof *made);
  if (made == NULL) {
    snprintf(request->message, request->message_bytes, "no memory");
    return HARNESS_FAILED;
  }
  *state = made;
  made->n = request->values[0].integer; /* the one parameter, n */
  made->way = request->variant == NULL ? reference : strcmp(request->variant, "loop") == 0 ? loop : by_four;
  if (made->way == by_four && made->n % 4 != 0) {
    snprintf(request->message, request->message_bytes, "n must be a multiple of 4");
    free(made);
    return HARNESS_UNSUPPORTED;
  }
  return HARNESS_OK;
}

int harness_tensors(void* state, harness_problem* problem) {
  scale* self = state;
  const harness_tensor x = {"x", HARNESS_INPUT, HARNESS_F32, 1, {self->n}};
  const harness_tensor y = {"y", HARNESS_OUTPUT, HARNESS_F32, 1, {self->n}};
  self->tensors[0] = x;
  self->tensors[1] = y;
  problem->tensors = self->tensors;
  problem->tensor_count = 2;
  problem->flops = (double)self->n;
  problem->bytes = 8 * (double)self->n;
  return HARNESS_OK;
}

int harness_bind(void* state, void* const* tensors, void* workspace) {
  scale* self = state;
  (void)workspace;
  self->x = tensors[0];
  self->y = tensors[1];
  return HARNESS_OK;
}

int harness_run(void* state, void* stream) {
  const scale* self = state;
  const float* x = self->x;
  float* y = self->y;
  int64_t i;
  (void)stream;
  if (self->way == reference) /* its tensors are doubles */
    for (i = 0; i < self->n; ++i) ((double*)self->y)[i] = 3 * ((const double*)self->x)[i];
  else if (self->way == loop)
    for (i = 0; i < self->n; ++i) y[i] = 3 * x[i];
  else
    for (i = 0; i < self->n; i += 4) {
      y[i] = 3 * x[i];
      y[i + 1] = 3 * x[i + 1];
      y[i + 2] = 3 * x[i + 2];
      y[i + 3] = 3 * x[i + 3];
    }
  return HARNESS_OK;
}

void harness_close(void* state) {
  free(state);
}
