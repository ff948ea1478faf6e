import { isDeepStrictEqual } from "node:util";
import { mapSlots } from "shared/core/binding";
import { bindingProblems } from "shared/core/binding";
import { isTestEvent } from "shared/core/event";
import { outcome } from "shared/core/event";
import type { previewBindingInput } from "shared/core/input/bindings";
import type { Plan } from "shared/core/plan";
import { planEvent } from "shared/core/plan";
import type { Role } from "shared/core/role";
import { renderText } from "shared/core/template/message";
import { findAccount } from "shared/db/account";
import { listBindings } from "shared/db/binding";
import type { BindingRow } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findOptedOut } from "shared/db/opt-out";
import { findPlatformAccount } from "shared/db/platform-account";
import { findSite } from "shared/db/site";
import { listActivePhones } from "shared/db/site-recipient";
import type { z } from "zod";
import type { AdminContext } from "../../context.ts";
import type { Caller } from "../../session/caller.ts";
import { notFound } from "../../trpc/refusals.ts";
import { seesPhones, shownPhone } from "../../trpc/shown-phone.ts";
import { findTemplateFor, readTemplate } from "./write-binding.ts";

/** What the binding would do with the payload now, were it the event's only one: the very plan that a gateway makes. */
export async function previewBinding(
  { sql, vault }: Pick<AdminContext, "sql" | "vault">,
  { accountId, role }: Pick<Caller, "accountId" | "role">,
  input: z.output<typeof previewBindingInput>,
  now: Date,
) {
  const [account, site, platform] = await Promise.all([
    findAccount(sql, accountId),
    findSite(sql, accountId, input.siteId),
    findPlatformAccount(sql, accountId),
  ]);
  if (account === undefined || site === undefined) throw notFound("site");
  const saved = await findSaved(sql, accountId, input);
  const template =
    saved === undefined ? await findTemplateFor(sql, accountId, input) : await readTemplate(sql, accountId, input.templateId);
  const boundShape = saved?.template_shape ?? null;
  const { payload, variableMap, recipient } = input;
  const { timezone } = account;
  const plan = planEvent({
    bindings: [{ id: newId(), recipient, variableMap, template: { ...template, boundShape } }],
    payload,
    test: isTestEvent(input.event, payload),
    site: { testPhone: site.test_phone, activePhones: await listActivePhones(sql, site.id) },
    account: { timezone, configured: platform !== undefined },
    now,
  });
  const { sent, unresolved } = mapSlots(variableMap, template.definition, { payload, now, timezone });
  const problems = bindingProblems(variableMap, template.definition, template.status, boundShape);
  // To whoever may not look phones up, the answer would tell who has opted out.
  const optedOut = seesPhones(role)
    ? await findOptedOut(sql, vault, { accountId, marketing: isMarketing(template) }, plan.previews[0]?.recipients ?? [])
    : null;
  return { ...presentPlan(plan, optedOut, role), unresolved, text: renderText(template.definition, sent), problems };
}

const isMarketing = ({ category }: { category: string }): boolean => category.toUpperCase() === "MARKETING";

/**
 * `reasons`: why nothing would be sent, or to nobody. `dropped`: phones that nothing is sent to, since they are not E.164. `optedOut`: recipients whose
 * message would fail, since they do not want it; null for whoever sees no phones. `chat`: what a live event would be answered if the platform took every message.
 */
function presentPlan({ skip, previews: [preview], traces: [trace], messages }: Plan, optedOut: ReadonlySet<string> | null, role: Role) {
  if (preview === undefined || trace === undefined) throw new Error("A plan has a preview for each binding, and here is none");
  const sendable = messages.filter(({ failure, toPhone }) => failure === null && optedOut?.has(toPhone) !== true).length;
  return {
    recipients: preview.recipients.map((phone) => shownPhone(phone, role)),
    dropped: trace.dropped.map((phone) => shownPhone(phone, role)),
    optedOut: optedOut && preview.recipients.filter((phone) => optedOut.has(phone)),
    slots: preview.slots,
    resolved: preview.resolved,
    reasons: trace.reasons,
    chat: skip ?? outcome(sendable, messages.length - sendable),
  };
}

/** The binding that was saved with just this map: the template may have changed under it, which is to be shown and not to be refused. */
async function findSaved(sql: Sql, accountId: string, input: z.output<typeof previewBindingInput>): Promise<BindingRow | undefined> {
  const { siteId, event, templateId, variableMap } = input;
  const rows = await listBindings(sql, accountId, { siteId, event }, { before: null, limit: 200 });
  return rows.find((row) => row.template_id === templateId && isDeepStrictEqual(row.variable_map, variableMap));
}
