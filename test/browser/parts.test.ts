import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/process.ts";

test("no build holds the page of the shared parts, nor its route", () => {
  const folder = join(root, "admin-web/dist/web");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.(?:css|html|js|json)$/u.test(file));
  const holding = (text: string) => files.filter((file) => readFileSync(join(folder, file), "utf8").includes(text));
  expect(holding("/statistics")).not.toEqual([]);
  expect(holding("dev/parts")).toEqual([]);
  expect(holding("Somebody else has resolved it")).toEqual([]);
});
