/**
 * Completion scripts. All of them call the hidden command `complete`, which prints a value, a tab and a
 * description per line. If it prints nothing, they complete file names. We do not use @bomb.sh/tab: its script
 * failed in bash without bash-completion and never completed file names.
 */
export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

export const scripts: Record<Shell, string> = {
  // Bash splits words at colons and replaces only the last part, so the text before that part is removed, except
  // after an opening quote. `%q` escapes commas, which users type without a backslash.
  bash: `_reelkeep_complete() {
  local line=\${COMP_LINE:0:COMP_POINT} words word value rest quoted is_quoted=
  local opened=$'[[:space:]]["\\']([^"\\']*)$'
  if [[ $line =~ $opened ]]; then
    is_quoted=1 word=\${BASH_REMATCH[1]}
    read -r -a words <<<"\${line%"\${BASH_REMATCH[0]}"}"
    words+=("$word")
  else
    read -r -a words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    word=\${words[\${#words[@]}-1]}
  fi
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    if [[ $is_quoted ]]; then
      COMPREPLY+=("$value")
      continue
    fi
    value=\${value#"\${word%"\${word##*[:=]}"}"}
    printf -v quoted %q "$value"
    COMPREPLY+=("\${quoted//\\\\,/,}")
  done < <(reelkeep complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _reelkeep_complete reelkeep
`,
  zsh: `#compdef reelkeep
_reelkeep() {
  local line
  local -a described
  while IFS= read -r line; do
    described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(reelkeep complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#described} )); then
    _describe -V 'reelkeep' described
  else
    _files
  fi
}
compdef _reelkeep reelkeep
`,
  fish: `function __reelkeep_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (reelkeep complete -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    string join \\n -- $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c reelkeep -f -a '(__reelkeep_complete)'
`,
}
