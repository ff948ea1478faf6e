BODY='{"customer":{"first_name":"Ada","phone_e164":"+15551230001"},"order":{"number":"10042","total":"49.90","currency":"USD","items":[{"name":"Mug","qty":2}],"order_url_customer":"https://shop.example/orders/10042"}}'
ID="${EVENT_ID:-order-10042-created-sh}" # the same in every retry
UNTIL=$(($(date +%s) + 270)) # the id counts for 300 seconds
WAIT=1
while :; do
  TIMESTAMP=$(date +%s)
  SIGNATURE="v1,$(printf '%s.%s.%s' "$ID" "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -binary | openssl base64 -A)"
  ANSWER=$(curl -sS -m 20 -w '\n%{http_code}' "$BASE_URL/api/public/ingest/generic/order.created" \
    -H 'Content-Type: application/json' \
    -H "X-Service-Site-Key: $SITE_KEY" \
    -H "webhook-id: $ID" \
    -H "webhook-timestamp: $TIMESTAMP" \
    -H "webhook-signature: $SIGNATURE" \
    --data-binary "$BODY")
  STATUS=${ANSWER##*$'\n'}
  case "$STATUS" in
    408 | 429 | 5?? | 000) PAUSE=$((WAIT + RANDOM % (WAIT + 1))) ;;
    *) break ;;
  esac
  [ $(($(date +%s) + PAUSE)) -lt "$UNTIL" ] || break
  sleep "$PAUSE"
  WAIT=$((WAIT < 300 ? 2 * WAIT : 600))
done
printf '%s\n' "${ANSWER%$'\n'*}"
[[ "$STATUS" == 2?? ]]
