import { z } from "zod";
import { phoneForms } from "../../core/phone-forms.ts";
import { phonePattern } from "../../core/phone-pattern.ts";
import { isE164 } from "../../core/phone.ts";
import { withdrawCallbacks } from "../../db/tables/sandbox/callback.ts";
import { forgetSandboxMessages } from "../../db/tables/sandbox/message.ts";
import type { SandboxContext } from "../context.ts";
import type { Handler } from "../http/answer.ts";
import { readControl } from "../http/control.ts";
import { preferenceSubject } from "../preferences/set-preference.ts";

const input = z.strictObject({
  phoneNumberId: z.string(),
  phone: z.string().refine(isE164, "must be an E.164 phone number such as +491701234567").optional(),
  before: z.iso.datetime().optional(),
});

/** `POST /_sandbox/forget`: removes what a business sent, to a person or naming them, or before a time; and with a person what they prefer. */
export const forgetMessages: Handler = async (context, request) => {
  const { phoneNumberId, phone, before } = await readControl(request, input);
  const numbers = phone === undefined ? [] : phoneForms(phone);
  if (numbers.length > 0) await forgetPreference(context, phoneNumberId, numbers);
  const person = phone === undefined ? null : { numbers, pattern: phonePattern(phone) };
  const filter = { phoneNumberId, person, before: before === undefined ? null : new Date(before) };
  return { json: { deleted: await forgetSandboxMessages(context.sql, filter) } };
};

async function forgetPreference({ sql, accounts }: SandboxContext, phoneNumberId: string, numbers: readonly string[]): Promise<void> {
  const account = accounts.all().find((one) => one.phoneNumberId === phoneNumberId);
  const stopped = account?.stopped.filter((waId) => !numbers.includes(waId)) ?? [];
  if (account !== undefined && stopped.length < account.stopped.length) await accounts.change({ ...account, stopped });
  for (const waId of numbers) await withdrawCallbacks(sql, preferenceSubject(phoneNumberId, waId));
}
