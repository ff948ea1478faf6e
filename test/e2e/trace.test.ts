import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openShopWorld, type ShopWorld } from "../support/admin-shops.ts";
import { refuse } from "../support/platform.ts";
import { anEvent, postEvent, type PostOptions } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld();
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const get = async (id: unknown) => {
  const { event } = (await world.admins[0]?.client.events.get.query({ id: String(id) })) ?? {};
  if (event === undefined) throw new Error("no admin server");
  return event;
};
const post = async (payload: object, options?: PostOptions) => {
  const { json } = await postEvent(world.gateway, world.shop, payload, options);
  return await get(json["event_id"]);
};
const stored = async (id: string): Promise<string | null | undefined> =>
  (await world.sql<{ trace: string | null }[]>`select trace from event_payload where id = ${id}`)[0]?.trace;

describe("why was nothing sent", () => {
  it("because nothing is bound to the event", async () => {
    const event = await post(anEvent, { event: "order.unknown" });
    expect(event.trace).toMatchObject({ signature: "valid", duplicates: 0, bindings: [], moreBindings: 0 });
    expect(event.trace.summary).toMatch(/^No binding .* order\.unknown, so nothing was sent\./);
    expect(await stored(event.id)).toBeNull();
  });

  it("because the phone is missing, or was dropped", async () => {
    const missing = await post({ order: { id: "1" } });
    expect(missing.trace.summary).toContain("customer.phone_e164 is missing");
    const dropped = await post({ customer: { phone_e164: "0170 1234567" } });
    expect(dropped.trace).toMatchObject({
      summary: "No valid phone number was found, so nothing was sent: the phone is not E.164; 0170 1234567 was dropped.",
      bindings: [
        {
          bindingId: world.shop.bindingId,
          recipients: 0,
          dropped: [{ phone: "0170 1234567", reason: expect.stringContaining("E.164") }],
          reasons: ["the phone is not E.164"],
          messages: [],
        },
      ],
    });
    expect((await stored(dropped.id))?.length).toBeLessThan(400);
  });

  it("because no platform is connected", async () => {
    await world.database.owner`create table kept as table platform_account`;
    await world.sql`delete from platform_account`;
    try {
      const event = await post(anEvent);
      expect(event.trace).toMatchObject({
        summary: expect.stringMatching(/^WhatsApp was not connected/),
        bindings: [{ bindingId: world.shop.bindingId, recipients: 1, messages: [] }],
      });
    } finally {
      await world.database.owner`insert into platform_account table kept`;
    }
  });

  it("because a slot was empty", async () => {
    const set = (path: string) =>
      world.sql`update binding set variable_map = ${world.sql.json({ body: { 1: { source: "field", path }, 2: { source: "static", value: "x" } } } as never)}
        where id = ${world.shop.bindingId}`;
    await set("customer.nickname");
    try {
      const event = await post(anEvent);
      const slots = [{ code: "value_missing", slot: { group: "body", name: "1" }, from: "customer.nickname" }];
      const errorReasonCode = { code: "slot_unresolved", slots, more: 0 };
      expect(event.trace.bindings).toMatchObject([
        {
          messages: [
            { status: "failed", errorCode: "slot_unresolved", errorReason: "body {{1}}: customer.nickname is missing", errorReasonCode },
          ],
        },
      ]);
      expect(event.trace.summary).toBe(
        "WhatsApp accepted 0 of 1 message. The event had no value for a variable of the template; the reason names it.",
      );
      // The message tells everything.
      expect(await stored(event.id)).toBeNull();
    } finally {
      await set("customer.first_name");
    }
  });

  it("because the platform refused, in its own words and in plain ones", async () => {
    world.platform.script((_, response) => refuse(response, 400, 131009, "Parameter value is not valid"));
    const event = await post(anEvent);
    world.platform.script(() => "wamid.x");
    expect(event.trace.bindings[0]?.messages).toMatchObject([
      {
        toPhone: "+15551230001",
        errorCode: "131009",
        errorReason: "(#131009) Refused: Parameter value is not valid",
        explanation: { text: expect.stringContaining("WhatsApp does not accept a value") },
      },
    ]);
    const id = event.trace.bindings[0]?.messages[0]?.id ?? "";
    const { notification } = (await world.admins[0]?.client.notifications.get.query({ id })) ?? {};
    expect(notification?.error).toEqual({
      code: "131009",
      subcode: null,
      title: "(#131009) Refused",
      details: "Parameter value is not valid",
      traceId: "T",
    });
  });

  it("because it was a duplicate: the first one counts them", async () => {
    const headers = { "X-Service-Idempotency-Key": "trace-1" };
    const { id } = await post(anEvent, { headers });
    const again = await Promise.all(Array.from({ length: 3 }, () => postEvent(world.gateway, world.shop, anEvent, { headers })));
    expect(again.map(({ json }) => json["event_id"])).toEqual([id, id, id]);
    await waitFor("the count of duplicates", async () => (await get(id)).trace.duplicates === 3);
    expect((await get(id)).duplicates).toBe(3);
  });

  it("because it was a dry run", async () => {
    const event = await post({ customer: {} }, { headers: { "X-Service-Mode": "test" } });
    expect(event.trace).toMatchObject({
      summary: expect.stringMatching(/^Dry run: nothing is sent\. No valid phone number/),
      bindings: [
        { recipients: 0, reasons: [expect.stringContaining("customer.phone_e164"), expect.stringContaining("customer.first_name")] },
      ],
    });
  });
});

it("an event of which everything was sent stores no trace, and is told all the same", async () => {
  const event = await post(anEvent);
  expect(await stored(event.id)).toBeNull();
  expect(event.trace).toMatchObject({
    summary: "WhatsApp accepted 1 of 1 message.",
    bindings: [{ messages: [{ status: "sent", errorCode: null }] }],
  });
});

it("a trace stays small, whatever the event holds", async () => {
  const phone = "9".repeat(100_000);
  const { id, trace } = await post({ customer: { phone_e164: `${phone}\u0000\ud800` } });
  expect((await stored(id))?.length).toBeLessThan(1000);
  expect(trace.bindings[0]?.dropped[0]?.phone).toMatch(/^9{40}…$/);
});
