{{- define "tidings.labels" -}}
app.kubernetes.io/name: tidings
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "tidings.selector" -}}
app.kubernetes.io/name: tidings
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "tidings.env" -}}
- { name: HOST, value: "0.0.0.0" }
- { name: TRUST_PROXY, value: "1" }
{{- with .root.Values.platformApiUrl }}
- { name: PLATFORM_API_URL, value: {{ . | quote }} }
{{- end }}
{{- if .root.Values.sandbox.enabled }}
- { name: SANDBOX_URL, value: "http://{{ .root.Release.Name }}-sandbox:{{ .root.Values.sandbox.service.port }}" }
{{- end }}
- { name: PUBLIC_GATEWAY_URL, value: {{ required "publicGatewayUrl is needed" .root.Values.publicGatewayUrl | quote }} }
- { name: PUBLIC_ADMIN_URL, value: {{ required "publicAdminUrl is needed" .root.Values.publicAdminUrl | quote }} }
{{- if .root.Values.metrics.enabled }}
- { name: METRICS_PORT, value: {{ .root.Values.metrics.port | quote }} }
- { name: METRICS_HOST, value: "0.0.0.0" }
{{- end }}
{{- range $name, $value := merge (dict) .values.env .root.Values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "tidings.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tidings.pod" -}}
automountServiceAccountToken: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "tidings.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
