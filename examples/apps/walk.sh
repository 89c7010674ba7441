#!/bin/sh
# From a chart to a running app and back, by the command line and, where it says curl, by the API. Needs a running
# `npm start`, or CAELUS_URL and CAELUS_TOKEN of another server that may read this checkout. Run it as often as you like.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
caelus() { "$root/node_modules/.bin/node" "$root/bin/caelus.mjs" "$@"; }
# The field of the JSON on standard input.
field() { "$root/node_modules/.bin/node" -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
say() { printf '\n== %s\n' "$*"; }

here=examples-$$
domain=$here.example.com

say "Publish charts/hello-static as a product"
product="Hello $here"
caelus create-product "$product"
caelus create-template --product "$product" --chart "$root/charts/hello-static" --chart-version 0.1.0 \
  --health-timeout 2m --canonical >/dev/null
caelus get-product "$product"

say "See what an order would make, then order"
caelus preview --product "$product" --domain "$domain" --values-json '{"message":"Hello"}'
ordered=$(caelus create-deployment --product "$product" --domain "$domain" --values-json '{"message":"Hello"}' \
  --wait -o json)
caelus list-resources "$domain"

say "A value that the schema refuses changes nothing"
if caelus update-deployment "$domain" --values-json '{"message":""}'; then
  echo "expected a refusal" >&2
  exit 1
fi

say "Change the message, by the API"
if [ -z "${CAELUS_URL:-}" ]; then
  login=${CAELUS_DATA_DIR:-$root/.caelus}/login.json
  CAELUS_URL=$(field url <"$login")
  CAELUS_TOKEN=$(field token <"$login")
fi
id=$(printf '%s' "$ordered" | field id)
user=$(printf '%s' "$ordered" | field user_id)
generation=$(printf '%s' "$ordered" | field generation)
curl --fail-with-body --silent --show-error --request PATCH \
  --header "Authorization: Bearer $CAELUS_TOKEN" --header "If-Match: \"$generation\"" \
  --header 'Content-Type: application/json' --data '{"user_values":{"message":"Hello again"}}' \
  "$CAELUS_URL/api/v1/users/$user/deployments/$id" | field user_values.message
# Changing nothing is a way to wait for what was asked before.
caelus update-deployment "$domain" --domain "$domain" --wait >/dev/null

say "Why it is as it is, and what happened"
caelus explain "$domain"
caelus timeline "$domain"

say "Delete it, and what it was made from"
caelus delete-deployment "$domain" --wait
caelus delete-product "$product"

status=$(caelus get-deployment "$domain" -o json | field status)
[ "$status" = deleted ] || { echo "expected deleted, found $status" >&2; exit 1; }
say "Nothing of $domain is left"
