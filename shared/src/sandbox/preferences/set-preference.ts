import { z } from "zod";
import { isE164 } from "../../core/phone.ts";
import { queueUpdate } from "../callbacks/queue-update.ts";
import type { SandboxContext } from "../context.ts";
import type { Handler } from "../http/answer.ts";
import { ControlError, readControl } from "../http/control.ts";
import { waIdOf } from "../send/recipient.ts";

const input = z.strictObject({
  phoneNumberId: z.string(),
  from: z.string().refine(isE164, "must be an E.164 phone number such as +491701234567"),
  value: z.enum(["stop", "resume"]),
});

/** `POST /_sandbox/preferences`: a person stops the marketing of a business in the app's settings, or wants it again; the callback is told. */
export const setPreference: Handler = async (context, request) => {
  const { phoneNumberId, from, value } = await readControl(request, input);
  const account = context.accounts.all().find((one) => one.phoneNumberId === phoneNumberId);
  if (account === undefined) throw new ControlError(404, `No number ${phoneNumberId}: GET /_sandbox/accounts/{wabaId} shows an account's`);
  const waId = waIdOf(from.slice(1));
  const others = account.stopped.filter((one) => one !== waId);
  await context.accounts.change({ ...account, stopped: value === "stop" ? [...others, waId] : others });
  await queueUpdate(context, {
    wabaId: account.wabaId,
    subject: preferenceSubject(phoneNumberId, waId),
    field: "user_preferences",
    kind: value,
    value: {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: account.phoneNumber, phone_number_id: account.phoneNumberId },
      contacts: [{ profile: { name: "Sandbox" }, wa_id: waId }],
      user_preferences: [preferenceOf(waId, value, context)],
    },
  });
  return { json: { waId, value } };
};

/** What the updates of a person's preference at one business are found by. */
export const preferenceSubject = (phoneNumberId: string, waId: string): string => `${phoneNumberId} ${waId}`;

const preferenceOf = (waId: string, value: "stop" | "resume", { options }: SandboxContext) => ({
  wa_id: waId,
  detail: `User requested to ${value} marketing messages`,
  category: "marketing_messages",
  value,
  timestamp: Math.floor(options.now() / 1000),
});
