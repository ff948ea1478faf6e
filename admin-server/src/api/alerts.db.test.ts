import { newId } from "shared/db/ids";
import { verifyBody } from "shared/secrets/signature";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addMember,
  type AdminClient,
  callProcedure,
  connectPlatform,
  openAdmin,
  type OpenResources,
  refusal,
} from "../../../test/support/admin.ts";
import { openAlertWorld } from "../../../test/support/alert-world.ts";
import { data } from "../../../test/support/data.ts";
import { headerOf, type ReceivedMail } from "../../../test/support/mail-server.ts";
import type { Received } from "../../../test/support/receiver.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const world = shared(async () => openAlertWorld());

let owner: { client: AdminClient; token: string; email: string };
let client: AdminClient;
let accountId: string;
beforeEach(async () => {
  await world.forgetOthers();
  owner = await world.admin.signUp();
  ({ client } = owner);
  accountId = (await client.auth.me.query()).account.id;
  await connectPlatform({ sql: world.admin.sql, vault: world.context.vault } as OpenResources, accountId);
  world.receiver.received.length = 0;
});
afterEach(() => {
  world.receiver.script((_, response) => void response.writeHead(204).end());
  world.mails.script(async () => Promise.resolve(null));
});

const stop = async () =>
  void (await world.admin.sql`
    update platform_account set stopped_code = '190', stopped_reason = 'The token <!channel> & more', stopped_at = now() where account_id = ${accountId}`);
const resume = async () => void (await world.admin.sql`update platform_account set stopped_code = null where account_id = ${accountId}`);
const refuse = async (...names: string[]) => {
  for (const name of names)
    await world.admin.sql`
      insert into template (id, account_id, name, language, category, status, definition)
      values (${newId()}, ${accountId}, ${name}, 'en_US', 'UTILITY', 'rejected', '{}')`;
};
const linkIn = (mail: ReceivedMail | undefined): string =>
  /http:\/\/admin\.example\/confirm-alerts#(\w{43})/.exec(mail?.body ?? "")?.[1] ?? expect.fail("no link");
let made = 0;
const freshAddress = () => `ops${(made += 1)}@example.com`;
const addAddress = async (address = freshAddress()) => {
  const { channel } = await client.alerts.addChannel.mutate({ kind: "email", address });
  await world.admin.client().alerts.confirm.mutate({ token: linkIn((await world.mails.mailsTo(address))[0]) });
  return { id: channel.id, address };
};
const channelOf = async (id: string) => (await client.alerts.settings.query()).channels.find((channel) => channel.id === id);

describe("an operational webhook", () => {
  it("is told in JSON, signed as libraries of Standard Webhooks and our own samples verify it, also after its secret was rotated", async () => {
    const { channel, secret } = await client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url });
    await stop();
    await world.look();
    await world.settled();
    const verify = (key = "", at = 0): unknown => {
      const { body, headers } = world.receiver.received[at] as Received;
      expect(verifyBody([key], Buffer.from(body), headers["x-service-signature"] as string)).toBe(true);
      return new Webhook(key).verify(body, headers as Record<string, string>);
    };
    const [alert] = (await client.alerts.list.query()).items;
    expect(verify(secret)).toEqual({
      type: "alert.raised",
      id: alert?.id,
      account_id: accountId,
      condition: "platform_stopped",
      title: "WhatsApp accepts no messages from this account (190: The token <!channel> & more)",
      url: "http://admin.example/settings/platform",
      detail: {
        code: "190",
        reason: "The token <!channel> & more",
        codes: {},
        explanation: { text: expect.stringMatching(/^WhatsApp no longer accepts the access token/u), action: expect.any(String) },
      },
      raised_at: alert?.raisedAt,
      cleared_at: null,
    });
    const renewed = await client.alerts.rotateSecret.mutate({ id: channel.id });
    await resume();
    await world.look();
    await world.settled();
    expect(verify(renewed.secret, 1)).toMatchObject({ type: "alert.cleared", id: alert?.id, cleared_at: expect.any(String) });
    expect(() =>
      new Webhook(secret ?? "").verify(
        world.receiver.received[1]?.body ?? "",
        world.receiver.received[1]?.headers as Record<string, string>,
      ),
    ).toThrow("No matching signature");
  });

  it("that fails is tried again under the same id, later when it says so; 410 switches it off, and the page shows what was not delivered", async () => {
    const { channel } = await client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url });
    const codes = [503, 404, 302, 410];
    world.receiver.script((_, response) => void response.writeHead(codes.shift() ?? 500, { location: "http://127.0.0.1:1/" }).end());
    await stop();
    await world.look();
    await world.settled();
    expect(new Set(world.receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(world.receiver.received).toHaveLength(4);
    expect(await channelOf(channel.id)).toMatchObject(
      data<object>("admin-server-api-alerts", "that fails is tried again under the same id, lat"),
    );
    await client.alerts.updateChannel.mutate({ id: channel.id, enabled: true });
    expect(await channelOf(channel.id)).toMatchObject({ enabled: true, disabledBecause: null });
  });

  it("is not sent to addresses inside, nor anywhere without TLS, unless the operator allows it", async () => {
    await using strict = await openAdmin();
    const stranger = await strict.signUp();
    for (const url of [
      "https://127.0.0.1/x",
      "https://[::1]/",
      "https://localhost/",
      "http://hooks.example/",
      "https://u:p@hooks.example/",
      "ftp://hooks.example/",
    ]) {
      const call = refusal(stranger.client.alerts.addChannel.mutate({ kind: "slack", url }));
      expect([url, (await call).code]).toEqual([url, "BAD_REQUEST"]);
    }
    // A name that leads to a private address is stopped when it is dialled.
    const { channel } = await stranger.client.alerts.addChannel.mutate({ kind: "webhook", url: "https://localtest.example.invalid/" });
    expect(await stranger.client.alerts.test.mutate({ id: channel.id })).toMatchObject({
      ok: false,
      statusCode: null,
      error: "unknown_host",
    });
  });
});

describe("Slack", () => {
  const texts = () => world.receiver.received.map(({ json }) => json["text"]);

  it("gets one text for all that is due together, in which nothing is markup that is not ours", async () => {
    await client.alerts.addChannel.mutate({ kind: "slack", url: world.receiver.url });
    await stop();
    await world.look();
    await world.settled();
    expect(texts()).toEqual([
      "*Shop*\nWhatsApp accepts no messages from this account (190: The token &lt;!channel&gt; &amp; more)\n<http://admin.example/settings/platform|View>",
    ]);
    await resume();
    await refuse("one", "two");
    await world.look();
    await world.settled();
    expect(String(texts()[1]).split("\n")).toEqual([
      "*Shop*",
      "• The template one (en_US) is rejected",
      "• The template two (en_US) is rejected",
      "• Resolved: WhatsApp accepts no messages from this account (190: The token &lt;!channel&gt; &amp; more)",
      "<http://admin.example/problems|View>",
    ]);
  });

  it("that answers 404 is gone", async () => {
    const { channel } = await client.alerts.addChannel.mutate({ kind: "slack", url: world.receiver.url });
    world.receiver.script((_, response) => void response.writeHead(404).end("no_service"));
    await stop();
    await world.look();
    await world.settled();
    expect(await channelOf(channel.id)).toMatchObject({ enabled: false, disabledBecause: "gone" });
    expect(world.receiver.received).toHaveLength(1);
  });

  it("hears of a condition that comes and goes six times an hour; the rest is summed up", async () => {
    await client.alerts.addChannel.mutate({ kind: "slack", url: world.receiver.url });
    for (let times = 0; times < 8; times += 1) {
      await (times % 2 === 0 ? stop() : resume());
      await world.look();
      await world.settled();
    }
    expect(texts()).toHaveLength(6);
    await world.admin
      .sql`update outbox set id = uuid_at(now() - interval '2 hours') where channel_id is not null and id = (select min(id::text)::uuid from outbox where channel_id is not null and account_id = ${accountId})`;
    await world.look();
    await world.settled();
    expect(texts()).toHaveLength(7);
    expect(texts()[6]).toContain("Resolved, from ");
  });
});

describe("e-mail", () => {
  it("goes to an address once whoever reads its mails has opened the link, which is valid once and for three days", async () => {
    const address = freshAddress();
    const { channel } = await client.alerts.addChannel.mutate({ kind: "email", address });
    expect(channel).toMatchObject({ hint: address, unconfirmed: true });
    const token = linkIn((await world.mails.mailsTo(address))[0]);
    await stop();
    await world.look();
    expect((await refusal(client.alerts.test.mutate({ id: channel.id }))).code).toBe("CONFLICT");
    const stranger = world.admin.client();
    expect((await refusal(stranger.alerts.confirm.mutate({ token: `${token.slice(1)}x` }))).code).toBe("NOT_FOUND");
    expect(await stranger.alerts.confirm.mutate({ token })).toEqual({ channel: { id: channel.id }, address });
    expect((await refusal(stranger.alerts.confirm.mutate({ token }))).code).toBe("NOT_FOUND");
    // It is told of what is open at once.
    await world.look();
    const [, mail, ...more] = await world.mails.mailsTo(address, 2);
    expect(more).toEqual([]);
    expect(mail && headerOf(mail, "subject")).toBe(
      "Shop: WhatsApp accepts no messages from this account (190: The token <!channel> & more)",
    );
    expect(mail?.body).toContain("The token &lt;!channel&gt; &amp; more");
    expect(mail?.body).toContain("http://admin.example/settings/platform");
    const late = await client.alerts.addChannel.mutate({ kind: "email", address: freshAddress() });
    await world.admin.sql`update alert_channel set confirm_until = now() where id = ${late.channel.id}`;
    const old = linkIn((await world.mails.mailsTo(late.channel.hint))[0]);
    expect((await refusal(stranger.alerts.confirm.mutate({ token: old }))).code).toBe("NOT_FOUND");
    expect(await channelOf(late.channel.id)).toMatchObject({ unconfirmed: true, linkExpired: true });
  });

  it("never floods a stranger, who gets three links a day at most, whoever asks", async () => {
    const address = freshAddress();
    const answers = [];
    for (let times = 0; times < 5; times += 1) {
      const one = times % 2 === 0 ? client : (await world.admin.signUp()).client;
      const added = one.alerts.addChannel.mutate({ kind: "email", address });
      answers.push(
        await added.then(
          ({ channel }) => channel.id,
          () => "refused",
        ),
      );
      if (one === client && answers.at(-1) !== "refused") await client.alerts.removeChannel.mutate({ id: answers.at(-1) ?? "" });
    }
    expect(answers.filter((answer) => answer !== "refused")).toHaveLength(3);
    await stop();
    await world.look();
    await world.settled();
    expect(await world.mails.mailsTo(address, 3)).toHaveLength(3);
  });

  it("to who leaves the account ends", async () => {
    const member = await addMember(world.admin, client, "operator", freshAddress());
    await world.mails.mailsTo(member.email);
    const { channel } = await client.alerts.addChannel.mutate({ kind: "email", address: member.email.toUpperCase() });
    await client.users.remove.mutate({ id: member.user.id });
    expect(await channelOf(channel.id)).toBeUndefined();
  });

  it("needs a mail server, and says which variable to set", async () => {
    await using without = await openAdmin();
    const { client: own } = await without.signUp();
    expect((await own.alerts.settings.query()).mailFrom).toBeNull();
    const refused = await refusal(own.alerts.addChannel.mutate({ kind: "email", address: freshAddress() }));
    expect(refused).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("SMTP_URL") });
  });
});

describe("quiet hours", () => {
  const minute = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const everyDay = [1, 2, 3, 4, 5, 6, 7];
  /** A span of two hours that began an hour ago, in UTC. */
  const now = () => ({ days: everyDay, from: minute(Date.now() - 3_600_000), to: minute(Date.now() + 3_600_000) });
  const end = async () => {
    await client.alerts.update.mutate({ quietHours: null });
    await world.admin.sql`update problem_notice set due_at = now() where told_at is null`;
  };

  it("let people sleep: what has come and gone is told in one line at their end, webhooks hear of it at once", async () => {
    const { address } = await addAddress();
    await client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url });
    await client.alerts.update.mutate({ quietHours: now(), urgentAlways: false });
    await stop();
    await world.look();
    await resume();
    await refuse("one");
    await world.look();
    await world.settled();
    expect(await world.mails.mailsTo(address)).toHaveLength(1);
    const told = () => world.receiver.received.map(({ json }) => json["type"]);
    await waitFor("the webhook", () => told().length === 3);
    const [notice] = await world.admin.sql`
      select extract(epoch from min(due_at) - now()) / 60 as minutes from problem_notice n join problem a on a.id = n.problem_id
      where a.account_id = ${accountId} and told_at is null`;
    expect(Number(notice?.["minutes"])).toBeGreaterThan(50);
    await end();
    await world.look();
    const mail = (await world.mails.mailsTo(address, 2))[1];
    expect(mail && headerOf(mail, "subject")).toBe("Shop: The template one (en_US) is rejected; 1 resolved");
    expect(mail?.body).toMatch(/- Resolved, from \d\d:\d\d to \d\d:\d\d: WhatsApp accepts no messages/);
    expect(mail?.body).toContain("- The template one (en_US) is rejected");
  });

  it("do not hold back what is urgent, unless the owner says so", async () => {
    const { address } = await addAddress();
    await client.alerts.update.mutate({ quietHours: now() });
    await stop();
    await refuse("one");
    await world.look();
    const mail = (await world.mails.mailsTo(address, 2))[1];
    expect(mail?.body).toContain("WhatsApp accepts no messages");
    expect(mail?.body).not.toContain("The template one");
  });

  it("must leave some time", async () => {
    const always = { days: everyDay, from: "00:00", to: "24:00" };
    expect(await refusal(client.alerts.update.mutate({ quietHours: always }))).toMatchObject({ code: "BAD_REQUEST" });
    expect((await client.alerts.update.mutate({ quietHours: { ...always, to: "23:59" } })).quietHours).toMatchObject({ to: "23:59" });
  });
});

describe("a test", () => {
  it("really sends, and answers what became of it", async () => {
    const hook = await client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url });
    const slack = await client.alerts.addChannel.mutate({ kind: "slack", url: `${world.receiver.url}?slack` });
    const { id, address } = await addAddress();
    expect(await client.alerts.test.mutate({ id: hook.channel.id })).toMatchObject({ ok: true, statusCode: 204, error: null });
    const [{ body, headers } = expect.fail("nothing came")] = world.receiver.received;
    expect(new Webhook(hook.secret ?? "").verify(body, headers as Record<string, string>)).toMatchObject({ type: "alert.test" });
    world.receiver.script((_, response) => void response.writeHead(500).end());
    expect(await client.alerts.test.mutate({ id: slack.channel.id })).toMatchObject({ ok: false, statusCode: 500, error: "refused" });
    expect(await client.alerts.test.mutate({ id })).toMatchObject({ ok: true, statusCode: 250 });
    expect((await world.mails.mailsTo(address, 2))[1]?.body).toContain("This is a test");
    world.mails.script(async () => Promise.resolve(Object.assign(new Error("no"), { responseCode: 550 })));
    expect(await client.alerts.test.mutate({ id })).toMatchObject({ ok: false, statusCode: 550, error: "refused" });
  });

  it("is sent ten times in a quarter of an hour, by an operator too", async () => {
    const operator = await addMember(world.admin, client, "operator", freshAddress());
    const { channel } = await client.alerts.addChannel.mutate({ kind: "slack", url: world.receiver.url });
    for (let times = 0; times < 10; times += 1) await operator.client.alerts.test.mutate({ id: channel.id });
    expect((await refusal(client.alerts.test.mutate({ id: channel.id }))).code).toBe("TOO_MANY_REQUESTS");
    expect(world.receiver.received).toHaveLength(10);
  });
});

describe("what is stored and shown", () => {
  it("holds no address of a channel, no secret and no mail in the clear", async () => {
    const url = `${world.receiver.url}?very-secret`;
    const { secret } = await client.alerts.addChannel.mutate({ kind: "webhook", url });
    await client.alerts.addChannel.mutate({ kind: "slack", url });
    world.receiver.script(() => undefined);
    await stop();
    await world.look();
    const rows = JSON.stringify(
      await world.admin.sql`
        select to_json(c) as row from alert_channel c union all select to_json(o) from outbox o union all select to_json(e) from audit_entry e union all select to_json(v) from audit_value v`,
    );
    for (const hidden of ["very-secret", secret ?? "", "The token <!channel>"]) expect(rows).not.toContain(hidden);
    const settings = JSON.stringify(await client.alerts.settings.query());
    for (const hidden of ["very-secret", secret ?? ""]) expect(settings).not.toContain(hidden);
  });

  it("shows an operator the channels without addresses, and a viewer the alerts alone", async () => {
    const address = `someone.${freshAddress()}`;
    await client.alerts.addChannel.mutate({ kind: "email", address });
    const operator = await addMember(world.admin, client, "operator", freshAddress());
    const [channel] = (await operator.client.alerts.settings.query()).channels;
    expect(channel?.hint).toBe("s…@example.com");
    const viewer = await addMember(world.admin, client, "viewer", freshAddress());
    expect((await callProcedure(world.admin, "alerts.settings", {}, viewer.token)).code).toBe("FORBIDDEN");
    await stop();
    await world.look();
    expect((await viewer.client.alerts.list.query()).items).toMatchObject([{ kind: "platform_stopped" }]);
    const { token } = await client.tokens.create.mutate({ name: "narrow", role: "owner", scopes: ["read", "rotate_secrets"] });
    expect((await callProcedure(world.admin, "alerts.list", {}, token)).code).toBe("ok");
    expect((await callProcedure(world.admin, "alerts.update", {}, token)).code).toBe("FORBIDDEN");
  });

  it("are ten channels at most, each once, and bounds within reason", async () => {
    const add = async (n: number) => client.alerts.addChannel.mutate({ kind: "slack", url: `${world.receiver.url}?${n}` });
    await Promise.all(Array.from({ length: 9 }, (_, n) => add(n)));
    expect((await refusal(add(3))).code).toBe("CONFLICT");
    const outcomes = await Promise.allSettled([add(9), add(10), add(11)]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const bound of [0, 1_441, 1.5, 1e300, "10"])
      expect((await callProcedure(world.admin, "alerts.update", { conditions: { backlog: { bound } } }, owner.token)).code).toBe(
        "BAD_REQUEST",
      );
    expect((await callProcedure(world.admin, "alerts.update", { conditions: { site_silent: { bound: 5 } } }, owner.token)).code).toBe(
      "BAD_REQUEST",
    );
  });

  it("pages through what was told, the last first", async () => {
    await refuse("one", "two", "three");
    await world.look();
    await world.admin.sql`update template set status = 'approved' where account_id = ${accountId} and name <> 'one'`;
    await world.look();
    const first = await client.alerts.list.query({ limit: 2 });
    const next = await client.alerts.list.query({ limit: 2, cursor: first.nextCursor });
    expect([first.items.length, next.items.length, next.nextCursor]).toEqual([2, 1, null]);
    const open = [...first.items, ...next.items].filter(({ clearedAt }) => clearedAt === null);
    expect(open).toMatchObject([{ title: "The template one (en_US) is rejected" }]);
    expect((await client.problems.list.query({ state: "open" })).items).toMatchObject([{ id: open[0]?.id }]);
  });
});
