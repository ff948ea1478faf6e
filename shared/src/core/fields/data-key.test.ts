import { expect, test } from "vitest";
import { isDataKey, isPlainWord } from "./data-key.ts";

test.each([
  "ada@example.com",
  "a@b",
  "12345",
  "+49 (170) 123.45-67",
  "＋４９　１７０－１２３４",
  "٤٩١٧٠",
  "2026-05",
  "2026-05-18",
  "2026-05-18T10:00:00Z",
  "2026-05 draft",
  "0f8fad5b-d9cb-469f-a165-70867728950e",
  "0F8FAD5B-D9CB-",
  "507f1f77bcf86cd799439011",
  "deadbeef12",
  "DEADBEEF12",
  "12deadbeef",
  "cus_9s6XKzkNRiz8i3",
  "ABCDEFGHIJK123",
  "abc1defgh2ijk3",
  "x".repeat(65),
])("%s is data", (key) => {
  expect(isDataKey(key)).toBe(true);
});

test.each([
  "x".repeat(64),
  "name",
  "phone_e164",
  "line2",
  "a @ b",
  "see ada@example.com",
  "ada@example.com b",
  "@",
  "1234",
  "１２３４",
  "x12345",
  "12345x",
  "v2026-05-18",
  "x0f8fad5b-d9cb-469f",
  "0f8fad5b-d9cb",
  "deadbeef1",
  "deadbeefca",
  "deadbeefc1",
  "xdeadbeef12",
  "deadbeef12x",
  "address_line_1",
  "abcdefghijkl12",
  "abcdefghij123",
])("%s is none", (key) => {
  expect(isDataKey(key)).toBe(false);
});

test.each([
  ["a", true],
  ["first_name", true],
  ["utm-Source", true],
  [`a${"b".repeat(31)}`, true],
  [`a${"b".repeat(32)}`, false],
  ["", false],
  ["_id", false],
  ["line2", false],
  ["a.b", false],
  ["two words", false],
])("%j is a plain word: %s", (key, plain) => {
  expect(isPlainWord(key)).toBe(plain);
});
