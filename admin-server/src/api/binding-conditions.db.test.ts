import type { Conditions } from "shared/core/conditions";
import { describe, expect, test } from "vitest";
import { insertEvent, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const openShop = () => openBoundShop(resources);
const paid = { match: "all", rules: [{ path: "order.status", op: "eq", value: "paid" }] } satisfies Conditions;

describe("a binding's conditions", () => {
  test("are kept as they were given, any text among them, until null clears them", async () => {
    const { api, as, siteId, base } = await openShop();
    const conditions = {
      match: "any",
      rules: [
        { path: "__proto__.a", op: "in", value: ["\0", "\ud800", 1.5, false] },
        { path: "order.id", op: "missing" },
      ],
    } satisfies Conditions;
    const { binding } = await api.bindings.create({ ...base, conditions });
    expect(binding).toMatchObject({ conditions, idleSince: null });
    expect((await api.bindings.update({ id: binding.id, enabled: false })).binding.conditions).toEqual(conditions);
    expect((await api.bindings.list({ siteId })).items[0]?.conditions).toEqual(conditions);
    const version = () => resources.sql`select config_version from site where id = ${siteId}`;
    const before = await version();
    expect((await api.bindings.update({ id: binding.id, conditions: null })).binding.conditions).toBeNull();
    expect(await version()).not.toEqual(before);
    const [change] = (await as("owner").audit.list()).items;
    expect(change?.changes).toContainEqual(
      expect.objectContaining({ member: "conditions", before: JSON.stringify(conditions), after: null }),
    );
  });

  test("tell bindings apart that are equal else; a change that makes them equal is refused, one of something else is not", async () => {
    const { api, base } = await openShop();
    await api.bindings.create(base);
    const { binding } = await api.bindings.create({ ...base, conditions: paid });
    const conflict = { code: "CONFLICT" };
    await expect(api.bindings.create({ ...base, conditions: paid })).rejects.toMatchObject(conflict);
    await expect(api.bindings.create({ ...base, conditions: null })).rejects.toMatchObject(conflict);
    await expect(api.bindings.update({ id: binding.id, conditions: null })).rejects.toMatchObject(conflict);
    await api.bindings.update({ id: binding.id, conditions: { ...paid, match: "any" } });
    await api.bindings.create({ ...base, conditions: paid });
    expect((await api.bindings.list()).items.map(({ problemCodes }) => problemCodes.some(({ code }) => code === "equal_binding"))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("bindings.preview", () => {
  test("tells whether they hold, and of each rule what it saw", async () => {
    const { api, base } = await openShop();
    const preview = async (conditions: Conditions | null, payload: object | string) =>
      api.bindings.preview({ ...base, conditions, payload: payload as string });
    expect(await preview(null, {})).toMatchObject({ conditionsHold: true, conditionRules: [], chat: "skipped_no_config" });
    expect(await preview(paid, { order: { status: "paid" } })).toMatchObject({ conditionsHold: true, chat: "skipped_no_config" });
    const two: Conditions = { match: "all", rules: [...paid.rules, { path: "order.id", op: "gt", value: "12345678901234567890122" }] };
    expect(await preview(two, '{"order":{"id":12345678901234567890123}}')).toMatchObject(
      data<object>("admin-server-api-binding-conditions", "tells whether they hold, and of each rule what it saw"),
    );
  });
});

test("the trace of an event tells what is wrong with its phones, to a viewer without their digits", async () => {
  const { api, as, siteId } = await openShop();
  const phoneProblems = [{ value: "0171 2345678", reason: "no_country" }];
  const traced = { bindingId: siteId, template: "t", language: "en", recipients: 0, dropped: ["0171 2345678"], phoneProblems, reasons: [] };
  const trace = JSON.stringify({ bindings: [traced, { ...traced, bindingId: otherThan(siteId) }], more: 0 });
  const id = await insertEvent(resources.sql, siteId, { chat: "skipped_no_phone", bindings_run: 2, trace });
  const told = async (caller: typeof api) => (await caller.events.get({ id })).event.trace;
  const { phoneProblems: own, bindings } = await told(api);
  expect([own, bindings[0]?.phoneProblems, bindings[0]?.dropped[0]?.problem]).toEqual([phoneProblems, phoneProblems, "no_country"]);
  expect((await told(as("viewer"))).phoneProblems).toEqual([{ value: "•••78", reason: "no_country" }]);
});

/** Another id. */
const otherThan = (id: string): string => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;

test("the trace of an event shows a viewer no value that may be personal", async () => {
  const { api, as, siteId } = await openShop();
  const rules = [{ path: "customer.email", op: "eq", values: ["ann@example.com"], saw: "bob@example.com" }];
  const held = {
    bindingId: siteId,
    template: "t",
    language: "en",
    recipients: 0,
    dropped: [],
    reasons: [],
    unmet: { match: "all", rules, more: 0 },
  };
  const trace = JSON.stringify({ bindings: [held], more: 0 });
  const id = await insertEvent(resources.sql, siteId, { chat: "skipped_conditions", bindings_run: 0, trace });
  expect(JSON.stringify((await api.events.get({ id })).event)).toContain("customer.email is “ann@example.com” (it is “bob@example.com”)");
  const seen = JSON.stringify((await as("viewer").events.get({ id })).event);
  expect(seen).not.toContain("example.com");
  expect(seen).toContain("customer.email is “•••” (it is “•••”)");
});
