{{/* The page. What the tenant writes is escaped here, once; nothing evaluates it afterwards. */}}
{{- define "hello-static.page" -}}
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ .Values.user.title | default "Hello" | html }}</title>
<style>body { font: 1.25rem/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 40rem; padding: 0 1rem; } h1 { white-space: pre-wrap; }</style>
</head>
<body><h1>{{ .Values.user.message | html }}</h1></body>
</html>
{{- end -}}

{{/* Runs without root on any nginx image: a high port, and everything that is written goes to /tmp. */}}
{{- define "hello-static.nginx" -}}
pid /tmp/nginx.pid;
error_log /dev/stderr warn;
events { worker_connections 128; }
http {
  include /etc/nginx/mime.types;
  access_log off;
  client_body_temp_path /tmp/body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;
  server {
    listen 8080;
    root /data;
    add_header X-Content-Type-Options nosniff;
  }
}
{{- end -}}

{{/* Kubernetes expands $(NAME) in environment variables; a doubled dollar stays one. */}}
{{- define "hello-static.literal" -}}
{{- . | replace "$" "$$" -}}
{{- end -}}
