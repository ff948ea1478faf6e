import { expect, test } from "vitest";
import { isAtLeast, leastRole, lesserRole, may, roles } from "./role.ts";

test("each role may do what those before it may", () => {
  expect(roles).toEqual(["viewer", "operator", "owner"]);
  const allowed = roles.map((role) => roles.filter((needed) => isAtLeast(role, needed)));
  expect(allowed).toEqual([["viewer"], ["viewer", "operator"], ["viewer", "operator", "owner"]]);
});

test("of two roles the lesser one is that which comes first", () => {
  const lesser = roles.map((a) => roles.map((b) => lesserRole(a, b)));
  expect(lesser).toEqual([
    ["viewer", "viewer", "viewer"],
    ["viewer", "operator", "operator"],
    ["viewer", "operator", "owner"],
  ]);
});

test("a right is its least role's and that of those above, and a role's name is that role's own", () => {
  expect(roles.map((role) => leastRole(role))).toEqual(roles);
  const having = (["viewer", "seePhones", "limitAddresses"] as const).map((right) => roles.filter((role) => may(role, right)));
  expect(having).toEqual([["viewer", "operator", "owner"], ["operator", "owner"], ["owner"]]);
});
