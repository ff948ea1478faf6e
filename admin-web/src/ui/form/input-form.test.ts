import type { Reason } from "shared/core/reason";
import { expect, test } from "vitest";
import { refusalOf } from "./input-issues.ts";

const refused = async (issue: object) => (await refusalOf(Object.assign(new Error("No"), { data: { issues: [issue] } }))).issues;

test("a refusal of one variable stands at it, although the server names the map", async () => {
  const reason: Reason = { code: "slot_gone", group: "body", slot: 3, count: 2 };
  const issue = { path: ["variableMap"], message: "variableMap: whatever", reason };
  expect(await refused(issue)).toEqual([
    { path: ["variableMap", "body", "3"], message: "{{3}} of the body is filled, but it now has 2 variables" },
  ]);
});

test("any other stands at its path, which its message does not repeat", async () => {
  const issue = { path: ["variableMap", "body", "1", "path"], message: "body.1.path: Must be keys" };
  expect(await refused(issue)).toEqual([{ path: issue.path, message: "Must be keys" }]);
});

test("an error without issues is a message alone", async () => {
  expect(await refusalOf(new Error("Away"))).toEqual({ message: "Away", issues: [] });
});
