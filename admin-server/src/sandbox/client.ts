import { SaidError, say } from "shared/core/wording";
import { request } from "undici";
import { z } from "zod";

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

const deletedSchema = z.object({ deleted: z.number(), next: z.string().nullable() });
const refusalSchema = z.object({ error: z.string() });
const timeoutMs = 5_000;

/** The calls of the sandbox at `baseUrl` itself, which take `controlToken`: its accounts, and the phone that messages arrive at. All throw `SandboxRefusal`. */
export function createSandboxClient(baseUrl: string, controlToken: string | null) {
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
    /** The owner's business account: theirs from an earlier time, or a new one. */
    openAccount: async (wanted: { owner: string; name: string; callbackUrl: string; verifyToken: string }) =>
      credentialsSchema.parse(await call("POST", "/_sandbox/accounts", wanted)),
    /** The owner's messages, newest first: those to one phone, those accepted before the one with a seq, or the one with an id. */
    async messages(wanted: { owner: string; to?: string | undefined; before?: string | undefined; id?: string; limit: number }) {
      const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
      return z.array(sandboxMessageSchema).parse(await call("GET", `/_sandbox/messages?${query.toString()}`));
    },
    /** Plays the recipient opening the message. */
    markRead: async (id: string): Promise<void> => void (await call("POST", `/_sandbox/messages/${encodeURIComponent(id)}/read`)),
    /** Plays a person who writes to the owner's number. */
    answer: async (message: { owner: string; from: string; text: string }): Promise<void> =>
      void (await call("POST", "/_sandbox/answers", message)),
    /** Plays people and the platform: one of the sandbox's own calls, below `/_sandbox`. */
    control: async (method: "POST" | "PATCH", path: string, body: object): Promise<void> =>
      void (await call(method, `/_sandbox${path}`, body)),
    /** Deletes messages of the owner among the next ones behind the seq `after`: those that are sent to a phone or mention it, or those before a time. `next`: where to go on. */
    forget: async ({ to: phone, ...what }: { owner: string; to?: string | undefined; before?: Date | undefined; after: string }) =>
      deletedSchema.parse(await call("POST", "/_sandbox/forget", { ...what, phone })),
    /** Opens the messages of the try-out to people at this machine, while there is no other account. */
    markDemo: async (wabaId: string): Promise<void> => void (await call("PATCH", `/_sandbox/accounts/${wabaId}`, { demo: true })),
  };
}
export type SandboxClient = ReturnType<typeof createSandboxClient>;

type Method = "GET" | "POST" | "PATCH";

const wrongToken = say("The sandbox refuses this server: start both with the same SANDBOX_CONTROL_TOKEN");

async function exchange(method: Method, url: string, controlToken: string | null, body: object | undefined) {
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
  /** Its place among all messages. */
  seq: z.string(),
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
