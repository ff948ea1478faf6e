import { randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { messageTypes, type WebhookType } from "shared/core/webhook";
import { newId } from "shared/db/ids";
import type { Pool } from "shared/db/statement";
import { secretPlace } from "shared/secrets/vault";
import { vault } from "./gateway.ts";
import { listen } from "./listen.ts";

/** A request in the form in which an endpoint got it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came. */
  body: string;
  json: Record<string, unknown>;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  /** The requests in the order of arrival. */
  received: Received[];
  /** Replaces the answers to requests, which are 204 until then; an answer that is not ended hangs. */
  script(next: (received: Received, response: ServerResponse) => void): void;
}

/** A customer's endpoint. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let script = (_: Received, response: ServerResponse): void => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? "", headers: request.headers, body, json: JSON.parse(body) as Record<string, unknown> };
      received.push(one);
      script(one, response);
    });
  });
  const listening = await listen(server);
  return {
    ...listening,
    url: `${listening.url}/hook`,
    received,
    script: (next) => void (script = next),
  };
}

/** An endpoint of a site, written straight into the tables. */
export async function addWebhook(
  sql: Pool,
  { accountId, siteId }: { accountId: string; siteId: string },
  { url, types = messageTypes, enabled = true }: { url: string; types?: readonly WebhookType[]; enabled?: boolean },
): Promise<string> {
  const id = newId();
  await sql`
    insert into webhook (id, account_id, site_id, url, types, enabled) values (${id}, ${accountId}, ${siteId}, ${url}, ${[...types]}, ${enabled})`;
  return id;
}

/** Adds a secret of a site's endpoints; a replaced one still counts. */
export async function addOutboundSecret(sql: Pool, { accountId, siteId }: { accountId: string; siteId: string }): Promise<string> {
  const id = newId();
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  await sql`
    update site_secret set expires_at = now() + interval '1 hour' where site_id = ${siteId} and kind = 'outbound_secret' and expires_at is null`;
  await sql`
    insert into site_secret (id, site_id, kind, secret, hint)
    values (${id}, ${siteId}, 'outbound_secret', ${vault.seal(secret, secretPlace(accountId, id))}, 'whsec_…')`;
  return secret;
}
