import type { SandboxContext } from "../context.ts";
import { missingParameter } from "../graph-error.ts";
import { type Answer, readJson, type SandboxRequest } from "../http.ts";
import type { SandboxAccount } from "../store.ts";
import { archivedFrom, foresee, tellStatus } from "./control.ts";
import type { TemplateRecord } from "./store.ts";

const maxIds = 100;

/** `POST /{waba id}/message_templates/archive`: an archived template is deleted 28 days later. */
export const archiveTemplates = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> =>
  change(context, request, account, "archived_templates", async (record) => {
    if (record.archived !== null) return "Template is already archived";
    const now = context.options.now();
    const archived: TemplateRecord = { ...record, status: "ARCHIVED", archived: archivedFrom(record, now), updatedAt: now };
    await context.templates.save(archived);
    await tellStatus(context, archived, "ARCHIVED");
    await foresee(context, archived);
    return null;
  });

/** `POST /{waba id}/message_templates/unarchive`: a template is again what it was before. */
export const unarchiveTemplates = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> =>
  change(context, request, account, "unarchived_templates", async (record) => {
    if (record.archived === null) return "Template is not archived";
    const now = context.options.now();
    const back = { ...record, status: record.archived.from, archived: null, updatedAt: now };
    await context.templates.save(back);
    await foresee(context, back);
    await tellStatus(context, back, "UNARCHIVED");
    return null;
  });

/** Changes each template that `hsm_ids` names, a list in one text or an array. `act` says why one cannot be changed. */
async function change(
  context: SandboxContext,
  request: SandboxRequest,
  { wabaId }: SandboxAccount,
  member: string,
  act: (record: TemplateRecord) => Promise<string | null>,
): Promise<Answer> {
  const { hsm_ids: given } = await readJson(request);
  const ids = [...new Set(JSON.stringify(given ?? "").match(/\d+/g) ?? [])].slice(0, maxIds);
  if (ids.length === 0) throw missingParameter("hsm_ids");
  const changed: string[] = [];
  const failed: Record<string, string> = {};
  for (const id of ids) {
    const record = context.templates.byId(id);
    const problem = record?.wabaId === wabaId ? await act(record) : "Template does not exist";
    if (problem === null) changed.push(id);
    else failed[id] = problem;
  }
  return { json: { [member]: changed, ...(Object.keys(failed).length > 0 && { failed_templates: failed }) } };
}
