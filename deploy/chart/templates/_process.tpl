{{/*
ServiceAccount, PodDisruptionBudget and Deployment of one command:
(dict "root" $ "name" "api" "command" "api" "database" "<secret>" …).
*/}}
{{- define "caelus.process" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "caelus.fullname" $root) .name -}}
{{- $labels := include "caelus.labels" (list $root .name) -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- $labels | nindent 4 }}
automountServiceAccountToken: false
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- $labels | nindent 4 }}
spec:
  replicas: {{ .values.replicas }}
  selector:
    matchLabels:
      {{- include "caelus.selector" (list $root .name) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- $labels | nindent 8 }}
      annotations:
        checksum/kubeconfig: {{ include "caelus.kubeconfig" $root | sha256sum }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: {{ not .withoutAccount }}
      terminationGracePeriodSeconds: {{ .graceSeconds }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "caelus.selector" (list $root .name) | nindent 14 }}
      {{- include "caelus.podSpec" $root | nindent 6 }}
      containers:
        - name: {{ .name }}
          {{- include "caelus.container" (dict "root" $root "command" .command "resources" .values.resources) | nindent 10 }}
          env:
            {{- include "caelus.databaseUrl" .database | nindent 12 }}
            {{- include "caelus.env" $root | nindent 12 }}
            {{- include "caelus.runtimesEnv" $root | nindent 12 }}
            {{- include "caelus.appsEnv" $root | nindent 12 }}
            {{- if not .withoutGarden }}
            {{- include "caelus.clustersEnv" $root | nindent 12 }}
            {{- end }}
            {{- if not .withoutAccount }}
            - name: CAELUS_KUBECONFIG
              value: /etc/caelus/kubeconfig
            {{- end }}
            - name: CAELUS_HOST
              value: "0.0.0.0"
            {{- with .healthPort }}
            - name: HEALTH_PORT
              value: {{ . | quote }}
            {{- else }}
            - name: CAELUS_PORT
              value: "8080"
            {{- end }}
            {{- with .env }}
            {{- . | nindent 12 }}
            {{- end }}
          ports:
            - name: http
              containerPort: {{ .healthPort | default 8080 }}
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            timeoutSeconds: 5
          volumeMounts:
            - name: kubeconfig
              mountPath: /etc/caelus
              readOnly: true
            {{- if not .withoutGarden }}
            {{- include "caelus.gardenMount" $root | nindent 12 }}
            {{- end }}
            - name: data
              mountPath: /var/lib/caelus
            - name: tmp
              mountPath: /tmp
      volumes:
        - name: kubeconfig
          configMap:
            name: {{ include "caelus.fullname" $root }}-kubeconfig
        {{- if not .withoutGarden }}
        {{- include "caelus.gardenVolume" $root | nindent 8 }}
        {{- end }}
        # Charts and what Helm remembers: fetched again by whoever starts anew.
        - name: data
          emptyDir: {}
        - name: tmp
          emptyDir: {}
{{- if gt (int .values.replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- $labels | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "caelus.selector" (list $root .name) | nindent 6 }}
{{- end }}
{{- end -}}

{{/* What all pods have in common, as the restricted pod security standard asks for. */}}
{{- define "caelus.podSpec" -}}
{{- /* A Service called caelus would put CAELUS_PORT=tcp://… into our environment. */ -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "caelus.container" -}}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: [{{ .command }}{{ range .args }}, {{ . }}{{ end }}]
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- with .resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The login of one process, by the name of its Secret. */}}
{{- define "caelus.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: database-url }
{{- end -}}

{{- define "caelus.env" -}}
- name: CAELUS_VALUES_KEY
  valueFrom:
    secretKeyRef: { name: {{ .Values.secret.name }}, key: values-key, optional: true }
- name: CAELUS_DATA_DIR
  value: /var/lib/caelus
{{- if and .Values.ingress.enabled (not (hasKey .Values.config "CAELUS_TRUST_PROXY")) }}
- name: CAELUS_TRUST_PROXY
  value: "1"
{{- end }}
{{- range $name, $value := .Values.config }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end -}}

{{/* The account of the pod, as a file: Helm reads it too. */}}
{{- define "caelus.kubeconfig" -}}
apiVersion: v1
kind: Config
clusters:
  - name: in-cluster
    cluster:
      server: https://kubernetes.default.svc
      certificate-authority: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
users:
  - name: pod
    user:
      tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
contexts:
  - name: in-cluster
    context:
      cluster: in-cluster
      user: pod
      namespace: {{ .Release.Namespace }}
current-context: in-cluster
{{- end -}}
