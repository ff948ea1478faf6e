import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { countWords } from "./erasing.tsx";
import { isShorter } from "./privacy-page.tsx";

test("what was changed is named in words, never by the name of a table, and what was not is left out", () => {
  expect(countWords({ event_payload: 2, notification: 0, "sandbox.message": 1, new_table: 3 })).toBe(
    "event data: 2, sandbox messages: 1, other data: 3",
  );
  const source = readFileSync(new URL("../../../../shared/src/db/erasure/erase.ts", import.meta.url), "utf8");
  const tables = [...source.matchAll(/\b([a-z]+(?:_[a-z]+)*): [\w.]*(?:count|deleted)\b/gu)].map(([, table = ""]) => table);
  expect(tables.length).toBeGreaterThan(15);
  expect(tables.filter((table) => /other data|_/u.test(countWords({ [table]: 1 })))).toEqual([]);
});

test("nothing changed is empty", () => {
  expect(countWords({ site: 0 })).toBe("");
});

test.each(data<[number, number, boolean][]>("admin-web-pages-privacy-privacy", "i days of payloads and i of the log: s"))(
  "%i days of payloads and %i of the log: %s",
  (payloadDays, logDays, shorter) => {
    expect(isShorter({ payloadDays, logDays }, { payloadDays: 90, logDays: 90 })).toBe(shorter);
  },
);
