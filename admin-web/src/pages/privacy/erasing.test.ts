import { expect, test } from "vitest";
import { countWords } from "./erasing.tsx";

test("what was changed is named in words, what was not is left out", () => {
  expect(countWords({ event_payload: 2, notification: 0, "sandbox.message": 1, new_table: 3 })).toBe(
    "2 payloads, 1 on the sandbox phone, 3 new_table",
  );
});

test("nothing changed is empty", () => {
  expect(countWords({ site: 0 })).toBe("");
});
