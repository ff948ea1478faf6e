import { auditFilterMembers } from "shared/core/input/team";
import { afterEach, expect, test } from "vitest";
import { auditFilter, csvAddress } from "./audit-filter.ts";
import { readAuditSearch } from "./audit-search.ts";

const zone = process.env["TZ"];

afterEach(() => {
  process.env["TZ"] = zone;
});

test.each([
  ["UTC", "2026-03-29T00:00:00.000Z", "2026-03-29T23:59:59.999Z"],
  // The day on which the clocks go forward has 23 hours.
  ["Europe/Berlin", "2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z"],
  ["America/Los_Angeles", "2026-03-29T07:00:00.000Z", "2026-03-30T06:59:59.999Z"],
])("in %s a day is the reader's own, whole", (name, from, to) => {
  process.env["TZ"] = name;
  const filter = auditFilter({ from: "2026-03-29", to: "2026-03-29" });
  expect(filter).toEqual({ from, to });
  expect(auditFilterMembers.from.safeParse(filter.from).success && auditFilterMembers.to.safeParse(filter.to).success).toBe(true);
});

test("the address of the file carries the filters alone, written so that they come back", () => {
  expect(csvAddress({})).toBe("/export/audit.csv");
  expect(csvAddress({ actor: undefined })).toBe("/export/audit.csv");
  const { searchParams } = new URL(csvAddress({ actor: "a+b&c@example.com", action: "sites.create" }), "http://localhost");
  expect([...searchParams]).toEqual([
    ["actor", "a+b&c@example.com"],
    ["action", "sites.create"],
  ]);
});

test.each([
  [
    { actor: " a@b.example ", action: "sites.create", from: "2026-01-31", to: "2026-02-01" },
    ["a@b.example", "sites.create", "2026-01-31", "2026-02-01"],
  ],
  [{ actor: 5, from: 20260131, to: "2026-01-31T00:00:00Z" }, ["5", undefined, undefined, undefined]],
  [{ actor: " ", action: {}, from: "2026-99-99", to: "soon" }, [undefined, undefined, undefined, undefined]],
])("%j is read as %j", (search, [actor, action, from, to]) => {
  expect(readAuditSearch(search)).toStrictEqual({ actor, action, from, to });
});
