import { VARIABLES } from './index.ts'

/** The page docs/reference/configuration.md, made from the table of variables. */
export function configurationReference(): string {
  const rows = Object.values(VARIABLES).map(({ name, type, fallback, secret, doc }) => {
    const standard = fallback === undefined ? '' : `\`${fallback}\``
    return `| \`${name}\` | ${type}${secret ? ', secret' : ''} | ${standard} | ${doc} |`
  })
  return `# Configuration

<!-- Made by \`npm run generate\`; a test keeps it equal to the code. -->

All of it comes from the environment, is read once at the start, and is refused as a whole if anything is wrong: every
problem is named with its variable, value and fix. An unknown variable that begins with \`CAELUS_\` is a problem too. An empty
value counts as unset. \`caelus config\` prints the values in force and where they come from.

Durations are written \`500ms\`, \`30s\`, \`5m\`, \`12h\`, \`7d\`; sizes \`512KiB\`, \`1MiB\`. Secrets are never printed, logged or answered.

| variable | type | default | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}
