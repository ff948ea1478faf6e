import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const { BASE_URL, SITE_KEY, WEBHOOK_SECRET, EVENT_ID } = process.env;
const order = {
  number: "10042",
  total: "49.90",
  currency: "USD",
  items: [{ name: "Mug", qty: 2 }],
  order_url_customer: "https://shop.example/orders/10042",
};
const body = JSON.stringify({ customer: { first_name: "Ada", phone_e164: "+15551230001" }, order });
const id = EVENT_ID ?? "order-10042-created-js"; // the same in every retry
const until = Date.now() + 270_000; // the id counts for 300 seconds

async function post() {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const response = await fetch(`${BASE_URL}/api/public/ingest/generic/order.created`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Service-Site-Key": SITE_KEY,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": "v1," + createHmac("sha256", WEBHOOK_SECRET).update(`${id}.${timestamp}.${body}`).digest("base64"),
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, answer: await response.text(), retryAfter: response.headers.get("Retry-After") };
}

for (let wait = 1; ; wait = Math.min(2 * wait, 600)) {
  const { status, answer, retryAfter } = await post().catch((error) => ({ status: 0, answer: String(error) }));
  const pause = 1000 * Math.max(wait, Number(retryAfter ?? 0)) * (1 + Math.random());
  const again = [0, 408, 429].includes(status) || status >= 500;
  if (!again || Date.now() + pause > until) {
    console.log(answer);
    process.exitCode = status >= 200 && status < 300 ? 0 : 1;
    break;
  }
  await sleep(pause);
}
