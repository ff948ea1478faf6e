import { request } from "undici";
import { z } from "zod";

/** The stand-in's calls beside the platform's own: making accounts, and the phone that messages arrive at. */
export interface SandboxClient {
  /** @throws SandboxUnreachable */
  openAccount(wanted: { name: string; callbackUrl: string; verifyToken: string }): Promise<SandboxCredentials>;
  /** The messages that came from a number, newest first; with `to` those to one phone. @throws SandboxUnreachable */
  messages(filter: { phoneNumberId: string; to: string | undefined }): Promise<SandboxMessage[]>;
  /** The phone's user opens the chat. @throws SandboxUnreachable */
  markRead(id: string): Promise<void>;
}

export class SandboxUnreachable extends Error {
  override readonly name = "SandboxUnreachable";
}

const credentials = z.object({
  wabaId: z.string(),
  phoneNumberId: z.string(),
  accessToken: z.string(),
  appId: z.string(),
  appSecret: z.string(),
});
export type SandboxCredentials = z.output<typeof credentials>;

const message = z.looseObject({
  id: z.string(),
  to: z.string(),
  template: z.string(),
  language: z.string(),
  text: z.string(),
  at: z.string(),
});
export type SandboxMessage = z.output<typeof message>;

const timeoutMs = 5_000;

export function createSandboxClient(baseUrl: string): SandboxClient {
  const call = async (method: "GET" | "POST", path: string, body?: object): Promise<unknown> => {
    const answer = await exchange(method, baseUrl + path, body);
    if (answer.status < 300) return answer.json;
    throw new SandboxUnreachable(`The sandbox at ${baseUrl} answered ${answer.status}`);
  };
  return {
    openAccount: async (wanted) => credentials.parse(await call("POST", "/_sandbox/accounts", wanted)),
    async messages({ phoneNumberId, to }) {
      const query = new URLSearchParams({ phoneNumberId, ...(to !== undefined && { to }) });
      return z.array(message).parse(await call("GET", `/_sandbox/messages?${query.toString()}`));
    },
    async markRead(id) {
      await call("POST", `/_sandbox/messages/${encodeURIComponent(id)}/read`);
    },
  };
}

async function exchange(method: "GET" | "POST", url: string, body: object | undefined): Promise<{ status: number; json: unknown }> {
  try {
    const answer = await request(url, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, json: await answer.body.json() };
  } catch (cause) {
    throw new SandboxUnreachable(`The sandbox at ${new URL(url).origin} does not answer: start it (npm run sandbox) and try again`, { cause });
  }
}
