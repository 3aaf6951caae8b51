#!/usr/bin/env bash
# Texts that are generated from the declaration of the commands: completion and the manual page.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
  "$HARNESS" completion $shell >completion.$shell || problem "no completion for $shell"
done
expect 2 "$HARNESS" completion tcsh
names bash zsh fish
expect 0 "$HARNESS" help
names compare records
expect 0 "$HARNESS" help run
names --against --save-as
expect 0 "$HARNESS" help baseline promote
names --author
bash -n completion.bash || problem "bash cannot read its completion"
for shell in zsh fish; do
  if command -v $shell >/dev/null; then $shell -n completion.$shell || problem "$shell cannot read its completion"; fi
done

# Every command and every long option of the help is in each script and in the manual page.
"$HARNESS" man >harness.1 || problem "no manual page"
commands=$("$HARNESS" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -gt 15 ] || problem "the help lists no commands"
for command in $commands; do
  for option in $("$HARNESS" help "$command" | sed -n 's/^  \(-h,\)\{0,1\}\(--[a-z-]*\).*/\2/p'); do
    grep -q -- "$option" completion.bash || problem "bash: $command $option"
    grep -q -- "$option" completion.zsh || problem "zsh: $command $option"
    grep -q -- "__fish_seen_subcommand_from $command.* -l ${option#--} " completion.fish || problem "fish: $command $option"
    [ "$option" = --help ] || grep -q -- "${option//-/\\\\-}" harness.1 || problem "man: $command $option"
  done
done

# complete WORD... : what bash offers for the last word.
# shellcheck disable=SC2034,SC2154  # COMP_WORDS and COMP_CWORD are bash's
offered() {
  bash -c '. ./completion.bash; COMP_WORDS=(harness "$@"); COMP_CWORD=$#; COMPREPLY=(); _harness; echo "${COMPREPLY[*]}"' _ "$@"
}
same "a command" "$(offered compar)" compare
same "a command of a group" "$(offered baseline prom)" promote
same "an option" "$(offered run --save)" --save-as
same "an option of a command of a group" "$(offered records prune --ke)" --keep
same "a value" "$(offered run --color al)" always
touch my-suite.yaml
same "a file" "$(offered run my-)" my-suite.yaml
same "no option of another command" "$(offered list --save)" ""

# zsh_offers WORD... : the candidates for the last word. Where there is no zsh, bash reads the script: it splits words
# without being asked, and its lists count from 0.
zsh_offers() {
  local reader=(zsh -f)
  command -v zsh >/dev/null || { reader=(bash) && sed -i 's/[$]{=\([a-z]*\)}/$\1/' completion.zsh; }
  # shellcheck disable=SC2016  # the other shell expands it
  "${reader[@]}" -c 'compadd() { shift; printf "%s\n" "$@"; }; _files() { echo files; }; compdef() { :; }
    words=(harness "$@"); [ -n "${ZSH_VERSION:-}" ] || words=("" harness "$@"); CURRENT=$(($# + 1))
    . ./completion.zsh; _harness' zsh "$@"
}
# fish_offers WORD... : the same by fish, or by a reader of its script.
fish_offers() {
  if command -v fish >/dev/null; then
    fish --no-config -c ". completion.fish; complete -C 'harness $*'" | cut -f1
  else
    python3 "$tests/cli/fish_completion.py" completion.fish "$@"
  fi
}
# offer YES|NO CANDIDATE WORD... : whether zsh and fish offer the candidate.
offer() {
  local wanted=$1 candidate=$2 shell
  shift 2
  for shell in zsh fish; do
    "${shell}_offers" "$@" >offered.txt
    found=no && grep -qxF -- "$candidate" offered.txt && found=yes
    same "$shell offers $candidate after: $*" $found "$wanted"
  done
}
offer yes compare compar
offer no prune compar
offer yes promote baseline prom
offer yes --save-as run --save
offer yes --keep records prune --ke
offer yes always run --color al
offer no --save-as list --
offer yes --last records list --
offer no --devices records list --

if command -v groff >/dev/null; then
  groff -man -Tascii -ww harness.1 >page.txt 2>troff.txt || problem "groff cannot read the manual page"
  [ ! -s troff.txt ] || problem "groff complains: $(head -3 troff.txt)"
  sed -i 's/.\x08//g; s/\x1b\[[0-9;]*m//g' page.txt
  grep -q "harness compare" page.txt || problem "the page has no compare"
fi
finish
