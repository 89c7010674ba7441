{{- define "caelus.clustersEnv" -}}
{{- $values := .Values.clusters -}}
{{- if $values.enabled }}
{{- if and (eq $values.mode "real") (eq $values.kubeconfigSecret "") }}
{{- fail "clusters.mode is real: name a Secret with the kubeconfig of the garden in clusters.kubeconfigSecret, or set clusters.mode=mock, which makes no clusters" }}
{{- end }}
{{- if and (eq $values.mode "mock") (gt (int $values.replicas) 1) }}
{{- fail "clusters.mode is mock: each worker would simulate a Gardener of its own; set clusters.replicas to 1" }}
{{- end }}
{{- range $name, $value := dict
  "GARDENER_MODE" $values.mode
  "GARDENER_KUBECONFIG" (ternary "/etc/caelus-garden/kubeconfig" "" (ne $values.kubeconfigSecret ""))
  "GARDENER_NAMESPACE" $values.namespace
  "GARDENER_PROVIDER_TYPE" $values.providerType
  "GARDENER_CLOUD_PROFILE" $values.cloudProfile
  "GARDENER_CREDENTIALS_BINDING_NAME" $values.credentialsBinding }}
{{- with $value }}
- name: {{ $name }}
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "caelus.gardenMount" -}}
{{- if and .Values.clusters.enabled .Values.clusters.kubeconfigSecret }}
- name: garden
  mountPath: /etc/caelus-garden
  readOnly: true
{{- end }}
{{- end -}}

{{- define "caelus.gardenVolume" -}}
{{- if and .Values.clusters.enabled .Values.clusters.kubeconfigSecret }}
- name: garden
  secret:
    secretName: {{ .Values.clusters.kubeconfigSecret }}
    items: [{ key: kubeconfig, path: kubeconfig }]
{{- end }}
{{- end -}}
