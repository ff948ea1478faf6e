import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { changeEventsSearch, readEventsSearch } from "./route.ts";

const id = "019aa000-0000-7000-8000-000000000001";

test("what is no filter is left out", () => {
  expect(readEventsSearch(data("admin-web-pages-events-route", "what is no filter is left out"))).toEqual({});
  const unreached = "no_country customer.phone";
  const filters = { siteId: id, event: "order.paid", test: true, dryRun: false, unreached, from: "2026-01-31", open: id };
  expect(readEventsSearch(filters)).toEqual(filters);
});

test("a change leaves the rest as it is", () => {
  expect(changeEventsSearch({ siteId: null, open: id })({ siteId: id, event: "order.paid" })).toEqual({ event: "order.paid", open: id });
});
