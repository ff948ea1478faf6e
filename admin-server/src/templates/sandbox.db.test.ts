import { savePlatformAccount } from "shared/db/platform-account";
import { placeIn } from "shared/secrets/vault";
import { expect, test } from "vitest";
import { openResources, type ResourceCaller } from "../../../test/support/admin.ts";
import { openSandbox } from "../../../test/support/sandbox.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const sandbox = shared(async () => openSandbox());
const resources = shared(async () => openResources({ platformUrl: sandbox.url }));

async function openShop(): Promise<ResourceCaller> {
  const { api, accountId } = await resources.account();
  const { wabaId, phoneNumberId, appId, accessToken, appSecret } = await sandbox.openAccount();
  const { vault, sql } = resources;
  const secrets = {
    access_token: vault.seal(accessToken, placeIn("platform_account.access_token", accountId)),
    access_token_hint: "",
    app_secret: vault.seal(appSecret, placeIn("platform_account.app_secret", accountId)),
  };
  await savePlatformAccount(sql, {
    account_id: accountId,
    waba_id: wabaId,
    phone_number_id: phoneNumberId,
    app_id: appId,
    api_version: "v25.0",
    sandbox: true,
    ...secrets,
  });
  return api;
}

const syncUntil = (api: ResourceCaller, id: string, status: string) =>
  waitFor(`a template that is ${status}`, async () => {
    await api.templates.sync();
    const { template } = await api.templates.get({ id });
    return template.status === status ? template : undefined;
  });

test("a sync imports the templates of the own business account alone", async () => {
  const [one, two] = [await openShop(), await openShop()];
  const { template } = await one.templates.create({
    name: "mine",
    language: "en",
    category: "UTILITY",
    body: "All is well with your order.",
  });
  await one.templates.submit({ id: template.id });
  const first = await two.templates.sync();
  const names = (await two.templates.list()).items.map((item) => item.name);
  expect(first.imported).toBeGreaterThan(0);
  expect(names).toHaveLength(first.imported);
  expect(names).not.toContain("mine");
});

test("a template of one-time codes is submitted by its choices, and comes back in its language, with one variable and its time to live", async () => {
  const api = await openShop();
  const authentication = { addSecurityRecommendation: true, codeExpirationMinutes: 10, buttonText: "Code kopieren" };
  const codes = { name: "login_code", language: "de", category: "AUTHENTICATION", ttlSeconds: 300, authentication };
  const { template } = await api.templates.create(codes);
  await api.templates.submit({ id: template.id });
  const approved = await syncUntil(api, template.id, "approved");
  expect(approved).toMatchObject({ ...codes, slots: { header: 0, body: 1, buttonUrl: 0 }, footer: expect.stringContaining("10") });
  expect(approved.body).not.toBe(template.body);
});
