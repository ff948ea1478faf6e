import { randomInt } from "node:crypto";
import { once } from "node:events";
import { request } from "undici";
import { z } from "zod";
import { newState, stateChange, messagingLimits, type AccountState } from "./account-state.ts";
import { displayNumber } from "./accounts.ts";
import { queueUpdate } from "./callbacks/queue.ts";
import type { SandboxContext } from "./context.ts";
import { ControlError } from "./graph-error.ts";
import { type Answer, readControl, type Route, type SandboxRequest } from "./http.ts";
import { sandboxLimits, type SandboxAccount, countCallbacks } from "./store.ts";
import { sampleTemplate } from "./templates/store.ts";

/** Creates and changes accounts, as a person does in the platform's own pages. */
export const accountRoutes: Route[] = [
  ["POST", "/_sandbox/accounts", createAccount],
  ["GET", "/_sandbox/accounts/:wabaId", showAccount],
  ["PATCH", "/_sandbox/accounts/:wabaId", changeAccount],
  ["PUT", "/_sandbox/accounts/:wabaId", changeAccount],
];

const creation = z.strictObject({
  name: z.string().min(1).max(200).default("Sandbox account"),
  callbackUrl: z.url({ protocol: /^https?$/ }),
  verifyToken: z.string().min(1),
  subscribed: z.boolean().default(true),
  /** The account's owner, in the caller's own words. An owner who has an account gets it back, with the new callback. */
  owner: z.string().min(1).max(200).nullable().default(null),
});

async function createAccount(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const wishes = await readControl(request, creation);
  const account = (await reopen(context, wishes)) ?? (await open(context, wishes));
  const { wabaId, phoneNumberId, appId, appSecret } = account;
  const accessToken = await context.accounts.issueToken(account);
  const displayPhoneNumber = displayNumber(account.phoneNumber);
  const callbackVerified = await shakeHands(account);
  return { json: { wabaId, phoneNumberId, displayPhoneNumber, accessToken, appId, appSecret, callbackVerified } };
}

async function showAccount(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  return { json: await present(context, findControlled(context, request.params["wabaId"])) };
}

const accountChange = z
  .strictObject({
    callbackUrl: z.url({ protocol: /^https?$/ }),
    verifyToken: z.string().min(1),
    subscribed: z.boolean(),
    limits: z.array(z.enum(sandboxLimits)),
    throttleStatus: z.literal([400, 429]),
    refuseCode: z.int().min(0).nullable(),
    demo: z.boolean(),
  })
  .partial()
  .extend(stateChange.shape);

async function changeAccount(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const account = findControlled(context, request.params["wabaId"]);
  const wishes = Object.entries(await readControl(request, accountChange)).filter(([, value]) => value !== undefined);
  const [own, ofState] = [false, true].map((isState) =>
    Object.fromEntries(wishes.filter(([name]) => Object.hasOwn(newState, name) === isState)),
  );
  const state: AccountState = { ...account.state, ...ofState };
  const changed: SandboxAccount = {
    ...account,
    ...own,
    state: { ...state, overrides: { ...account.state.overrides, ...state.overrides } },
  };
  await context.accounts.change(changed);
  await tellCapability(context, account, changed);
  return { json: await present(context, changed) };
}

/** Reports a limit or a throughput that has changed, as the platform does. */
async function tellCapability(context: SandboxContext, { state: before }: SandboxAccount, { wabaId, phoneNumber, state }: SandboxAccount) {
  const update = { wabaId, subject: wabaId };
  if (state.limit !== before.limit) {
    const people = { max_daily_conversations_per_business: messagingLimits[state.limit] };
    const value = { ...people, max_phone_numbers_per_business: 2, max_phone_numbers_per_waba: 25 };
    await queueUpdate(context, { ...update, field: "business_capability_update", kind: state.limit, value });
  }
  if (state.throughput !== before.throughput && state.throughput === "HIGH") {
    const event = "THROUGHPUT_UPGRADE";
    const value = { display_phone_number: phoneNumber, event, max_daily_conversations_per_business: state.limit };
    await queueUpdate(context, { ...update, field: "phone_number_quality_update", kind: event, value });
  }
}

type Wishes = z.output<typeof creation>;

const open = async ({ accounts, templates, options }: SandboxContext, wishes: Wishes): Promise<SandboxAccount> =>
  accounts.open({ ...wishes, limits: options.limits }, async ({ wabaId }) => templates.save(sampleTemplate(wabaId, options.now())));

async function reopen(context: SandboxContext, { owner, verifyToken, callbackUrl }: Wishes): Promise<SandboxAccount | undefined> {
  const made = owner === null ? undefined : context.accounts.byOwner(owner);
  if (made === undefined) return undefined;
  const account = { ...made, verifyToken, callbackUrl };
  await context.accounts.change(account);
  return account;
}

export function findControlled(context: SandboxContext, wabaId = ""): SandboxAccount {
  const account = context.accounts.find(wabaId);
  if (account === undefined) throw new ControlError(404, `No account ${wabaId}: create one with POST /_sandbox/accounts`);
  return account;
}

async function present(context: SandboxContext, account: SandboxAccount) {
  const { accessTokenHash: _hash, appSecret: _secret, verifyToken: _verifyToken, phoneNumber, state, ...shown } = account;
  return {
    ...shown,
    ...state,
    displayPhoneNumber: displayNumber(phoneNumber),
    pendingCallbacks: await countCallbacks(context.sql, account.wabaId),
  };
}

const handshakeTimeoutMs = 2_000;

/** Verifies a callback address as the platform does: it must echo a challenge within `handshakeTimeoutMs`. Never throws. */
export async function shakeHands({ callbackUrl, verifyToken }: { callbackUrl: string; verifyToken: string }): Promise<boolean> {
  const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
  const url = new URL(callbackUrl);
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.challenge", challenge);
  url.searchParams.set("hub.verify_token", verifyToken);
  const signal = AbortSignal.timeout(handshakeTimeoutMs);
  // The signal does not interrupt a connection that is still being made.
  return await Promise.race([echoes(url, challenge, signal), once(signal, "abort").then(() => false)]);
}

async function echoes(url: URL, challenge: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await request(url, { signal });
    return (await answer.body.text()) === challenge && answer.statusCode === 200;
  } catch {
    return false;
  }
}
