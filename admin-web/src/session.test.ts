import { expect, test } from "vitest";
import { readSignInSearch } from "./session.tsx";

test.each(["/", "/settings/audit?actor=a%40b.example#x", "/a//b"])("%s is a page of ours", (next) => {
  expect(readSignInSearch({ next })).toEqual({ next });
});

test.each(["", "//evil.example", "/\\evil.example", "https://evil.example/", "evil", " /", 1, null, undefined])("%j is none", (next) => {
  expect(readSignInSearch({ next })).toEqual({ next: undefined });
});
