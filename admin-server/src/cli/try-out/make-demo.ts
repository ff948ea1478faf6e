import { setTimeout as sleep } from "node:timers/promises";
import { TRPCClientError } from "@trpc/client";
import { createAdminClient } from "../../client.ts";
import { DEMO_EMAIL, demoEvent, demoSite, demoTemplate, demoVariableMap } from "./demo-shop.ts";

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
