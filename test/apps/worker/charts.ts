import type { TemplateInput } from '../../../src/domains/apps/usecases/index.ts'

/* Templates of charts that are as small as a scenario allows. Names are fixed: every release has a namespace of its own. */

/** Ready at once. `text` is a template itself. */
export const page = (text: string, name = 'page'): string => `apiVersion: v1
kind: ConfigMap
metadata: { name: ${name} }
data: { text: ${text} }
`

/** It is bound once somebody lays a volume ready. */
export const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: "{{ .Release.Name }}-data" }
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }
`

const web = (replicas: number, more = ''): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  strategy: { rollingUpdate: { maxUnavailable: 1 } }
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: "registry.invalid/web:1" }]
${more}`

/** Its pod finds no node, ever. */
export const neverReady = web(1, '      nodeSelector: { example.com/nowhere: "true" }\n')

export const replicated = (replicas: number): string => web(replicas)

/** For charts that do one thing or another: `.Values.user.mode`. */
export const MODES: Partial<TemplateInput> = {
  defaultValues: { user: { mode: 'calm' } },
  valuesSchema: { type: 'object', properties: { user: { type: 'object', properties: { mode: { type: 'string' } } } } },
}

/** Of a chart in modes: there in one of them alone. */
export const onlyIn = (mode: string, template: string): string =>
  `{{ if eq .Values.user.mode "${mode}" }}\n${template}{{ end }}\n`

/** A hook of Helm's that ends once a volume is laid ready for `claim`. */
export const hookOnClaim = (hooks: string, name = 'hook'): string => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations: { helm.sh/hook: "${hooks}", helm.sh/hook-delete-policy: "before-hook-creation" }
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: hook, image: "registry.invalid/hook:1" }]
      volumes: [{ name: data, persistentVolumeClaim: { claimName: "{{ .Release.Name }}-data" } }]
`

/** A chart that Helm installs or upgrades for as long as no volume is laid. */
export const hanging = (text = '"{{ .Values.ingress.host }}"'): Record<string, string> => ({
  'page.yaml': page(text),
  'claim.yaml': claim,
  'hook.yaml': hookOnClaim('post-install,post-upgrade'),
})
