import type { Reason } from "shared/core/reason";
import { expect, test } from "vitest";
import { refusalOf } from "./input-form.tsx";

const refused = (issue: object) => refusalOf(Object.assign(new Error("No"), { data: { issues: [issue] } })).issues;

test("a refusal of one variable stands at it, although the server names the map", () => {
  const reason: Reason = { code: "slot_gone", group: "body", slot: 3, count: 2 };
  const issue = { path: ["variableMap"], message: "variableMap: whatever", reason };
  expect(refused(issue)).toEqual([
    { path: ["variableMap", "body", "3"], message: "{{3}} of the body is filled, but it has 2 variables now" },
  ]);
});

test("any other stands at its path, which its message does not repeat", () => {
  const issue = { path: ["variableMap", "body", "1", "path"], message: "body.1.path: Must be keys" };
  expect(refused(issue)).toEqual([{ path: issue.path, message: "Must be keys" }]);
});

test("an error without issues is a message alone", () => {
  expect(refusalOf(new Error("Away"))).toEqual({ message: "Away", issues: [] });
});
