import { newId } from "shared/db/ids";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSite, idAt, insertEvent, insertNotification, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources, type OpenResources } from "../../../test/support/admin.ts";

let resources: OpenResources;
beforeAll(async () => {
  resources = await openResources();
});
afterAll(() => resources[Symbol.asyncDispose]());

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

  test("a viewer finds nothing by the digits of a phone", async () => {
    const { as, siteId } = await openBoundShop(resources);
    await addKinds(siteId, ["order.491701234567"]);
    const found = async (search: string) => (await as("viewer").notifications.filterValues({ field: "event", search })).items;
    expect(await found("12345")).toEqual([]);
    expect(await found("order")).toMatchObject([{ value: "order.•••67" }]);
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
    for (const span of [{ from: "0001-01-01", to: "0001-01-02" }, { from: "9999-01-01" }, { from: "2026-02-02", to: "2026-02-01" }]) {
      expect(await codes(span)).toEqual([]);
    }
  });
});
