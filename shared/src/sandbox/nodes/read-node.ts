import { unknownObject } from "../errors/graph-error.ts";
import type { AccountHandler } from "../http/account-handler.ts";
import { selectFields } from "../http/select-fields.ts";
import { defaultTemplateFields, templateFields } from "../templates/present-template.ts";
import { businessAccountNode } from "./business-account-node.ts";
import { healthStatus } from "./health-status.ts";
import { phoneNumberNode } from "./phone-number-node.ts";

/** `GET /{id}`: a phone number, a business account or a template, whichever the id names. */
export const readNode: AccountHandler = (context, request, account) => {
  const { node = "" } = request.params;
  const fields = request.query.get("fields");
  if (node === account.phoneNumberId) return { json: phoneNumberNode(account, fields) };
  if (node === account.wabaId) return { json: businessAccountNode(account, fields) };
  const record = context.templates.byId(node);
  if (record?.wabaId !== account.wabaId) throw unknownObject(node, request.method);
  const all = { ...templateFields(record), health_status: healthStatus(account) };
  return { json: selectFields(all, defaultTemplateFields, fields, "WhatsAppMessageTemplate") };
};

/** `GET /{waba id}/phone_numbers`. */
export const listPhoneNumbers: AccountHandler = (_context, request, account) => ({
  json: { data: [phoneNumberNode(account, request.query.get("fields"))], paging: { cursors: { before: "MA", after: "MA" } } },
});
