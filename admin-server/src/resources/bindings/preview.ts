import { planEvent } from "shared/core/binding/plan-event";
import { isTestEvent } from "shared/core/event/test-event";
import type { previewBindingInput } from "shared/core/input/binding";
import { cleanSlots } from "shared/core/template/clean-slots";
import { renderText } from "shared/core/template/render";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/new-id";
import { findAccount } from "shared/db/tables/account/find";
import { listActivePhones } from "shared/db/tables/site-recipient/list";
import { findSite } from "shared/db/tables/site/find";
import type { z } from "zod";
import { notFound } from "../../trpc/refusals.ts";
import { findTemplateFor } from "./write-binding.ts";

/** What the binding would do with the payload now: the very plan that a gateway makes. */
export async function previewBinding(sql: Sql, accountId: string, input: z.output<typeof previewBindingInput>, now: Date) {
  const [account, site] = await Promise.all([findAccount(sql, accountId), findSite(sql, accountId, input.siteId)]);
  if (account === undefined || site === undefined) throw notFound("site");
  const template = await findTemplateFor(sql, accountId, input);
  const { previews, traces } = planEvent({
    bindings: [{ id: newId(), recipient: input.recipient, variableMap: input.variableMap, template }],
    payload: input.payload,
    test: isTestEvent(input.event, input.payload),
    site: { testPhone: site.test_phone, activePhones: await listActivePhones(sql, site.id) },
    account: { timezone: account.timezone, configured: true },
    now,
  });
  const [preview] = previews;
  if (preview === undefined) throw new Error("A plan has a preview for each binding, and here is none");
  const { recipients, slots, resolved } = preview;
  const text = renderText(template.definition, cleanSlots(template.definition, slots));
  /** `reasons`: why nothing would be sent, or to nobody. */
  return { recipients, slots, resolved, text, reasons: traces[0]?.reasons ?? [] };
}
