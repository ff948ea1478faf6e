import type { SandboxContext } from "../context.ts";
import { invalidParameter } from "../graph-error.ts";
import { type Answer, readJson, type SandboxRequest } from "../http.ts";
import type { SandboxAccount } from "../store.ts";
import { readCodeComponents, readLanguages } from "./authentication.ts";
import { tellStatus } from "./control.ts";
import { checkName, readCreateInput } from "./input.ts";
import { newTemplate } from "./store.ts";

/** `POST /{waba id}/upsert_message_templates`: makes a template of one-time codes in many languages, or replaces it. All are approved at once. */
export async function upsertTemplates(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const body = await readJson(request);
  const wanted = readLanguages(body["languages"]);
  const [language = ""] = wanted;
  const input = readCreateInput({ ...body, language });
  if (input.category !== "AUTHENTICATION") throw invalidParameter("Param category must be one of {AUTHENTICATION}.");
  const inputs = wanted.map((one) => ({ ...input, language: one, components: readCodeComponents(body["components"], one) }));
  const known = inputs.map((one) => context.templates.find(account.wabaId, one.name, one.language));
  for (const [at, one] of inputs.entries()) if (known[at] === undefined) checkName(context, account, one);
  const data: { id: string; status: string; language: string }[] = [];
  for (const [at, one] of inputs.entries()) {
    context.limits.countCreation(account, context.options.now());
    const made = newTemplate(account.wabaId, context.options.now(), { ...one, status: "APPROVED" });
    const record = { ...made, id: known[at]?.id ?? made.id };
    await context.templates.save(record);
    await tellStatus(context, record, "APPROVED");
    data.push({ id: record.id, status: record.status, language: record.language });
  }
  return { json: { data } };
}
