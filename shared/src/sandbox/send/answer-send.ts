import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxContext } from "../context.ts";
import { refusal } from "../errors/graph-error.ts";
import type { Answer } from "../http/answer.ts";
import { type Acceptance, acceptMessage } from "./accept-message.ts";
import type { MessageRequest } from "./message-request.ts";

/** Takes a message that is right in every way, and answers the call as its recipient's number demands. */
export async function answerSend(context: SandboxContext, acceptance: Acceptance): Promise<Answer> {
  const { behaviour, request } = acceptance;
  if (refuses(context, acceptance)) throw refusal(behaviour.code ?? 131000);
  const id = behaviour.taken ? await acceptMessage(context, acceptance) : null;
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

function refuses({ refusedOnce }: SandboxContext, { behaviour, request }: Acceptance): boolean {
  if (behaviour.answer !== "refuse_every_other") return behaviour.answer === "refuse";
  const { digits } = request.recipient;
  if (refusedOnce.delete(digits)) return false;
  refusedOnce.add(digits);
  return true;
}

function contactOf({ recipient }: MessageRequest) {
  return { input: recipient.input, wa_id: recipient.waId };
}

/** Ends early when the sandbox stops. */
async function pause({ stopping }: SandboxContext, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
}
