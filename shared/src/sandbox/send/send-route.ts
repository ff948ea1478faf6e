import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { authenticate } from "../accounts/authenticate.ts";
import type { SandboxContext } from "../context.ts";
import { refusal, unknownObject } from "../errors/graph-error.ts";
import type { Handler } from "../http/answer.ts";
import { readJson } from "../http/read-json.ts";
import type { TemplateRecord } from "../templates/record.ts";
import { shapeOf } from "../templates/shape.ts";
import { answerSend } from "./answer-send.ts";
import { fillTemplate } from "./fill-template.ts";
import { type Behaviour, behaviourOf, stoppedMarketing } from "./magic-numbers.ts";
import { type MessageRequest, readMessageRequest } from "./message-request.ts";

/**
 * `POST /{phone number id}/messages`. Order of checks (platform facts, 10.1): token, sender, body, template, parameters, limits; a magic number
 * acts only when all else is right.
 */
export const sendMessage: Handler = async (context, request) => {
  const account = authenticate(context, request);
  const { node = "" } = request.params;
  if (node !== account.phoneNumberId) throw unknownObject(node, request.method);
  const message = readMessageRequest(await readJson(request), account);
  const template = findSendable(context, account, message);
  const filled = fillTemplate(shapeOf(template), message.components);
  context.limits.countMessage(account, message.recipient.digits, context.options.now());
  if (account.refuseCode !== null) throw refusal(account.refuseCode);
  const behaviour = behaviourFor(account, message, template);
  return answerSend(context, { account, request: message, template, filled, behaviour, version: request.version });
};

function behaviourFor({ stopped }: SandboxAccount, { recipient }: MessageRequest, { category }: TemplateRecord): Behaviour {
  return category === "MARKETING" && stopped.includes(recipient.waId) ? stoppedMarketing : behaviourOf(recipient.digits);
}

function findSendable(context: SandboxContext, { wabaId }: SandboxAccount, { template, language }: MessageRequest): TemplateRecord {
  const found = context.templates.find(wabaId, template, language);
  switch (found?.status) {
    case "APPROVED":
    case "FLAGGED":
      return found;
    case "PAUSED":
      throw refusal(132015);
    case "DISABLED":
      throw refusal(132016);
    default:
      throw refusal(132001, `template name (${template}) does not exist in ${language}`);
  }
}
