import type { ProblemKind } from "shared/core/problem/problem";
import { forgetProblems } from "shared/db/problem/problem";
import { noteTopic } from "shared/db/site-topic";
import { beforeEach, describe, expect, it } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { type AdminClient, connectPlatform, type OpenResources } from "../../../test/support/admin.ts";
import { openAlertWorld } from "../../../test/support/alert-world.ts";
import { addWebhook } from "../../../test/support/receiver.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { defaultAlertingTimes, watchAccounts } from "./watch.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const world = shared(async () => openAlertWorld());

let client: AdminClient;
let accountId: string;
let siteId: string;
beforeEach(async () => {
  // Alerts of other tests must not be found here.
  await world.forgetOthers();
  client = (await world.admin.signUp()).client;
  accountId = (await client.auth.me.query()).account.id;
  siteId = (await client.sites.create.mutate({ name: "Bean & Leaf", url: "https://shop.example", sourceType: "generic" })).site.id;
});

const current = async (kind?: ProblemKind) => (await client.problems.list.query({ state: "open", kind })).items;
const titles = async (kind?: ProblemKind) => (await current(kind)).map(({ title }) => title);
const addHook = async (...kinds: ProblemKind[]) =>
  (await client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url, ...(kinds.length > 0 && { kinds }) })).channel.id;
/** The alerts that the account's webhook was told, in order. */
const told = async () => {
  await world.settled();
  return world.receiver.received.flatMap(({ json }) =>
    json["account_id"] === accountId ? [`${String(json["type"])} ${String(json["condition"])}`] : [],
  );
};
const stop = async () => {
  await connectPlatform({ sql: world.admin.sql, vault: world.context.vault } as OpenResources, accountId);
  await world.admin.sql`
    update platform_account set stopped_code = '190', stopped_reason = 'Malformed access token EAAGm0PX4ZCpsBAKZCZBZBZB of +491701234567', stopped_at = now() where account_id = ${accountId}`;
};
const resume = async () => world.admin.sql`update platform_account set stopped_code = null, stopped_reason = null, stopped_at = null`;

describe("a condition is raised once and ended once:", () => {
  /** Brings a condition about, looks twice, ends it, looks twice. */
  const lives = async (condition: ProblemKind, make: () => Promise<unknown>, end: () => Promise<unknown>): Promise<string> => {
    await addHook(condition);
    await world.look();
    expect(await titles(condition)).toEqual([]);
    await make();
    await world.look();
    await world.look();
    const [alert, ...others] = await current(condition);
    expect([alert?.kind, others]).toEqual([condition, []]);
    expect(await told()).toEqual([`alert.raised ${condition}`]);
    await end();
    await world.look();
    await world.look();
    expect(await current(condition)).toEqual([]);
    expect(await told()).toEqual([`alert.raised ${condition}`, `alert.cleared ${condition}`]);
    const past = (await client.alerts.list.query()).items.find(({ kind }) => kind === condition);
    expect(past).toMatchObject({ id: alert?.id, clearedAt: expect.any(String) });
    expect((await client.problems.list.query({ kind: condition })).items).toMatchObject([{ id: alert?.id, state: "resolved" }]);
    return alert?.title ?? "";
  };

  it("a stopped platform account, without tokens and phones that the platform names", async () => {
    const title = await lives("platform_stopped", stop, resume);
    expect(title).toBe("WhatsApp accepts no messages from this account (190: Malformed access token ••• of •••67)");
  });

  it("a template that is rejected, and then disabled", async () => {
    const { template } = await client.templates.create.mutate({
      name: "order_shipped",
      language: "en_US",
      category: "UTILITY",
      body: "It is on its way.",
    });
    const become = async (status: string) =>
      world.admin.sql`update template set status = ${status}, reason = 'INVALID_FORMAT' where id = ${template.id}`;
    const title = await lives(
      "template_refused",
      async () => {
        await become("rejected");
        await world.look();
        await become("disabled");
      },
      () => become("approved"),
    );
    expect(title).toBe("The template order_shipped (en_US) is disabled: invalid format");
  });

  const send = async (status: string, many: number, minutesAgo: number) => {
    const { sql } = world.admin;
    const eventId = await insertEvent(sql, siteId);
    for (let n = 0; n < many; n += 1)
      // No single problem has half of the failures.
      await insertNotification(
        sql,
        { accountId, siteId, eventId },
        {
          id: idAt(Date.now() - minutesAgo * minuteMs),
          status,
          position: n,
          ...(status === "failed" && { error_code: ["131026", "131000", "131005"][n % 3] as string }),
        },
      );
  };

  it("half of the last hour's messages, while no usual rate is known", async () => {
    const sql = world.admin.sql;
    const title = await lives(
      "failure_rate",
      async () => {
        await send("delivered", 11, 2);
        await send("failed", 10, 1);
        await world.look();
        expect(await titles("failure_rate")).toEqual([]);
        await send("failed", 1, 1);
      },
      () => sql`update notification set status = 'read' where site_id = ${siteId} and status = 'failed'`,
    );
    expect(title).toBe("11 of the last hour's 22 messages failed");
    const past = (await client.alerts.list.query()).items.find(({ kind }) => kind === "failure_rate");
    expect(past?.detail).toMatchObject({ failed: 11, total: 22, usualPercent: null });
  });

  it("more failures than usual", async () => {
    const sql = world.admin.sql;
    const day = (ago: number) => sql`current_date - ${ago}::integer`;
    for (let ago = 1; ago <= 10; ago += 1)
      await sql`
        insert into notification_day (site_id, day, template, status, error_code, count)
        values (${siteId}, ${day(ago)}, 't', 'delivered', '', 98), (${siteId}, ${day(ago)}, 't', 'failed', '131026', 2)`;
    const title = await lives(
      "failure_rate",
      async () => {
        await send("delivered", 20, 20);
        await send("failed", 8, 5);
      },
      () =>
        sql`update notification set status = 'delivered' where site_id = ${siteId} and id in (select id from notification where site_id = ${siteId} and status = 'failed' limit 7)`,
    );
    expect(title).toBe("29% of the last hour's messages failed (8 of 28); usually 2%");
  });

  it("a site that has gone silent", async () => {
    const sql = world.admin.sql;
    const quietSince = Date.now() - 20 * hourMs;
    const title = await lives(
      "site_silent",
      async () => {
        for (let hour = 0; hour < 72; hour += 1) await insertEvent(sql, siteId, { id: idAt(quietSince - hour * hourMs) });
      },
      () => insertEvent(sql, siteId),
    );
    expect(title).toBe("No event has arrived from Bean & Leaf for an unusually long time");
  });

  it("a backlog, longer than the bound, until it is half as long; not while the site is held", async () => {
    const sql = world.admin.sql;
    const eventId = await insertEvent(sql, siteId);
    for (const [position, phone] of ["digest", "later"].entries()) {
      const id = await insertNotification(sql, { accountId, siteId, eventId }, { status: "queued", position });
      await sql`
        insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
        values (${siteId}, ${id}, ${accountId}, ${eventId}, ${siteId}, ${phone}, 'yesterday', 'yesterday')`;
    }
    const due = async (minutes: number) =>
      sql`
        insert into recipient_turn (account_id, phone_hash, site_id, due_at) values (${accountId}, 'digest', ${siteId}, now() - ${minutes}::integer * interval '1 minute')
        on conflict (account_id, phone_hash) do update set due_at = excluded.due_at`;
    await client.alerts.update.mutate({ conditions: { backlog: { bound: 30 } } });
    await due(29);
    await client.sites.update.mutate({ id: siteId, holdMessages: true });
    await due(90);
    const title = await lives(
      "backlog",
      async () => {
        await client.sites.update.mutate({ id: siteId, holdMessages: false });
        await world.look();
        await due(16);
      },
      () => due(14),
    );
    expect(title).toBe("Messages that are due have waited for 16 minutes");
    const [{ count, actions } = { count: 0, actions: [] }] = (await client.problems.list.query({ kind: "backlog" })).items;
    const waiting = await client.notifications.list.query(actions[0]?.filter as { status: "queued" });
    expect([count, waiting.items.length]).toEqual([2, 2]);
  });

  it("an endpoint that was switched off since it took nothing", async () => {
    const id = await addWebhook(world.admin.sql, { accountId, siteId }, { url: "https://hooks.example/a-secret" });
    const title = await lives(
      "endpoint_disabled",
      () => world.admin.sql`update webhook set enabled = false, disabled_because = 'failing' where id = ${id}`,
      () => client.webhooks.update.mutate({ id, enabled: true }),
    );
    expect(title).toBe("The endpoint hooks.example of Bean & Leaf is switched off because it accepted nothing for five days");
  });

  it("a secret that cannot be read", async () => {
    const sql = world.admin.sql;
    const rows = await sql`select id, secret from site_secret where site_id = ${siteId} and secret is not null`;
    const title = await lives(
      "secret_unreadable",
      () =>
        sql`update site_secret set secret = 'v2.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AA' where site_id = ${siteId} and secret is not null`,
      async () => {
        for (const { id, secret } of rows) await sql`update site_secret set secret = ${secret as string} where id = ${id as string}`;
      },
    );
    expect(title).toBe("A secret of the site Bean & Leaf cannot be read");
  });
});

it("a shop's fault that comes back is told again under the same id", async () => {
  await addHook("shop_fault");
  const shop = await client.sites.create.mutate({ name: "Tea", url: "https://tea.example", sourceType: "woocommerce" });
  const ids: string[] = [];
  for (let times = 0; times < 2; times += 1) {
    await noteTopic(world.admin.sql, shop.site.id, "order.created:LEGACY", new Date());
    await world.look();
    ids.push(...(await current("shop_fault")).map(({ id }) => id));
    await world.admin.sql`delete from site_topic where site_id = ${shop.site.id}`;
    await world.look();
    expect(await current("shop_fault")).toEqual([]);
  }
  // What is told within one millisecond has no order.
  const [raised, cleared] = ["alert.raised shop_fault", "alert.cleared shop_fault"];
  expect([(await told()).toSorted(), ids]).toEqual([
    [cleared, cleared, raised, raised],
    [ids[0], ids[0]],
  ]);
});

describe("what is told", () => {
  it("is told once, however many servers look at the same moment", async () => {
    await addHook();
    const many = async () => Promise.all(Array.from({ length: 6 }, () => watchAccounts(world.context, defaultAlertingTimes)));
    for (let round = 0; round < 4; round += 1) {
      await (round % 2 === 0 ? stop() : resume());
      for (let times = 0; times < 3; times += 1) {
        await world.makeDue();
        await many();
      }
    }
    const once = ["alert.raised platform_stopped", "alert.cleared platform_stopped"];
    expect(await told()).toEqual([...once, ...once]);
  });

  it("is stored with what is found, or not at all: a look that is cut off tells nothing, and the next all", async () => {
    await addHook();
    await stop();
    await world.makeDue();
    // The transaction of the look ends before its end, as when the server dies.
    await world.admin.owner`
      create function cut() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$`;
    await world.admin.owner`create trigger cut before insert on outbox for each row execute function cut()`;
    await world.look();
    expect(await world.admin.sql`select from problem where account_id = ${accountId}`).toEqual([]);
    await world.admin.owner`drop function cut cascade`;
    await world.look();
    expect(await told()).toEqual(["alert.raised platform_stopped"]);
    await resume();
    await world.admin.owner`create function cut() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$`;
    await world.admin.owner`create trigger cut before insert on outbox for each row execute function cut()`;
    await world.look();
    expect(await titles()).toHaveLength(1);
    await world.admin.owner`drop function cut cascade`;
    await world.look();
    expect(await told()).toEqual(["alert.raised platform_stopped", "alert.cleared platform_stopped"]);
  });

  it("of a look whose lease has passed to another is nothing", async () => {
    await addHook();
    await stop();
    await world.makeDue();
    const looking = await world.admin.sql.begin(async (sql) => {
      await sql`lock table recipient_turn in access exclusive mode`;
      const look = watchAccounts(world.context, defaultAlertingTimes);
      const waits = async () =>
        (await world.admin.sql`select from pg_locks where not granted and relation = 'recipient_turn'::regclass`).length > 0;
      await waitFor("the look to be held up", waits);
      // The lease ends meanwhile, and another server takes the account.
      await world.admin.sql`update alert_watch set owner = gen_random_uuid(), lease_until = now() + interval '1 minute'`;
      return { look };
    });
    await looking.look;
    expect(await told()).toEqual([]);
    await world.admin.sql`update alert_watch set lease_until = now()`;
    await world.look();
    expect(await told()).toEqual(["alert.raised platform_stopped"]);
  });

  it("goes to a channel that is added later at once; its end goes to those that were told and are still on", async () => {
    await stop();
    await world.look();
    const late = await addHook();
    await world.look();
    expect(await told()).toEqual(["alert.raised platform_stopped"]);
    await client.alerts.updateChannel.mutate({ id: late, enabled: false });
    await resume();
    await world.look();
    expect(await told()).toEqual(["alert.raised platform_stopped"]);
  });

  it("goes to the channels that chose its kind", async () => {
    await client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url, name: "Queue", kinds: ["backlog"] });
    await stop();
    await world.look();
    expect(await told()).toEqual([]);
    const [channel] = (await client.alerts.settings.query()).channels;
    await client.alerts.updateChannel.mutate({ id: channel?.id ?? "", kinds: ["platform_stopped", "backlog"] });
    expect((await client.alerts.settings.query()).channels).toMatchObject([{ name: "Queue", kinds: ["platform_stopped", "backlog"] }]);
    await resume();
    await world.look();
    await stop();
    await world.look();
    expect(await told()).toEqual(["alert.raised platform_stopped"]);
  });

  it("is told once beside a server of an earlier version, whose alerts are taken as problems", async () => {
    const channel = await addHook();
    await stop();
    // The earlier version found it first and told of it.
    const id = idAt(Date.now());
    await world.admin
      .sql`insert into alert (id, account_id, kind, subject, detail) values (${id}, ${accountId}, 'platform_stopped', '', '{"code": "190", "reason": ""}')`;
    await world.admin
      .sql`insert into alert_notice (alert_id, channel_id, cleared, due_at, told_at) values (${id}, ${channel}, false, now(), now())`;
    await world.look();
    expect([await told(), (await current()).map((problem) => problem.id)]).toEqual([[], [id]]);
    await resume();
    await world.look();
    expect(await told()).toEqual(["alert.cleared platform_stopped"]);
    // What is found here first has an open alert, for which the earlier version raises no other; kinds that it does not know have none.
    await stop();
    await client.sites.update.mutate({ id: siteId, holdMessages: true });
    await world.look();
    expect(await world.admin.sql`select id, kind, cleared_at from alert where account_id = ${accountId}`).toEqual([
      { id, kind: "platform_stopped", cleared_at: null },
    ]);
    expect((await titles()).toSorted()).toEqual([
      "Sending is paused for Bean & Leaf",
      expect.stringContaining("WhatsApp accepts no messages"),
    ]);
  });

  it("is nothing of a kind that is switched off, though the problem stands in the list", async () => {
    await addHook();
    await stop();
    await world.look();
    await client.alerts.update.mutate({ conditions: { platform_stopped: { enabled: false } } });
    await world.look();
    expect(await titles()).toHaveLength(1);
    await resume();
    await world.look();
    expect(await told()).toEqual(["alert.raised platform_stopped"]);
    await stop();
    await world.look();
    expect([await told(), (await client.alerts.list.query()).items]).toEqual([["alert.raised platform_stopped"], []]);
    expect((await client.alerts.settings.query()).conditions).toMatchObject({
      platform_stopped: { enabled: false },
      secret_unreadable: { enabled: true },
      backlog: { enabled: true, bound: 10 },
    });
  });
});

it("forgets what ended three months ago, and nothing else", async () => {
  await stop();
  await client.sites.update.mutate({ id: siteId, holdMessages: true });
  await world.look();
  await resume();
  await world.look();
  const { sql } = world.admin;
  await sql`update problem set resolved_at = now() - interval '91 days' where resolved_at is not null and account_id = ${accountId}`;
  // What an earlier version sees of it is as old, or the next look would take it for a problem of such a version.
  await sql`update alert set cleared_at = now() - interval '91 days' where cleared_at is not null and account_id = ${accountId}`;
  expect(await forgetProblems(sql, 1_000)).toBe(1);
  expect((await client.problems.list.query()).items).toMatchObject([{ kind: "site_held", state: "open" }]);
});
