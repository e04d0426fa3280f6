{{/* Templates take a dict: `root` (the chart's context), `app` (auth or api). */}}

{{- define "keydesk.name" -}}
{{ .root.Release.Name }}-{{ .app }}
{{- end }}

{{- define "keydesk.selector" -}}
app.kubernetes.io/name: keydesk
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end }}

{{- define "keydesk.labels" -}}
{{ include "keydesk.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "keydesk.image" -}}
{{ with .root.Values.image.registry }}{{ . }}/{{ end }}keydesk-{{ .app }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "keydesk.port" -}}
{{ if eq .app "auth" }}3000{{ else }}3001{{ end }}
{{- end }}

{{- define "keydesk.usesSqlite" -}}
{{ if eq .root.Values.storage.engine "sqlite" }}true{{ end }}
{{- end }}

{{/* Keys of the Secret that an app reads, separated by white space. */}}
{{- define "keydesk.secretKeys" -}}
{{ if eq .app "auth" }}master-secret smtp-url{{ end }}
{{ if not (include "keydesk.usesSqlite" .) }}{{ .app }}-storage-url{{ end }}
{{ if .root.Values.redis.enabled }}redis-url{{ end }}
{{ if and (eq .app "api") (hasKey .root.Values.api.settings "SECURITY_EVENTS_CLIENT_ID") }}security-events-secret{{ end }}
{{- end }}

{{- define "keydesk.env" -}}
{{- $values := .root.Values -}}
- name: ISSUER
  value: {{ required "issuer is required" $values.issuer | quote }}
- name: TRUSTED_PROXY_HOPS
  value: {{ $values.trustedProxyHops | quote }}
- name: DRAIN_SECONDS
  value: {{ $values.drainSeconds | quote }}
{{- if eq .app "auth" }}
- name: API_AUDIENCE
  value: {{ required "baseUrl is required" $values.baseUrl | quote }}
- name: MASTER_SECRET_FILE
  value: /run/secrets/keydesk/master-secret
- name: SMTP_URL_FILE
  value: /run/secrets/keydesk/smtp-url
- name: MAIL_FROM
  value: {{ $values.mailFrom | quote }}
{{- else }}
- name: BASE_URL
  value: {{ required "baseUrl is required" $values.baseUrl | quote }}
{{- if hasKey $values.api.settings "SECURITY_EVENTS_CLIENT_ID" }}
- name: SECURITY_EVENTS_CLIENT_SECRET_FILE
  value: /run/secrets/keydesk/security-events-secret
{{- end }}
{{- end }}
{{- if include "keydesk.usesSqlite" . }}
- name: STORAGE_URL
  value: sqlite:/var/lib/keydesk/{{ if eq .app "auth" }}auth{{ else }}tickets{{ end }}.db
{{- else }}
{{- /* Clears the image's default: a setting comes from a variable or a file. */}}
- name: STORAGE_URL
  value: ''
- name: STORAGE_URL_FILE
  value: /run/secrets/keydesk/{{ .app }}-storage-url
{{- if $values.migrations.enabled }}
- name: MIGRATE_AT_START
  value: 'false'
{{- end }}
{{- end }}
{{- if $values.redis.enabled }}
- name: REDIS_URL_FILE
  value: /run/secrets/keydesk/redis-url
{{- end }}
{{- if $values.metrics.enabled }}
- name: METRICS_PORT
  value: {{ $values.metrics.port | quote }}
{{- end }}
{{- with $values.caConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/ca/ca.crt
{{- end }}
{{- range $name, $value := (index $values .app).settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Fields of all pods, of servers and of migrations. */}}
{{- define "keydesk.podDefaults" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  # Only the keys of this app: without `items`, a volume has all of them.
  - name: secrets
    {{- $keys := include "keydesk.secretKeys" . | replace "\n" " " | splitList " " | compact }}
    {{- if $keys }}
    secret:
      secretName: {{ .root.Values.secretName }}
      defaultMode: 0440
      items:
        {{- range $keys }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
    {{- else }}
    emptyDir: {}
    {{- end }}
  {{- with .root.Values.caConfigMap }}
  - name: ca
    configMap: { name: {{ . }} }
  {{- end }}
  {{- if include "keydesk.usesSqlite" . }}
  - name: data
    persistentVolumeClaim: { claimName: {{ include "keydesk.name" . }} }
  {{- end }}
{{- end }}

{{- define "keydesk.containerDefaults" -}}
image: {{ include "keydesk.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env: {{- include "keydesk.env" . | nindent 2 }}
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/keydesk, readOnly: true }
  {{- if .root.Values.caConfigMap }}
  - { name: ca, mountPath: /run/ca, readOnly: true }
  {{- end }}
  {{- if include "keydesk.usesSqlite" . }}
  - { name: data, mountPath: /var/lib/keydesk }
  {{- end }}
{{- end }}
