# shellcheck shell=bash
# complain MESSAGE ADVICE: an annotation, and the end with exit status 2. It is one line of the log: a newline in it could
# start a workflow command.
complain() {
  local message=${1//'%'/%25} advice=${2//'%'/%25}
  message=${message//$'\r'/%0D} advice=${advice//$'\r'/%0D}
  printf '::error title=harness::%s%%0Aadvice: %s\n' "${message//$'\n'/%0A}" "${advice//$'\n'/%0A}"
  exit 2
}
