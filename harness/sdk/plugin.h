// plugin.h: a plug-in of the harness in C99, or in any language that can export C functions.
//
// A shared object that defines the constant `harness_plugin` and the five functions below is a module of a
// suite (`modules: [./libscale.so]`). It brings one workload with its variants. The harness owns the buffers,
// poisons the outputs before a check, and compares them with the reference before and after timing.
//
// The functions are called in this order, from one thread:
//
//   harness_open, harness_tensors, { harness_bind, harness_run ... } ..., harness_close
//
// A function that returns int returns HARNESS_OK, or another value with a reason in request->message.
// This header includes nothing but the C library's, and links to nothing.
#pragma once

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using,readability-identifier-naming): it is C */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HARNESS_EXPORT __attribute__((visibility("default")))
#else
#define HARNESS_EXPORT
#endif

/* Raised whenever a struct or a function of this header changes. */
#define HARNESS_PLUGIN_VERSION 1

enum { HARNESS_OK = 0, HARNESS_UNSUPPORTED = 1, HARNESS_FAILED = 2 }; /* unsupported: the case is skipped */
enum { HARNESS_INPUT = 0, HARNESS_OUTPUT = 1, HARNESS_IN_PLACE = 2 }; /* in place: both */
enum {
  HARNESS_F64,
  HARNESS_F32,
  HARNESS_F16,
  HARNESS_BF16,
  HARNESS_I32,
  HARNESS_I8,
  HARNESS_E4M3,
  HARNESS_E5M2,
  HARNESS_I4,
  HARNESS_E2M1 /* the last two: two a byte, the first in the lower half */
};
enum { HARNESS_INTEGER, HARNESS_REAL, HARNESS_BOOLEAN, HARNESS_TEXT };

/* A parameter of the workload; suites are checked against it. */
typedef struct harness_parameter {
  const char* name;
  int kind;                   /* HARNESS_INTEGER, ... */
  const char* summary;        /* one line, with the unit; may be null */
  const char* const* choices; /* of a text: the allowed values and a null; null: any */
  int64_t least;              /* of an integer: the smallest allowed value */
} harness_parameter;

/* One way to solve the workload. */
typedef struct harness_variant {
  const char* name;
  const char* device;  /* "cpu" or "cuda" */
  const char* summary; /* one line; may be null */
} harness_variant;

/* The value of a parameter in one case. */
typedef struct harness_value {
  const char* name;
  int kind;         /* tells which of the following holds */
  int64_t integer;  /* and a boolean: 0 or 1 */
  double real;      /* and an integer */
  const char* text; /* never null */
} harness_value;

/* The question of harness_open. It lives until harness_close. */
typedef struct harness_request {
  const char* variant; /* null: the reference */
  const harness_value* values;
  size_t value_count;
  const char* device_name; /* "NVIDIA H200"; "" for the reference */
  int device_ordinal;      /* cuda: the device number, already current */
  char* message;           /* room for the reason of a failure, which any of the functions may write */
  size_t message_bytes;
} harness_request;

#define HARNESS_MOST_DIMENSIONS 8
typedef struct harness_tensor {
  const char* name;
  int role;  /* HARNESS_INPUT or HARNESS_OUTPUT */
  int dtype; /* HARNESS_F64, ... */
  int dimensions;
  int64_t shape[HARNESS_MOST_DIMENSIONS]; /* row-major */
} harness_tensor;

/* One case as the plug-in describes it. The harness sets all to zero before it asks. */
typedef struct harness_problem {
  const harness_tensor* tensors; /* valid until harness_close */
  size_t tensor_count;
  double tolerance;       /* of ||output - reference|| / ||reference||; 0: 1e-6 */
  double flops;           /* the least work of one call; 0 claims nothing */
  double bytes;           /* the least traffic of one call */
  double items;           /* as a user counts them */
  const char* item_name;  /* plural; null: "items" */
  size_t workspace_bytes; /* scratch memory that harness_bind gets */
  int synchronises;       /* cuda: harness_run waits for the device */
} harness_problem;

/* The contents of the shared object. Lists end with an element whose name is null. */
typedef struct harness_plugin_description {
  uint32_t version; /* HARNESS_PLUGIN_VERSION */
  const char* name; /* of the workload: letters, digits and _ */
  const char* summary;
  const harness_parameter* parameters; /* null: none */
  const harness_variant* variants;
  /* Fills the inputs, in host memory and their own types, in the order of the tensors. Null: every element is
   * drawn uniformly from [-1, 1]. */
  int (*fill)(const harness_request* request, uint64_t seed, void* const* inputs);
} harness_plugin_description;

HARNESS_EXPORT extern const harness_plugin_description harness_plugin;

/* May be left out. Called before harness_open of a variant: loads what a process needs once, such as
 * libraries. The time is no part of setup_time, which would else depend on the case that comes first. */
HARNESS_EXPORT int harness_prepare(const harness_request* request);

/* Opens one variant at one set of parameters, and sets *state, which the other functions get. */
HARNESS_EXPORT int harness_open(const harness_request* request, void** state);

/* Describes the tensors. They are the same for all variants and for the reference. */
HARNESS_EXPORT int harness_tensors(void* state, harness_problem* problem);

/* Gives the addresses of the tensors, in their order, in the device's memory, and the scratch memory. Called
 * again when buffers move; never timed. Nothing computed from the values of inputs may be kept, because they
 * change between calls. The tensors of the reference are doubles in host memory, whatever
 * their types. */
HARNESS_EXPORT int harness_bind(void* state, void* const* tensors, void* workspace);

/* The timed call: reads the inputs and writes every element of every output. `stream` is a cudaStream_t on
 * cuda, on which the call only queues its work; null on cpu. The reference computes the right answers. */
HARNESS_EXPORT int harness_run(void* state, void* stream);

HARNESS_EXPORT void harness_close(void* state);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-deprecated-headers,modernize-use-using,readability-identifier-naming) */
