import { randomUUID } from "node:crypto";
import { examplePayload } from "shared/core/example";
import type { sendExampleInput } from "shared/core/input/sites";
import { say } from "shared/core/wording";
import { findSite } from "shared/db/site";
import { findCurrentSecret } from "shared/db/site-secret";
import { signStandard, standardSecret } from "shared/secrets/signature";
import { readRecord, secretPlace } from "shared/secrets/vault";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import { inboundUrl } from "../platform-account.ts";
import { conflict, absent } from "../trpc/errors.ts";

const answerMs = 10_000;

/** The example order, with the customer's phone or that of the example, which nobody has; signed as the site's own backend would; the call that is answered posts it to the gateway's public address. It is a live event. */
export async function signExample(context: AdminContext, accountId: string, { id, event, phone }: z.output<typeof sendExampleInput>) {
  const { sql, vault, config, clock } = context;
  const site = (await findSite(sql, accountId, id)) ?? absent("site");
  if (site.source_type !== "generic") throw conflict("A shop posts its events by itself: place an order there");
  const sealed = await findCurrentSecret(sql, id, "webhook_secret");
  const secret =
    sealed === undefined ? null : readRecord(vault, sealed.secret, secretPlace(accountId, sealed.id, "webhook_secret", site.mode));
  if (secret === null) throw conflict("The site's webhook secret cannot be read: rotate it");
  const customer = { ...examplePayload.customer, ...(phone !== undefined && { phone_e164: phone }) };
  const body = Buffer.from(JSON.stringify({ ...examplePayload, type: event, event, customer }));
  const signed = { id: randomUUID(), timestamp: String(Math.floor(clock().getTime() / 1000)) };
  const headers = {
    "content-type": "application/json",
    "webhook-id": signed.id,
    "webhook-timestamp": signed.timestamp,
    "webhook-signature": signStandard(standardSecret(secret), signed, body),
  };
  return async (): Promise<{ eventId: string }> => {
    const { status, answer } = await post(config.publicGatewayUrl, inboundUrl(config.publicGatewayUrl, site.inbound_token), headers, body);
    if (answer.event_id === undefined)
      throw conflict("The gateway refused the event ({status}): {reason}", { status, reason: answer.error ?? say("it gave no reason") });
    return { eventId: answer.event_id };
  };
}

async function post(gateway: string, url: string, headers: Record<string, string>, body: Buffer<ArrayBuffer>) {
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(answerMs) });
    return { status: response.status, answer: (await response.json()) as { event_id?: string; error?: string } };
  } catch {
    throw conflict("The gateway does not answer at {gateway}: check that it runs, and PUBLIC_GATEWAY_URL", { gateway });
  }
}
