import { beforeAll, describe, expect, it } from "vitest";
import { addMember } from "../support/admin.ts";
import { data } from "../support/data.ts";
import { openGateway } from "../support/gateway.ts";
import { anyPhone, liveThrough, openKeepingWorld, placesOf } from "../support/keeping.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";

/** Columns that stay plain: the entries of the account's people, and the names that senders give to requests. */
const staysPlain = data<string[]>("test-e2e-encrypted-payloads", "staysPlain");
/** The places without those of the sandbox, which is the platform and reads the messages that it sends. */
const others = (places: readonly string[]): string[] =>
  [...new Set(places)].filter((place) => !place.startsWith("sandbox.") && !staysPlain.includes(place));

const marker = "quillmark";
/** Phones with failures: refused at once, and reported as failed later. */
const [refused, failing] = ["+15550101047", "+15550101026"];
const plainRows = {
  operationTimes: { tickMs: 30 },
  erasingTimes: { settleMs: 0, againMs: 200 },
  encryptingTimes: { tickMs: 30, againMs: 200 },
};

describe("an account that encrypts from the beginning", () => {
  const world = shared(() => openKeepingWorld(plainRows));
  const ada = anyPhone();
  let events: string[];
  beforeAll(async () => {
    await world.owner.settings.update.mutate({ encryptPayloads: true });
    // The encryption of earlier data is removed, so that only newly written rows are encrypted.
    await world.sql`delete from encryption`;
    events = await liveThrough(world, ada, marker);
    for (const phone of [refused, failing]) await world.post({ customer: { phone_e164: phone, first_name: marker }, order: { id: phone } });
    await world.settled();
  });

  it("stores neither phone nor payload where they can be read", async () => {
    // The test support writes this one by itself.
    expect(others(await placesOf(world.sql, marker, ada, refused, failing))).toEqual(["resend_job.filter"]);
    const counts = await world.sql`
      select (select count(*) from event_payload where payload like 's1.%')::integer as payloads, (select count(*) from idempotency where body like 's1.%')::integer as bodies,
        (select count(*) from customer_order where number like 'c1.%' and total like 's1.%')::integer as orders,
        (select count(*) from notification where to_phone like 'c1.%' and components like 's1.%' and wa_message_id like 'c1.%')::integer as messages,
        (select count(*) from notification where error_reason like 's1.%' and error_detail like 's1.%')::integer as failures,
        (select count(*) from event_payload where trace like 's1.%')::integer as traces, (select count(*) from event_kind where fields::text like '%"s1.%')::integer as kinds`;
    for (const count of Object.values(counts[0] ?? {})) expect(count).toBeGreaterThan(0);
  });

  it("shows phones to operators, masks them for viewers, in the file too", async () => {
    const file = async (token: string) =>
      (
        await world.admin.fetch(`/export/notifications.csv?siteId=${world.siteId}`, { headers: { authorization: `Bearer ${token}` } })
      ).text();
    const operator = await addMember(world.admin, world.owner, "operator", "operator@example.com");
    expect(await file(operator.token)).toContain(ada.slice(1));
    const viewer = await addMember(world.admin, world.owner, "viewer", "viewer@example.com");
    const masked = await file(viewer.token);
    expect([masked.includes(`•••${ada.slice(-2)}`), masked.includes(ada.slice(1)), masked.includes("c1.")]).toEqual([true, false, false]);
    const { items } = await world.admin.client(viewer.token).notifications.list.query({});
    expect(new Set(items.map(({ toPhone }) => toPhone))).toContain(`•••${ada.slice(-2)}`);
  });

  it("answers a repeated key with the same bytes, a dry run too, from another gateway", async () => {
    await using gateway = await openGateway(world.databaseUrl, world.sandboxUrl);
    const headers = { "X-Service-Idempotency-Key": "again", "X-Service-Mode": "test" };
    const payload = { customer: { phone_e164: ada, first_name: marker } };
    const first = await world.post(payload, headers);
    expect(first.body).toContain(ada);
    const again = await world.post(payload, headers, gateway);
    expect([again.body, again.headers.get("x-service-idempotent-replay")]).toEqual([first.body, "true"]);
  });

  it("sends a failed message again, once by one and then by a phone's filter", async () => {
    const { owner, sql } = world;
    const { items } = await owner.notifications.list.query({ phone: refused, status: "failed" });
    expect(items).toMatchObject([{ errorCode: "131047", error: { code: "131047", title: expect.any(String) } }]);
    const { notification } = await owner.notifications.resend.mutate({ id: items[0]?.id ?? "", force: true });
    expect(notification).toMatchObject({ toPhone: refused, resendOf: items[0]?.id });
    await world.settled();
    expect((await owner.notifications.get.query({ id: notification.id })).notification).toMatchObject({ errorCode: "131047" });
    const [hour, now] = [3_600_000, Date.now()];
    const filter = { phone: failing, from: new Date(now - hour).toISOString(), to: new Date(now + hour).toISOString() };
    expect(await owner.notifications.resendCount.query(filter)).toMatchObject({ total: 1, errors: [{ code: "131026", count: 1 }] });
    const { job } = await owner.notifications.resendMany.mutate({ ...filter, force: true });
    const { resent } = await waitFor("the job's end", async () => {
      const found = (await owner.notifications.resendJob.query({ id: job.id })).job;
      return found.finishedAt !== null && found;
    });
    expect(resent).toBe(1);
    await world.settled();
    const [again, ...more] = (await owner.notifications.list.query({ phone: failing })).items;
    expect([again, more]).toMatchObject([{ errorCode: "131026" }, []]);
    const { attempts } = (await owner.notifications.get.query({ id: again?.id ?? "" })).notification;
    expect(attempts).toMatchObject([{ toPhone: failing, errorCode: "131026" }, { id: again?.id }]);
    expect(others(await placesOf(sql, refused, failing))).toEqual([]);
  });

  it("keeps to what people said: an opt-out is known by its digest", async () => {
    await world.sql`update template set category = 'MARKETING'`;
    const { json } = await world.post({ customer: { phone_e164: ada } });
    const { items } = await world.owner.notifications.list.query({ eventId: String(json["event_id"]), phone: ada });
    expect(items.map(({ errorCode }) => errorCode)).toContain("recipient_opted_out");
    await world.sql`update template set category = 'UTILITY'`;
  });

  it("shows one that cannot be read as such, beside all the others", async () => {
    const { owner, sql } = world;
    const before = await owner.notifications.list.query({ limit: 5 });
    const [spoiled] = before.items;
    await sql`update notification set to_phone = ${`c1.${"A".repeat(44)}`}, components = ${`s1.${"A".repeat(60)}`} where id = ${spoiled?.id ?? ""}`;
    const { items } = await owner.notifications.list.query({ limit: 5 });
    const unreadable = { toPhone: "cannot be read", recipientName: null };
    expect(items).toEqual(before.items.map((item) => (item.id === spoiled?.id ? { ...item, ...unreadable } : item)));
    expect((await owner.notifications.get.query({ id: spoiled?.id ?? "" })).notification.components).toBe("[]");
    await sql`delete from notification where id = ${spoiled?.id ?? ""}`;
  });

  it("forgets a person, in what is encrypted too", async () => {
    const { owner, sql } = world;
    await sql`update idempotency set expires_at = now() - interval '1 second'`;
    const { erasure } = await owner.people.erase.mutate({ phone: ada });
    const certificate = await waitFor("the erasure to end", async () => {
      const found = (await owner.people.erasure.query({ id: erasure.id })).erasure;
      return found.finishedAt !== null && found;
    });
    expect(certificate.counts).toMatchObject({ event_payload: 7, resend_job: 1, opt_out: 1 });
    expect(certificate.counts["customer_order"]).toBe(4);
    expect((await owner.events.get.query({ id: events[0] ?? "" })).event.payload).toBeNull();
    expect((await owner.notifications.list.query({ phone: ada })).items).toEqual([]);
    const { items } = await owner.notifications.list.query({ limit: 100 });
    expect(items.map(({ toPhone }) => toPhone)).toContain(`•••${ada.slice(-2)}`);
    for (const { id } of items) {
      const { notification } = await owner.notifications.get.query({ id });
      expect(JSON.stringify(notification)).not.toContain(ada.slice(1));
    }
    expect(await placesOf(sql, ada)).toEqual([]);
    expect((await owner.notifications.list.query({ phone: refused })).items).toHaveLength(1);
  });
});

describe("an account that is switched on while it works", () => {
  const world = shared(() => openKeepingWorld(plainRows));
  const [early, late, after] = [anyPhone(), anyPhone(), anyPhone()];
  beforeAll(() => liveThrough(world, early, marker));

  it("is for owners who have proved that they are", async () => {
    const { token } = await addMember(world.admin, world.owner, "operator", "nobody@example.com");
    await expect(world.admin.client(token).settings.update.mutate({ encryptPayloads: true })).rejects.toMatchObject({
      message: "Encrypting payloads and phones needs the role owner; yours is operator",
    });
    await world.sql`update user_session set proven_at = now() - interval '1 hour'`;
    await expect(world.owner.settings.update.mutate({ encryptPayloads: true })).rejects.toMatchObject({ data: { reason: "confirm" } });
    await world.sql`update user_session set proven_at = now()`;
    expect((await world.owner.settings.get.query()).encryptPayloads).toBe(false);
  });

  it("has everything encrypted soon, what came meanwhile too, and every event sent once", async () => {
    const { owner, sql } = world;
    expect(others(await placesOf(sql, early, marker)).length).toBeGreaterThan(6);
    let posts = 0;
    let isOn = false;
    const posting = (async () => {
      for (let rest = 5; rest > 0; rest -= isOn ? 1 : 0) {
        const answers = await Promise.all([1, 2, 3].map(async () => world.post({ customer: { phone_e164: late, first_name: marker } })));
        for (const { json } of answers) expect(json["chat"]).toBe("sent");
        posts += answers.length;
      }
    })();
    await waitFor("some events", async () => posts > 5);
    const settings = await owner.settings.update.mutate({ encryptPayloads: true });
    isOn = true;
    await posting;
    expect(settings).toMatchObject({ encryptPayloads: true, encryptionProgress: 0 });
    await world.settled();
    await waitFor("two passes", async () => Number((await sql`select pass from encryption`)[0]?.["pass"]) > 1);
    expect(others(await placesOf(sql, marker, early, late))).toEqual([]);
    const { items } = await owner.notifications.list.query({ phone: late, limit: 100 });
    expect(items).toHaveLength(Math.min(posts, 100));
    expect((await owner.notifications.list.query({ phone: early })).items.length).toBeGreaterThan(2);
    expect((await owner.audit.list.query({ action: "settings.update", limit: 1 })).items[0]?.changes).toEqual([
      expect.objectContaining({ member: "encryptPayloads", before: false, after: true }),
    ]);
    await sql`update encryption set requested_at = now() - interval '1 hour', due_at = now()`;
    await waitFor("its end", async () => (await owner.settings.get.query()).encryptionProgress === null);
  });

  it("switched off, stores plainly again and still reads and finds both", async () => {
    const { owner, sql } = world;
    await owner.settings.update.mutate({ encryptPayloads: false });
    await world.post({ customer: { phone_e164: after, first_name: marker } });
    await world.post({ customer: { phone_e164: early, first_name: marker } });
    await world.settled();
    expect(await placesOf(sql, after)).toEqual(expect.arrayContaining(["event_payload.payload", "notification.to_phone"]));
    const { items } = await owner.notifications.list.query({ phone: early, limit: 100 });
    const stored = await sql`select to_phone from notification where id = any(${items.map(({ id }) => id)}::uuid[])`;
    expect(new Set(stored.map(({ to_phone }) => String(to_phone).slice(0, 2)))).toEqual(new Set(["c1", early.slice(0, 2)]));
    expect(items.map(({ id }) => id)).toEqual(
      items
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(new Set(items.map(({ toPhone }) => toPhone))).toEqual(new Set([early]));
  });
});
