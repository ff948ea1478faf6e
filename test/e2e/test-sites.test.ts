import { newId } from "shared/db/ids";
import { savePlatformAccount } from "shared/db/platform-account";
import { loadSitesForIngest } from "shared/db/site-for-ingest";
import { placeIn, readRecord, secretPlace } from "shared/secrets/vault";
import { expect, it } from "vitest";
import { openAdminOn, refusal } from "../support/admin.ts";
import { data } from "../support/data.ts";
import { testDatabase } from "../support/database.ts";
import { masterKey, openGateway, vault } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { controlToken, openSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

const site = { name: "Shop", url: "https://shop.example", sourceType: "generic" as const };
const [customer, person] = [{ strategy: "customer" as const }, anEvent.customer.phone_e164];
const variableMap = { body: { 1: { source: "field" as const, path: "customer.first_name" } } };

it("what a test site sends goes to the sandbox, whatever the account's platform is and says, and counts nowhere", async () => {
  await using database = await testDatabase();
  await using platform = await startScriptedPlatform();
  await using sandbox = await openSandbox();
  const { sql } = database;
  await using gateway = await openGateway(database.url, platform.url, { sandboxUrl: sandbox.url }, { dueMs: 20 });
  const config = { masterKey, platformUrl: platform.url, publicGatewayUrl: gateway.url, sandboxControlToken: controlToken };
  await using server = await openAdminOn(database.url, { ...config, sandboxUrl: sandbox.url }, { longestPauseMs: 500 });
  await using alone = await openAdminOn(database.url, config);
  const { client, token } = await server.signUp();
  const { account } = await client.auth.me.query();
  await savePlatformAccount(sql, {
    account_id: account.id,
    sandbox: false,
    waba_id: "1",
    phone_number_id: "2",
    api_version: "v25.0",
    app_id: null,
    access_token: vault.seal("TOKEN", placeIn("platform_account.access_token", account.id)),
    access_token_hint: "",
    app_secret: vault.seal("of the account", placeIn("platform_account.app_secret", account.id)),
  });

  expect(await refusal(alone.client(token).sites.create.mutate({ ...site, mode: "test" }))).toMatchObject({ code: "CONFLICT" });
  const test = await client.sites.create.mutate({ ...site, mode: "test" });
  const live = await client.sites.create.mutate(site);
  expect([test.apiKey.slice(0, 8), test.site.mode, live.apiKey.slice(0, 8), live.site.mode]).toEqual(
    data("test-e2e-test-sites", "what a test site sends goes to the sandbox, whatever"),
  );
  // An account that has moved here left its connection behind, and gets one of this sandbox.
  await sql`delete from test_connection`;
  await waitFor("the connection", async () => (await sql`select from test_connection`).length === 1);
  const wrong = { id: test.site.id, mode: "live" } as never;
  expect(await refusal(client.sites.update.mutate(wrong))).toMatchObject({ code: "BAD_REQUEST" });

  const templateId = newId();
  const definition = {
    parameterFormat: "POSITIONAL",
    header: null,
    body: "Hello {{1}}!",
    footer: null,
    buttons: [],
    examples: { header: [], body: ["Ada"], buttonUrl: [] },
  };
  await sql`
    insert into template (id, account_id, name, language, category, status, definition)
    values (${templateId}, ${account.id}, 'greeting', 'en_US', 'MARKETING', 'approved', ${sql.json(definition as never)})`;
  const bind = async (siteId: string, event: string, delaySeconds?: number) =>
    client.bindings.create.mutate({ siteId, event, templateId, recipient: customer, variableMap, delaySeconds });
  for (const { id } of [test.site, live.site]) {
    await bind(id, "order.created");
    await bind(id, "order.late", 3_600);
  }
  // A stop, a pace and a number that is full hold nothing up here.
  await sql`update account set messages_per_second = 1 where id = ${account.id}`;
  await sql`
    update platform_account set stopped_code = '131031', stopped_reason = 'Locked', stopped_at = now(), stop_waits = true, probe_after = now() + interval '1 day'
    where account_id = ${account.id}`;
  await sql`update platform_health set full_until = now() + interval '1 day' where account_id = ${account.id}`;
  const post = async (made: typeof test, event: string) =>
    (await postEvent(gateway, { key: made.apiKey, secret: made.webhookSecret }, anEvent, { event })).json["chat"];
  const phone = async () =>
    ((await sandbox.call("GET", `/_sandbox/messages?owner=${account.id}`)).json as { text: string; to: string }[]).map(({ text }) => text);

  // The person's live message that waits is no message of the test site's turn.
  expect([await post(live, "order.late"), await post(test, "order.late")]).toEqual(["scheduled", "scheduled"]);
  expect(await post(test, "order.created")).toBe("sent");
  expect(await phone()).toEqual(["Hello Ada!"]);
  await sql`update waiting_message set due_at = now(), queued_at = now()`;
  await sql`update recipient_turn set due_at = now()`;
  const messages = async (siteId: string) => (await client.notifications.list.query({ siteId })).items;
  await waitFor("both messages of the test site are read", async () =>
    (await messages(test.site.id)).every(({ status }) => status === "read"),
  );
  expect(await phone()).toHaveLength(2);
  expect((await messages(test.site.id)).map(({ siteMode, toPhone }) => [siteMode, toPhone])).toEqual([
    ["test", person],
    ["test", person],
  ]);
  expect((await messages(live.site.id)).map(({ siteMode, status }) => [siteMode, status])).toEqual([["live", "scheduled"]]);
  expect((await client.events.list.query({ siteId: test.site.id })).items.map(({ siteMode }) => siteMode)).toEqual(["test", "test"]);

  // The sandbox's word on an account or a person is none of the platform's.
  await sandbox.call("PATCH", `/_sandbox/accounts/${(await sql`select waba_id from test_connection`)[0]?.["waba_id"]}`, {
    refuseCode: 131031,
  });
  await client.sites.update.mutate({ id: live.site.id, holdMessages: true });
  await sql`update platform_account set stopped_code = null, stopped_reason = null, stopped_at = null, stop_waits = false, probe_after = null`;
  expect(await post(test, "order.created")).toBe("failed");
  expect(await sql`select stopped_code from platform_account`).toEqual([{ stopped_code: null }]);
  await sql`update template set status = 'rejected' where id = ${templateId}`;
  expect(await post(test, "order.created")).toBe("failed");
  expect(platform.sends.filter(({ body }) => body.biz_opaque_callback_data?.includes(test.site.id.replaceAll("-", "")))).toEqual([]);

  // A set-up makes it again as a test site, and never of a live one.
  const { setup } = await client.setup.export.query({ siteId: test.site.id });
  const named = (name: string) => ({ setup: { ...setup, sites: setup.sites?.map((one) => ({ ...one, name })) } });
  await client.sites.update.mutate({ id: live.site.id, name: "Live" });
  expect(await refusal(client.setup.plan.query(named("Live")))).toMatchObject({ code: "BAD_REQUEST" });
  const copy = await client.setup.update.mutate(named("Copy"));
  expect(copy.secrets[0]).toMatchObject({ apiKey: expect.stringMatching(/^sk_test_/u) });
  expect((await client.setup.plan.query(named("Copy"))).changes).toEqual([]);

  // Lists of what concerns the account have as many as its problems count; a template is in use at a test site too.
  const failed = { status: "failed", errorCode: "template_not_approved" } as const;
  const [ofLive, ofTest] = [{ siteMode: "live" }, { siteMode: "test" }] as const;
  expect((await client.notifications.list.query(failed)).items).toHaveLength(1);
  expect((await client.notifications.list.query({ ...failed, ...ofTest })).items).toHaveLength(1);
  expect((await client.notifications.list.query({ ...failed, ...ofLive })).items).toEqual([]);
  expect(
    await client.notifications.resendCount.query({
      ...failed,
      ...ofLive,
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date().toISOString(),
    }),
  ).toMatchObject({ total: 0 });
  expect((await client.events.list.query(ofLive)).items.map(({ siteId }) => siteId)).toEqual([live.site.id]);
  expect((await client.templates.usage.query({ ids: [templateId] })).items[0]).toMatchObject({ accepted: 0, sites: { length: 3 } });

  const [to, from] = [Date.now() + 60_000, Date.now() - 3_600_000].map((at) => new Date(at).toISOString()) as [string, string];
  const counted = async (sites: { siteId?: string; siteMode?: "live" | "test" }) => [
    (await client.stats.overview.query({ ...sites, days: 1 })).totals.failed,
    (await client.stats.messages.query({ ...sites, from, to })).total.total,
    (await client.stats.backlog.query(sites)).scheduled,
    (await client.notifications.scheduledCount.query(sites)).total,
  ];
  expect(await counted({})).toEqual([0, 1, 1, 1]);
  expect(await counted(ofLive)).toEqual([0, 1, 1, 1]);
  expect(await counted(ofTest)).toEqual([2, 4, 0, 0]);
  expect(await counted({ siteId: test.site.id })).toEqual([2, 4, 0, 0]);
  expect((await client.problems.list.query({})).items.filter(({ siteId }) => siteId === test.site.id)).toEqual([]);
  expect((await client.sandbox.messages.query({})).items).toHaveLength(2);

  // What the platform's list gave without examples is a draft once it is gone there, and its set-up can be applied.
  await sql`update template set status = 'draft', definition = ${sql.json({ ...definition, examples: { header: [], body: [""], buttonUrl: [] } } as never)}`;
  const { setup: whole } = await client.setup.export.query({});
  expect(whole.templates).toHaveLength(1);
  expect((await client.setup.plan.query({ setup: whole })).changes).toEqual([]);
});

it("programs that know of no test sites neither read a test site's secret nor give it another", async () => {
  await using database = await testDatabase();
  await using sandbox = await openSandbox();
  const config = { masterKey, sandboxUrl: sandbox.url, sandboxControlToken: controlToken, publicGatewayUrl: sandbox.receiver.url };
  await using server = await openAdminOn(database.url, config);
  const { client } = await server.signUp();
  const made = await client.sites.create.mutate({ ...site, mode: "test" });
  const [row] = await loadSitesForIngest(database.sql, [made.site.id]);
  const [secret] = row?.secrets ?? [];
  const [account, id, sealed] = [row?.accountId ?? "", secret?.id ?? "", secret?.secret ?? ""];
  // Their place: a secret that cannot be opened there makes the whole site unreadable, so its events are refused and its messages left to others.
  expect(readRecord(vault, sealed, secretPlace(account, id))).toBeNull();
  expect(readRecord(vault, sealed, secretPlace(account, id, "webhook_secret", "test"))).toBe(made.webhookSecret);
  const theirs = { id: newId(), site_id: made.site.id, kind: "source_secret", secret: "v2.x", hint: "" };
  await expect(database.sql`insert into site_secret ${database.sql(theirs)}`).rejects.toMatchObject({ code: "23503" });
  const { webhookSecret } = await client.sites.rotateWebhookSecret.mutate({ id: made.site.id });
  const [again] = await loadSitesForIngest(database.sql, [made.site.id]);
  const [rotated] = again?.secrets ?? [];
  expect(readRecord(vault, rotated?.secret ?? "", secretPlace(account, rotated?.id ?? "", "webhook_secret", "test"))).toBe(webhookSecret);
});
