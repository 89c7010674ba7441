import { formatFacts, formatList } from '../../output.ts'

interface Finding {
  readonly severity: string
  readonly code: string
  readonly object: string | null
  readonly message: string
  readonly switched_off_by: readonly string[]
  readonly grant: GrantOffer | null
}

interface GrantOffer {
  readonly grantable: boolean
  readonly because: string | null
  readonly kind: string | null
  readonly name: string | null
  readonly risks: readonly string[]
}

/** As `/charts:inspect` answers. */
export interface InspectedChart {
  readonly name: string
  readonly version: string
  readonly app_version: string | null
  readonly description: string | null
  readonly digest: string
  readonly signed_by: { readonly fingerprint: string; readonly identity: string } | null
  readonly form: { readonly enabled: boolean; readonly ui_hints: readonly { readonly pointer: string }[] }
  readonly problems: readonly { readonly field: string; readonly message: string }[]
  readonly inspection: {
    readonly findings: readonly Finding[]
    readonly objects: readonly string[]
    readonly domain_at: readonly string[]
    readonly record_bytes: number | null
  } | null
}

/** For people: what it is, and then everything that speaks against it, one line each. */
export function inspectionText(chart: InspectedChart): string {
  const { form, problems, inspection } = chart
  const facts = formatFacts('table', {
    name: chart.name,
    version: chart.version,
    'app version': chart.app_version,
    description: chart.description,
    digest: chart.digest,
    'signed by':
      chart.signed_by === null ? 'not verified' : `${chart.signed_by.identity} ${chart.signed_by.fingerprint}`,
    settings: form.enabled ? form.ui_hints.map(({ pointer }) => pointer.slice(1)).join(', ') : 'none',
    objects: inspection === null ? 'not tried' : inspection.objects.join(', '),
    'domain at': inspection === null ? 'not tried' : inspection.domain_at.join(', '),
    'record size': inspection?.record_bytes === undefined ? null : sizeText(inspection.record_bytes),
  })
  const findings: readonly Finding[] = [
    ...problems.map(({ field, message }) => ({
      severity: 'problem',
      code: field,
      object: null,
      message,
      switched_off_by: [],
      grant: null,
    })),
    ...(inspection?.findings ?? []),
  ]
  if (findings.length === 0) return facts
  const lines = formatList('table', findings, [
    { head: 'severity', cell: ({ severity }) => severity },
    { head: 'what', cell: ({ code }) => code },
    { head: 'object', cell: ({ object }) => object },
    { head: 'gone with', cell: ({ switched_off_by: by }) => by.join(' or ') },
    { head: 'granted as', cell: ({ grant }) => (grant === null ? null : offerText(grant)) },
    { head: 'why', cell: ({ message }) => message },
  ])
  return `${facts}\n${lines}`
}

const offerText = ({ grantable, because, kind, name, risks }: GrantOffer): string =>
  grantable ? [`${kind}/${name}`, ...risks].join('; ') : `never: ${because}`

const sizeText = (bytes: number | null): string | null => (bytes === null ? null : `${Math.ceil(bytes / 1024)} KiB`)
