import { request } from "undici";
import { z } from "zod";

/** The sandbox's own calls: its accounts, and the phone that messages arrive at. All throw `SandboxRefusal`. */
export interface SandboxClient {
  /** Finds the account by the verify token, or makes one. */
  openAccount(wanted: { name: string; callbackUrl: string; verifyToken: string }): Promise<SandboxCredentials>;
  /** A number's messages, newest first; with `to` only those to one phone. */
  messages(filter: { phoneNumberId: string; to?: string | undefined; limit?: number | undefined }): Promise<SandboxMessage[]>;
  /** Plays the recipient opening the message. */
  markRead(id: string): Promise<void>;
  /** Deletes a number's messages: those that are sent to a phone or mention it, or those before a time. Answers how many. */
  forget(filter: { phoneNumberId: string; to?: string | undefined; before?: Date | undefined }): Promise<number>;
}

/** The sandbox is unreachable or refuses; the message says what to do. */
export class SandboxRefusal extends Error {
  override readonly name = "SandboxRefusal";
}

const credentialsSchema = z.object({
  wabaId: z.string(),
  phoneNumberId: z.string(),
  accessToken: z.string(),
  appId: z.string(),
  appSecret: z.string(),
});
export type SandboxCredentials = z.output<typeof credentialsSchema>;

const deletedSchema = z.object({ deleted: z.number() });
const refusalSchema = z.object({ error: z.string() });
const timeoutMs = 5_000;

export function createSandboxClient(baseUrl: string): SandboxClient {
  const call = async (method: "GET" | "POST", path: string, body?: object): Promise<unknown> => {
    const { status, json } = await exchange(method, baseUrl + path, body);
    if (status < 300) return json;
    throw new SandboxRefusal(refusalSchema.safeParse(json).data?.error ?? `The sandbox at ${baseUrl} answered ${status}`);
  };
  return {
    openAccount: async (wanted) => credentialsSchema.parse(await call("POST", "/_sandbox/accounts", { ...wanted, reuse: true })),
    async messages({ phoneNumberId, to, limit }) {
      const query = new URLSearchParams({
        phoneNumberId,
        ...(to !== undefined && { to }),
        ...(limit !== undefined && { limit: String(limit) }),
      });
      return z.array(sandboxMessageSchema).parse(await call("GET", `/_sandbox/messages?${query.toString()}`));
    },
    async markRead(id) {
      await call("POST", `/_sandbox/messages/${encodeURIComponent(id)}/read`);
    },
    async forget({ phoneNumberId, to, before }) {
      return deletedSchema.parse(await call("POST", "/_sandbox/forget", { phoneNumberId, phone: to, before })).deleted;
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
    throw new SandboxRefusal(`The sandbox at ${new URL(url).origin} does not answer: start it (npm run sandbox) and try again`, { cause });
  }
}

const text = z.object({ format: z.literal("TEXT"), text: z.string() });
const media = z.object({ format: z.enum(["IMAGE", "VIDEO", "DOCUMENT"]), link: z.string().nullable() });
const other = z.object({ format: z.string() });

/** A message on the sandbox's phone. `text` is the whole message as plain text. */
const sandboxMessageSchema = z.object({
  id: z.string(),
  to: z.string(),
  template: z.string(),
  language: z.string(),
  components: z.unknown(),
  text: z.string(),
  at: z.string(),
  status: z.string(),
  readAt: z.string().optional(),
  header: z.union([text, media, other]).nullable(),
  body: z.string(),
  footer: z.string().nullable(),
  buttons: z.array(z.looseObject({ text: z.string() })),
});
export type SandboxMessage = z.output<typeof sandboxMessageSchema>;
