import { describe, expect, it } from "vitest";
import { type AdminClient, openAdmin } from "../support/admin.ts";
import { openGateway, masterKey } from "../support/gateway.ts";
import { postEvent, type PostOptions } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";
import { words } from "../support/words.ts";

const admin = shared(() => openAdmin({ masterKey }));
const gateway = shared(() => openGateway(admin.databaseUrl, "http://127.0.0.1:9"));

/** A new account's site, and a function that posts to it. */
async function openShop() {
  const owner = await admin.signUp();
  const created = await owner.client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const sender = { key: created.apiKey, secret: created.webhookSecret };
  const post = async (payload: unknown, options: PostOptions = {}): Promise<void> => {
    expect((await postEvent(gateway, sender, payload, options)).status).toBe(200);
  };
  const siteId = created.site.id;
  const fieldsOf = async (event = "order.created", client: AdminClient = owner.client) =>
    new Map((await client.events.fields.query({ siteId, event })).fields.map((field) => [field.path, field]));
  return { ...owner, siteId, post, fieldsOf };
}

describe("the fields of events", () => {
  it("are there as soon as the event is answered, and follow the next one", async () => {
    const { post, fieldsOf, client, siteId } = await openShop();
    await post('{"order":{"id":"A-1","total":49.90,"items":[{"name":"Mug"},{"name":"Tea","size":"L"}]},"big":12345678901234567890}');
    const first = await fieldsOf();
    expect([...first.keys()]).toEqual(
      words(`
      big order order.id order.items order.items.0 order.items.0.name order.items.1 order.items.1.name order.items.1.size order.items[]
      order.items[].name order.items[].size order.total
    `),
    );
    const [event] = (await client.events.list.query({ siteId })).items;
    const lastSeenAt = event?.receivedAt;
    expect(first.get("order.total")).toEqual({ path: "order.total", type: "number", sample: "49.9", lastSeenAt });
    expect(first.get("order.items")).toEqual({ path: "order.items", type: "array", sample: null, lastSeenAt });
    expect(first.get("big")?.sample).toBe("12345678901234567890");

    await post({ order: { id: "A-2", total: null }, data: { coupon: "SPRING" } });
    const second = await fieldsOf();
    expect(second.get("order.id")?.sample).toBe("A-2");
    expect(second.get("order.total")).toMatchObject({ type: "number", sample: "49.9" });
    expect(Date.parse(second.get("order.total")?.lastSeenAt ?? "")).toBeGreaterThan(Date.parse(lastSeenAt ?? ""));
    expect(second.get("big")).toEqual(first.get("big"));
    expect(second.get("data.coupon")?.type).toBe("string");
  });

  it("come from test events and dry runs too, each name once, the last received first", async () => {
    const { post, client, siteId, fieldsOf } = await openShop();
    await post({ a: 1 }, { event: "Order.Paid" });
    await post({ dry: 1 }, { event: "user.signup", headers: { "X-Service-Mode": "test" } });
    await post({ tried: 1, test: true }, { event: "test" });
    await post({ b: 1 }, { event: "order.paid" });
    const { items, nextCursor } = await client.events.names.query({ siteId });
    expect(items.map(({ name }) => name)).toEqual(["order.paid", "test", "user.signup"]);
    expect(nextCursor).toBeNull();
    const [newest] = (await client.events.list.query({ siteId })).items;
    expect(items[0]?.lastSeenAt).toBe(newest?.receivedAt);
    expect([...(await fieldsOf("ORDER.paid")).keys()]).toEqual(["a", "b"]);
    expect([...(await fieldsOf("user.signup")).keys()]).toEqual(["dry"]);
    expect([...(await fieldsOf("test")).keys()]).toEqual(["test", "tried"]);
    expect((await fieldsOf("never.seen")).size).toBe(0);
    const page = await client.events.names.query({ siteId, limit: 2 });
    const rest = await client.events.names.query({ siteId, limit: 2, cursor: page.nextCursor });
    expect([...page.items, ...rest.items]).toEqual(items);
    expect(rest.nextCursor).toBeNull();
  });

  it("outlive what PostgreSQL cannot hold, forty thousand keys, and depth", async () => {
    const { post, fieldsOf } = await openShop();
    const keys = (count: number): string => Array.from({ length: count }, (_, n) => `"key${n}":${n}`).join();
    await post(`{"z\\u0000":1,"\\ud800":2,"odd":"a\\u0000\\ud800","far":1e999,"deep":${"[".repeat(5_000)}1${"]".repeat(5_000)}}`);
    await post(
      `{${keys(40_000)},"order":{${keys(5_000)},"id":"A-1","items":[{${keys(5_000)},"name":"Mug"}]},"customer":{"phone_e164":"+491701234567"}}`,
    );
    // A question learns for a bounded time: on a busy machine such payloads take several.
    const known = async () => ((found) => found.has("odd") && found.has("order.id") && found)(await fieldsOf());
    const fields = await waitFor("both to be learned", known);
    expect(fields.size).toBeLessThan(100);
    expect(fields.get("odd")).toMatchObject({ type: "string", sample: "a\ufffd\ufffd" });
    expect(fields.get("far")).toMatchObject({ type: "number", sample: null });
    expect([...fields.keys()]).toEqual(
      expect.arrayContaining(["order.id", "order.items.0.name", "order.items[].name", "customer.phone_e164", "deep.0.0"]),
    );
    for (const key of ["z\0", "\ud800", "key20000", "order.key20000"]) expect(fields.has(key)).toBe(false);
  });

  it("hundreds at once are all learned", async () => {
    const { post, fieldsOf } = await openShop();
    const word = (n: number): string => Array.from(String(n), (digit) => "abcdefghij"[Number(digit)]).join("");
    const all = Array.from({ length: 300 }, (_, n) => word(n));
    await Promise.all(all.map(async (key) => post({ [key]: 1 })));
    // What is asked for at once is learned within a bound of time, the rest by the next answers.
    await expect.poll(async () => [...(await fieldsOf()).keys()]).toEqual(all.toSorted());
  });
});
