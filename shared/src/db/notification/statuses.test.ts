import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { notificationStatuses, statusesIn } from "../../core/message.ts";
import { isOpen } from "./statuses.ts";

const schema = readFileSync(new URL("../schema.sql", import.meta.url), "utf8");
/** The quoted names between the text's first match and the next bracket. */
const namesAfter = (start: RegExp): string[] =>
  Array.from(new RegExp(`${start.source}\\(([^)]*)\\)`).exec(schema)?.[1]?.matchAll(/'(\w+)'/g) ?? [], ([, name]) => name ?? "");

test("the database's enum has the statuses in their order, which decides what replaces what", () => {
  expect(namesAfter(/create type notification_status as enum /)).toEqual(notificationStatuses);
});

test("merge_status and the statements take the same statuses for open", () => {
  expect(namesAfter(/when new_local then case when old in /)).toEqual(statusesIn("open"));
  expect(isOpen("n")).toBe("n.status in ('queued', 'sending')");
});
