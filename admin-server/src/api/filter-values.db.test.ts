import { newId } from "shared/db/ids";
import { describe, expect, test } from "vitest";
import { addSite, idAt, insertEvent, insertNotification, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const dayMs = 86_400_000;
const addKinds = (siteId: string, names: readonly string[]) =>
  resources.sql`insert into event_kind ${resources.sql(names.map((name) => ({ site_id: siteId, name, last_event_id: newId() })))}`;

describe("notifications.filterValues", () => {
  test("names the events that came and that bindings wait for, of the account or a site, the newest first", async () => {
    const { api, siteId, base } = await openBoundShop(resources);
    const other = await addSite(api);
    await addKinds(siteId, ["order.created", "order.paid"]);
    await addKinds(other, ["order.created", "cart.left"]);
    await api.bindings.create({ ...base, event: "order.planned" });
    const names = async (more: object = {}) =>
      (await api.notifications.filterValues({ field: "event", ...more })).items.map(({ value }) => value);
    expect(await names()).toEqual(["cart.left", "order.created", "order.paid", "order.planned"]);
    expect(await names({ siteId: other })).toEqual(["cart.left", "order.created"]);
    expect(await names({ search: "ER.P" })).toEqual(["order.paid", "order.planned"]);
    expect(await names({ search: "%" })).toEqual([]);
    await expect(names({ siteId: newId() })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("answers a hundred, says that there are more, and finds the others by a part of them", async () => {
    const { api, siteId } = await openBoundShop(resources);
    await addKinds(siteId, ["cart.left", ...Array.from({ length: 150 }, (_, n) => `order.${n}`)]);
    const first = await api.notifications.filterValues({ field: "event" });
    expect([first.items.length, first.more, first.items.some(({ value }) => value === "cart.left")]).toEqual([100, true, false]);
    expect(await api.notifications.filterValues({ field: "event", search: "left" })).toMatchObject({
      items: [{ value: "cart.left" }],
      more: false,
    });
    expect((await api.notifications.filterValues({ field: "template", search: "SHIP" })).items).toMatchObject([{ value: "order_shipped" }]);
  });

  test("names the fields that bindings read and what holds them, with how many bindings are found by each, the most first", async () => {
    const { api, as, siteId, base } = await openBoundShop(resources);
    const other = await addSite(api);
    const reads = (...fields: string[]) => ({
      body: Object.fromEntries(fields.map((path, index) => [String(index + 1), { source: "field" as const, path }])),
    });
    const make = (more: object) => api.bindings.create({ ...base, ...more });
    await make({ variableMap: reads("customer.first_name", "order.number") });
    await make({ event: "order.paid", variableMap: reads("customer.first_name", "order.number") });
    await make({
      variableMap: {
        body: { "1": { source: "expression", expr: "customer.full_name" }, "2": { source: "static", value: '"path":"static.text"' } },
      },
      recipient: { strategy: "field_path", path: "old_customer.phone" },
    });
    await make({
      siteId: other,
      variableMap: {},
      conditions: { match: "any", rules: [{ path: 'data."odd\\ key".x', op: "eq", value: "value.text" }] },
      restartBy: "order.items.0.name",
      delaySeconds: 60,
    });
    const values = async (more: object = {}) =>
      (await api.notifications.filterValues({ field: "field", ...more })).items.map(({ value, count }) => `${value} ${count}`);
    expect(await values()).toEqual(data("admin-server-api-filter-values", "names the fields that bindings"));
    for (const role of ["owner", "viewer"] as const)
      for (const { value, count } of (await as(role).notifications.filterValues({ field: "field" })).items)
        expect([value, (await as(role).bindings.list({ field: value })).items.length]).toEqual([value, count]);
    expect(await values({ siteId: other, search: "ORDER.items.0" })).toEqual(["order.items.0 1", "order.items.0.name 1"]);
    expect(await values({ siteId, search: "items" })).toEqual([]);
    expect(await values({ search: "static" })).toEqual([]);
    expect(await values({ search: "%" })).toEqual([]);
    await expect(values({ siteId: newId() })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("of more than a hundred fields it answers those that most bindings read, and finds the others", async () => {
    const { api, base } = await openBoundShop(resources);
    const rules = (from: number) => Array.from({ length: 20 }, (_, n) => ({ path: `data.f${from + n}`, op: "exists" as const }));
    for (let from = 100; from < 240; from += 20)
      await api.bindings.create({ ...base, variableMap: {}, conditions: { match: "all", rules: rules(from) } });
    await api.bindings.create({ ...base, variableMap: {}, conditions: { match: "any", rules: rules(220) } });
    const first = await api.notifications.filterValues({ field: "field" });
    expect([first.items.length, first.more]).toEqual([100, true]);
    expect(first.items.slice(0, 3).map(({ value, count }) => [value, count])).toEqual([
      ["data", 8],
      ["data.f220", 2],
      ["data.f221", 2],
    ]);
    expect(await api.notifications.filterValues({ field: "field", search: "f219" })).toMatchObject({
      items: [{ value: "data.f219", count: 1 }],
      more: false,
    });
  });

  test("counts the error codes of the period with what they mean, without tests and what was cancelled", async () => {
    const { api, accountId, siteId } = await openBoundShop(resources);
    const eventId = await insertEvent(resources.sql, siteId);
    const failed = (daysAgo: number, error_code: string, more: object = {}) =>
      insertNotification(
        resources.sql,
        { accountId, siteId, eventId },
        { id: idAt(Date.now() - daysAgo * dayMs), status: "failed", error_code, ...more },
      );
    for (const daysAgo of [0, 1, 40]) await failed(daysAgo, "131026");
    await failed(0, "131050");
    await failed(0, "131049", { test: true });
    await failed(0, "binding_deleted", { status: "cancelled" });
    const codes = async (more: object = {}) =>
      (await api.notifications.filterValues({ field: "errorCode", ...more })).items.map(({ value, count }) => [value, count]);
    expect(await codes()).toEqual([
      ["131026", 2],
      ["131050", 1],
    ]);
    const since = new Date(Date.now() - 60 * dayMs).toISOString();
    expect(await codes({ from: since })).toEqual([
      ["131026", 3],
      ["131050", 1],
    ]);
    expect(await codes({ search: "opted out" })).toEqual([["131050", 1]]);
    for (const span of [{ from: "0001-01-01", to: "0001-01-02" }, { from: "9999-01-01" }, { from: "2026-02-02", to: "2026-02-01" }])
      expect(await codes(span)).toEqual([]);
  });
});
