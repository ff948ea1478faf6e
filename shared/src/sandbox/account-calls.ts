import { randomInt } from "node:crypto";
import { once } from "node:events";
import { request } from "undici";
import { z } from "zod";
import { accountFields } from "../core/connection-check.ts";
import { type AccountState, messagingLimits, newState, stateChange } from "./account-state.ts";
import { displayNumber } from "./accounts.ts";
import { queueUpdate } from "./callbacks/queue.ts";
import { ControlError } from "./graph-error.ts";
import { type Answer, type Route, type SandboxContext, type SandboxRequest, readControl, success } from "./http.ts";
import { type SandboxAccount, countCallbacks, sandboxLimits } from "./store.ts";
import { foresee } from "./templates/control.ts";
import { sampleTemplate } from "./templates/store.ts";

/** Creates and changes accounts, as a person does in the platform's own pages. */
export const accountRoutes: Route[] = [
  ["POST", "/_sandbox/accounts", createAccount],
  [
    "GET",
    "/_sandbox/accounts/:wabaId",
    async (context, { params }) => ({ json: await present(context, findControlled(context, params["wabaId"])) }),
  ],
  ["PATCH", "/_sandbox/accounts/:wabaId", changeAccount],
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

function findControlled(context: SandboxContext, wabaId = ""): SandboxAccount {
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

const update = z.strictObject({
  wabaId: z.string(),
  field: z.enum(accountFields).default("account_update"),
  value: z.record(z.string(), z.unknown()),
});

/** The members of an `account_update` that the sandbox acts on; others are only reported. */
const enforcement = z.object({
  violation_info: z.object({ violation_type: z.string() }).partial().optional().catch(undefined),
  ban_info: z.object({ waba_ban_state: z.string() }).partial().optional().catch(undefined),
  restriction_info: z
    .array(z.object({ restriction_type: z.string(), expiration: z.coerce.number().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
});

const utilityRestriction = "RESTRICTED_UTILITY_TEMPLATES";

/** `POST /_sandbox/account-updates`: the platform says something of an account, and acts accordingly. */
export async function updateAccount(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { wabaId, field, value } = await readControl(request, update);
  const { event } = value;
  const account = findControlled(context, wabaId);
  if (field === "account_update") await enforce(context, account, enforcement.parse(value));
  await queueUpdate(context, { wabaId, subject: wabaId, field, kind: typeof event === "string" ? event : field, value });
  return success;
}

async function enforce(context: SandboxContext, account: SandboxAccount, said: z.output<typeof enforcement>): Promise<void> {
  const found = said.restriction_info ?? [];
  await context.accounts.change({ ...account, state: stateAfter(account.state, said) });
  if (!found.some(({ restriction_type: type }) => type === utilityRestriction)) return;
  const now = context.options.now();
  for (const record of context.templates.ofAccount(account.wabaId)) {
    if (record.category !== "UTILITY" || record.status !== "APPROVED") continue;
    const [category, previousCategory] = ["MARKETING" as const, record.category];
    const turned = { ...record, category, previousCategory, correctCategory: category, announced: null, ttlSeconds: null, updatedAt: now };
    await context.templates.save(turned);
    if (record.announced !== null) await foresee(context, turned);
  }
}

function stateAfter(state: AccountState, { violation_info, ban_info, restriction_info: found = [] }: z.output<typeof enforcement>) {
  const violation = violation_info?.violation_type ?? "";
  const ofViolation = violation.endsWith("_UNBAN") ? utilityRestriction : violation.endsWith("_RATE_LIMIT_RECOVERY") ? rateLimit : null;
  const ended = ban_info?.waba_ban_state === "REINSTATE" ? "RESTRICTED_BIZ_INITIATED_MESSAGING" : ofViolation;
  const kept = state.restrictions.filter(({ type }) => type !== ended && !found.some((one) => one.restriction_type === type));
  const added = found.map((one) => ({ type: one.restriction_type, until: one.expiration === undefined ? null : one.expiration * 1000 }));
  return {
    ...state,
    canSend: { DISABLE: "BLOCKED" as const, REINSTATE: "AVAILABLE" as const }[ban_info?.waba_ban_state ?? ""] ?? state.canSend,
    utilityCap: ended === rateLimit ? null : state.utilityCap,
    restrictions: [...kept, ...added].slice(-mostRestrictions),
  };
}

const rateLimit = "RATE_LIMITED_UTILITY_TEMPLATE_MESSAGING";
const mostRestrictions = 20;
