import { anyDigits } from "shared/core/phone";
import { newId } from "shared/db/ids";
import { beforeAll, describe, expect, it } from "vitest";
import { addMember, callProcedure, mutationPaths, procedurePaths } from "../support/admin.ts";
import { data, fill } from "../support/data.ts";
import { anyPhone, liveThrough, openKeepingWorld } from "../support/keeping.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";

const world = shared(openKeepingWorld);
let viewer: string;
let operator: string;
const ada = anyPhone();
const testPhone = "+15559990001";
const staticPhone = "+15559990002";
let ids: Record<"site" | "event" | "dryRun" | "notification" | "binding" | "template" | "order" | "delivery" | "operation", string>;

beforeAll(async () => {
  const { owner, sql, siteId } = world;
  const [event = "", dryRun = ""] = await liveThrough(world, ada, "ada");
  const template = (await owner.templates.list.query()).items.find(({ name }) => name === "order_created")?.id ?? "";
  const variableMap = {
    body: { "1": { source: "static" as const, value: `call ${staticPhone}` }, "2": { source: "static" as const, value: "x" } },
  };
  const recipient = { strategy: "static_phone" as const, phone: staticPhone };
  const made = await owner.bindings.create.mutate({ siteId, event: "a.b", templateId: template, recipient, variableMap });
  await waitFor("the preference to be told", async () => (await owner.optOuts.list.query()).items.length === 1);
  const [row] = await sql`select id from notification where to_phone = ${ada}`;
  const [order] = await sql`select id from customer_order where external_id like 'ada-+%'`;
  const told = async () => (await sql`select id from webhook_delivery where notification_id = ${row?.["id"]} and status = 'delivered'`)[0];
  const delivery = (await waitFor("an endpoint to be told", told))["id"] as string;
  ids = {
    site: siteId,
    event,
    dryRun,
    notification: row?.["id"],
    binding: made.binding.id,
    template,
    order: order?.["id"],
    delivery,
    operation: "",
  };
  await sql`update notification set status = 'failed', error_code = '131026', error_reason = ${`no way to ${ada}`},
    error_detail = ${JSON.stringify([{ code: 131026, title: `t ${ada}`, error_data: { details: `d ${ada}` } }])} where id = ${ids.notification}`;
  await sql`
    with waiting as (
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      select site_id, id, account_id, event_id, binding_id, 'digest', 'tomorrow', 'tomorrow' from notification where to_phone = ${ada} and id <> ${ids.notification}
      limit 1 returning id
    )
    update notification n set status = 'scheduled' from waiting where n.id = waiting.id`;
  // The sender of an event may choose any name for it.
  const name = `order.${ada.slice(1)}`;
  await sql`update event set name = ${name}, source = ${ada.slice(1)} where id in (${event}, ${dryRun})`;
  await sql`update notification set event = ${name} where id = ${ids.notification}`;
  await sql`insert into event_kind (site_id, name, last_event_id) values (${siteId}, ${name}, ${dryRun})`;
  ids.operation = (await owner.events.replay.mutate({ id: event, requestId: newId() })).operation.id;
  viewer = (await addMember(world.admin, owner, "viewer", "viewer@example.com")).token;
  operator = (await addMember(world.admin, owner, "operator", "operator@example.com")).token;
});

/** Every query, with inputs for which it shows everything. `telling`: a person who may see phones finds one in the answer. */
const queries = data<Record<string, { telling: boolean; inputs: object[] }>>("test-e2e-viewer", "queries");

const phones = [ada, testPhone, staticPhone];

/** The phones in a text: digits of any script, grouped, or in the base64 of a message's id or a cursor, at any offset. */
function phonesIn(text: string): string[] {
  const decoded = [...text.matchAll(/[A-Za-z0-9+/_-]{12,}={0,2}/g)].map(([word]) => Buffer.from(word, "base64").toString("latin1"));
  const nested = decoded.flatMap((inner) =>
    [...inner.matchAll(/[A-Za-z0-9+/]{12,}={0,2}/g)].map(([word]) => Buffer.from(word, "base64").toString("latin1")),
  );
  const plain = anyDigits(text);
  const all = [plain, plain.replaceAll(/[^\p{L}\p{N}\n"]{1,3}(?=\d)/gu, ""), ...decoded, ...nested];
  return phones.filter((phone) => all.some((one) => one.includes(phone.slice(1)) || one.replaceAll(/[ -]/g, "").includes(phone)));
}

const ask = async (path: string, token: string): Promise<string[]> => {
  const dayMs = 86_400_000;
  const span = { from: new Date(Date.now() - dayMs).toISOString(), to: new Date(Date.now() + dayMs).toISOString() };
  const inputs = fill(queries[path]?.inputs ?? [], { ...ids, ...span, phone: ada, digits: ada.slice(3) });
  return Promise.all(inputs.map(async (input) => (await callProcedure(world.admin, path, input, token)).text));
};

it("every query is asked", () => {
  const asked = procedurePaths.filter((path) => !mutationPaths.includes(path));
  expect(Object.keys(queries).toSorted()).toEqual(asked.toSorted());
});

describe("no phone is in what a viewer is answered", () => {
  it.each(Object.keys(queries))("%s", async (path) => {
    for (const text of await ask(path, viewer)) expect([path, phonesIn(text), text.slice(0, 80)]).toEqual([path, [], expect.any(String)]);
    // A query that shows nothing must not pass the test.
    const told = phonesIn((await ask(path, operator)).join("\n"));
    expect([path, told.length > 0]).toEqual([path, queries[path]?.telling]);
  });

  it("nor is a name in a path", async () => {
    const paths = async (token: string) => (await ask("events.fields", token)).join().includes(".ada");
    expect([await paths(operator), await paths(viewer)]).toEqual([true, false]);
  });

  it("nor in a file", async () => {
    const read = async (token: string) =>
      (await world.admin.fetch("/export/notifications.csv", { headers: { authorization: `Bearer ${token}` } })).text();
    expect(phonesIn(await read(operator))).toContain(ada);
    expect(phonesIn(await read(viewer))).toEqual([]);
    expect(await read(viewer)).toContain(`•••${ada.slice(-2)}`);
  });
});

it("a viewer cannot find out by asking whether a phone is there", async () => {
  const [order] = await world.sql`select external_id from customer_order where id = ${ids.order}`;
  const values = { ...ids, phone: ada, reference: String(order?.["external_id"]) };
  for (const [path, input] of fill(data<[string, object][]>("test-e2e-viewer", "asking"), values)) {
    expect([path, (await callProcedure(world.admin, path, input, viewer)).code]).toEqual([path, "FORBIDDEN"]);
    expect([path, (await callProcedure(world.admin, path, input, operator)).code]).toEqual([path, "ok"]);
  }
  const file = await world.admin.fetch(`/export/notifications.csv?phone=${encodeURIComponent(ada)}`, {
    headers: { authorization: `Bearer ${viewer}` },
  });
  expect(file.status).toBe(403);
});

it("a viewer still tells people apart, and pages through the phone", async () => {
  const client = world.admin.client(viewer);
  const { items } = await client.notifications.list.query({ eventId: ids.event });
  expect(items[0]?.toPhone).toBe(`•••${ada.slice(-2)}`);
  const first = await client.sandbox.messages.query({ limit: 1 });
  const second = await client.sandbox.messages.query({ limit: 1, cursor: first.nextCursor });
  expect(second.items[0]?.id).not.toBe(first.items[0]?.id);
  const { event } = await client.events.get.query({ id: ids.event });
  expect(JSON.parse(event.payload ?? "")).toMatchObject({
    event: "order.created",
    customer: { first_name: "•••" },
    order: { total: "49.90" },
  });
});

it("nor is a name or an address where an event's trace, a list or a label tells of it", async () => {
  const [asViewer, asOperator] = [world.admin.client(viewer), world.admin.client(operator)];
  const { recipient } = await world.owner.recipients.add.mutate({ siteId: ids.site, phone: anyPhone(), label: "Grace's phone" });
  const payload = { customer: { full_name: "Grace Höpper" }, data: { gift: "Für Grace", at: "Hoepper", to: "grace@example.com" } };
  const binding = { bindingId: ids.binding, template: "t", language: "en", recipients: 0, dropped: [], reasons: [] };
  const dropped = { dropped: ["grace@example.com"], phoneProblems: [{ value: "grace@example.com", reason: "not_a_number" }] };
  const unmet = [
    { match: "all", rules: [{ path: "data.gift", op: "eq", values: ["none"], saw: "Für Grace" }], more: 0 },
    { code: "due_unreadable", path: "data.at", saw: "Hoepper" },
  ];
  const trace = { bindings: [...unmet.map((each) => ({ ...binding, unmet: each })), { ...binding, ...dropped }], more: 0 };
  await world.sql`
    update event set idempotency_key = 'Hoepper, grace@example.com 1', chat = 'skipped_conditions' where id = ${ids.dryRun}`;
  await world.sql`update event_payload set payload = ${JSON.stringify(payload)}, trace = ${JSON.stringify(trace)} where id = ${ids.dryRun}`;
  await world.sql`update customer_order set number = 'grace@example.com' where id = ${ids.order}`;
  const read = async (client: typeof asViewer) =>
    JSON.stringify([
      (await client.events.get.query({ id: ids.dryRun })).event,
      (await client.events.list.query()).items,
      (await client.orders.timeline.query({ id: ids.order })).order,
      (await client.recipients.list.query({ siteId: ids.site })).items,
    ]);
  for (const told of ["Für Grace", "Hoepper", "grace@example.com was dropped", "grace@example.com 1"])
    expect(await read(asOperator)).toContain(told);
  expect((await read(asViewer)).match(/grace|h(?:ö|oe)pper/giu)).toBeNull();
  await world.owner.recipients.remove.mutate({ id: recipient.id });
});

it("no name of a customer is in a message that a viewer opens", async () => {
  const [asViewer, asOperator] = [world.admin.client(viewer), world.admin.client(operator)];
  const read = async (client: typeof asViewer): Promise<string> => {
    const { notification } = await client.notifications.get.query({ id: ids.notification });
    const { items } = await client.sandbox.messages.query({});
    return JSON.stringify([notification.components, items.map(({ text, body, components }) => [text, body, components])]);
  };
  await world.sql`
    update notification set components = '[{"type":"body","parameters":[{"type":"text","text":"Hi Grace, 10042"}]}]' where id = ${ids.notification}`;
  await world.sql`
    update event_payload set payload = '{"customer":{"first_name":"Grace"}}' where id = (select event_id from notification where id = ${ids.notification})`;
  for (const told of ["Hi Grace, 10042", "somebody"]) expect(await read(asOperator)).toContain(told);
  for (const told of ["Grace", "somebody"]) expect(await read(asViewer)).not.toContain(told);
  expect(await read(asViewer)).toContain("Hi •••, 10042");
  await world.sql`delete from event_payload where id = (select event_id from notification where id = ${ids.notification})`;
  expect(await read(asViewer)).not.toContain("Grace");
});
