import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A send as the platform got it. */
export interface ReceivedSend {
  path: string;
  authorization: string | undefined;
  body: SendBody;
}

export interface SendBody {
  to: string;
  biz_opaque_callback_data: string;
  template: { name: string; language: { code: string }; components?: unknown[] };
}

/** Answers one send; what it returns is the message's id, unless it has answered by itself (`undefined`). */
export type Script = (send: ReceivedSend, response: ServerResponse) => string | undefined | Promise<string | undefined>;

export interface ScriptedPlatform extends AsyncDisposable {
  url: string;
  /** In the order of arrival. */
  sends: ReceivedSend[];
  /** Replaces the way in which sends are answered; accepts everything until then. */
  script(next: Script): void;
}

/** A platform that does what the test says and remembers what it got. */
export async function startScriptedPlatform(): Promise<ScriptedPlatform> {
  const sends: ReceivedSend[] = [];
  let script: Script = () => newMessageId();
  const server = createServer((request, response) => {
    void receive(request).then(async (send) => {
      sends.push(send);
      const id = await script(send, response);
      if (id !== undefined) answer(response, 200, { messaging_product: "whatsapp", messages: [{ id }] });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sends,
    script: (next) => void (script = next),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let counter = 0;
export const newMessageId = (): string => `wamid.test.${process.pid}.${(counter += 1)}`;

export function answer(response: ServerResponse, status: number, body: object): undefined {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** An error in the platform's shape. */
export function refuse(response: ServerResponse, status: number, code: number, details = ""): undefined {
  return answer(response, status, {
    error: { message: `(#${code}) Refused`, type: "OAuthException", code, error_data: { details }, fbtrace_id: "T" },
  });
}

async function receive(request: IncomingMessage): Promise<ReceivedSend> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as SendBody;
  return { path: request.url ?? "", authorization: request.headers.authorization, body };
}
