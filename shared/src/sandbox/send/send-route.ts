import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { authenticate } from "../accounts/authenticate.ts";
import type { SandboxContext } from "../context.ts";
import { refusal, unknownObject } from "../errors/graph-error.ts";
import type { Answer, Handler } from "../http/answer.ts";
import { readJson } from "../http/read-json.ts";
import type { TemplateRecord } from "../templates/record.ts";
import { shapeOf } from "../templates/shape.ts";
import { type Acceptance, acceptMessage } from "./accept-message.ts";
import { fillTemplate } from "./fill-template.ts";
import { behaviourOf } from "./magic-numbers.ts";
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
  const behaviour = behaviourOf(message.recipient.digits);
  return deliver(context, { account, request: message, template, filled, behaviour, version: request.version });
};

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

async function deliver(context: SandboxContext, acceptance: Acceptance): Promise<Answer> {
  const { behaviour, request } = acceptance;
  const refused =
    behaviour.answer === "refuse" || (behaviour.answer === "refuse_every_other" && context.calls.next(request.recipient.digits) % 2 === 1);
  if (refused) throw refusal(behaviour.code ?? 131000);
  const id = behaviour.taken || behaviour.reports === "failed" ? await acceptMessage(context, acceptance) : null;
  const { hangMs, slowMs } = context.options;
  switch (behaviour.answer) {
    case "late":
    case "hang":
      await pause(context, behaviour.answer === "late" ? slowMs : hangMs);
      break;
    case "drop":
      await pause(context, hangMs);
      return "reset";
    case "reset":
      return "reset";
    case "bad_gateway":
      return { status: 502, html: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>" };
    case "no_message_id":
      return { json: { messaging_product: "whatsapp", contacts: [contactOf(request)], messages: [] } };
    case "accept":
    case "refuse":
    case "refuse_every_other":
      break;
  }
  const status = behaviour.reports === "held" ? "held_for_quality_assessment" : "accepted";
  return { json: { messaging_product: "whatsapp", contacts: [contactOf(request)], messages: [{ id, message_status: status }] } };
}

function contactOf({ recipient }: MessageRequest) {
  return { input: recipient.input, wa_id: recipient.waId };
}

/** Ends early when the sandbox stops. */
async function pause({ stopping }: SandboxContext, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
}
