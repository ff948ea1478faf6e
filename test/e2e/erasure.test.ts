import { expect, it, vi } from "vitest";
import { data } from "../support/data.ts";
import { anyPhone, fullWidth, liveThrough, openKeepingWorld, searchEverywhere, tracesOf } from "../support/keeping.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";
import { words } from "../support/words.ts";

// Every text of every table is searched, several times.
vi.setConfig({ testTimeout: 180_000 });

const world = shared(() => openKeepingWorld({ operationTimes: { tickMs: 150 }, erasingTimes: { settleMs: 0, againMs: 200 } }));

const finished = async (id: string) =>
  waitFor(
    "the erasure to end",
    async () => {
      const { erasure } = await world.owner.people.erasure.query({ id });
      return erasure.finishedAt !== null && erasure;
    },
    60_000,
  );

const traces = async (phone: string, ...more: string[]): Promise<string[]> => tracesOf(world.sql, phone, ...more);

const [ada, bob] = [anyPhone(), anyPhone()];

it("leaves nothing of a person in any column of any table, and everything of the others", async () => {
  const events = await liveThrough(world, ada, "ada");
  await liveThrough(world, bob, "bob");
  const [binding] = (await world.owner.bindings.list.query()).items;
  const named = { match: "all" as const, rules: [{ path: "customer.phone_e164", op: "neq" as const, value: ada }] };
  for (const conditions of [named, null]) await world.owner.bindings.update.mutate({ id: binding?.id ?? "", conditions });
  const before = await traces(ada);
  // A search that finds nothing must not pass the test.
  expect(before).toEqual(
    expect.arrayContaining(
      words(`
      audit_value.content customer_order.external_id event.idempotency_key event_payload.payload event_payload.trace idempotency.body
      notification.to_phone notification.components notification.wa_message_id object_version.content resend_job.filter saved_view.filter site_recipient.phone
      site_recipient.label sandbox.message.recipient sandbox.message.id webhook_delivery.answer
    `),
    ),
  );
  const inFullWidth = fullWidth(ada.slice(1));
  expect(await searchEverywhere(world.sql, inFullWidth)).toEqual(
    expect.arrayContaining(data<unknown[]>("test-e2e-erasure", "leaves nothing of a person in any column of any table, a")),
  );
  const bobsBefore = await traces(bob);
  const lines = async () => (await world.sql`select count(*)::integer as n from notification`)[0]?.["n"];
  const linesBefore = await lines();
  await world.sql`update idempotency set expires_at = now() - interval '1 second'`;

  const { erasure } = await world.owner.people.erase.mutate({ phone: ada });
  expect(erasure).toMatchObject({ phone: `•••${ada.slice(-2)}`, requestedBy: world.ownerEmail, finishedAt: null });
  const certificate = await finished(erasure.id);
  // The other data of the payloads is gone with the phone.
  expect(await traces(ada, inFullWidth, "\\mada\\M")).toEqual([]);
  expect(await lines()).toBe(linesBefore);
  // The answer of his dry run names her among the shop's own people; refused requests and waiting tests are all deleted.
  const gone = ["idempotency.body", "requested_event.payload", "requested_event.phone", "refused_request.headers", "refused_request.start"];
  expect(await traces(bob)).toEqual(bobsBefore.filter((place) => !gone.includes(place)));
  expect(certificate).toMatchObject({ progress: 1, phone: `•••${ada.slice(-2)}` });
  expect(certificate.counts).toMatchObject({ event_payload: 5, customer_order: 4, opt_out: 1, resend_job: 1, refused_request: 2 });
  expect(certificate.scanned).toBeGreaterThan(10);
  expect((await world.owner.people.erasures.query()).items).toMatchObject([{ id: erasure.id }]);

  const { event } = await world.owner.events.get.query({ id: events[0] ?? "" });
  expect(event).toMatchObject({ payload: null, idempotencyKey: "erased", chat: "sent" });
  const { items } = await world.owner.notifications.list.query({ eventId: event.id });
  expect(items.map(({ toPhone }) => toPhone)).toContain(`•••${ada.slice(-2)}`);
  expect((await world.owner.audit.list.query({ action: "people.erase" })).items).toMatchObject([{ subject: erasure.id }]);
});

it("does not make somebody who opted out fit to be written to", async () => {
  await world.sql`update template set category = 'MARKETING'`;
  const { json } = await world.post({ customer: { phone_e164: ada } });
  const [row] = await world.sql`select error_code from notification where event_id = ${String(json["event_id"])} and to_phone = ${ada}`;
  expect(row).toEqual({ error_code: "recipient_opted_out" });
  const optOuts = await world.owner.optOuts.list.query({ phone: ada });
  expect(optOuts.items).toMatchObject([{ phone: null, scope: "marketing" }]);
  await world.sql`update template set category = 'UTILITY'`;
});

it("cancels what waits for them, whoever it goes to, and forgets it", async () => {
  const [phone, other] = [anyPhone(), anyPhone()];
  const posted = await Promise.all([phone, other].map((to) => world.post({ customer: { phone_e164: to } })));
  await world.settled();
  const [theirs = "", others = ""] = posted.map(({ json }) => String(json["event_id"]));
  await world.sql`
    update notification set status = 'scheduled', wa_message_id = null, due_at = now() + interval '1 hour',
      components = case when event_id = ${others} then ${JSON.stringify([{ type: "body", parameters: [{ type: "text", text: phone }] }])} else components end
    where event_id in (${theirs}, ${others})`;
  await world.sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select site_id, id, account_id, event_id, binding_id, 'digest', due_at, due_at from notification where event_id in (${theirs}, ${others})`;
  const { erasure } = await world.owner.people.erase.mutate({ phone });
  await finished(erasure.id);
  expect(await traces(phone)).toEqual([]);
  expect(await world.sql`select distinct status, error_code from notification where event_id in (${theirs}, ${others})`).toEqual([
    { status: "cancelled", error_code: "person_erased" },
  ]);
  expect(await world.sql`select from waiting_message where event_id in (${theirs}, ${others})`).toEqual([]);
});

it("waits for what is in use, and for a key that still guards against duplicates", async () => {
  const phone = anyPhone();
  const posted = await world.post({ customer: { phone_e164: phone } }, { "X-Service-Idempotency-Key": phone });
  await world.settled();
  const eventId = String(posted.json["event_id"]);
  await world.sql`update notification set status = 'sending' where event_id = ${eventId}`;
  await world.sql`insert into event_due select site_id, id, now() + interval '1 hour' from event where id = ${eventId}`;
  const { erasure } = await world.owner.people.erase.mutate({ phone });
  const again = await world.owner.people.erase.mutate({ phone });
  expect(again.erasure.id).toBe(erasure.id);
  const passes = async () => Number((await world.sql`select pass from erasure where id = ${erasure.id}`)[0]?.["pass"]);
  await waitFor("a few passes", async () => (await passes()) > 2);
  expect((await world.owner.people.erasure.query({ id: erasure.id })).erasure).toMatchObject({ finishedAt: null, progress: 0.99 });
  expect(await traces(phone)).toEqual(expect.arrayContaining(["event_payload.payload", "notification.to_phone"]));
  await world.sql`update notification set status = 'sent' where event_id = ${eventId}`;
  await world.sql`delete from event_due where id = ${eventId}`;
  const since = await passes();
  await waitFor("a whole pass", async () => (await passes()) > since + 1);
  expect((await traces(phone)).filter((place) => !place.startsWith("idempotency."))).toEqual([]);
  // A retry within the window still gets the first answer, and sends nothing.
  expect((await world.post({ customer: { phone_e164: phone } }, { "X-Service-Idempotency-Key": phone })).body).toBe(posted.body);
  await world.sql`update idempotency set expires_at = now() - interval '1 second' where key = ${phone}`;
  await finished(erasure.id);
  expect(await traces(phone)).toEqual([]);
});

it("is refused while what was set up names the phone", async () => {
  const phone = anyPhone();
  const { items } = await world.owner.bindings.list.query();
  const [binding] = items;
  if (binding === undefined) throw new Error("no binding");
  const { id, recipient } = binding;
  await world.owner.bindings.update.mutate({ id, recipient: { strategy: "static_phone", phone } });
  await expect(world.owner.people.erase.mutate({ phone })).rejects.toMatchObject({
    message: expect.stringContaining(`binding order.created (${id})`),
    data: { code: "CONFLICT" },
  });
  const rules = [{ path: "customer.phone_e164", op: "in" as const, value: [phone] }];
  await world.owner.bindings.update.mutate({ id, recipient, conditions: { match: "all", rules } });
  await expect(world.owner.people.erase.mutate({ phone })).rejects.toMatchObject({ data: { code: "CONFLICT" } });
  await world.owner.bindings.update.mutate({ id, conditions: null });
  await expect(world.owner.people.erase.mutate({ phone: "0170 1234567" })).rejects.toMatchObject({ data: { code: "BAD_REQUEST" } });
});
