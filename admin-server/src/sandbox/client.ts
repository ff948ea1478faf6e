import { SaidError, say } from "shared/core/wording";
import { request } from "undici";
import { z } from "zod";

/** The sandbox's own calls: its accounts, and the phone that messages arrive at. All throw `SandboxRefusal`. */
export interface SandboxClient {
  /** The owner's business account: theirs from an earlier time, or a new one. */
  openAccount(wanted: { owner: string; name: string; callbackUrl: string; verifyToken: string }): Promise<SandboxCredentials>;
  /** The owner's messages, newest first; with `to` only those to one phone. */
  messages(filter: { owner: string; to?: string | undefined; limit?: number | undefined }): Promise<SandboxMessage[]>;
  /** Plays the recipient opening the message. */
  markRead(id: string): Promise<void>;
  /** Plays a person who writes to the owner's number. */
  answer(message: { owner: string; from: string; text: string }): Promise<void>;
  /** Plays people and the platform: one of the sandbox's own calls, below `/_sandbox`. */
  control(method: "POST" | "PATCH", path: string, body: object): Promise<void>;
  /** Deletes messages of the owner: those that are sent to a phone or mention it, or those before a time. Answers how many. */
  forget(filter: { owner: string; to?: string | undefined; before?: Date | undefined }): Promise<number>;
  /** Opens the messages of the try-out to people at this machine, while there is no other account. */
  markDemo(wabaId: string): Promise<void>;
}

/** The sandbox is unreachable or refuses; the message says what to do. */
export class SandboxRefusal extends SaidError {
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

/** A client for the sandbox at `baseUrl`, whose own calls take `controlToken`. */
export function createSandboxClient(baseUrl: string, controlToken: string | null): SandboxClient {
  const call = async (method: Method, path: string, body?: object): Promise<unknown> => {
    const { status, json } = await exchange(method, baseUrl + path, controlToken, body);
    if (status < 300) return json;
    if (status === 401) throw new SandboxRefusal(wrongToken);
    const words = refusalSchema.safeParse(json).data?.error;
    throw new SandboxRefusal(
      words === undefined ? say("The sandbox at {baseUrl} answered {status}", { baseUrl, status }) : say("{words}", { words }),
    );
  };
  return {
    openAccount: async (wanted) => credentialsSchema.parse(await call("POST", "/_sandbox/accounts", wanted)),
    async messages({ owner, to, limit }) {
      const query = new URLSearchParams({ owner, ...(to !== undefined && { to }), ...(limit !== undefined && { limit: String(limit) }) });
      return z.array(sandboxMessageSchema).parse(await call("GET", `/_sandbox/messages?${query.toString()}`));
    },
    async markRead(id) {
      await call("POST", `/_sandbox/messages/${encodeURIComponent(id)}/read`);
    },
    async answer(message) {
      await call("POST", "/_sandbox/answers", message);
    },
    async control(method, path, body) {
      await call(method, `/_sandbox${path}`, body);
    },
    async forget({ owner, to, before }) {
      return deletedSchema.parse(await call("POST", "/_sandbox/forget", { owner, phone: to, before })).deleted;
    },
    async markDemo(wabaId) {
      await call("PATCH", `/_sandbox/accounts/${wabaId}`, { demo: true });
    },
  };
}

type Method = "GET" | "POST" | "PATCH";

const wrongToken = say("The sandbox refuses this server: start both with the same SANDBOX_CONTROL_TOKEN");

async function exchange(
  method: Method,
  url: string,
  controlToken: string | null,
  body: object | undefined,
): Promise<{ status: number; json: unknown }> {
  try {
    const answer = await request(url, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...(controlToken !== null && { authorization: `Bearer ${controlToken}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.statusCode, json: await answer.body.json() };
  } catch (cause) {
    const { origin } = new URL(url);
    throw new SandboxRefusal(say("The sandbox at {origin} does not answer: start it (npm run sandbox) and try again", { origin }), {
      cause,
    });
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
