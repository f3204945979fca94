{{/* A CronJob's name may have 52 characters, and "-backup-storage" takes 15 of them. */}}
{{- define "reelkeep.name" -}}
{{- .Release.Name | trunc 37 | trimSuffix "-" -}}
{{- end -}}

{{- define "reelkeep.image" -}}
{{- $repository := required "image.repository: the repository of your image, such as registry.example/reelkeep" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The selector labels of a component's pods; they never change. Takes a dict of root and component. */}}
{{- define "reelkeep.selector" -}}
app.kubernetes.io/name: reelkeep
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "reelkeep.labels" -}}
{{ include "reelkeep.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{/* Environment of a container: settings as values, secrets as file names. Takes a dict of settings (a list of maps) and secrets (names). */}}
{{- define "reelkeep.environment" -}}
{{- range $settings := .settings }}
{{- range $name, $value := $settings }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ toString $value | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name := .secrets }}
- name: {{ $name }}_FILE
  value: /run/secrets/reelkeep/{{ $name }}
{{- end }}
{{- end -}}

{{- define "reelkeep.secretVolume" -}}
- name: secrets
  secret:
    secretName: {{ required "secrets.name: the Secret with the service's secrets" .root.Values.secrets.name }}
    # 0440: readable by the pod's group, whose only member is its user.
    defaultMode: 288
    items:
      {{- range .secrets }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end -}}

{{/* A private CA: Node reads the first variable, the migration program the second. */}}
{{- define "reelkeep.privateCaEnvironment" -}}
{{- if .Values.privateCa.configMap }}
- { name: NODE_EXTRA_CA_CERTS, value: /run/reelkeep/ca.crt }
- { name: SSL_CERT_FILE, value: /run/reelkeep/ca.crt }
{{- end }}
{{- end -}}

{{- define "reelkeep.privateCaMount" -}}
{{- if .Values.privateCa.configMap }}
- { name: private-ca, mountPath: /run/reelkeep, readOnly: true }
{{- end }}
{{- end -}}

{{- define "reelkeep.privateCaVolume" -}}
{{- with .Values.privateCa }}
{{- if .configMap }}
- name: private-ca
  configMap: { name: {{ .configMap }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end -}}

{{- define "reelkeep.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
{{- end -}}

{{- define "reelkeep.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Common fields of every pod of the chart: takes a dict of root. */}}
{{- define "reelkeep.placement" -}}
{{- with .root.Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
# The service does not use the Kubernetes API.
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Allowed for every pod: DNS, Postgres and storage. Takes networkPolicy of the values. */}}
{{- define "reelkeep.wayOut" -}}
# DNS.
- to: {{- toYaml .dnsTo | nindent 4 }}
  ports:
    {{- range .dnsPorts }}
    - { protocol: UDP, port: {{ . }} }
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
- to: {{- toYaml .postgresTo | nindent 4 }}
  ports: [{ protocol: TCP, port: {{ .postgresPort }} }]
- to: {{- toYaml .storageTo | nindent 4 }}
  ports:
    {{- range .storagePorts }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end -}}
