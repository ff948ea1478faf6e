import { newId } from "shared/db/ids";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openShopWorld } from "../support/admin-shops.ts";
import { refusal, type AdminClient } from "../support/admin.ts";
import { newMessageId } from "../support/platform.ts";
import { postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";

const world = shared(openShopWorld);
let one: AdminClient;
let other: AdminClient;

beforeAll(() => {
  [one, other] = world.admins.map(({ client }) => client) as [AdminClient, AdminClient];
});
beforeEach(() => {
  world.platform.sends.splice(0);
  world.platform.script(() => newMessageId());
});

const order = (id: string, phone = "+15551230001") => ({ customer: { first_name: "Ada", phone_e164: phone }, order: { id } });
const post = async (payload: object, event = "order.created"): Promise<string> =>
  String((await postEvent(world.gateway, world.shop, payload, { event })).json["event_id"]);
const phones = () => world.platform.sends.map(({ body }) => body.to);
const sends = (count: number) => waitFor(`${count} messages`, async () => world.platform.sends.length >= count && phones());
const done = (client: AdminClient, id: string) =>
  waitFor("the request to be taken", async () => {
    const { request } = await client.events.requested.query({ id });
    return request.state !== "waiting" && request;
  });
const since = new Date(Date.now() - 3_600_000).toISOString();

describe("an event is replayed", () => {
  it("once a request, however many click on whichever server, after a look at whom it reaches", async () => {
    const id = await post(order("R-1"));
    const preview = await one.events.replayPreview.query({ id });
    const message = { bindingId: world.shop.bindingId, toPhone: "+15551230001", failure: null, dueAt: null, isRepeat: true };
    expect(preview).toMatchObject({ problem: null, chat: "sent", isHeld: false, repeats: 1, messages: [message] });
    world.platform.sends.splice(0);
    const requestId = newId();
    const clicks = await Promise.all([one, other, one].map((api) => api.events.replay.mutate({ id, requestId })));
    const [replay] = [...new Set(clicks.map((click) => click.replay.id))];
    expect(clicks.map((click) => click.replay.id)).toEqual([replay, replay, replay]);
    expect(await done(other, replay ?? "")).toMatchObject({ id: replay, replayOf: id, state: "done", problem: null });
    expect(await sends(1)).toEqual(["+15551230001"]);
    expect((await one.events.get.query({ id })).event.replays).toMatchObject([{ id: replay, kind: "replay", state: "done" }]);
    const { event } = await one.events.get.query({ id: replay ?? "" });
    expect(event).toMatchObject({
      replayOf: id,
      name: "order.created",
      test: false,
      orderId: (await one.events.get.query({ id })).event.orderId,
    });
    // A replay of the replay is one of the original.
    const again = await one.events.replay.mutate({ id: replay ?? "", requestId: newId() });
    expect(again.replay.replayOf).toBe(id);
    await sends(2);
    expect((await refusal(one.events.replay.mutate({ id: await post(order("R-2")), requestId }))).code).toBe("CONFLICT");
  });

  it("not from a dry run, a site that refuses events, or without its data, and says so before", async () => {
    const id = await post(order("R-3"));
    const ask = async () => [
      (await one.events.replayPreview.query({ id })).problem?.code,
      (await refusal(one.events.replay.mutate({ id, requestId: newId() }))).code,
    ];
    await one.sites.update.mutate({ id: world.shop.siteId, enabled: false });
    expect(await ask()).toEqual(["site_disabled", "CONFLICT"]);
    await one.sites.update.mutate({ id: world.shop.siteId, enabled: true });
    await world.sql`delete from event_payload where id = ${id}`;
    expect(await ask()).toEqual(["payload_gone", "CONFLICT"]);
    expect(await world.sql`select from requested_event where replay_of = ${id}`).toHaveLength(0);
  });
});

describe("a new binding", () => {
  const addBinding = async (event: string): Promise<string> => {
    const { binding } = await one.bindings.get.query({ id: world.shop.bindingId });
    const { siteId, templateId, variableMap } = binding;
    return (await one.bindings.create.mutate({ siteId, event, templateId, variableMap, recipient: { strategy: "customer" } })).binding.id;
  };
  const finished = (client: AdminClient, bindingId: string) =>
    waitFor("the backfill's end", async () => {
      const [backfill] = (await client.bindings.backfills.query({ bindingId })).items;
      return backfill?.finishedAt != null && backfill;
    });

  it("gets each earlier event once, in their order, whatever is clicked", async () => {
    const ids = [];
    for (let n = 1; n <= 6; n += 1) ids.push(await post(order(`B-${n}`, `+1555222000${n}`), "order.late"));
    await post({ ...order("B-7"), test: true }, "order.late");
    await post({ customer: {}, order: { id: "B-8" } }, "order.late");
    const id = await addBinding("order.late");
    // The event that the binding had live is not missed.
    await post(order("B-9", "+15552220009"), "order.late");
    world.platform.sends.splice(0);
    const preview = await one.bindings.backfillPreview.query({ id, since });
    expect(preview).toMatchObject({ total: 7, planned: 7, tooMany: false, messages: 6, failed: 0, expired: 0, without: 1 });
    expect(preview.recipients).toEqual(ids.slice(0, 5).map((eventId, n) => ({ eventId, toPhone: `+1555222000${n + 1}` })));
    expect(preview.reasons).toMatchObject([{ count: 1 }]);
    const requestId = newId();
    const made = await Promise.all([one, other].map((api) => api.bindings.backfill.mutate({ id, since, requestId })));
    expect(new Set(made.map(({ backfill }) => backfill.id)).size).toBe(1);
    expect((await refusal(other.bindings.backfill.mutate({ id, since, requestId: newId() }))).code).toBe("CONFLICT");
    expect(await finished(other, id)).toMatchObject({ total: 7, taken: 7, refused: 0, cancelledAt: null });
    expect((await sends(6)).toSorted()).toEqual(ids.map((_, n) => `+1555222000${n + 1}`));
    expect(await one.bindings.backfillPreview.query({ id, since })).toMatchObject({ total: 0 });
    expect((await refusal(one.bindings.backfill.mutate({ id, since, requestId: newId() }))).message).toContain("No event");
    // Another instance of the job at the same moment makes no second message either.
    await world.sql`update backfill set finished_at = null, position = ${"00000000-0000-0000-0000-000000000000"} where binding_id = ${id}`;
    await world.sql`update operation set finished_at = null, asked_at = null, settled_at = null, due_at = now() where subject_id = ${id}`;
    await finished(one, id);
    expect(world.platform.sends).toHaveLength(6);
  });

  it("stops where it is cancelled, and keeps below the pace of what happens now", async () => {
    for (let n = 1; n <= 6; n += 1) await post(order(`C-${n}`), "order.paced");
    const id = await addBinding("order.paced");
    await one.settings.update.mutate({ messagesPerSecond: 4 });
    await one.sites.update.mutate({ id: world.shop.siteId, holdMessages: true });
    const { backfill } = await one.bindings.backfill.mutate({ id, since, requestId: newId() });
    const asked = async () => (await world.sql`select from requested_event where backfill_id = ${backfill.id}`).length;
    await waitFor("its first step", async () => (await asked()) > 0);
    expect(await asked()).toBe(2);
    const cancelled = await other.bindings.cancelBackfill.mutate({ id: backfill.id });
    expect(cancelled.backfill.cancelledAt).not.toBeNull();
    const end = await finished(one, id);
    expect(end.taken).toBeLessThan(6);
    expect(end).toMatchObject({ total: 6, taken: await asked() });
    await one.sites.update.mutate({ id: world.shop.siteId, holdMessages: false });
    await one.settings.update.mutate({ messagesPerSecond: null });
    await sends(end.taken);
  });
});

describe("a test message", () => {
  it("of a binding, an event or a template goes to the test phone, and is counted nowhere", async () => {
    const { siteId, bindingId, templateId } = world.shop;
    const span = { from: new Date(Date.now() - 86_400_000).toISOString(), to: new Date(Date.now() + 86_400_000).toISOString() };
    const totals = async () => Object.values((await one.stats.overview.query(span)).totals).reduce((sum, count) => sum + count, 0);
    const before = await totals();
    const ask = [
      { bindingId },
      { siteId, event: "order.created", payload: order("T-1") },
      { siteId, templateId, values: { body: ["Bea"] } },
    ];
    for (const what of ask) {
      const requestId = newId();
      const [first, second] = await Promise.all([one, other].map((api) => api.events.sendTest.mutate({ ...what, requestId })));
      expect(second?.test.id).toBe(first?.test.id);
      expect(await done(one, first?.test.id ?? "")).toMatchObject({ kind: "test", state: "done", problem: null });
    }
    expect(await sends(3)).toEqual(["+15550009999", "+15550009999", "+15550009999"]);
    const messages = () => one.notifications.list.query({ test: true, phone: "+15550009999" });
    await waitFor("the messages to be sent", async () => (await messages()).items.every(({ status }) => status === "sent"));
    expect(await totals()).toBe(before);
    expect((await one.notifications.list.query({ test: false, phone: "+15550009999" })).items).toEqual([]);
  });

  it("needs a phone, one thing to test, and is not sent without end", async () => {
    const { siteId, bindingId, templateId } = world.shop;
    const send = (input: object) => one.events.sendTest.mutate({ requestId: newId(), ...input } as never);
    for (const input of [{}, { siteId }, { bindingId, templateId }, { templateId }, { siteId, event: "order.created", bindingId }])
      expect((await refusal(send(input))).code).toBe("BAD_REQUEST");
    await one.sites.update.mutate({ id: siteId, testPhone: null });
    expect((await refusal(send({ bindingId }))).message).toContain("no test phone");
    const phone = "+15558880001";
    const answers = await Promise.all(
      Array.from({ length: 21 }, () =>
        send({ bindingId, phone }).then(
          () => "ok",
          () => "refused",
        ),
      ),
    );
    expect(answers).toContain("refused");
    expect((await refusal(send({ bindingId, phone }))).code).toBe("TOO_MANY_REQUESTS");
  });
});
