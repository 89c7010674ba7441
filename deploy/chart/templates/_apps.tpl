{{- define "caelus.appsEnv" -}}
{{- $values := .Values.apps -}}
{{- range $name, $value := dict
  "CAELUS_APPS_PER_USER" (toString $values.perUser)
  "CAELUS_APPS_RESERVED_DOMAINS" $values.reservedDomains
  "CAELUS_APPS_ALLOWED_DOMAINS" $values.allowedDomains
  "CAELUS_APPS_ALLOWED_MANAGERS" $values.allowedManagers
  "CAELUS_CHART_PROVENANCE" $values.chartProvenance
  "CAELUS_CHART_KEYRING" (ternary "/etc/caelus/chart-keyring.asc" "" (ne $values.chartKeyring ""))
  "CAELUS_APPS_POD_SECURITY" $values.podSecurity
  "CAELUS_APPS_QUOTA" $values.quota
  "CAELUS_APPS_DEFAULT_REQUESTS" $values.defaultRequests
  "CAELUS_APPS_NETWORK_POLICY" $values.networkPolicy
  "CAELUS_APPS_INGRESS_NAMESPACES" $values.ingressNamespaces
  "CAELUS_APPS_INGRESS_CIDRS" $values.ingressCidrs
  "CAELUS_APPS_EGRESS_EXCEPT" $values.egressExcept }}
{{- with $value }}
- name: {{ $name }}
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}
