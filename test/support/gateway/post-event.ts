import { signBody } from "shared/secrets/signature";

/** Who posts: a site's key and secret. */
export interface Sender {
  key: string;
  secret: string;
}

export interface PostOptions {
  source?: string | undefined;
  event?: string | undefined;
  /** Added to the usual ones; null leaves one out. */
  headers?: Record<string, string | null> | undefined;
}

export interface Posted {
  status: number;
  body: string;
  json: Record<string, unknown>;
  headers: Headers;
}

export const anEvent = { customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: "10042" } };

/** Posts a signed event, as a customer's backend would. A string or bytes are sent as they are. */
export async function postEvent(
  gateway: { url: string },
  sender: Sender,
  payload: unknown = anEvent,
  options: PostOptions = {},
): Promise<Posted> {
  const { source = "generic", event = "order.created" } = options;
  const body = new Uint8Array(
    payload instanceof Uint8Array ? payload : Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
  );
  const headers = new Headers({
    "Content-Type": "application/json",
    "X-Service-Site-Key": sender.key,
    "X-Service-Signature": signBody(sender.secret, body),
    "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
  });
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const response = await fetch(`${gateway.url}/api/public/ingest/${source}/${event}`, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, body: text, json: JSON.parse(text) as Record<string, unknown>, headers: response.headers };
}
