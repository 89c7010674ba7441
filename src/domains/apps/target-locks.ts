import { targetName } from '../../kernel/index.ts'

/** Other domains change these kinds too: an enforcement scales them, a remediation restarts them. */
const CONTENDED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet'])

interface Target {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** The targets that a step on a release locks: its namespace and the workloads in it. */
export const targetsOf = (namespace: string, objects: readonly Target[]): string[] => [
  targetName('', 'Namespace', undefined, namespace),
  ...objects
    .filter(({ kind }) => CONTENDED.has(kind))
    .map(({ apiVersion, kind, metadata }) =>
      targetName(apiVersion.split('/')[0] ?? '', kind, namespace, metadata.name),
    ),
]
