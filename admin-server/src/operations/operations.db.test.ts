import fc from "fast-check";
import { type OperationKind, outcomes } from "shared/core/operation";
import { newId } from "shared/db/ids";
import { createLogger } from "shared/server/logger";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { idAt, insertMessages, openBoundShop } from "../../../test/support/admin-shops.ts";
import { connectPlatform, openResources, type OpenResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { workOnOperations } from "./work.ts";

let resources: OpenResources;
beforeAll(async () => void (resources = await openResources()));
afterAll(async () => resources[Symbol.asyncDispose]());

beforeEach(async () => {
  await resources.sql`update operation set settled_at = now()`;
});

const code = "131026";
const log = createLogger("test", "silent");
const erasing = { sliceMs: 5_000, leaseMs: 60_000, settleMs: 0, againMs: 0 };

/** Works like a server on everything that is due; what waits is due in an hour, unless `due` says now. */
async function serve({ stopping = new AbortController().signal, leaseMs = 60_000, turnMs = 60_000 } = {}): Promise<void> {
  const { sql, vault } = resources;
  const times = { tickMs: 1, leaseMs, turnMs, restMs: 3_600_000, erasing };
  await workOnOperations({ sql, vault, log, stopping, sandbox: null, clock: () => new Date() }, times);
}

async function openShop() {
  const shop = await openBoundShop(resources);
  const { sql } = resources;
  const { accountId, siteId, api, templateId } = { ...shop, siteId: shop.base.siteId };
  await connectPlatform(resources, accountId);
  await sql`update template set status = 'approved' where id = ${templateId}`;
  const { binding } = await api.bindings.create(shop.base);
  const bound = { sql, accountId, templateId, bindingId: binding.id };
  const fail = (count: number) => insertMessages(bound, { siteId, count, code, ago: (n) => 3_600_000 + n });
  const resend = async (ids: readonly string[]) => (await api.notifications.resendMany({ ids: [...ids], force: true })).operation.id;
  const get = async (id: string) => (await api.operations.get({ id })).operation;
  /** The servers look at it again, whenever it is due. */
  const look = async (): Promise<void> => {
    await sql`update operation set due_at = now() where account_id = ${accountId} and settled_at is null`;
    await serve();
  };
  const itemsOf = async (id: string): Promise<string[]> =>
    (await sql<{ id: string }[]>`select id from operation_item where operation_id = ${id} order by id`).map((row) => row.id);
  /** The queue's and the platform's word on a message. */
  const settle = async (ids: readonly string[], status: "sent" | "failed" | "delivered" | "read"): Promise<void> => {
    await sql`delete from waiting_message where id = any(${[...ids]}::uuid[])`;
    await sql`
      update notification set status = ${status}, error_code = ${status === "failed" ? code : null}
      where id = any(${[...ids]}::uuid[]) and status < ${status}::notification_status`;
  };
  return { accountId, siteId, api, bindingId: binding.id, fail, resend, get, look, itemsOf, settle };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** What the log says of an operation's messages, counted row by row. */
async function plainly({ accountId }: Shop, items: readonly string[]): Promise<Record<string, number>> {
  const rows = new Map(
    (
      await resources.sql<{ id: string; status: string; resent_as: string | null }[]>`
        select id, status, resent_as from notification where account_id = ${accountId}`
    ).map((row) => [row.id, row]),
  );
  const names: Record<string, string> = { sent: "sent", delivered: "delivered", read: "delivered", failed: "failed", cancelled: "skipped" };
  const counts: Record<string, number> = {};
  for (const item of items) {
    let row = rows.get(item);
    while (row?.resent_as != null) row = rows.get(row.resent_as);
    const outcome = names[row?.status ?? ""] ?? "waiting";
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const sum = (counts: Record<string, number | undefined>): number =>
  Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0);

describe("a resend", () => {
  it("says what became of its messages, in any order of words, resends and stops", { timeout: 120_000 }, async () => {
    const command = fc.oneof(
      fc.record({ act: fc.constantFrom("sent", "failed", "delivered", "read", "take", "giveBack"), n: fc.nat(20) }),
      fc.record({ act: fc.constantFrom("resendMany", "resend", "stop", "work"), n: fc.nat(20) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 6, maxLength: 24 }), async (commands) => {
        const shop = await openShop();
        const { sql } = resources;
        const failed = await shop.fail(6);
        const operations = [await shop.resend(failed)];
        await serve();
        for (const { act, n } of commands) {
          const [open = { id: newId(), owner: null }] = await sql<{ id: string; owner: string | null }[]>`
            select id, owner from waiting_message where account_id = ${shop.accountId} order by id offset ${n % 6} limit 1`;
          const [newest] = await sql<{ id: string }[]>`
            select id from notification where account_id = ${shop.accountId} and resent_as is null and status in ('failed', 'sent') order by id offset ${n % 6} limit 1`;
          if (act === "take") await sql`update waiting_message set owner = gen_random_uuid() where id = ${open.id} and owner is null`;
          else if (act === "giveBack") await sql`update waiting_message set owner = null where id = ${open.id}`;
          else if (act === "resendMany") operations.push(await shop.resend(failed.slice(0, (n % 6) + 1).concat(newest?.id ?? [])));
          else if (act === "resend") await shop.api.notifications.resend({ id: newest?.id ?? "", force: true }).catch(() => null);
          else if (act === "stop") await shop.api.operations.stop({ id: operations[n % operations.length] ?? "" });
          else if (act === "work") await shop.look();
          else await shop.settle([n % 2 === 0 ? open.id : (newest?.id ?? open.id)], act as "sent");
          for (const id of operations) {
            const operation = await shop.get(id);
            const plain = await plainly(shop, await shop.itemsOf(id));
            expect(sum(operation.outcomes)).toBe(operation.done);
            expect(operation.done).toBeLessThanOrEqual(operation.total);
            const { sent = 0, delivered = 0, failed: gone = 0 } = plain;
            expect(operation.outcomes).toMatchObject({ sent, delivered, failed: gone });
            const isWhole = operation.total === operation.done + (plain["waiting"] ?? 0);
            expect(isWhole || operation.state !== "finished").toBe(true);
          }
        }
        // In the end everything that was taken is given back, stopped or not, and every operation comes to its end.
        await sql`update waiting_message set owner = null where account_id = ${shop.accountId}`;
        for (const id of operations) await shop.api.operations.stop({ id });
        await shop.look();
        const left = await sql`
          select from waiting_message w join operation_item i on i.id = w.id where w.account_id = ${shop.accountId}`;
        expect(left).toHaveLength(0);
        const listed = (await shop.api.operations.list()).items.filter(({ kind }) => kind === "resend");
        expect(listed.map(({ id }) => id).toSorted()).toEqual(operations.toSorted());
        for (const each of listed) expect(["stopped", "finished"]).toContain(each.state);
        // Whatever was taken back stays failed, and may be sent again.
        const original = await sql`
          select from notification where account_id = ${shop.accountId} and resend_of is null and resent_as is null and status not in ('failed', 'delivered', 'read')`;
        expect(original).toHaveLength(0);
      }),
      { numRuns: scaled(5, 30) },
    );
  });

  it("runs once, however many servers work on it, and goes on where one was killed", async () => {
    const shop = await openShop();
    const { sql } = resources;
    const failed = await shop.fail(230);
    const id = await shop.resend(failed);
    // One page, then its server is gone without a word: its lease is left. Only the first look for work finds it, or a second worker does the next page.
    let looks = 0;
    const stopping = {
      get aborted() {
        return (looks += 1) > 1;
      },
    } as AbortSignal;
    await serve({ stopping });
    const begun = await shop.itemsOf(id);
    expect(begun).toHaveLength(50);
    await sql`update operation set owner = gen_random_uuid(), lease_until = now() + interval '1 hour', due_at = now() where id = ${id}`;
    await serve();
    expect(await shop.itemsOf(id)).toEqual(begun);
    await sql`update operation set lease_until = now() where id = ${id}`;
    await Promise.all([serve({ turnMs: 0 }), serve({ turnMs: 0 }), serve({ turnMs: 0 })]);
    expect(await shop.itemsOf(id)).toHaveLength(230);
    const repeats = await sql`select resend_of from notification where account_id = ${shop.accountId} and resend_of is not null`;
    expect(new Set(repeats.map(({ resend_of }) => resend_of as string))).toEqual(new Set(failed));
    expect(repeats).toHaveLength(230);
    expect(await shop.get(id)).toMatchObject({ state: "running", total: 230, done: 0, finishedAt: null });
    await shop.settle((await shop.itemsOf(id)).slice(0, 200), "failed");
    await shop.settle((await shop.itemsOf(id)).slice(200), "delivered");
    await shop.look();
    expect(await shop.get(id)).toMatchObject(
      data<object>("admin-server-operations-operations", "runs once, however many servers work on it, and goes"),
    );
  });

  it("that is stopped takes back what has not left, at the moment of its last page too", async () => {
    const shop = await openShop();
    const { sql } = resources;
    const id = await shop.resend(await shop.fail(120));
    await Promise.all([serve({ turnMs: 0 }), shop.api.operations.stop({ id }), serve({ turnMs: 0 })]);
    await shop.look();
    const operation = await shop.get(id);
    expect(operation).toMatchObject({ state: "stopped", done: 0, canStop: false });
    expect(await sql`select from waiting_message where account_id = ${shop.accountId}`).toHaveLength(0);
    const [row] = await sql`
      select count(*)::integer as count from notification where account_id = ${shop.accountId} and status = 'failed' and resent_as is null`;
    expect(row).toEqual({ count: 120 });
    expect((await shop.api.operations.stop({ id })).operation.state).toBe("stopped");
    const again = await shop.resend((await shop.api.notifications.list({ limit: 10 })).items.map((item) => item.id));
    await serve();
    expect(await shop.itemsOf(again)).toHaveLength(10);
    // Before a server works on it again.
    await shop.api.operations.stop({ id: again });
    expect(await sql`select from waiting_message where account_id = ${shop.accountId}`).toHaveLength(0);
  });

  it("counts what another resend took before it as skipped at once, while its own messages wait", async () => {
    const shop = await openShop();
    const failed = await shop.fail(4);
    const id = await shop.resend(failed);
    await resources.sql`update operation set due_at = now() + interval '1 hour' where id = ${id}`;
    await shop.resend(failed.slice(1));
    await serve();
    await shop.look();
    expect(await shop.get(id)).toMatchObject({ state: "running", total: 4, done: 3, outcomes: { skipped: 3 } });
  });

  it("ends when its site or its binding is deleted, and its link opens exactly its messages", async () => {
    const shop = await openShop();
    const failed = await shop.fail(4);
    const id = await shop.resend(failed.slice(0, 3));
    await serve();
    const listed = await shop.api.notifications.list({ operationId: id });
    expect(listed.items.map((item) => item.id).toSorted()).toEqual(await shop.itemsOf(id));
    await shop.settle((await shop.itemsOf(id)).slice(0, 1), "delivered");
    await shop.api.sites.delete({ id: shop.siteId });
    await shop.look();
    // What was not sent any more stands failed, as before.
    expect(await shop.get(id)).toMatchObject({ state: "finished", total: 3, done: 3, outcomes: { delivered: 1, failed: 2 } });
    const late = await shop.api.notifications.list({ operationId: id });
    expect(late.items.map(({ status }) => status).toSorted()).toEqual(["delivered", "failed", "failed"]);
  });

  it("of a program of an earlier version is taken over, and shown", async () => {
    const shop = await openShop();
    const { sql } = resources;
    const failed = await shop.fail(3);
    const id = newId();
    await sql`
      insert into resend_job (id, account_id, created_by, filter, force, total, below)
      values (${id}, ${shop.accountId}, 'ann@example.com', ${JSON.stringify({ siteId: shop.siteId, ids: failed })}::text::json, true, 3, ${newId()})`;
    await serve();
    expect(await shop.itemsOf(id)).toHaveLength(3);
    expect((await shop.api.notifications.resendJob({ id })).job).toMatchObject({ total: 3, resent: 3, refused: 0, force: true });
    const [job] = await sql`select finished_at is not null as finished, filter from resend_job where id = ${id}`;
    expect(job).toMatchObject({ finished: true });
    expect(await shop.get(id)).toMatchObject({ by: "ann@example.com", total: 3, state: "running" });
    const [replay, event] = [newId(), idAt(Date.now())];
    await sql`
      insert into requested_event (id, account_id, site_id, kind, replay_of) values (${replay}, ${shop.accountId}, ${shop.siteId}, 'replay', ${event})`;
    expect(await shop.get(replay)).toMatchObject({ kind: "replay", subjectId: event, total: 1, done: 0, state: "running" });
    const listed = async (input: object) => (await shop.api.operations.list({ open: true, ...input })).items.map((one) => one.id);
    expect([await listed({}), await listed({ notKind: "replay", limit: 1 })]).toEqual([[replay, id], [id]]);
    await sql`update requested_event set done_at = now() where id = ${replay}`;
    await shop.look();
    expect(await shop.get(replay)).toMatchObject({ state: "finished", done: 1, outcomes: { skipped: 1 } });
  });

  it("is refused while a hundred operations are under way", async () => {
    const shop = await openShop();
    const [id = ""] = await shop.fail(1);
    for (let n = 0; n < 100; n += 1) await shop.resend([id]);
    await expect(shop.resend([id])).rejects.toMatchObject({ code: "CONFLICT" });
    await serve();
    await shop.resend([id]);
  });
});

describe("what waits", () => {
  /** Puts messages on the waiting list, each due in so many hours. */
  async function wait(shop: Shop, count: number): Promise<string[]> {
    const { sql } = resources;
    const ids = await shop.fail(count);
    await sql`update notification set status = 'scheduled', error_code = null, failed_at = null, due_at = now() + interval '2 hours' where id = any(${ids}::uuid[])`;
    await sql`
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      select site_id, id, account_id, event_id, binding_id, to_phone, due_at, due_at from notification where id = any(${ids}::uuid[])`;
    return ids;
  }

  it("is cancelled within the call, the rest in the background", { timeout: 120_000 }, async () => {
    const shop = await openShop();
    await wait(shop, 10_300);
    const { cancelled, operation } = await shop.api.notifications.cancelMany({ siteId: shop.siteId, event: "order.shipped" });
    expect(cancelled).toBe(10_000);
    expect(await shop.get(operation.id)).toMatchObject(
      data<object>("admin-server-operations-operations", "is cancelled within the call, the rest in the background"),
    );
    await serve();
    expect(await shop.get(operation.id)).toMatchObject(
      data<object>("admin-server-operations-operations", "is cancelled within the call, the rest in the backgr"),
    );
    const few = await wait(shop, 2);
    const made = await shop.api.notifications.cancelMany({ ids: few });
    expect(await shop.get(made.operation.id)).toMatchObject({ done: 2, state: "finished", outcomes: { cancelled: 2 } });
  });

  it("is hurried, followed, and has its own time again where it is stopped before it left", async () => {
    const shop = await openShop();
    const { sql } = resources;
    const [first = "", second = "", third = ""] = await wait(shop, 3);
    const due = async (id: string) =>
      (
        await sql`select w.due_at = w.queued_at and w.due_at = n.due_at and w.due_at > now() + interval '1 hour' as later from waiting_message w join notification n using (site_id, id) where id = ${id}`
      )[0];
    const { hurried, operation } = await shop.api.notifications.sendNowMany({ ids: [first, second, third] });
    expect(hurried).toBe(3);
    await shop.settle([first], "delivered");
    await sql`update waiting_message set owner = gen_random_uuid() where id = ${second}`;
    await shop.look();
    expect(await shop.get(operation.id)).toMatchObject(
      data<object>("admin-server-operations-operations", "is hurried, followed, and has its own time again where i"),
    );
    await shop.api.operations.stop({ id: operation.id });
    await shop.look();
    expect(await due(third)).toEqual({ later: true });
    expect(await shop.get(operation.id)).toMatchObject({ state: "stopping", done: 1 });
    await shop.settle([second], "failed");
    await shop.look();
    expect(await shop.get(operation.id)).toMatchObject({ state: "stopped", done: 2, total: 3, outcomes: { delivered: 1, failed: 1 } });
  });
});

describe("deliveries to endpoints", () => {
  it("are sent again, also those that wait, and followed; a stop leaves them as they were", async () => {
    const shop = await openShop();
    const { sql } = resources;
    const { webhook } = await shop.api.webhooks.create({ siteId: shop.siteId, url: "https://hooks.example/in", types: ["message.sent"] });
    const rows = (["failed", "failed", "pending"] as const).map((status) => ({
      id: newId(),
      webhook_id: webhook.id,
      type: "message.sent",
      site_id: shop.siteId,
      payload: "{}",
      occurred_at: new Date(),
      status,
      due_at: new Date(Date.now() + 7_200_000),
    }));
    await sql`insert into webhook_delivery ${sql(rows)}`;
    const [first = "", second = "", third = ""] = rows.map(({ id }) => id);
    const made = await shop.api.webhookDeliveries.replayFailed({ siteId: shop.siteId, pending: true });
    expect(made.count).toBe(3);
    expect(await sql`select from webhook_delivery where status = 'pending' and due_at <= now() and site_id = ${shop.siteId}`).toHaveLength(
      3,
    );
    await sql`update webhook_delivery set status = 'delivered' where id = ${first}`;
    const { id } = made.operation;
    expect(await shop.get(id)).toMatchObject(
      data<object>("admin-server-operations-operations", "are sent again, also those that wait, and followed a sto"),
    );
    await shop.api.operations.stop({ id });
    await shop.look();
    expect(await shop.get(id)).toMatchObject({ state: "stopped", done: 1, total: 3 });
    const left =
      await sql`select id, status, due_at > now() as later from webhook_delivery where id = any(${[second, third]}::uuid[]) order by id`;
    expect(left.map(({ status }) => status as string)).toEqual(["failed", "pending"]);
    expect(left[1]).toMatchObject({ later: true });
    const again = await shop.api.webhookDeliveries.replayFailed({ webhookId: webhook.id, since: new Date(0).toISOString() });
    expect(again.count).toBe(1);
    await shop.look();
    expect(await shop.get(again.operation.id)).toMatchObject({ done: 0, state: "running" });
    // It is tried in vain, and waits for its next attempt.
    await sql`update webhook_delivery set failures = 1, due_at = now() + interval '1 hour' where id = ${second}`;
    await shop.look();
    expect((await shop.api.webhookDeliveries.list({ operationId: again.operation.id })).items.map(({ id }) => id)).toEqual([second]);
    expect(await shop.get(again.operation.id)).toMatchObject({ done: 1, outcomes: { failed: 1 }, state: "finished", hasMessages: false });
    await sql`update webhook_delivery set status = 'delivered' where id = ${second}`;
    expect(await shop.get(again.operation.id)).toMatchObject({ outcomes: { failed: 0, delivered: 1 } });
  });
});

it("a change of bindings is one that has finished, and its list is filtered", async () => {
  const shop = await openShop();
  const { operation } = await shop.api.bindings.changeMany({ action: "disable", ids: [shop.bindingId, newId()] });
  const shown = await shop.get(operation.id);
  expect(shown).toMatchObject(
    data<object>("admin-server-operations-operations", "a change of bindings is one that has finished, and its l"),
  );
  expect(Object.keys(shown.outcomes).filter((name) => !(outcomes as readonly string[]).includes(name))).toEqual([]);
  await expect(shop.api.operations.stop({ id: operation.id })).rejects.toMatchObject({ code: "CONFLICT" });
  expect((await shop.api.operations.list({ kind: "change_bindings", state: "finished" })).items).toEqual([shown]);
  const { operation: again } = await shop.api.bindings.changeMany({ action: "disable", ids: [shop.bindingId] });
  expect(await shop.get(again.id)).toMatchObject({ total: 1, done: 1, outcomes: { changed: 0, skipped: 1 } });
  const found = async (search: string, ...orKinds: OperationKind[]) => (await shop.api.operations.list({ search, orKinds })).items.length;
  expect([await found(shown.by.slice(0, 5)), await found("50%"), await found("none", "change_bindings")]).toEqual([2, 0, 2]);
  expect((await shop.api.operations.list({ kind: "resend" })).items).toEqual([]);
  expect((await shop.api.operations.list({ state: "running" })).items).toEqual([]);
});
