import { randomBytes } from "node:crypto";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { Pool } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { makeSiteKey } from "shared/secrets/site-key";
import { createVault, type Vault } from "shared/secrets/vault";

export const masterKey = randomBytes(32);
export const vault: Vault = createVault(masterKey);

/** A site with everything it takes to send, written straight into the tables. */
export interface Shop {
  accountId: string;
  siteId: string;
  key: string;
  secret: string;
  templateId: string;
  bindingId: string;
  appSecret: string;
}

export interface ShopOptions {
  event?: string | undefined;
  /** Null: no platform is connected. */
  platform?: null | undefined;
  recipient?: object | undefined;
  /** Active phones of the site's recipient list. */
  phones?: string[] | undefined;
  accountId?: string | undefined;
}

const shopTemplate: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: null,
  body: "Hello {{1}}, your order {{2}} is in.",
  footer: null,
  buttons: [],
  examples: { header: [], body: ["Ada", "10042"], buttonUrl: [] },
};

const variableMap = {
  body: { 1: { source: "field", path: "customer.first_name", fallback: "there" }, 2: { source: "field", path: "order.id", fallback: "?" } },
};

export async function openShop(sql: Pool, options: ShopOptions = {}): Promise<Shop> {
  const { event = "order.created", recipient = { strategy: "customer" }, phones = [] } = options;
  const shop = { accountId: options.accountId ?? newId(), siteId: newId(), templateId: newId(), bindingId: newId() };
  const key = makeSiteKey(shop.siteId);
  const secret = `whs_${randomBytes(16).toString("hex")}`;
  const appSecret = randomBytes(16).toString("hex");
  if (options.accountId === undefined) {
    await sql`insert into account (id, name, verify_token) values (${shop.accountId}, 'Shop', 'verify')`;
    if (options.platform !== null) await connectPlatform(sql, shop.accountId, appSecret);
  }
  await sql`
    insert into site (id, account_id, name, url, source_type, test_phone)
    values (${shop.siteId}, ${shop.accountId}, 'Shop', 'https://shop.example', 'generic', '+15550009999')`;
  await sql`
    insert into site_secret (id, site_id, kind, key_hash, secret, hint)
    values (${newId()}, ${shop.siteId}, 'api_key', ${key.hash}, null, ${key.hint}),
      (${newId()}, ${shop.siteId}, 'webhook_secret', null, ${vault.encrypt(secret)}, 'whs_…')`;
  await sql`
    insert into template (id, account_id, name, language, category, status, definition)
    values (${shop.templateId}, ${shop.accountId}, ${`order_created_${shop.siteId.slice(-6)}`}, 'en_US', 'UTILITY', 'approved', ${sql.json(shopTemplate as never)})`;
  for (const phone of phones) await sql`insert into site_recipient (id, site_id, phone) values (${newId()}, ${shop.siteId}, ${phone})`;
  await sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map)
    values (${shop.bindingId}, ${shop.siteId}, ${event}, ${shop.templateId}, ${sql.json(recipient as never)}, ${sql.json(variableMap)})`;
  return { ...shop, key: key.key, secret, appSecret };
}

async function connectPlatform(sql: Pool, accountId: string, appSecret: string): Promise<void> {
  await sql`
    insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint, app_secret)
    values (${accountId}, false, '1001', '2001', 'v25.0', ${vault.encrypt("TOKEN")}, '…OKEN', ${vault.encrypt(appSecret)})`;
}
