import base64, hashlib, hmac, http.client, json, os, random, sys, time, urllib.error, urllib.request

order = {
    "number": "10042",
    "total": "49.90",
    "currency": "USD",
    "items": [{"name": "Mug", "qty": 2}],
    "order_url_customer": "https://shop.example/orders/10042",
}
body = json.dumps({"customer": {"first_name": "Ada", "phone_e164": "+15551230001"}, "order": order}).encode()
event_id = os.environ.get("EVENT_ID", "order-10042-created-py")  # the same in every retry


def post():
    """The status, the answer, and the seconds of Retry-After."""
    timestamp = str(int(time.time()))
    signed = f"{event_id}.{timestamp}.".encode() + body
    signature = base64.b64encode(hmac.new(os.environ["WEBHOOK_SECRET"].encode(), signed, hashlib.sha256).digest()).decode()
    request = urllib.request.Request(
        os.environ["BASE_URL"] + "/api/public/ingest/generic/order.created",
        data=body,
        headers={
            "Content-Type": "application/json",
            "X-Service-Site-Key": os.environ["SITE_KEY"],
            "webhook-id": event_id,
            "webhook-timestamp": timestamp,
            "webhook-signature": "v1," + signature,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, response.read().decode(), 0
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode(), int(refusal.headers.get("Retry-After") or 0)
    except (OSError, http.client.HTTPException) as failure:
        return 0, str(failure), 0


until = time.time() + 270  # the id counts for 300 seconds
wait = 1
while True:
    status, answer, retry_after = post()
    pause = max(wait, retry_after) * (1 + random.random())
    again = status in (0, 408, 429) or status >= 500
    if not again or time.time() + pause > until:
        break
    time.sleep(pause)
    wait = min(2 * wait, 600)
print(answer)
sys.exit(0 if 200 <= status < 300 else 1)
