import { recordOptOuts } from "shared/db/opt-out";
import { expect, test } from "vitest";
import { idAt, insertEvent, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const [ada, bob, gone] = ["+491701111111", "+491702222222", "+491703333333"] as const;
const [from, to] = ["2026-11-01", "2026-11-02T00:00:00Z"] as const;
const hour = (n: number): number => Date.parse(from) + n * 3_600_000;
const badRequest = { code: "BAD_REQUEST" };

/** A shop with a binding, and events of three customers, one of whom has opted out; one outside the time, and a dry run. */
async function openPast() {
  const shop = await openBoundShop(resources);
  const { api, accountId, siteId, templateId, base } = shop;
  const { sql } = resources;
  await sql`
    insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint)
    values (${accountId}, false, '1', '2', 'v25.0', 'x', 'x')`;
  await sql`update template set status = 'approved' where id = ${templateId}`;
  const { binding } = await api.bindings.create(base);
  const come = (at: number, phone: string, columns: object = {}) =>
    insertEvent(sql, siteId, {
      id: idAt(at),
      name: "order.shipped",
      payload: JSON.stringify({
        customer: { full_name: "Ada", phone_e164: phone },
        order: { id: "7", number: "A-7", tracking_number: "T1" },
      }),
      ...columns,
    });
  const events = [await come(hour(1), ada), await come(hour(2), bob)] as const;
  await come(hour(3), gone);
  await come(hour(4), ada, { dry_run: true });
  await come(hour(24), ada);
  await come(hour(5), ada, { name: "order.other" });
  await recordOptOuts(sql, resources.vault, accountId, [
    { phone: gone, scope: "all", source: "callback", code: null, active: true, at: new Date() },
  ]);
  return { ...shop, events, id: binding.id };
}

test("compares what the stored events of a time would send, and stores nothing", async () => {
  const { api, as, siteId, base, events, id } = await openPast();
  const { sql } = resources;
  const plan = (bindings: object[], more: object = {}) => api.bindings.plan({ siteId, bindings: bindings as never, from, to, ...more });
  const [counted] = await sql`select count(*) from audit_entry`;
  expect(await plan([])).toEqual(data("admin-server-api-binding-plan", "compares what the stored events of a time would send, an"));
  const later = await plan([{ ...base, id, delaySeconds: 60 }], { limit: 1 });
  expect(later).toMatchObject({ messages: { same: 0, changed: 2, added: 0, removed: 0 } });
  const text = "Order A-7\n\nHello Ada, your order 7 is on its way.\n\nExample Shop\n\n[Track] https://shop.example/t/T1";
  const before = { phone: ada, template: "order_shipped", text, dueAt: null };
  expect(later.samples).toEqual([
    {
      kind: "changed",
      eventId: events[0],
      at: new Date(hour(1)).toISOString(),
      before,
      after: { ...before, dueAt: new Date(hour(1) + 60_000).toISOString() },
    },
  ]);
  expect((await plan([{ id, delete: true }])).messages).toEqual({ same: 0, changed: 0, added: 0, removed: 2 });
  const onlyBob = { match: "all", rules: [{ path: "customer.phone_e164", op: "eq", value: bob }] };
  expect(await plan([{ ...base, id, conditions: onlyBob }])).toMatchObject({
    messages: { same: 1, removed: 1 },
    samples: [{ kind: "removed", eventId: events[0], after: null }],
  });
  const other = { strategy: "static_phone", phone: gone };
  expect((await plan([{ ...base, id, recipient: { ...other, phone: "+491709999999" } }])).messages).toMatchObject({ added: 3, removed: 2 });
  expect((await plan([{ ...base, recipient: other }])).messages).toMatchObject({ same: 2, added: 0 });
  const changed = await plan([{ ...base, id, event: "order.other" }]);
  expect(changed.messages).toEqual({ same: 0, changed: 0, added: 1, removed: 2 });
  expect(await plan([{ ...base, id, event: "order.other" }])).toEqual(changed);
  expect(await sql`select count(*) from audit_entry`).toEqual([counted]);
  expect((await as("owner").bindings.get({ id })).binding.delaySeconds).toBeNull();
});

test("tells a viewer no phone, by no question", async () => {
  const { as, siteId, base, id } = await openPast();
  const plan = (binding: object) => as("viewer").bindings.plan({ siteId, bindings: [{ ...base, ...binding }] as never, from, to });
  const shown = await plan({ id, delaySeconds: 60 });
  expect(shown.messages.changed).toBe(2);
  expect(JSON.stringify(shown)).not.toMatch(/170\d{7}|Ada/u);
  const rules = [{ path: "customer.phone_e164", op: "starts_with", value: ada.slice(0, 6) }];
  expect((await plan({ id, conditions: { match: "all", rules } })).messages).toMatchObject({ same: 0, removed: 2 });
  const named = (phone: string) => plan({ recipient: { strategy: "static_phone", phone } });
  expect((await named(gone)).messages).toEqual((await named("+491709999999")).messages);
});

test("refuses what cannot be planned", async () => {
  const { api, siteId, base, id } = await openPast();
  const plan = (input: object) => api.bindings.plan({ siteId, bindings: [], from, to, ...input } as never);
  await expect(
    plan({
      bindings: [
        { id, delete: true },
        { ...base, id },
      ],
    }),
  ).rejects.toMatchObject(badRequest);
  await expect(plan({ from: "2026-11-03" })).rejects.toMatchObject(badRequest);
  await expect(plan({ limit: 101 })).rejects.toMatchObject(badRequest);
  const unknown = { ...base, variableMap: { body: { "9": { source: "static", value: "x" } } } };
  await expect(plan({ bindings: [unknown] })).rejects.toMatchObject(badRequest);
  // A twin, as its create would be; one that is replaced leaves room.
  const late = { ...base, delaySeconds: 60 };
  await expect(plan({ bindings: [base] })).rejects.toMatchObject({ code: "CONFLICT" });
  await expect(plan({ bindings: [late, late] })).rejects.toMatchObject({ code: "CONFLICT" });
  expect((await plan({ bindings: [base, { ...late, id }] })).messages).toMatchObject({ changed: 2, added: 2 });
  const other = await openPast();
  await expect(plan({ bindings: [{ id: other.id, delete: true }] })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(plan({ bindings: [{ ...base, templateId: other.templateId }] })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(plan({ siteId: other.siteId })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
