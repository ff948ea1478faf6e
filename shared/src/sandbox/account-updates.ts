import { z } from "zod";
import { findControlled } from "./account-calls.ts";
import type { AccountState } from "./account-state.ts";
import { queueUpdate } from "./callbacks/queue.ts";
import type { SandboxContext } from "./context.ts";
import { type Answer, readControl, type SandboxRequest } from "./http.ts";
import type { SandboxAccount } from "./store.ts";
import { foresee } from "./templates/control.ts";

const accountFields = [
  "account_update",
  "account_alerts",
  "account_review_update",
  "business_capability_update",
  "phone_number_name_update",
  "phone_number_quality_update",
  "template_correct_category_detection",
] as const;

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
  const account = findControlled(context, wabaId);
  if (field === "account_update") await enforce(context, account, enforcement.parse(value));
  await queueUpdate(context, { wabaId, subject: wabaId, field, kind: textOf(value["event"]) ?? field, value });
  return { json: { success: true } };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

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

function stateAfter(
  state: AccountState,
  { violation_info, ban_info, restriction_info: found = [] }: z.output<typeof enforcement>,
): AccountState {
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
