import { createHmac, randomUUID } from "node:crypto";
import type { SourceType } from "shared/core/site";
import { sources } from "shared/core/sources/sources";
import { newId } from "shared/db/ids";
import type { Pool } from "shared/db/statement";
import { secretPlace } from "shared/secrets/vault";
import { openShop, type Shop, type ShopOptions, vault } from "./gateway.ts";
import type { ScriptedPlatform } from "./platform.ts";
import type { Posted } from "./requests.ts";

/** A site whose shop posts by itself. */
export interface PostingShop extends Shop {
  sourceType: SourceType;
  token: string;
  /** The secret that the shop signs with. */
  signingSecret: string;
}

export interface PostingShopOptions extends ShopOptions {
  country?: string | undefined;
  /** Further events that fire the same message as the first. */
  moreEvents?: readonly string[] | undefined;
}

export async function openPostingShop(sql: Pool, sourceType: SourceType, options: PostingShopOptions = {}): Promise<PostingShop> {
  const shop = await openShop(sql, options);
  const mode = sources[sourceType].normalizesPhones ? "shop" : "off";
  for (const event of options.moreEvents ?? [])
    await sql`
      insert into binding (id, site_id, event, template_id, recipient, variable_map)
      select ${newId()}, site_id, ${event}, template_id, recipient, variable_map from binding where id = ${shop.bindingId}`;
  const [site] = await sql<[{ token: string }]>`
    update site set source_type = ${sourceType}, country = ${options.country ?? null}, normalize_phones = ${mode}
    where id = ${shop.siteId} returning inbound_token as token`;
  if (sources[sourceType].secret === "webhook_secret") return { ...shop, sourceType, token: site.token, signingSecret: shop.secret };
  const [id, signingSecret] = [newId(), `shpss_${randomUUID()}`];
  await sql`
    insert into site_secret (id, site_id, kind, key_hash, secret, hint)
    values (${id}, ${shop.siteId}, 'source_secret', null, ${vault.seal(signingSecret, secretPlace(shop.accountId, id))}, 'end')`;
  return { ...shop, sourceType, token: site.token, signingSecret };
}

/** A delivery of a platform. */
export interface ShopDelivery {
  /** The topic of Shopify and WooCommerce; a generic shop has it in the body. */
  topic?: string | undefined;
  /** The webhook's id; a new one each time by default. */
  id?: string | undefined;
  secret?: string | undefined;
  at?: Date | undefined;
  /** Headers beside the usual ones; null leaves one out. */
  headers?: Record<string, string | null> | undefined;
}

const base64Hmac = (secret: string, body: string | Uint8Array, before = ""): string =>
  createHmac("sha256", secret).update(before).update(body).digest("base64");

/** The values that a delivery's headers are made of. */
export type ShopSigner = Pick<PostingShop, "sourceType" | "signingSecret">;

const headersOf: Record<SourceType, (shop: ShopSigner, body: string | Uint8Array, delivery: ShopDelivery) => Record<string, string>> = {
  shopify: ({ signingSecret }, body, { topic = "orders/create", id = randomUUID(), secret = signingSecret }) => ({
    "Content-Type": "application/json",
    "User-Agent": "Shopify-Captain-Hook",
    "X-Shopify-Topic": topic,
    "X-Shopify-Hmac-Sha256": base64Hmac(secret, body),
    "X-Shopify-Shop-Domain": "atelier.myshopify.com",
    "X-Shopify-API-Version": "2026-01",
    "X-Shopify-Webhook-Id": id,
    "X-Shopify-Event-Id": randomUUID(),
    "X-Shopify-Triggered-At": new Date().toISOString(),
  }),
  woocommerce: ({ signingSecret }, body, { topic = "order.created", id = randomUUID(), secret = signingSecret }) => ({
    "Content-Type": "application/json",
    "User-Agent": "WooCommerce/10.4.3 Hookshot (WordPress/6.8)",
    "X-WC-Webhook-Source": "https://tienda.example/",
    "X-WC-Webhook-Topic": topic,
    "X-WC-Webhook-Resource": topic.split(".")[0] ?? "",
    "X-WC-Webhook-Event": topic.split(".")[1] ?? "",
    "X-WC-Webhook-Signature": base64Hmac(secret, body),
    "X-WC-Webhook-ID": "12",
    "X-WC-Webhook-Delivery-ID": id,
  }),
  generic: ({ signingSecret }, body, { id = randomUUID(), secret = signingSecret, at = new Date() }) => {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    return {
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${base64Hmac(secret, body, `${id}.${timestamp}.`)}`,
    };
  },
};

/** The headers of a delivery of `body`. */
export const shopHeaders = (shop: ShopSigner, body: string | Uint8Array, delivery: ShopDelivery = {}): Record<string, string> =>
  headersOf[shop.sourceType](shop, body, delivery);

export const shopAddress = (gateway: { url: string }, { token }: { token: string }): string => `${gateway.url}/api/public/in/${token}`;

/** Posts a delivery of the shop's platform, signed over `body`; `sent` is sent in its place. */
export async function postShop(
  gateway: { url: string },
  shop: PostingShop,
  body: string | Uint8Array,
  delivery: ShopDelivery = {},
  sent = body,
): Promise<Posted> {
  const headers = new Headers(shopHeaders(shop, body, delivery));
  for (const [name, value] of Object.entries(delivery.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return await postRaw(shopAddress(gateway, shop), headers, sent);
}

/** Posts WooCommerce's request when a webhook is switched on: unsigned, and no JSON. */
export const postPing = (gateway: { url: string }, shop: { token: string }): Promise<Posted> =>
  postRaw(shopAddress(gateway, shop), new Headers({ "Content-Type": "application/x-www-form-urlencoded" }), "webhook_id=12");

async function postRaw(url: string, headers: Headers, body: string | Uint8Array): Promise<Posted> {
  const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(Buffer.from(body)) });
  const text = await response.text();
  return { status: response.status, body: text, json: JSON.parse(text) as Record<string, unknown>, headers: response.headers };
}

/** Phone and values of the messages that the shop has sent. */
export const sentBy = ({ sends }: Pick<ScriptedPlatform, "sends">, { siteId }: PostingShop): string[][] =>
  sends
    .filter(({ body }) => body.template.name.endsWith(siteId.slice(-6)))
    .map(({ body }) => {
      const [component] = (body.template.components ?? []) as { parameters: { text: string }[] }[];
      return [body.to, ...(component?.parameters.map(({ text }) => text) ?? [])];
    });
