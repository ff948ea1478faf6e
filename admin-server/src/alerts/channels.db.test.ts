import { beforeEach, describe, expect, it } from "vitest";
import { type AdminClient, connectPlatform, type OpenResources, refusal } from "../../../test/support/admin.ts";
import { openAlertWorld } from "../../../test/support/alert-world.ts";
import { headerOf } from "../../../test/support/mail-server.ts";
import { shared } from "../../../test/support/shared.ts";
import { defaultAlertingTimes, watchAccounts } from "../problems/watch.ts";

const world = shared(async () => openAlertWorld());

let client: AdminClient;
let accountId: string;
beforeEach(async () => {
  await world.forgetOthers();
  ({ client } = await world.admin.signUp());
  accountId = (await client.auth.me.query()).account.id;
  await connectPlatform({ sql: world.admin.sql, vault: world.context.vault } as OpenResources, accountId);
  world.receiver.received.length = 0;
});

const stop = async () =>
  void (await world.admin.sql`
    update platform_account set stopped_code = '190', stopped_reason = 'The token <!channel> & more', stopped_at = now() where account_id = ${accountId}`);
const resume = async () => void (await world.admin.sql`update platform_account set stopped_code = null where account_id = ${accountId}`);
const addAddress = async () => {
  const address = "ops@example.com";
  await client.alerts.addChannel.mutate({ kind: "email", address });
  const token = /confirm-alerts#(\w{43})/.exec((await world.mails.mailsTo(address))[0]?.body ?? "")?.[1] ?? expect.fail("no link");
  await world.admin.client().alerts.confirm.mutate({ token });
  return { address };
};

describe("Teams and PagerDuty", () => {
  it("Teams gets an Adaptive Card, in which nothing is markup", async () => {
    await client.alerts.addChannel.mutate({ kind: "teams", url: world.receiver.url, name: "On call" });
    await stop();
    await world.look();
    await world.settled();
    const [{ json } = expect.fail("nothing came")] = world.receiver.received;
    expect(json).toMatchObject({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              { type: "RichTextBlock", inlines: [{ type: "TextRun", text: "Shop" }] },
              { inlines: [{ text: "WhatsApp accepts no messages from this account (190: The token <!channel> & more)" }] },
              { inlines: [{ text: expect.stringContaining("connection test") }] },
            ],
            actions: [{ type: "Action.OpenUrl", url: "http://admin.example/settings/platform" }],
          },
        },
      ],
    });
  });

  it("PagerDuty opens an incident with the problem and resolves it with it, under the problem's id; its key is stored encrypted", async () => {
    const routingKey = "R0123456789abcdefghijklmnopqrstu";
    const { channel } = await client.alerts.addChannel.mutate({ kind: "pagerduty", routingKey, name: "On call" });
    expect(channel).toMatchObject({ name: "On call", hint: expect.stringMatching(/rstu$/u), unconfirmed: false });
    await stop();
    await world.look();
    await world.settled();
    await resume();
    await world.look();
    await world.settled();
    const [problem] = (await client.problems.list.query()).items;
    expect(world.receiver.received.map(({ json }) => json)).toMatchObject([
      {
        routing_key: routingKey,
        event_action: "trigger",
        dedup_key: problem?.id,
        payload: { summary: expect.stringContaining("WhatsApp accepts no messages"), severity: "critical", source: "admin.example" },
        links: [{ href: "http://admin.example/settings/platform" }],
      },
      { routing_key: routingKey, event_action: "resolve", dedup_key: problem?.id },
    ]);
    expect(JSON.stringify(await world.admin.sql`select to_json(c) as row from alert_channel c`)).not.toContain(routingKey);
    world.receiver.received.length = 0;
    expect(await client.alerts.test.mutate({ id: channel.id })).toMatchObject({ ok: true });
    expect(world.receiver.received.map(({ json }) => json["event_action"])).toEqual(["trigger", "resolve"]);
    const refused = await refusal(client.alerts.addChannel.mutate({ kind: "pagerduty", routingKey: "short" }));
    expect(refused.code).toBe("BAD_REQUEST");
  });
});

describe("the week's figures", () => {
  it("are mailed once, from Monday at eight in the account's zone", async () => {
    const { address } = await addAddress();
    const on = new Date("2036-02-05T12:00:00Z");
    const lookAt = async (at: string) => {
      await world.makeDue();
      await watchAccounts({ ...world.context, clock: () => new Date(at) }, defaultAlertingTimes);
    };
    await client.settings.update.mutate({ timezone: "America/New_York" });
    expect(await client.alerts.update.mutate({ weekly: true })).toMatchObject({ weekly: true });
    await lookAt(on.toISOString());
    await lookAt("2036-02-11T12:59:00Z");
    for (const minute of ["00", "30"]) await lookAt(`2036-02-11T13:${minute}:00Z`);
    await world.settled();
    const mails = (await world.mails.mailsTo(address, 2)).filter((mail) => (headerOf(mail, "subject") ?? "").includes("the week from"));
    expect(mails.map((mail) => headerOf(mail, "subject"))).toEqual(["Shop: the week from 2036-02-04 to 2036-02-10"]);
    expect(mails[0]?.body).toContain("0 messages");
  });
});
