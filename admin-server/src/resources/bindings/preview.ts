import { isDeepStrictEqual } from "node:util";
import { planEvent } from "shared/core/binding/plan-event";
import { bindingProblems } from "shared/core/binding/problems";
import { isTestEvent } from "shared/core/event/test-event";
import type { previewBindingInput } from "shared/core/input/binding";
import { cleanSlots } from "shared/core/template/clean-slots";
import { renderText } from "shared/core/template/render";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/new-id";
import { findAccount } from "shared/db/tables/account/find";
import { listBindings } from "shared/db/tables/binding/list";
import type { BindingRow } from "shared/db/tables/binding/row";
import { listActivePhones } from "shared/db/tables/site-recipient/list";
import { findSite } from "shared/db/tables/site/find";
import type { z } from "zod";
import type { Caller } from "../../session/caller.ts";
import { notFound } from "../../trpc/refusals.ts";
import { shownPhone } from "../../trpc/shown-phone.ts";
import { findTemplateFor, readTemplate } from "./write-binding.ts";

/** What the binding would do with the payload now: the very plan that a gateway makes. */
export async function previewBinding(
  sql: Sql,
  { accountId, role }: Pick<Caller, "accountId" | "role">,
  input: z.output<typeof previewBindingInput>,
  now: Date,
) {
  const [account, site] = await Promise.all([findAccount(sql, accountId), findSite(sql, accountId, input.siteId)]);
  if (account === undefined || site === undefined) throw notFound("site");
  const saved = await findSaved(sql, accountId, input);
  const template =
    saved === undefined ? await findTemplateFor(sql, accountId, input) : await readTemplate(sql, accountId, input.templateId);
  const boundShape = saved?.template_shape ?? null;
  const { previews, traces } = planEvent({
    bindings: [{ id: newId(), recipient: input.recipient, variableMap: input.variableMap, template: { ...template, boundShape } }],
    payload: input.payload,
    test: isTestEvent(input.event, input.payload),
    site: { testPhone: site.test_phone, activePhones: await listActivePhones(sql, site.id) },
    account: { timezone: account.timezone, configured: true },
    now,
  });
  const [preview] = previews;
  if (preview === undefined) throw new Error("A plan has a preview for each binding, and here is none");
  const { slots, resolved } = preview;
  const recipients = preview.recipients.map((phone) => shownPhone(phone, role));
  const text = renderText(template.definition, cleanSlots(template.definition, slots));
  const problems = bindingProblems(input.variableMap, template.definition, template.status, boundShape);
  /** `reasons`: why nothing would be sent, or to nobody. `problems`: as the binding itself would show them. */
  return { recipients, slots, resolved, text, reasons: traces[0]?.reasons ?? [], problems };
}

/** The binding that was saved with just this map: the template may have changed under it, which is to be shown and not to be refused. */
async function findSaved(sql: Sql, accountId: string, input: z.output<typeof previewBindingInput>): Promise<BindingRow | undefined> {
  const { siteId, event, templateId, variableMap } = input;
  const rows = await listBindings(sql, accountId, { siteId, event }, { before: null, limit: 200 });
  return rows.find((row) => row.template_id === templateId && isDeepStrictEqual(row.variable_map, variableMap));
}
