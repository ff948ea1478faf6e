import { magicNumbers as sandboxes } from "shared/sandbox/send/magic-numbers";
import { expect, test } from "vitest";
import { magicNumbers } from "./phone-page.tsx";

test.each(magicNumbers)("$phone means something to the sandbox, and its code is the sandbox's own", ({ phone, meaning }) => {
  const behaviour = sandboxes.get(phone.slice(1));
  expect(behaviour).toBeDefined();
  expect(behaviour?.code?.toString()).toBe(/\((\d+)\)$/u.exec(meaning)?.[1]);
});
