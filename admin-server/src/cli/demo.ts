import { randomBytes } from "node:crypto";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { demoEmail, exampleEvent, examplePayload, exampleTemplate, exampleVariableMap } from "shared/core/example";
import { prepareDataFolder } from "shared/postgres/files";
import { signBody } from "shared/secrets/signature";
import type { createAdminClient } from "../client.ts";
import type { SandboxClient } from "../sandbox/client.ts";
import type { StartConfig } from "./config.ts";

export type TryOut = NonNullable<Awaited<ReturnType<typeof beginTryOut>>>;

/**
 * The try-out of this start; null unless the data folder is empty or absent and neither a database nor a platform is configured.
 * A marker stays in the folder until `finish`, which is called once the try-out has been printed: the next start completes an interrupted one.
 * `password`: that of the demo owner.
 */
export async function beginTryOut(config: StartConfig) {
  if (config.databaseUrl !== undefined || config.platformApiUrl !== undefined) return null;
  const folder = await prepareDataFolder(config.dataDir);
  const marker = join(folder, "try-out");
  const isEmpty = (await readdir(folder)).length === 0;
  if (isEmpty) await writeFile(marker, randomBytes(12).toString("base64url"), { mode: 0o600 });
  const password = await readFile(marker, "utf8").catch(() => "");
  return password === "" ? null : { password, finish: async () => rm(marker, { force: true }) };
}

/** Shell lines that sign the demo's event and post it; pasted, they print the JSON answer and nothing else. */
export const pasteBlock = (gatewayUrl: string, { apiKey, webhookSecret }: DemoShop): string =>
  [
    `body=${quote(JSON.stringify(demoPayload))}`,
    `time=$(date +%s); id="try-$time-$$"`,
    `signature=$(printf '%s.%s.%s' "$id" "$time" "$body" | openssl dgst -sha256 -hmac ${quote(webhookSecret)} -binary | openssl base64 -A)`,
    `curl -sS --noproxy '*' -X POST ${quote(`${gatewayUrl}/api/public/ingest/generic/${demoEvent}`)} \\`,
    `  -H 'Content-Type: application/json' -H "webhook-id: $id" \\`,
    `  -H ${quote(`X-Service-Site-Key: ${apiKey}`)} \\`,
    `  -H "webhook-timestamp: $time" -H "webhook-signature: v1,$signature" \\`,
    `  -w '\\n' --data-binary "$body"`,
  ].join("\n");

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export type Login = Readonly<Record<"email" | "password", string>>;

/** The account that gets the demo. With `owner` null a demo owner is made, with that password. */
export interface DemoOwner {
  readonly owner: Login | null;
  readonly password: string;
  readonly setupCode: string;
  /** The sandbox that shows the demo's messages to this machine; null: they are not shown. */
  readonly sandbox: Pick<SandboxClient, "markDemo"> | null;
}

/** The demo shop's credentials; nobody can read them again later. */
export type DemoShop = Readonly<Record<"apiKey" | "webhookSecret", string>>;

type AdminClient = ReturnType<typeof createAdminClient>;

/** The client is loaded by a try-out alone: each later start would keep it in memory. */
const clientOf = async (options: Parameters<typeof createAdminClient>[0]): Promise<AdminClient> =>
  (await import("../client.ts")).createAdminClient(options);

const approvalMs = 30_000;

/** Makes the demo's owner (unless one is given), site, approved template and binding through the admin API. Replaces what an interrupted attempt left. */
export async function makeDemo(adminUrl: string, { owner, password, setupCode, sandbox }: DemoOwner) {
  const login = owner ?? { email: demoEmail, password };
  const token = owner === null ? await signUp(adminUrl, login, setupCode) : await signIn(adminUrl, login);
  const admin = await clientOf({ url: adminUrl, token });
  const { platform } = await admin.settings.connectSandbox.mutate();
  await sandbox?.markDemo(platform.wabaId ?? "");
  const templateId = await makeTemplate(admin);
  const { items: former } = await admin.sites.list.query({});
  for (const { id, name } of former) if (name === demoSite.name) await admin.sites.delete.mutate({ id });
  const { site, apiKey, webhookSecret } = await admin.sites.create.mutate({ ...demoSite, testPhone: "+14155550199" });
  await admin.bindings.create.mutate({
    siteId: site.id,
    event: demoEvent,
    templateId,
    recipient: { strategy: "customer" },
    variableMap: demoVariableMap,
  });
  await admin.auth.logout.mutate();
  return { login, shop: { apiKey, webhookSecret } };
}

/** Sends a few orders of today as test events: the dashboard has something to show, while counts and first steps stay as they are. */
export async function sendSamples(gatewayUrl: string, { apiKey, webhookSecret }: DemoShop): Promise<void> {
  for (const [index, [first_name, last_name]] of sampleCustomers.entries()) {
    const { customer, order } = demoPayload;
    const sample = { customer: { ...customer, first_name, last_name }, order: { ...order, number: String(10_039 + index) } };
    const body = Buffer.from(JSON.stringify({ ...demoPayload, ...sample, test: true }));
    const response = await fetch(`${gatewayUrl}/api/public/ingest/generic/${demoEvent}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Service-Site-Key": apiKey,
        "X-Service-Signature": signBody(webhookSecret, body),
        "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
      },
      body,
    });
    if (!response.ok) throw new Error(`the gateway refused a sample event: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}

const sampleCustomers = [
  ["Grace", "Hopper"],
  ["Alan", "Turing"],
  ["Katherine", "Johnson"],
] as const;

async function signUp(url: string, login: Login, setupCode: string): Promise<string> {
  try {
    return (await (await clientOf({ url })).auth.signUp.mutate({ accountName: "Demo", ...login, setupCode })).token;
  } catch (error) {
    // An earlier start that was interrupted has made the demo owner already.
    if (!(error instanceof (await import("@trpc/client")).TRPCClientError)) throw error;
    return signIn(url, login);
  }
}

async function signIn(url: string, login: Login): Promise<string> {
  const answer = await (await clientOf({ url })).auth.login.mutate(login);
  if ("secondFactor" in answer) throw new Error(`${login.email} has a second factor: the demo shop cannot be set up for it`);
  return answer.token;
}

async function makeTemplate(admin: AdminClient): Promise<string> {
  const { items } = await admin.templates.list.query({ search: demoTemplate.name });
  const template = items[0] ?? (await admin.templates.create.mutate(demoTemplate)).template;
  if (template.status === "draft") await admin.templates.submit.mutate({ id: template.id });
  const deadline = performance.now() + approvalMs;
  for (;;) {
    const { status } = (await admin.templates.get.query({ id: template.id })).template;
    if (status === "approved") return template.id;
    if (status === "rejected" || performance.now() > deadline) throw new Error(`the sandbox left the demo template ${status}`);
    await sleep(250);
    await admin.templates.sync.mutate();
  }
}

const demoSite = { name: "Demo shop", url: "https://shop.example", sourceType: "generic" } as const;
export const demoEvent = exampleEvent;
export const demoPayload = examplePayload;
export const demoVariableMap = exampleVariableMap;
/** Has a name of its own, so that the name of the example of the page Get started stays free. */
export const demoTemplate = { ...exampleTemplate, name: "demo_order_confirmation", footer: "Demo shop" };
