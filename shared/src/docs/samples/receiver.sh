#!/bin/bash
BODY=$(head -c "${CONTENT_LENGTH:-0}" && printf x)
BODY=${BODY%x}
KEY=$(printf '%s' "${OUTBOUND_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
ONCE=$(openssl rand -hex 32)
blind() { printf '%s' "$1" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$ONCE" | sed 's/^.* //'; }

GENUINE=no
if [[ "$HTTP_WEBHOOK_TIMESTAMP" =~ ^[1-9][0-9]{0,11}$ ]] && AGE=$(($(date +%s) - HTTP_WEBHOOK_TIMESTAMP)) && ((AGE >= -300 && AGE <= 300)); then
  EXPECTED="v1,$(printf '%s.%s.%s' "$HTTP_WEBHOOK_ID" "$HTTP_WEBHOOK_TIMESTAMP" "$BODY" \
    | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)"
  read -ra SIGNATURES <<< "$HTTP_WEBHOOK_SIGNATURE"
  for SIGNATURE in "${SIGNATURES[@]}"; do
    if [ "$(blind "$SIGNATURE")" = "$(blind "$EXPECTED")" ]; then GENUINE=yes; fi
  done
fi
if [ "$GENUINE" = no ]; then
  printf 'Status: 401 Unauthorized\r\n\r\n'
  exit
fi
printf '%s\n' "$BODY" >&2
printf 'Status: 204 No Content\r\n\r\n'
