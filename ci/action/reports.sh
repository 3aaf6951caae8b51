# shellcheck shell=bash
# report_options HARNESS FOLDER: fills the array `reports` with the options that write all reports into the folder.
report_options() {
  local rendering
  reports=()
  for rendering in json=verdict.json html=verdict.html terminal=verdict.txt junit=junit.xml github=annotations.txt; do
    # A program that was built where npm was missing has no page: no reason to judge nothing.
    if [ "${rendering%%=*}" = html ] &&
      [[ $("$1" report none.json --report "html=$2/page" 2>&1) == *"no HTML page"* ]]; then
      continue
    fi
    reports+=(--report "${rendering%%=*}=$2/${rendering#*=}")
  done
  # A step's summary over 1024 KiB is dropped as a whole; the rest is for what report.py adds.
  reports+=(--report "markdown=$2/summary.md" --markdown-limit 1000000)
}
