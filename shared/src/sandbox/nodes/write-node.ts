import { unknownObject } from "../errors/graph-error.ts";
import type { AccountHandler } from "../http/account-handler.ts";
import { editTemplate } from "../templates/edit-template.ts";
import { receiveUpload } from "./uploads.ts";

/** `POST /{id}`: edits the template that the id names, or takes the bytes of an upload session. */
export const writeNode: AccountHandler = async (context, request, account) => {
  const { node = "" } = request.params;
  if (node.startsWith("upload:")) return receiveUpload(request, node);
  const record = context.templates.byId(node);
  if (record?.wabaId !== account.wabaId) throw unknownObject(node, request.method);
  return editTemplate(context, request, record);
};
