// All environment variables that harness/ reads. No other file of harness/ calls getenv(), except the SDK,
// which may include nothing.
//
//   if (environment::forces_spinning_gate()) ...
//
// A variable that is set to "" counts as not set, unless its comment says otherwise.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace harness::environment {

// Any variable by its name, for lists of names that belong to other tools. Null: not set; "" stays "".
const char* find(const char* name);

// Whether code under test must not see this variable: of a CI system (GITHUB_*, ACTIONS_*, INPUT_*, RUNNER_*,
// CI_*), of a store (HARNESS_STORE, PG*), or with TOKEN, SECRET, PASSWORD, CREDENTIAL or API_KEY in its name.
bool is_withheld(std::string_view name);

// All variables HARNESS_*, the settings of this program.
std::map<std::string, std::string> settings();

// The variables that code under test sees, without those of a session, a place or a day, and without the
// choice of devices: HOSTNAME, PWD, TERM, SSH_* and CUDA_VISIBLE_DEVICES, for example.
std::map<std::string, std::string> seen_by_workers();

// HARNESS_ENVIRONMENT: a name, such as the digest of a container image, for everything outside the tracked
// files that kernels may use: libraries, the links and folders that lead to them, and files. The user
// promises another name after a change of it. "": not set.
std::string named_environment();

// PGPASSFILE: the file with passwords of PostgreSQL's users. "": not set.
std::string postgresql_passwords();

// HARNESS_TODAY: a later day (2026-12-31) on which waivers are judged, instead of the clock's. "": not set.
std::string today();
// HARNESS_NO_DEFAULTS: any value: .harness.yaml is not read. Commands set it for the programs that they
// start.
inline constexpr const char* no_defaults = "HARNESS_NO_DEFAULTS";
bool has_no_defaults();
// HARNESS_DEFAULTS: a file like .harness.yaml of this user or machine, in which any option may have a
// default.
// "": not set.
std::string defaults_file();
// Whether a CI system runs this program: CI (most of them), JENKINS_URL or TF_BUILD is set, CI not to
// "false".
bool in_ci();
// The target of the change that a CI system tests: GITHUB_BASE_REF, CI_MERGE_REQUEST_DIFF_BASE_SHA
// (GitLab) or CHANGE_TARGET (Jenkins), as a revision of `origin`. "": it tests no change, or does not say.
std::string target_of_change();
// HARNESS_CACHE_DIR: folder of what is kept between runs. Default: $XDG_CACHE_HOME/harness where that path
// is absolute, else $HOME/.cache/harness. Empty: there is no such folder.
std::filesystem::path cache_folder();
// HARNESS_LOCK_DIR: folder of the locks that runs on this host share. Default: /tmp.
std::filesystem::path lock_folder();
// HARNESS_SYSTEM_ROOT: where the doctor finds /proc and /sys; tests use folders of their own. Default: /.
std::filesystem::path system_root();
// HARNESS_CUDA_MODULE: file of the CUDA module, instead of the one beside the program. Empty: not set.
std::filesystem::path cuda_module();
// HARNESS_PYTHON: the interpreter of suites with cases in Python. Default: python3.
std::string python();
// HARNESS_NVML: the NVML library to load. Default: libnvidia-ml.so.1.
std::string nvml_library();
// HARNESS_CUPTI: the CUPTI library to load, instead of the toolkit's. "": not set.
std::string cupti_library();
// HARNESS_TRACE_LIBRARY: the library that traces programs, instead of the one beside this program. Empty: not
// set.
std::filesystem::path trace_library();
// HARNESS_TRACE_FOLDER: where a traced program writes its trace. Null: not set.
const char* trace_folder();
// HARNESS_TRACE_ARGUMENTS=off: no arguments of launches are read, so nothing is proven of a traced program.
bool trace_arguments();
// HARNESS_TRACE_CONTENTS=on: what a traced program copies from the host is hashed.
bool trace_contents();
// HARNESS_CUBLAS: the cuBLAS library that the doctor looks at, instead of the toolkit's. "": not set.
std::string cublas_library();
// HARNESS_IDENTITY_TEXTS: folder in which workers write what each case's identity is the digest of, to find
// out why two differ. Empty: not set.
std::filesystem::path identity_texts();
// HARNESS_CUDA_GATE=spin: the gate spins on the device instead of waiting for a value in memory.
bool forces_spinning_gate();
// CUDA_VISIBLE_DEVICES: the GPUs that CUDA shows. Null: not set, CUDA shows all. "" hides all.
const char* cuda_visible_devices();
// CUDA_DEVICE_ORDER: by what CUDA numbers the GPUs. "": not set.
std::string cuda_device_order();
// CUDA_INJECTION64_PATH: the library that a CUDA tool loads into this process. "": not set.
std::string cuda_injection();

// COLUMNS: width of the terminal. 0: not set, or no number.
int columns();
// NO_COLOR (https://no-color.org): any value turns colours off.
bool forbids_colour();
// CLICOLOR_FORCE (https://bixense.com/clicolors): any value but "0" turns colours on without a terminal.
bool forces_colour();
// CLICOLOR=0 and TERM=dumb: a terminal without colours.
bool terminal_lacks_colour();
// The first of LC_ALL, LC_CTYPE and LANG that is set: the locale of characters. "": none is.
std::string locale();

}  // namespace harness::environment
