/* Templates of charts that are as small as a scenario allows. Names are fixed: every release has a namespace of its own. */

/** Ready at once. `text` is a template itself. */
export const page = (text: string, name = 'page'): string => `apiVersion: v1
kind: ConfigMap
metadata: { name: ${name} }
data: { text: ${text} }
`

/** Helm waits for it until somebody lays a volume ready. */
export const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: "{{ .Release.Name }}-data" }
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }
`

/** Its pod finds no node, ever. */
export const neverReady = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      nodeSelector: { example.com/nowhere: "true" }
      containers: [{ name: web, image: "registry.invalid/web:1" }]
`
