import { optedOut, optOutKey } from "shared/core/message";
import { expect, it } from "vitest";
import { toAddressees, withOptedOut } from "./opted-out.ts";
import type { PlannedEvent } from "./plan.ts";

const vault = { fingerprint: (text: string) => `hash of ${text}` };
const unresolved = { code: "slot_unresolved", reason: "Nothing there." };

interface Message {
  templateId: string;
  toPhone: string;
  failure: object | null;
}
const message = (n: number, templateId = "utility", failure: object | null = null): Message => ({
  templateId,
  toPhone: `+1555123000${n}`,
  failure,
});
/** `marketing`: the account's templates of that kind, null where nobody has opted out. */
const event = (messages: Message[], more: object = {}, marketing: string[] | null = ["offer"]): PlannedEvent => {
  const site = { accountId: "account", marketing: marketing && new Set(marketing) };
  const plan = { skip: null, previews: [], traces: [], messages };
  const identified = messages.map((one, position) => ({ ...one, id: `m${position}`, position }));
  return { id: "event", site, dryRun: false, chat: null, plan, messages: identified, ...more } as unknown as PlannedEvent;
};
const failures = (messages: readonly { failure: unknown }[]) => messages.map(({ failure }) => failure);

it("those whom something would be sent are compared with those who opted out", () => {
  const addressee = (position: number, phone: string, marketing: boolean) => ({
    event_id: "event",
    account_id: "account",
    position,
    phone_hash: `hash of ${optOutKey("account", phone)}`,
    marketing,
  });
  expect(toAddressees(event([message(1), message(2, "offer", unresolved), message(3, "offer")]), vault)).toEqual([
    addressee(0, "+15551230001", false),
    addressee(2, "+15551230003", true),
  ]);
});

it("also in a dry run, whose messages have no ids", () => {
  expect(toAddressees(event([message(1)], { dryRun: true, messages: [] }), vault)).toHaveLength(1);
});

it("nobody is where nobody has opted out", () => {
  expect(toAddressees(event([message(1)], {}, null), vault)).toEqual([]);
});

it("messages to those who opted out fail, and no others", () => {
  const given = event([message(1), message(2), message(3, "utility", unresolved)]);
  const marked = withOptedOut(given, [1]);
  expect(failures(marked.messages)).toEqual([null, optedOut, unresolved]);
  expect(failures(marked.plan.messages)).toEqual([null, optedOut, unresolved]);
  expect(marked.messages.map(({ id, toPhone, position }) => [id, toPhone, position])).toEqual([
    ["m0", "+15551230001", 0],
    ["m1", "+15551230002", 1],
    ["m2", "+15551230003", 2],
  ]);
  expect(marked).toMatchObject({ id: "event", site: given.site, chat: null, plan: { skip: null, previews: [] } });
  expect(failures(given.messages)).toEqual([null, null, unresolved]);
});

it("an event of which nothing is left to send is decided, and so is a dry run", () => {
  const given = [message(1), message(2)];
  expect(withOptedOut(event(given), [0, 1]).chat).toBe("failed");
  expect(withOptedOut(event(given, { dryRun: true, messages: [] }), [0]).chat).toBe("partial");
});
