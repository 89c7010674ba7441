import { RE2JS } from 're2js'

/** Linear in the text, whatever the pattern; also the dialect that Helm itself, being written in Go, understands. */
export const linearPattern = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), {
  code: 'linearPattern',
})
