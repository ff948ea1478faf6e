import { expect, test } from "vitest";
import { hostOf, isHttpUrl } from "./http-url.ts";

const long = (length: number): string => "https://a.example/".padEnd(length, "x");

test.each([
  ["https://Shop.Example/a?b#c", "shop.example"],
  ["HTTP://shop.example", "shop.example"],
  ["https://a@b:c@shop.example:8080/x:1", "shop.example"],
  ["https://[::1]:80/", "[::1]"],
  ["https://shop.example:", "shop.example"],
  ["https://shop.example/{{1}}", "shop.example"],
  [long(2000), "a.example"],
])("the host of %s is %s", (url, host) => {
  expect(hostOf(url)).toBe(host);
  expect(isHttpUrl(url)).toBe(true);
});

test.each([
  "",
  "shop.example",
  "ftp://shop.example",
  " https://a",
  "xhttps://a",
  "https://",
  "https://{{1}}",
  "https://a b",
  "https://a/ ",
  long(2001),
])("%j is no http address", (url) => {
  expect(hostOf(url)).toBeNull();
  expect(isHttpUrl(url)).toBe(false);
});
