import type { JsonObject } from "shared/core/json";
import type { Schedule } from "shared/core/schedule/schedule";
import { describe, expect, test } from "vitest";
import { insertEvent, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const openShop = () => openBoundShop(resources);
const cart: Schedule = data("admin-server-api-binding-schedules", "cart");
const evening = { days: [6, 7], from: "22:00", to: "06:00", timezone: "Asia/Kathmandu" };
const unset = { delaySeconds: null, window: null, cancelOn: null, restartBy: null, dueAt: null, expiresSeconds: null, throttle: null };
const dueAt = { path: "appointment.at", offsetSeconds: -86_400, ifPast: "skip" } as const;
const conflict = { code: "CONFLICT" };

describe("a binding's timing", () => {
  test("is kept member by member: null clears one, an absent one stays", async () => {
    const { api, as, siteId, base } = await openShop();
    const { binding } = await api.bindings.create({ ...base, ...cart, window: { ...evening, days: [7, 6] } });
    expect(binding).toMatchObject({ ...unset, ...cart, window: evening });
    const { id } = binding;
    const version = () => resources.sql`select config_version from site where id = ${siteId}`;
    const before = await version();
    expect((await api.bindings.update({ id, delaySeconds: null, expiresSeconds: 60 })).binding).toMatchObject({
      ...cart,
      window: evening,
      delaySeconds: null,
      expiresSeconds: 60,
    });
    expect(await version()).not.toEqual(before);
    expect((await api.bindings.update({ id, ...unset })).binding).toMatchObject(unset);
    expect((await resources.sql`select schedule from binding where id = ${id}`)[0]).toEqual({ schedule: null });
    expect((await as("viewer").bindings.get({ id })).binding).toMatchObject(unset);
    await expect(as("viewer").bindings.update({ id, delaySeconds: 1 })).rejects.toMatchObject({ code: "FORBIDDEN" });
    const [change] = (await as("owner").audit.list()).items;
    expect(change?.changes).toContainEqual(expect.objectContaining({ member: "schedule", after: null }));
    expect(JSON.stringify(change?.changes)).toContain("order.created");
  });

  test("tells bindings apart that are equal else; a change that makes them equal is refused", async () => {
    const { api, base } = await openShop();
    await api.bindings.create(base);
    const { binding } = await api.bindings.create({ ...base, ...cart });
    await expect(api.bindings.create({ ...base, ...unset })).rejects.toMatchObject(conflict);
    const sameInOtherOrder = {
      throttle: { seconds: 86_400, max: 1 },
      restartBy: "cart.id",
      cancelOn: { by: "cart.id", events: ["Order.Created"] },
    };
    await expect(api.bindings.create({ ...base, ...sameInOtherOrder, delaySeconds: 3600 })).rejects.toMatchObject(conflict);
    await expect(api.bindings.update({ id: binding.id, ...unset })).rejects.toMatchObject(conflict);
    await api.bindings.update({ id: binding.id, delaySeconds: 60 });
    const made = await Promise.allSettled([1, 2, 3].map(() => api.bindings.create({ ...base, ...cart })));
    expect(made.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
    const { items } = await api.bindings.list();
    expect([items.length, items.some(({ problemCodes }) => problemCodes.some(({ code }) => code === "equal_binding"))]).toEqual([3, false]);
  });
});

test("a binding that its date held back for 30 days is idle; one with a delay alone never is", async () => {
  const { api, base } = await openShop();
  const idleSince = async (schedule: Schedule) => {
    const { binding } = await api.bindings.create({ ...base, ...schedule });
    await resources.sql`insert into binding_use (binding_id, held_at) values (${binding.id}, now())`;
    await resources.sql`update binding set updated_at = now() - interval '31 days' where id = ${binding.id}`;
    return (await api.bindings.get({ id: binding.id })).binding.idleSince;
  };
  expect([await idleSince({ dueAt }), await idleSince({ delaySeconds: 60 })]).toEqual([expect.any(String), null]);
});

describe("bindings.preview", () => {
  test("tells when the messages would leave, and why they would not", async () => {
    const { api, base } = await openShop();
    const preview = (schedule: Schedule, payload: JsonObject = {}) => api.bindings.preview({ ...base, ...schedule, payload });
    const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    expect(await preview({})).toMatchObject({ dueAt: null, expiresAt: null, dueProblem: null, chat: "skipped_no_config" });
    const soon = Date.parse((await preview({ delaySeconds: 3600, expiresSeconds: 1 })).dueAt ?? "") - Date.now();
    expect(Math.abs(soon - 3_600_000)).toBeLessThan(60_000);
    const at = inDays(10);
    const found = await preview({ dueAt, expiresSeconds: 60 }, { appointment: { at } });
    expect(found).toMatchObject({ dueProblem: null, chat: "skipped_no_config" });
    expect([found.dueAt, found.expiresAt].map((time) => Date.parse(at) - Date.parse(time ?? ""))).toEqual([86_400_000, 86_340_000]);
    const past = { code: "due_past", path: "appointment.at", saw: "2020-01-01" };
    expect(await preview({ dueAt }, { appointment: { at: "2020-01-01" } })).toMatchObject({
      dueAt: null,
      dueProblem: past,
      chat: "skipped_conditions",
      conditionsHold: true,
      problemCodes: expect.arrayContaining([past]) as unknown,
      slots: { body: ["there", ""] },
    });
    expect(await preview({ dueAt }, {})).toMatchObject({ dueProblem: { code: "due_unreadable", saw: null }, chat: "skipped_conditions" });
  });

  test("answers what a live event would be answered", async () => {
    const { api, accountId, base, templateId } = await openShop();
    await resources.sql`
      insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint)
      values (${accountId}, false, '1', '2', 'v25.0', 'sealed', '…')`;
    const payload = { customer: { first_name: "Ada", phone_e164: "+491701234567" }, order: { id: 7, number: 7, tracking_number: "7" } };
    const chat = async (schedule: Schedule) => (await api.bindings.preview({ ...base, ...schedule, payload })).chat;
    expect(await chat({ delaySeconds: 60 })).toBe("failed");
    await resources.sql`update template set status = 'approved' where id = ${templateId}`;
    expect([await chat({}), await chat({ delaySeconds: 60 }), await chat({ expiresSeconds: 60 })]).toEqual(["sent", "scheduled", "sent"]);
  });
});

test("the trace of an event tells of a date that is past, a viewer without the date", async () => {
  const { api, as, siteId } = await openShop();
  const unmet = { code: "due_past", path: "customer.email", saw: "bob@example.com" };
  const held = { bindingId: siteId, template: "t", language: "en", recipients: 0, dropped: [], reasons: [], unmet };
  const trace = JSON.stringify({ bindings: [held], more: 0 });
  const id = await insertEvent(resources.sql, siteId, { chat: "skipped_conditions", bindings_run: 0, trace });
  const { event } = await api.events.get({ id });
  expect(event.trace).toMatchObject({
    summary:
      "No binding fired, so nothing was sent: too late: the message was due before the event arrived (customer.email is “bob@example.com”).",
    bindings: [{ bindingId: siteId, fired: false, reasonCodes: [unmet] }],
  });
  const seen = JSON.stringify((await as("viewer").events.get({ id })).event);
  expect(seen).not.toContain("example.com");
  expect(seen).toContain("due_past");
});
