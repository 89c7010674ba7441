import type { KubeError } from '../../../kube/index.ts'

const KINDS = [
  'Unsupported value',
  'Invalid value',
  'Required value',
  'Forbidden',
  'Duplicate value',
  'Not found',
  'Too long',
  'Too many',
  'Internal error',
] as const

/** One problem with a field of a Shoot, as Gardener's Go code writes it. */
export interface ShootProblem {
  /** `spec.provider.workers[0].machine.type`. */
  readonly path: string
  readonly kind: (typeof KINDS)[number]
  readonly value: string | undefined
  /** The rest of the sentence. */
  readonly why: string
  readonly supported: readonly string[]
}

const KIND = KINDS.join('|')
/** Paths begin at the root of a Shoot. A key of a map is written in brackets, such as an annotation. */
const BEGINNING = new RegExp(`(?:^|[[ ])((?:spec|metadata|name)(?:[.\\w]|\\[[^\\]\\s]*\\])*): (?=(?:${KIND})\\b)`, 'g')
const SENTENCE = new RegExp(`^(${KIND})(?:: ("(?:[^"\\\\]|\\\\.)*"|\\{[^}]*\\}|[^:\\s]+))?(?:: )?(.*)$`, 's')

/** The problems that an answer names: in its causes, as validation writes them, or in its text, as admission does. */
export function problemsIn({ details, said }: Pick<KubeError, 'details' | 'said'>): readonly ShootProblem[] {
  const causes = (details.causes ?? []).flatMap(({ field = '', message = '' }) =>
    field === '' ? [] : (problemOf(field, message) ?? []),
  )
  return causes.length > 0 ? causes : [...problemsInText(said), ...duplicatesIn(said)]
}

/** Server-side apply reads lists before any validation, and has its own words for two items of one name. */
const duplicatesIn = (text: string): ShootProblem[] =>
  [...text.matchAll(/: \.(\S+): duplicate entries for key \[name="([^"]*)"\]/g)].map(([, path = '', value]) => ({
    path,
    kind: 'Duplicate value',
    value,
    why: 'is there twice',
    supported: [],
  }))

function problemsInText(text: string): ShootProblem[] {
  const found = [...text.matchAll(BEGINNING)]
  return found.flatMap((match, index) => {
    const from = match.index + match[0].length
    const next = found[index + 1]
    const sentence = text.slice(from, next?.index ?? text.length)
    return (
      problemOf(
        match[1] ?? '',
        next === undefined ? sentence.replace(/\]$/, closing(text)) : sentence.replace(/,\s*$/, ''),
      ) ?? []
    )
  })
}

/** Several problems stand in brackets; a bracket at the end of a single one is its own. */
const closing = (text: string): string => (/ is forbidden: \[/.test(text) ? '' : ']')

function problemOf(path: string, message: string): ShootProblem | undefined {
  const [, kind, quoted, rest = ''] = SENTENCE.exec(message) ?? []
  if (kind === undefined) return undefined
  const hasValue = kind !== 'Forbidden' && kind !== 'Required value' && kind !== 'Too long' && kind !== 'Too many'
  const why = hasValue ? rest : message.slice(kind.length).replace(/^: /, '')
  return {
    path,
    kind: kind as ShootProblem['kind'],
    value: hasValue ? unquoted(quoted) : undefined,
    why: why.trim(),
    supported: supportedIn(why),
  }
}

/** Quoted by Go, which has more escapes than JSON: such a value stays as it is written. */
function unquoted(text: string | undefined): string | undefined {
  if (text === undefined || !text.startsWith('"')) return text
  try {
    return JSON.parse(text) as string
  } catch {
    return text.slice(1, -1)
  }
}

/** Written behind a version: `1.36.1 (preview)`. */
const CLASSIFICATION = / \([a-z]+\)$/

/** `supported values: "a", "b"`, `supported types are [a b]`. */
function supportedIn(why: string): string[] {
  const [, quoted] = /supported values: (.*)$/s.exec(why) ?? []
  if (quoted !== undefined)
    return [...quoted.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, value = '']) => value.replace(CLASSIFICATION, ''))
  const [, listed] = /supported [\w ]+ are:? \[([^\]]*)\]/.exec(why) ?? []
  return listed === undefined ? [] : listed.split(/\s+/).filter((value) => value !== '')
}
