import { pino } from "pino";
import { createPlatformClient } from "shared/platform/client";
import { sendTemplate } from "shared/platform/send";
import { startSandbox } from "shared/sandbox/start";
import { createVault } from "shared/secrets/vault";
import { describe, expect, it } from "vitest";
import { callProcedure, openAdmin, openAdminOn, type AdminClient, refusal } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { controlToken, sandboxKey } from "../../../test/support/sandbox.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { platformCredentials } from "../platform-account.ts";
import { createSandboxClient } from "../sandbox/client.ts";

const masterKey = Buffer.alloc(32, 5);
const log = pino({ level: "silent" });

describe("sandbox", () => {
  const seed = shared(async () => openAdmin({ masterKey }));
  const sandbox = shared(async () =>
    startSandbox({ host: "127.0.0.1", port: 0, databaseUrl: seed.databaseUrl, key: sandboxKey, controlToken, log }),
  );
  const admin = shared(async () =>
    openAdminOn(seed.databaseUrl, { masterKey, isSandbox: true, sandboxControlToken: controlToken, platformUrl: sandbox.url }),
  );
  const accountOf = async (client: AdminClient) => (await client.auth.me.query()).account.id;

  /** Sends the sandbox's sample template as a gateway would; answers the message's id. */
  async function send(client: AdminClient, to: string): Promise<string> {
    const accountId = await accountOf(client);
    const credentials = await platformCredentials({ sql: seed.sql, vault: createVault(masterKey) }, accountId);
    if (credentials === null) throw new Error("not connected");
    await using platform = createPlatformClient({ baseUrl: sandbox.url });
    const template = { template: "hello_world", language: "en_US", components: "[]", reference: "test" };
    const result = await sendTemplate(platform, credentials, { to, ...template }, { deadline: performance.now() + 10_000 });
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    return result.waMessageId;
  }

  it("gives every new account a business account of its own, where its callbacks go to the gateway", async () => {
    const owner = await admin.signUp();
    const other = await admin.signUp();
    const { platform } = await owner.client.settings.get.query();
    expect(platform).toMatchObject({ configured: true, sandbox: true, hasAppSecret: true, problem: null });
    expect(platform.phoneNumberId).not.toBe((await other.client.settings.get.query()).platform.phoneNumberId);
    const [row] = await seed.sql`select callback_url, owner from sandbox.account where waba_id = ${platform.wabaId}`;
    expect(row).toEqual({ callback_url: platform.webhookUrl, owner: await accountOf(owner.client) });
    const { checks, ...tested } = await owner.client.settings.testConnection.mutate();
    expect(tested).toMatchObject({ ok: true, phoneNumber: expect.stringMatching(/^\+1 555/) });
    expect(checks.filter(({ state }) => state === "warning")).toEqual([]);
    expect(await owner.client.settings.connectSandbox.mutate()).toEqual(await owner.client.settings.get.query());
  });

  it("does nothing without its entry in the audit, here or on the platform", async () => {
    const { client, token } = await admin.signUp();
    const accountId = await accountOf(client);
    const draft = (name: string) => ({ name, language: "en_US", category: "UTILITY" as const, body: "Your order is on its way to you." });
    const { template } = await client.templates.create.mutate(draft("not_submitted"));
    const { template: elsewhere } = await client.templates.create.mutate(draft("not_synced"));
    await client.templates.submit.mutate({ id: elsewhere.id });
    await seed.sql`delete from template where id = ${elsewhere.id}`;
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const upload = { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "image/png" }, body: png };
    const { file } = (await (await admin.fetch("/media?name=a.png", upload)).json()) as { file: { id: string } };
    const header = { format: "IMAGE" as const, fileId: file.id };
    const { template: pictured } = await client.templates.create.mutate({ ...draft("pictured"), header });
    const id = await send(client, "+491701234509");
    await seed.sql`update platform_account set stopped_code = '1', stopped_at = now() where account_id = ${accountId}`;
    const state = async () => ({
      platform: (await client.settings.get.query()).platform,
      templates: (await client.templates.list.query({})).items,
      there:
        await seed.sql`select id from sandbox.template where waba_id = (select waba_id from platform_account where account_id = ${accountId}) order by id`,
      messages: await seed.sql`select id, read_at from sandbox.message where recipient = '491701234509'`,
    });
    const before = await state();

    const calls = data<string[]>("admin-server-api-sandbox", "calls");
    await seed.owner.unsafe(
      `alter table audit_entry add constraint no_entry check (action not in (${calls.map((call) => `'${call}'`).join()})) not valid`,
    );
    const inputs: Record<string, unknown> = {
      "templates.submit": { id: template.id },
      "templates.setHeaderMedia": { id: pictured.id, fileId: file.id },
      "sandbox.markRead": { id },
    };
    const outcomes: string[] = [];
    for (const path of calls) outcomes.push((await callProcedure(admin, path, inputs[path] ?? {}, token)).code);
    await seed.owner`alter table audit_entry drop constraint no_entry`;
    expect(outcomes).toEqual(calls.map(() => "INTERNAL_SERVER_ERROR"));
    expect(await state()).toEqual(before);
  });

  it("shows the account's own messages in pages, newest first, and marks them read", async () => {
    const owner = await admin.signUp();
    const stranger = await admin.signUp();
    const phones = ["+491701234501", "+491701234502", "+491701234501"];
    const ids: string[] = [];
    for (const phone of phones) ids.unshift(await send(owner.client, phone));
    const { items, nextCursor } = await owner.client.sandbox.messages.query({ limit: 2 });
    expect(items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(items[0]).toMatchObject({ to: phones[2], template: "hello_world", language: "en_US", text: expect.stringContaining("Hello") });
    const rest = await owner.client.sandbox.messages.query({ limit: 2, cursor: nextCursor });
    expect(rest).toMatchObject({ items: [{ id: ids[2] }], nextCursor: null });
    const [, second] = await Promise.all([1, 2].map(async () => owner.client.sandbox.messages.query({ to: "+491701234502" })));
    expect(second?.items.map(({ id }) => id)).toEqual([ids[1]]);
    expect(await owner.client.sandbox.markRead.mutate({ id: ids[0] ?? "" })).toEqual({ id: ids[0] });
    expect((await owner.client.sandbox.messages.query({ limit: 1 })).items[0]?.status).toBe("read");

    expect((await stranger.client.sandbox.messages.query()).items).toEqual([]);
    expect((await refusal(stranger.client.sandbox.markRead.mutate({ id: ids[0] ?? "" }))).code).toBe("NOT_FOUND");
    expect((await refusal(owner.client.sandbox.messages.query({ cursor: "made-up" }))).code).toBe("BAD_REQUEST");
  });

  it("shows nothing of another account, whose ids somebody enters as their own", async () => {
    const owner = await admin.signUp();
    const thief = await admin.signUp();
    await send(owner.client, "+491701234508");
    const { wabaId, phoneNumberId } = (await owner.client.settings.get.query()).platform;
    const platform = { wabaId: wabaId ?? "", phoneNumberId: phoneNumberId ?? "", accessToken: "EAAthief" };
    await thief.client.settings.update.mutate({ platform });
    expect((await thief.client.sandbox.messages.query()).items).toEqual([]);
  });

  it("is there again for an account that disconnected, when it asks", async () => {
    const owner = await admin.signUp();
    await owner.client.settings.update.mutate({ platform: null });
    const refused = await refusal(owner.client.sandbox.messages.query());
    expect(refused).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("connect it in the settings") });
    expect((await refusal(owner.client.sandbox.markRead.mutate({ id: "wamid.1" }))).code).toBe("CONFLICT");
    expect((await owner.client.settings.connectSandbox.mutate()).platform.configured).toBe(true);
    expect((await owner.client.templates.list.query({ search: "hello_world" })).items).toMatchObject([{ status: "approved" }]);
    expect((await owner.client.sandbox.messages.query()).items).toEqual([]);
  });

  it.each([
    ["nothing", null],
    ["other credentials", { wabaId: "1", phoneNumberId: "2", accessToken: "EAAother" }],
  ])("takes an account that left it for %s back as it was, with its templates and messages", async (_, platform) => {
    const owner = await admin.signUp();
    const before = await owner.client.settings.get.query();
    const id = await send(owner.client, "+491701234509");
    await owner.client.settings.update.mutate({ platform });
    expect(await owner.client.settings.connectSandbox.mutate()).toEqual({ ...before, updatedAt: expect.any(String) as string });
    expect(await owner.client.settings.testConnection.mutate()).toMatchObject({ ok: true });
    expect((await owner.client.sandbox.messages.query()).items).toMatchObject([{ id }]);
  });

  it("does not hold up a sign-up while it is not there, and is connected once it is", async () => {
    let isUp = false;
    const real = createSandboxClient(sandbox.url, controlToken);
    const absent = createSandboxClient("http://127.0.0.1:9", null);
    const later: typeof real = { ...real, openAccount: async (wanted) => (isUp ? real : absent).openAccount(wanted) };
    await using early = await openAdminOn(
      seed.databaseUrl,
      { masterKey, isSandbox: true, sandboxControlToken: controlToken, platformUrl: sandbox.url },
      { sandbox: later },
    );
    const owner = await early.signUp();
    expect((await owner.client.settings.get.query()).platform).toMatchObject({ configured: false, sandbox: true });
    const refused = await refusal(owner.client.settings.connectSandbox.mutate());
    expect(refused).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("npm run sandbox") });
    isUp = true;
    await waitFor("the connection", async () => (await owner.client.settings.get.query()).platform.configured);
  });
});
