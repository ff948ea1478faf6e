import { templateRefusal, unknownObject } from "../errors/graph-error.ts";
import type { AccountHandler } from "../http/account-handler.ts";
import { tellStatus } from "./status-update.ts";

/** `POST /{template id}/unpause`. */
export const unpauseTemplate: AccountHandler = async (context, request, account) => {
  const { node = "" } = request.params;
  const record = context.templates.byId(node);
  if (record?.wabaId !== account.wabaId) throw unknownObject(node, request.method);
  if (record.status !== "PAUSED") throw templateRefusal(2388039, "Template isn't paused", "Only a paused template can be unpaused.");
  const approved = { ...record, status: "APPROVED" as const, updatedAt: context.options.now() };
  await context.templates.save(approved);
  await tellStatus(context, approved, "APPROVED", { otherInfo: { title: "UNPAUSE", description: "The template was unpaused." } });
  return { json: { success: true } };
};
