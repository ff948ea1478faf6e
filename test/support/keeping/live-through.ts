import { randomBytes } from "node:crypto";
import { newId } from "shared/db/ids";
import type { KeepingWorld } from "./open-world.ts";

/** Has a person leave something of theirs wherever anything of a person can be left. `label` is a word that stands in all of their texts. */
export async function liveThrough(world: KeepingWorld, phone: string, label: string): Promise<string[]> {
  const { owner, sql, siteId, accountId, sandboxUrl, phoneNumberId } = world;
  await owner.recipients.add.mutate({ siteId, phone, label: `${label} ${fullWidth(phone)}` });
  const digits = phone.slice(1);
  const spaced = `+${digits.slice(0, 2)} ${digits.slice(2, 5)}-${digits.slice(5)}`;
  const order = { id: `${label}-${phone}`, number: label, status: label, total: "49.90", currency: "USD" };
  const customer = { first_name: label, phone_e164: phone };
  const event = { event: "order.created", customer, order, data: { contact: spaced, ref: label } };
  const posted = [
    await world.post(event, { "X-Service-Idempotency-Key": `${label}-${phone}` }),
    await world.post(event, { "X-Service-Idempotency-Key": `${label}-${phone}`, "X-Service-Mode": "test" }),
    await world.post({ ...event, customer: {}, order: { id: label }, data: { note: `call ${spaced}`, whatsapp: Number(digits) } }),
    await world.post({ customer: {}, order: { id: `${label} ${fullWidth(phone)}` }, data: { note: arabicIndic(spaced), ref: label } }),
  ];
  for (const { status, body } of posted) if (status !== 200) throw new Error(body);
  await world.settled();
  const { items } = await owner.sandbox.messages.query({ to: phone });
  await owner.sandbox.markRead.mutate({ id: items[0]?.id ?? "" });
  await owner.events.fields.query({ siteId, event: "order.created" });
  const job = {
    id: newId(),
    account_id: accountId,
    created_by: label,
    filter: sql.json({ phone }),
    force: false,
    total: 1,
    below: newId(),
  };
  await sql`insert into resend_job ${sql({ ...job, finished_at: new Date() })}`;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ phoneNumberId, from: phone, value: "stop" });
  await fetch(`${sandboxUrl}/_sandbox/preferences`, { method: "POST", headers, body });
  await world.settled();
  return posted.map(({ json }) => String(json["event_id"]));
}

/** As an input method of East Asia writes it. */
export const fullWidth = (phone: string): string => phone.replaceAll(/[+\d]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

const arabicIndic = (phone: string): string => phone.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));

/** A phone that nobody else has. */
export const anyPhone = (): string => `+4917${randomBytes(5).readUIntBE(0, 5).toString().padStart(13, "0").slice(-8)}`;
