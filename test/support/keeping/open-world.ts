import { type Gateway } from "gateway/start";
import type { Pool } from "shared/db/connect";
import { startSandbox } from "shared/sandbox/start";
import { createLogger } from "shared/server/logger";
import { type AdminClient, openAdminOn } from "../admin/open-admin.ts";
import { testDatabase } from "../database/test-database.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { postEvent, type Posted, type Sender } from "../gateway/post-event.ts";
import { masterKey } from "../gateway/shop.ts";
import { waitFor } from "../wait-for.ts";

type AdminOptions = Parameters<typeof openAdminOn>[2];

/** Every program over one database, and an account with a shop that tells the customer of each order, and its own people. */
export interface KeepingWorld extends AsyncDisposable {
  sql: Pool;
  databaseUrl: string;
  gateway: Gateway;
  admin: Awaited<ReturnType<typeof openAdminOn>>;
  owner: AdminClient;
  ownerEmail: string;
  accountId: string;
  siteId: string;
  sandboxUrl: string;
  phoneNumberId: string;
  post(payload: object, headers?: Record<string, string>): Promise<Posted>;
  /** Waits until nothing is under way: every message has come to its end, and the callback knows. */
  settled(): Promise<void>;
}

export async function openKeepingWorld(overrides: AdminOptions = {}): Promise<KeepingWorld> {
  const database = await testDatabase();
  const { sql, url: databaseUrl } = database;
  const sandbox = await startSandbox({
    host: "127.0.0.1",
    port: 0,
    databaseUrl,
    log: createLogger("sandbox", "silent"),
    options: { sentAfterMs: 0, deliveredAfterMs: 5, readAfterMs: 10, reviewAfterMs: 0 },
  });
  const gateway = await openGateway(databaseUrl, sandbox.url);
  const config = { masterKey, platformUrl: sandbox.url, isSandbox: true, publicGatewayUrl: gateway.url };
  const admin = await openAdminOn(databaseUrl, config, overrides);
  const { client: owner, email: ownerEmail } = await admin.signUp();
  const accountId = (await owner.auth.me.query()).account.id;
  const { platform } = await owner.settings.get.query();
  const { siteId, sender } = await openShop(owner);
  return {
    sql,
    databaseUrl,
    gateway,
    admin,
    owner,
    ownerEmail,
    accountId,
    siteId,
    sandboxUrl: sandbox.url,
    phoneNumberId: platform.phoneNumberId ?? "",
    post: (payload, headers = {}) => postEvent(gateway, sender, payload, { headers }),
    settled: () => waitFor("every message to come to its end", async () => await isSettled(sql), 20_000).then(() => undefined),
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function isSettled(sql: Pool): Promise<boolean> {
  const [row] = await sql<[{ open: number }]>`
    select ((select count(*) from notification where status in ('queued', 'sending', 'sent', 'delivered')) + (select count(*) from sandbox.callback)
      + (select count(*) from event where lease_until is not null))::integer as open`;
  return row.open === 0;
}

async function openShop(owner: AdminClient): Promise<{ siteId: string; sender: Sender }> {
  const { site, apiKey, webhookSecret } = await owner.sites.create.mutate({
    name: "Shop",
    url: "https://shop.example",
    sourceType: "generic",
    testPhone: "+15559990001",
  });
  const { template } = await owner.templates.create.mutate({
    name: "order_created",
    language: "en_US",
    category: "UTILITY",
    body: "Order {{1}} of {{2}} has arrived at the shop.",
    examples: { body: ["10042", "Ada"] },
  });
  await owner.templates.submit.mutate({ id: template.id });
  await waitFor("the template's approval", async () => {
    await owner.templates.sync.mutate();
    return (await owner.templates.get.query({ id: template.id })).template.status === "approved";
  });
  const variableMap = {
    body: {
      "1": { source: "field" as const, path: "order.id", fallback: "?" },
      "2": { source: "field" as const, path: "customer.phone_e164", fallback: "somebody" },
    },
  };
  const base = { siteId: site.id, event: "order.created", templateId: template.id, variableMap };
  await owner.bindings.create.mutate({ ...base, recipient: { strategy: "customer" } });
  await owner.bindings.create.mutate({ ...base, recipient: { strategy: "site_recipients" } });
  await owner.bindings.create.mutate({ ...base, recipient: { strategy: "field_path", path: "data.contact" } });
  return { siteId: site.id, sender: { key: apiKey, secret: webhookSecret } };
}
