import { auditFilterMembers } from "shared/core/input/team";
import { sourceTypes } from "shared/core/site";
import { sources } from "shared/core/sources/sources";
import { auditedTables } from "shared/db/audited";
import { camelCase } from "shared/db/statement";
import { expect, test, afterEach, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { auditCsv, notificationsCsv, statisticsCsv } from "../../paths.ts";
import { actionLabels, describeChange, members, subjectPage, auditFilter, csvAddress } from "./audit-page.tsx";
import { readAuditSearch } from "./route.ts";

describe("subject page", () => {
  test("what was made or changed has its page, what was deleted or never had one has none", () => {
    const linked = Object.keys(actionLabels).filter((action) => subjectPage(action) !== undefined);
    expect(linked.map((action) => `${action}: ${subjectPage(action)}`)).toEqual(
      data("admin-web-pages-audit-audit-page", "what was made or changed"),
    );
    expect(subjectPage("constructor")).toBeUndefined();
  });
});

test("what shops ask by data protection law, and every file, has its words", () => {
  const asked = sourceTypes.flatMap((type) => [...sources[type].privacyTopics.keys()].map((topic) => `${type}.${topic}`));
  const files = [auditCsv, statisticsCsv, notificationsCsv].map((path) => path.slice(1).replace("/", "."));
  expect(Object.keys(actionLabels)).toEqual(expect.arrayContaining([...asked, ...files]));
});

test("every audited member has its words", () => {
  const columns = auditedTables.flatMap(([, tables]) =>
    tables.flatMap(({ plain, personal = [], secret = [] }) => [...plain, ...personal, ...secret]),
  );
  expect(columns.map(camelCase).filter((member) => members[member] === undefined)).toEqual([]);
});

test("a change is told in plain words, a secret's and an erased person's without their values", () => {
  expect(
    [
      { member: "enabled", kept: "values" as const, before: true, after: false },
      { member: "rateLimitPerSecond", kept: "values" as const, before: null, after: 5 },
      { member: "name", kept: "values" as const, after: "Shop" },
      { member: "testPhone", kept: "values" as const, before: "+491700000001" },
      { member: "apiKey", kept: "secret" as const },
      { member: "label", kept: "erased" as const },
      { member: "types", kept: "values" as const, after: "{message.sent,message.read}" },
      { member: "recipient", kept: "values" as const, before: null, after: '{"strategy":"customer"}' },
      { member: "category", kept: "values" as const, after: "UTILITY" },
      { member: "sourceType", kept: "values" as const, before: "generic", after: "woocommerce" },
      { member: "language", kept: "values" as const, after: "en_US" },
    ].map(describeChange),
  ).toEqual(data("admin-web-pages-audit-audit-page", "a change is told in plain words, a secret's and"));
});

describe("audit filter", () => {
  const zone = process.env["TZ"];

  afterEach(() => {
    process.env["TZ"] = zone;
  });

  test.each(data<[string, string, string][]>("admin-web-pages-audit-audit-page", "in s a day is the reader's own, whole"))(
    "in %s a day is the reader's own, whole",
    (name, from, to) => {
      process.env["TZ"] = name;
      const filter = auditFilter({ from: "2026-03-29", to: "2026-03-29" });
      expect(filter).toEqual({ from, to });
      expect(auditFilterMembers.from.safeParse(filter.from).success && auditFilterMembers.to.safeParse(filter.to).success).toBe(true);
    },
  );

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
    expect(readAuditSearch(search)).toStrictEqual({ search: undefined, actor, action, from, to });
  });
});
