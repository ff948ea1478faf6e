import { parseJson } from "shared/core/json";
import type { JsonObject } from "shared/core/json";
import { planEvent } from "shared/core/plan";
import { findBinding } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import { readPayloads } from "shared/db/event-kind";
import { newId } from "shared/db/ids";
import type { Resend, ResendCandidate } from "shared/db/notification/resend";
import { readStoredError } from "shared/platform/errors/classify";
import { isContentFailure } from "shared/platform/errors/classify";

/**
 * The message to send again: the same once more, or, where what it said was at fault, made anew from its event by its binding as that is now. A text when
 * it cannot be: why, and what to do.
 */
export async function makeResend(sql: Sql, message: ResendCandidate, accountId: string, now: Date): Promise<Resend | string> {
  const { id: of, template_id, template, language, components, template_status } = message;
  const failure = { code: message.error_code ?? "", subcode: readStoredError(message.error_detail).subcode };
  if (isContentFailure(failure)) return await makeAnew(sql, message, accountId, now);
  if (template_status === null) return `The template ${template} (${language}) is gone`;
  if (template_status !== "approved")
    return `The template ${template} (${language}) is ${template_status}; only an approved one can be sent`;
  return { of, id: newId(), template_id, template, language, components };
}

async function makeAnew(sql: Sql, message: ResendCandidate, accountId: string, now: Date): Promise<Resend | string> {
  const binding = await findBinding(sql, accountId, message.binding_id);
  const [event] = await readPayloads(sql, [{ site_id: message.site_id, id: message.event_id }]);
  if (binding === undefined) return "Its binding is gone, so it cannot be made anew; post the event again";
  if (event === undefined) return "Its event's payload is no longer kept, so it cannot be made anew; post the event again";
  const { template_id, template: name, language, status, definition, template_shape: boundShape } = binding;
  const { messages } = planEvent({
    bindings: [
      {
        id: binding.id,
        recipient: { strategy: "static_phone", phone: message.to_phone },
        variableMap: binding.variable_map,
        template: { id: template_id, name, language, status, definition, boundShape },
      },
    ],
    payload: parseJson(event.payload) as JsonObject,
    test: false,
    site: { testPhone: null, activePhones: [] },
    account: { timezone: message.timezone, configured: true },
    now,
  });
  const [planned] = messages;
  if (planned === undefined) throw new Error("a message to a phone that is one cannot be planned");
  if (planned.failure !== null) return `It would fail again: ${planned.failure.reason}`;
  return { of: message.id, id: newId(), template_id, template: name, language, components: JSON.stringify(planned.components) };
}
