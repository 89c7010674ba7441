import type { Argument, Command } from 'commander'

/** The page docs/reference/cli.md, made from the commands themselves. */
export function cliReference(program: Command): string {
  const intro = `# Commands

<!-- Made by \`npm run generate\`; a test keeps it equal to the code. -->

From a checkout: \`npx caelus <command>\`. Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 not settled within
\`--timeout\`. A failure prints its code, who has to act and the next step. Remote commands talk to the server of \`CAELUS_URL\` with \`CAELUS_TOKEN\`; without
them to the one that \`caelus up\` started in this directory.
`
  return [intro, ...leavesOf(program).map(({ path, command }) => section(path, command))].join('\n')
}

interface Leaf {
  readonly path: string
  readonly command: Command
}

/** Every command that has none below it. */
export function leavesOf(command: Command, path = ''): Leaf[] {
  const here = `${path} ${command.name()}`.trim()
  const children = command.commands.filter((child) => child.name() !== 'help')
  return children.length === 0 ? [{ path: here, command }] : children.flatMap((child) => leavesOf(child, here))
}

function section(path: string, command: Command): string {
  const rows = [
    ...command.registeredArguments.map((argument) => [
      argumentText(argument),
      describe(argument.description, argument.argChoices, undefined),
    ]),
    ...command.options.map((option) => [
      option.flags,
      describe(option.description, option.argChoices, option.defaultValueDescription ?? option.defaultValue),
    ]),
  ]
  const usage = [
    path,
    ...command.registeredArguments.map(argumentText),
    ...(command.options.length > 0 ? ['[options]'] : []),
  ]
  const parts = [`## ${path}`, sentence(command.description()), `\`\`\`\n${usage.join(' ')}\n\`\`\``]
  if (rows.length > 0)
    parts.push(['| | |', '|---|---|', ...rows.map(([name, text]) => `| \`${name}\` | ${text} |`)].join('\n'))
  return `${parts.join('\n\n')}\n`
}

const argumentText = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`

function describe(text: string, choices: readonly string[] | undefined, fallback: unknown): string {
  const more = choices ? [`one of ${choices.join(', ')}`] : []
  if (typeof fallback === 'string' || typeof fallback === 'number') more.push(`default ${fallback}`)
  return more.length === 0 ? text : `${text} (${more.join('; ')})`
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
