import type { Command } from 'commander'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

interface Entry {
  readonly path: string
  readonly words: readonly string[]
}

/** Every command with what may follow it: its own commands, the choices of its arguments, its options. */
function entriesOf(command: Command, path = ''): Entry[] {
  const children = command.commands.filter((child) => child.name() !== 'help')
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const options = command.options.flatMap(({ long }) => long ?? [])
  const own = { path, words: [...children.map((child) => child.name()), ...choices, ...options] }
  return [own, ...children.flatMap((child) => entriesOf(child, `${path} ${child.name()}`.trim()))]
}

/** For bash and zsh, which share this much: what may follow a command, and which words make one. */
const cases = (entries: readonly Entry[]): string =>
  entries.map(({ path, words }) => `    '${path}') candidates='${words.join(' ')}' ;;`).join('\n')

const commandsOf = (entries: readonly Entry[]): string =>
  entries.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' | ')

/*
 * Each finds the command among the words before the cursor, `control-plane up` in `caelus control-plane --nodes kwok up`:
 * words that are part of no command are options, their values, or arguments.
 */
const SCRIPTS: Readonly<Record<Shell, (entries: readonly Entry[]) => string>> = {
  bash: (entries) => `_caelus() {
  local path='' candidates='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
    ${commandsOf(entries)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases(entries)}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _caelus caelus
`,
  zsh: (entries) => `#compdef caelus
_caelus() {
  local line='' candidates='' word
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case "\${line:+$line }$word" in
    ${commandsOf(entries)}) line="\${line:+$line }$word" ;;
    esac
  done
  case "$line" in
${cases(entries)}
  esac
  compadd -- \${=candidates}
}
# Read by the shell at its start, or called as a function from a folder of fpath.
if [ "\${funcstack[1]}" = _caelus ]; then _caelus "$@"; else compdef _caelus caelus; fi
`,
  fish: (entries) => `function __caelus_command
  set -l line
  for word in (commandline -opc)[2..]
    if contains -- (string join -- ' ' $line $word) ${entries.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' ')}
      set -a line $word
    end
  end
  string join ' ' $line
end
complete -c caelus -f
${entries
  .filter(({ words }) => words.length > 0)
  .map(({ path, words }) => `complete -c caelus -n 'test "$(__caelus_command)" = "${path}"' -a '${words.join(' ')}'\n`)
  .join('')}`,
}

export const completionScript = (shell: Shell, program: Command): string => SCRIPTS[shell](entriesOf(program))
