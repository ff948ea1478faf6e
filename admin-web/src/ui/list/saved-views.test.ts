import { viewPeriods } from "shared/core/saved-view";
import { expect, test } from "vitest";
import { isPersonal, isSameFilter, toSearch, toViewFilter } from "./saved-views.tsx";

const now = new Date(2026, 2, 30, 12);

test("a usual period stays one when the days go by, another stays where it is", () => {
  const week = toViewFilter("log", { status: "failed", from: "2026-03-24", to: "2026-03-30" }, now);
  expect(week).toEqual({ status: "failed", period: "week" });
  const later = new Date(2026, 3, 2, 9);
  expect(toSearch(week, later)).toEqual({ status: "failed", from: "2026-03-27", to: "2026-04-02" });
  const march = { from: "2026-03-01", to: "2026-03-31" };
  expect(toSearch(toViewFilter("log", march, now), later)).toEqual(march);
});

test("what may name a customer, and what belongs to no filter, is not kept", () => {
  const search = { search: "Ada", phone: "+491701234567", eventId: "e", orderId: "o", open: "x", status: "failed" };
  expect(toViewFilter("log", search, now)).toEqual({ status: "failed" });
  expect(["search", "phone", "eventId", "orderId"].map((name) => isPersonal("log", { [name]: "x" }))).toEqual([true, true, true, true]);
  expect(isPersonal("sites", { search: "Ada" })).toBe(false);
  expect(isPersonal("log", { open: "x", status: "failed" })).toBe(false);
});

test("a view is known again whatever the order of its filters, and every period on every day of a year", () => {
  expect(isSameFilter({ event: "a", siteId: "b" }, { siteId: "b", event: "a" })).toBe(true);
  expect(isSameFilter({ event: "a" }, { event: "a", siteId: "b" })).toBe(false);
  for (let day = 0; day < 366; day += 1) {
    const at = new Date(2026, 0, 1 + day, 23, 30);
    for (const period of viewPeriods) expect(toViewFilter("events", toSearch({ period }, at), at)).toEqual({ period });
  }
});
