import { withdrawCallbacks } from "../../db/tables/sandbox/callback.ts";
import type { SandboxContext } from "../context.ts";
import { missingParameter, templateRefusal } from "../errors/graph-error.ts";
import type { AccountHandler } from "../http/account-handler.ts";
import type { TemplateRecord } from "./record.ts";
import { tellStatus } from "./status-update.ts";

const MOST_IDS = 100;

/**
 * `DELETE /{waba id}/message_templates`: by `name` every language, by `hsm_id` and `name` one, by `hsm_ids` several or none. A deleted name and
 * language is locked for a while, longer if it was approved; deleting it again starts that time anew (platform facts, 2.5 and 4.1).
 */
export const deleteTemplates: AccountHandler = async (context, request, { wabaId }) => {
  const name = request.query.get("name");
  const records = chosen(context.templates.ofAccount(wabaId), request.query);
  const disabled = records.find(({ status }) => status === "DISABLED");
  if (disabled !== undefined) throw templateRefusal(undefined, "Template can't be deleted", "A disabled template can't be deleted.");
  if (records.length === 0 && !(await lockAgain(context, wabaId, name ?? ""))) {
    throw templateRefusal(undefined, "Message Template Not Found", "No message template was found that matches.");
  }
  for (const record of records) await deleteOne(context, record);
  return { json: { success: true } };
};

function chosen(records: TemplateRecord[], query: URLSearchParams): TemplateRecord[] {
  const name = query.get("name");
  const id = query.get("hsm_id");
  const ids = query.get("hsm_ids")?.match(/\d+/g);
  if (ids !== undefined && ids !== null) {
    const found = records.filter((record) => ids.includes(record.id));
    return ids.length > MOST_IDS || found.length < new Set(ids).size ? [] : found;
  }
  if (name === null || name === "") throw missingParameter("name");
  return records.filter((record) => record.name === name && (id === null || record.id === id));
}

async function deleteOne(context: SandboxContext, record: TemplateRecord): Promise<void> {
  const { wabaId, name, language, everApproved } = record;
  await context.templates.remove(record);
  await context.templates.lock({ wabaId, name, language, until: lockUntil(context, everApproved), approved: everApproved });
  await withdrawCallbacks(context.sql, record.id);
  await tellStatus(context, record, "DELETED", { reason: null });
}

async function lockAgain(context: SandboxContext, wabaId: string, name: string): Promise<boolean> {
  const locks = context.templates.locks(wabaId, name).filter(({ until }) => until.getTime() > context.options.now());
  for (const lock of locks) await context.templates.lock({ ...lock, until: lockUntil(context, lock.approved) });
  return locks.length > 0;
}

function lockUntil({ options }: SandboxContext, approved: boolean): Date {
  return new Date(options.now() + (approved ? options.lockApprovedMs : options.lockOtherMs));
}
