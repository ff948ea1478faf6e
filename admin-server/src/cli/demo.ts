import { randomBytes } from "node:crypto";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TRPCClientError } from "@trpc/client";
import { exampleEvent, examplePayload, exampleTemplate, exampleVariableMap } from "shared/core/example";
import { prepareDataFolder } from "shared/postgres/files";
import { createAdminClient } from "../client.ts";
import type { StartConfig } from "./config.ts";

/** A try-out that is to be set up: the demo owner's password, and what to do when that is done. */
export interface TryOut {
  readonly password: string;
  readonly finish: () => Promise<void>;
}

/**
 * The try-out of this start, null when it is none: that takes an empty or absent data folder and neither a database nor a platform of one's own.
 * A marker stays in the folder until the try-out has been printed, so that a start that was cut short is made up for.
 */
export const beginTryOut = async (config: StartConfig): Promise<TryOut | null> => {
  if (config.databaseUrl !== undefined || config.platformApiUrl !== undefined) return null;
  const folder = await prepareDataFolder(config.dataDir);
  const marker = join(folder, "try-out");
  const isEmpty = (await readdir(folder)).length === 0;
  if (isEmpty) await writeFile(marker, randomBytes(12).toString("base64url"), { mode: 0o600 });
  const password = await readFile(marker, "utf8").catch(() => "");
  return password === "" ? null : { password, finish: async () => rm(marker, { force: true }) };
};

/** Shell lines that sign the demo's event and post it: pasted as they are, they print the answer and nothing else. */
export const pasteBlock = (gatewayUrl: string, { apiKey, webhookSecret }: DemoShop): string =>
  [
    `body=${quote(JSON.stringify(demoPayload))}`,
    `signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac ${quote(webhookSecret)} -r | cut -d ' ' -f 1)`,
    `curl -sS --noproxy '*' -X POST ${quote(`${gatewayUrl}/api/public/ingest/generic/${demoEvent}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H ${quote(`X-Service-Site-Key: ${apiKey}`)} \\`,
    `  -H "X-Service-Signature: sha256=$signature" \\`,
    `  -H "X-Service-Timestamp: $(date +%s)" \\`,
    `  -w '\\n' --data-binary "$body"`,
  ].join("\n");

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export interface Login {
  readonly email: string;
  readonly password: string;
}

/** Whose the demo is: `owner`, who exists, or else a demo owner with that password. */
export interface DemoOwner {
  readonly owner: Login | null;
  readonly password: string;
  readonly setupCode: string;
}

/** The demo shop's credentials, which nobody can read again later. */
export interface DemoShop {
  readonly apiKey: string;
  readonly webhookSecret: string;
}

type AdminClient = ReturnType<typeof createAdminClient>;

const APPROVAL_MS = 30_000;

/**
 * Makes the demo's owner (unless one is given), site, approved template and binding, through the admin API as any client would.
 * What an earlier attempt left half made is made again.
 */
export const makeDemo = async (adminUrl: string, { owner, password, setupCode }: DemoOwner): Promise<{ login: Login; shop: DemoShop }> => {
  const login = owner ?? { email: DEMO_EMAIL, password };
  const token = owner === null ? await signUp(adminUrl, login, setupCode) : await signIn(adminUrl, login);
  const admin = createAdminClient({ url: adminUrl, token });
  await admin.settings.connectSandbox.mutate();
  const templateId = await makeTemplate(admin);
  await removeSites(admin);
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
};

const signUp = async (url: string, login: Login, setupCode: string): Promise<string> => {
  try {
    return (await createAdminClient({ url }).auth.signUp.mutate({ accountName: "Demo", ...login, setupCode })).token;
  } catch (error) {
    // Somebody signed up before: ourselves, when that start was cut short.
    if (!(error instanceof TRPCClientError)) throw error;
    return signIn(url, login);
  }
};

const signIn = async (url: string, login: Login): Promise<string> => (await createAdminClient({ url }).auth.login.mutate(login)).token;

const makeTemplate = async (admin: AdminClient): Promise<string> => {
  const { items } = await admin.templates.list.query({ search: demoTemplate.name });
  const template = items[0] ?? (await admin.templates.create.mutate(demoTemplate)).template;
  if (template.status === "draft") await admin.templates.submit.mutate({ id: template.id });
  const deadline = performance.now() + APPROVAL_MS;
  for (;;) {
    const { status } = (await admin.templates.get.query({ id: template.id })).template;
    if (status === "approved") return template.id;
    if (status === "rejected" || performance.now() > deadline) throw new Error(`the sandbox left the demo template ${status}`);
    await sleep(250);
    await admin.templates.sync.mutate();
  }
};

const removeSites = async (admin: AdminClient): Promise<void> => {
  const { items } = await admin.sites.list.query({});
  for (const site of items) if (site.name === demoSite.name) await admin.sites.delete.mutate({ id: site.id });
};

/** What the try-out makes: a shop whose orders are confirmed by message, and an order to confirm. */
const DEMO_EMAIL = "demo@example.com";

const demoSite = { name: "Demo shop", url: "https://shop.example", sourceType: "generic" } as const;

export const demoEvent = exampleEvent;

/** Under a name of its own, so that the example of the page Get started stays free. */
export const demoTemplate = { ...exampleTemplate, name: "demo_order_confirmation", footer: "Demo shop" };

export const demoVariableMap = exampleVariableMap;

export const demoPayload = examplePayload;
