import type { Section } from './section.ts'

/** The page docs/reference/configuration.md, made from the sections. */
export const configurationReference = (sections: readonly Section[]): string => `# Configuration

<!-- Made by \`npm run generate\`; a test keeps it equal to the code. -->

The configuration comes from environment variables. A command reads the sections below that name it, once at its start, and refuses
to start if anything in them is wrong: every problem is listed with the variable, its value and the fix. An unknown variable that
begins with \`CAELUS_\` is a problem for every command, and one that begins with \`GARDENER_\` for those that read the section of clusters. An empty value counts as unset. \`caelus config\` prints the values in force
and where they come from.

Durations are written \`500ms\`, \`30s\`, \`5m\`, \`1m30s\`, \`12h\`, \`7d\`; sizes \`512KiB\`, \`1MiB\`. Secrets are never printed, logged or answered.

${sections.map(sectionReference).join('\n')}`

function sectionReference({ title, readBy, variables }: Section): string {
  const rows = Object.values(variables).map(({ name, type, fallback, secret, doc }) => {
    const standard = fallback === undefined ? '' : `\`${fallback}\``
    return `| \`${name}\` | ${type}${secret ? ', secret' : ''} | ${standard} | ${doc} |`
  })
  return `## ${title}

Read by ${readBy}.

| variable | type | default | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}
