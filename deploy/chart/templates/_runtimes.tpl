{{/* A role on class runtimes for one process: (list $ "api" "runtimes-order"). */}}
{{- define "caelus.runtimesBinding" -}}
{{- $root := index . 0 -}}
{{- $process := index . 1 -}}
{{- $role := index . 2 -}}
{{- $name := include "caelus.fullname" $root -}}
{{- $only := $root.Values.runtimes.namespace -}}
{{- range $index, $namespace := splitList "," $only }}
{{- if $index }}
---
{{- end }}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (not (empty $only)) }}
metadata:
  name: {{ $name }}-{{ $process }}-{{ $role }}
  {{- with $namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "caelus.labels" (list $root "runtimes") | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $name }}-{{ $role }}
subjects:
  - kind: ServiceAccount
    name: {{ $name }}-{{ $process }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}
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
