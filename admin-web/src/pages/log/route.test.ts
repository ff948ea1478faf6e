import { expect, test } from "vitest";
import { csvAddress, filtersOf, readLogSearch } from "./route.ts";

const id = "019aa000-0000-7000-8000-0000000000aa";

test("what an address may say is read, what it may not is undefined", () => {
  const given = {
    search: 491701234567,
    siteId: id,
    status: "failed",
    event: " order.paid ",
    errorCode: 131026,
    errorCodes: "190,account_stopped",
    from: "2026-01-31",
    open: id,
  };
  expect(readLogSearch(given)).toEqual({
    ...given,
    search: "491701234567",
    event: "order.paid",
    errorCode: "131026",
    errorCodes: ["190", "account_stopped"],
  });
  const wrong = { search: {}, siteId: "7", status: "lost", event: "", eventId: 7, from: "soon", to: 20260131, open: "x" };
  expect(Object.values(readLogSearch(wrong)).every((value) => value === undefined)).toBe(true);
  expect(Object.keys(readLogSearch({}))).toEqual(Object.keys(readLogSearch(given)));
});

test("the file holds what the filters do, whatever is open", () => {
  const { searchParams, pathname } = new URL(csvAddress(filtersOf({ open: id, phone: "+49", to: "2026-01-31" })), "http://x");
  expect(pathname).toBe("/export/notifications.csv");
  expect([...searchParams.keys()]).toEqual(["phone", "to"]);
  expect(searchParams.get("phone")).toBe("+49");
});
