import { randomBytes } from "node:crypto";
import { z } from "zod";
import { phonePattern } from "../core/phone-search.ts";
import { isE164, phoneForms } from "../core/phone.ts";
import type { Accounts } from "./accounts.ts";
import { queueUpdate } from "./callbacks/queue.ts";
import { ControlError } from "./graph-error.ts";
import { type Answer, type Route, type SandboxContext, type SandboxRequest, readControl } from "./http.ts";
import { contactOf, newPerson, type Person } from "./people.ts";
import type { MessageContent } from "./send/content.ts";
import { waIdOf } from "./send/recipient.ts";
import { findSandboxMessage, forgetSandboxMessages, incomingKind, type SandboxAccount, withdrawCallbacks } from "./store.ts";

/** What people do, and what the sandbox knows of them. */
export const peopleRoutes: Route[] = [
  ["POST", "/_sandbox/people", changePerson],
  ["POST", "/_sandbox/preferences", setPreference],
  ["POST", "/_sandbox/answers", answer],
  ["POST", "/_sandbox/forget", forgetMessages],
];

const phone = z.string().refine(isE164, "must be an E.164 phone number such as +491701234567");

/** Members that name a business, by its number or its owner. */
const business = { phoneNumberId: z.string().optional(), owner: z.string().optional() };

const personChange = z.strictObject({
  ...business,
  phone,
  username: z.string().min(1).max(35).nullable().optional(),
  phoneVisible: z.boolean().optional(),
  /** Whether the business blocked the person. */
  blocked: z.boolean().optional(),
  /** Whether the person blocked the business. */
  blocksBusiness: z.boolean().optional(),
  /** The person moves to another phone, and gets another user id. */
  newPhone: phone.optional(),
  /** The person gets another user id. */
  newUserId: z.literal(true).optional(),
});

/** `POST /_sandbox/people`: changes a person, of whom members that are left out stay as they are. A changed phone or user id is reported. */
async function changePerson(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { phoneNumberId, owner, phone: from, newPhone, newUserId, ...wishes } = await readControl(request, personChange);
  const account = accountOf(context, { phoneNumberId, owner });
  const { wabaId } = account;
  const before = context.people.find(wabaId, waIdOf(from.slice(1)));
  const given = Object.entries(wishes).filter(([, value]) => value !== undefined);
  const changed: Person = { ...before, ...Object.fromEntries(given) };
  const waId = newPhone === undefined ? before.waId : waIdOf(newPhone.slice(1));
  const after = waId === before.waId ? { ...changed, idChanges: before.idChanges + (newUserId === true ? 1 : 0) } : { ...changed, waId };
  await context.people.save(wabaId, after);
  if (after.waId !== before.waId) {
    // Whoever gets the old phone is somebody else.
    await context.people.save(wabaId, { ...newPerson, waId: before.waId, idChanges: before.idChanges + 1 });
    const stopped = account.stopped.map((one) => (one === before.waId ? after.waId : one));
    await context.accounts.change({ ...account, stopped });
  }
  const [userId, former] = [context.people.userId(wabaId, after), context.people.userId(wabaId, before)];
  if (userId !== former) await tellChange(context, account, before, after);
  const { username, phoneVisible, blocked, blocksBusiness } = after;
  return { json: { userId, waId: after.waId, username, phoneVisible, blocked, blocksBusiness } };
}

async function tellChange(context: SandboxContext, account: SandboxAccount, before: Person, after: Person): Promise<void> {
  const [user_id, previous_user_id] = [after, before].map((person) => context.people.userId(account.wabaId, person));
  const moved = after.waId !== before.waId;
  const named = moved && after.phoneVisible;
  const words = moved
    ? { body: "User changed number", type: "user_changed_number" }
    : { body: "User changed id", type: "user_changed_user_id" };
  const message = {
    ...(named && { from: before.waId }),
    from_user_id: previous_user_id,
    ...newMessage(context),
    type: "system",
    system: { ...words, ...(named && { wa_id: after.waId }), user_id, previous_user_id },
  };
  await queueFromPerson(context, account, before, {
    field: "messages",
    kind: incomingKind,
    value: { contacts: undefined, messages: [message] },
  });
}

const preferenceInput = z.strictObject({ phoneNumberId: z.string(), from: phone, value: z.enum(["stop", "resume"]) });

/** `POST /_sandbox/preferences`: a person stops or resumes a business's marketing messages, and the callback is told. */
async function setPreference(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { phoneNumberId, from, value } = await readControl(request, preferenceInput);
  const account = accountOf(context, { phoneNumberId });
  const person = context.people.find(account.wabaId, waIdOf(from.slice(1)));
  const others = account.stopped.filter((one) => one !== person.waId);
  await context.accounts.change({ ...account, stopped: value === "stop" ? [...others, person.waId] : others });
  const preference = {
    ...(person.phoneVisible && { wa_id: person.waId }),
    user_id: context.people.userId(account.wabaId, person),
    detail: `User requested to ${value} marketing messages`,
    category: "marketing_messages",
    value,
    timestamp: Math.floor(context.options.now() / 1000),
  };
  await queueFromPerson(context, account, person, { field: "user_preferences", kind: value, value: { user_preferences: [preference] } });
  return { json: { waId: person.waId, value } };
}

/** Queues a callback about something that a person wrote to, or told, the account's number. `value` holds the members beside the number and the person. */
const queueFromPerson = (
  context: SandboxContext,
  { wabaId, phoneNumber, phoneNumberId }: SandboxAccount,
  person: Person,
  { value, ...update }: { field: string; kind: string; value: object },
): Promise<void> =>
  queueUpdate(context, {
    wabaId,
    subject: preferenceSubject(phoneNumberId, person.waId),
    ...update,
    value: {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: phoneNumber, phone_number_id: phoneNumberId },
      contacts: [contactOf(person, context.people.userId(wabaId, person))],
      ...value,
    },
  });

const newMessage = ({ options }: SandboxContext) => ({
  id: `wamid.${randomBytes(24).toString("base64")}`,
  timestamp: String(Math.floor(options.now() / 1000)),
});

const answerInput = z
  .strictObject({
    ...business,
    from: phone,
    text: z.string().trim().min(1, "must not be empty").max(4096, "has at most 4096 characters").optional(),
    /** The place of the quick reply that is tapped, among the buttons of the message that `to` names. */
    button: z.int().min(0).max(9).optional(),
    /** Shares the phone, as the button REQUEST_CONTACT_INFO asks. */
    contact: z.literal(true).optional(),
    /** The id of the message that this answers. */
    to: z.string().optional(),
    /** The person comes by an advertisement: messages are free for 72 hours. */
    advertised: z.literal(true).optional(),
  })
  .refine(
    ({ text, button, contact }) => [text, button, contact].filter((one) => one !== undefined).length === 1,
    "text, button or contact: one must be given",
  );

const freeMs = 72 * 60 * 60 * 1000;

/** `POST /_sandbox/answers`: a person writes to a business, whose callback gets it as an incoming message. Free-form messages may follow for a day. */
async function answer(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const input = await readControl(request, answerInput);
  const account = accountOf(context, input);
  const now = context.options.now();
  const person = context.people.find(account.wabaId, waIdOf(input.from.slice(1)));
  const content = await contentOf(context, account, person, input);
  await context.people.save(account.wabaId, {
    ...person,
    wroteAt: now,
    freeUntil: input.advertised === true ? now + freeMs : person.freeUntil,
  });
  const { waId, phoneVisible } = person;
  const message = {
    ...(phoneVisible && { from: waId }),
    from_user_id: context.people.userId(account.wabaId, person),
    ...newMessage(context),
    ...content,
    ...(input.to !== undefined && { context: { from: account.phoneNumber, id: input.to } }),
    ...(input.advertised === true && { referral: { source_type: "ad", source_id: "1", source_url: "https://fb.me/sandbox" } }),
  };
  await queueFromPerson(context, account, person, { field: "messages", kind: incomingKind, value: { messages: [message] } });
  return { json: { id: message.id } };
}

async function contentOf(
  { sql }: SandboxContext,
  { phoneNumberId }: SandboxAccount,
  { waId }: Person,
  { text, button, to = "" }: z.output<typeof answerInput>,
): Promise<{ type: string; [member: string]: unknown }> {
  if (text !== undefined) return { type: "text", text: { body: text } };
  const phones = [{ phone: `+${waId}`, wa_id: waId, type: "MOBILE" }];
  if (button === undefined) return { type: "contacts", contacts: [{ origin: "contact_request", phones }] };
  const row = await findSandboxMessage(sql, to);
  const tapped = row?.phone_number_id === phoneNumberId ? (JSON.parse(row.content) as MessageContent).buttons[button] : undefined;
  if (tapped?.type !== "QUICK_REPLY") throw new ControlError(400, "button: the message that `to` names has no quick reply at this place");
  return { type: "button", button: { payload: tapped.payload ?? tapped.text, text: tapped.text } };
}

type Named = { [Member in keyof typeof business]?: string | undefined };

function accountOf({ accounts }: SandboxContext, { phoneNumberId, owner }: Named): SandboxAccount {
  const account = owner === undefined ? accounts.byNumber(phoneNumberId ?? "") : accounts.byOwner(owner);
  if (account === undefined) throw new ControlError(404, "No such number or owner: GET /_sandbox/accounts/{wabaId} shows an account's");
  return account;
}

/** The callback subject of a person's preference at one business, and of their texts. */
const preferenceSubject = (phoneNumberId: string, waId: string): string => `${phoneNumberId} ${waId}`;

/** `after`: the answer's `next`, to look at a bounded number of messages only. */
const forgetInput = z.strictObject({
  ...business,
  phone: phone.optional(),
  before: z.iso.datetime().optional(),
  after: z
    .string()
    .regex(/^\d{1,16}$/u)
    .optional(),
});

/** The number of a business; an empty one, which no message has, for an owner without an account. */
export const numberOf = <Id>(accounts: Accounts, { phoneNumberId, owner }: { phoneNumberId: Id; owner?: string | null | undefined }) =>
  owner == null ? phoneNumberId : (accounts.byOwner(owner)?.phoneNumberId ?? "");

/** `POST /_sandbox/forget`: removes a business's messages to a person or naming them, or before a time. With a person, also what is kept of them. */
async function forgetMessages(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { phone: theirs, before, after = null, ...named } = await readControl(request, forgetInput);
  const phoneNumberId = numberOf(context.accounts, { phoneNumberId: named.phoneNumberId, owner: named.owner });
  if (phoneNumberId === undefined) throw new ControlError(400, "phoneNumberId or owner: must be given");
  const numbers = theirs === undefined ? [] : phoneForms(theirs);
  if (numbers.length > 0) await forgetPerson(context, phoneNumberId, numbers);
  const person = theirs === undefined ? null : { numbers, pattern: phonePattern(theirs) };
  const filter = { phoneNumberId, person, before: before === undefined ? null : new Date(before) };
  if (after !== null) return { json: await forgetSandboxMessages(context.sql, { ...filter, after }) };
  let deleted = 0;
  for (let next: string | null = "0"; next !== null;) {
    const piece = await forgetSandboxMessages(context.sql, { ...filter, after: next });
    deleted += piece.deleted;
    ({ next } = piece);
  }
  return { json: { deleted } };
}

async function forgetPerson({ sql, accounts, people }: SandboxContext, phoneNumberId: string, numbers: readonly string[]): Promise<void> {
  const account = accounts.byNumber(phoneNumberId);
  if (account === undefined) return;
  const stopped = account.stopped.filter((waId) => !numbers.includes(waId));
  if (stopped.length < account.stopped.length) await accounts.change({ ...account, stopped });
  for (const waId of numbers) {
    await people.forget(account.wabaId, waId);
    await withdrawCallbacks(sql, preferenceSubject(phoneNumberId, waId));
  }
}
