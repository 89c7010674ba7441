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

const cases = (program: Command): string =>
  entriesOf(program)
    .map(({ path, words }) => `    '${path}') candidates='${words.join(' ')}' ;;`)
    .join('\n')

/** The words before the cursor that are no options, as a path: `cluster up`. */
const SCRIPTS: Readonly<Record<Shell, (program: Command) => string>> = {
  bash: (program) => `_caelus() {
  local path='' candidates='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases(program)}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _caelus caelus
`,
  zsh: (program) => `#compdef caelus
_caelus() {
  local line='' candidates='' word
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case "$word" in -*) ;; *) line="\${line:+$line }$word" ;; esac
  done
  case "$line" in
${cases(program)}
  esac
  compadd -- \${=candidates}
}
compdef _caelus caelus
`,
  fish: (program) =>
    entriesOf(program)
      .filter(({ words }) => words.length > 0)
      .map(({ path, words }) => {
        const test = `test (string join ' ' (string match -v -- '-*' (commandline -opc)[2..])) = '${path}'`
        return `complete -c caelus -f -n "${test}" -a '${words.join(' ')}'\n`
      })
      .join(''),
}

export const completionScript = (shell: Shell, program: Command): string => SCRIPTS[shell](program)
