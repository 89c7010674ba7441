{{/* A role on class runtimes for one process: (list $ "api" "runtimes-order"). */}}
{{- define "caelus.runtimesBinding" -}}
{{- $root := index . 0 -}}
{{- $name := include "caelus.fullname" $root -}}
{{- $only := $root.Values.runtimes.namespace -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (not (empty $only)) }}
metadata:
  name: {{ $name }}-{{ index . 1 }}-{{ index . 2 }}
  {{- with $only }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "caelus.labels" (list $root "runtimes") | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $name }}-{{ index . 2 }}
subjects:
  - kind: ServiceAccount
    name: {{ $name }}-{{ index . 1 }}
    namespace: {{ $root.Release.Namespace }}
{{- end -}}

{{- define "caelus.runtimesEnv" -}}
{{- $values := .Values.runtimes -}}
{{- range $name, $value := dict
  "CAELUS_RUNTIMES_NAMESPACE" $values.namespace
  "CAELUS_RUNTIMES_PROFILE" $values.profile
  "CAELUS_RUNTIMES_ODGM_IMAGE" $values.odgmImage
  "CAELUS_RUNTIMES_OTLP_ENDPOINT" $values.otlpEndpoint
  "CAELUS_RUNTIMES_PROMETHEUS_URL" $values.prometheusUrl }}
{{- with $value }}
- name: {{ $name }}
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}
