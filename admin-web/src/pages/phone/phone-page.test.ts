import { magicNumbers as sandboxes } from "shared/sandbox/send/magic-numbers";
import { expect, test } from "vitest";
import { chatsOf, magicNumbers, type PhoneMessage } from "./phone-page.tsx";

const message = (id: string, to: string, status = "read") => ({ id, to, status }) as PhoneMessage;

test("one chat a recipient, the newest first; in each the newest message last", () => {
  const chats = chatsOf([message("4", "+2", "delivered"), message("3", "+1"), message("2", "+2", "sent"), message("1", "+1")]);
  expect(chats.map(({ to, messages }) => [to, messages.map(({ id }) => id)])).toEqual([
    ["+2", ["2", "4"]],
    ["+1", ["1", "3"]],
  ]);
  expect(chats.map(({ newest, unread }) => [newest.id, unread])).toEqual([
    ["4", 2],
    ["3", 0],
  ]);
});

test("no messages, no chats", () => {
  expect(chatsOf([])).toEqual([]);
});

test.each(Object.entries(magicNumbers))("%s means something to the sandbox, and its code is the sandbox's own", (phone, meaning) => {
  const behaviour = sandboxes.get(phone.slice(1));
  expect(behaviour).toBeDefined();
  expect(behaviour?.code?.toString()).toBe(/\((\d+)\)$/u.exec(meaning)?.[1]);
});
