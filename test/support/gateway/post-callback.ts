import { signBody } from "shared/secrets/signature";
import type { SendBody } from "./scripted-platform.ts";
import type { Shop } from "./shop.ts";

/** Tells a gateway what became of a send, as the platform would. */
export async function postStatus(
  gateway: { url: string },
  shop: Shop,
  send: SendBody,
  status: string,
  waMessageId: string,
): Promise<Response> {
  const update = {
    id: waMessageId,
    status,
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: send.to.slice(1),
    biz_opaque_callback_data: send.biz_opaque_callback_data,
  };
  return await postUpdates(gateway, shop, [update]);
}

export async function postUpdates(gateway: { url: string }, shop: Shop, statuses: object[]): Promise<Response> {
  const value = { messaging_product: "whatsapp", metadata: { phone_number_id: "2001" }, statuses };
  const body = Buffer.from(
    JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1001", changes: [{ field: "messages", value }] }] }),
  );
  return await fetch(`${gateway.url}/api/public/platform/webhook/${shop.accountId}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Hub-Signature-256": signBody(shop.appSecret, body) },
    body,
  });
}
