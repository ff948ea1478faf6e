import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One POST that the sandbox made. */
export interface ReceivedCallback {
  /** The bytes as they came, as Latin-1. */
  raw: string;
  signature: string | undefined;
  body: CallbackBody;
}

export interface CallbackBody {
  object: string;
  entry: { id: string; time?: number; changes: { field: string; value: CallbackValue }[] }[];
}

export type CallbackValue = Record<string, unknown> & {
  metadata?: { display_phone_number: string; phone_number_id: string };
  contacts?: { wa_id: string; user_id: string }[];
  statuses?: StatusItem[];
};

export type StatusItem = Record<string, unknown> & { id: string; status: string; timestamp: string; recipient_id: string };

/** A business's callback that writes down what it is told. */
export interface CallbackReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedCallback[];
  /** How often it was called, whatever it answered. */
  readonly attempts: number;
  /** What it answers from now on. */
  status: number;
  /** Every status told, in the order of telling. */
  statuses(messageId?: string): StatusItem[];
  /** Every other update of a field. */
  updates(field: string): CallbackValue[];
}

/** The verify token that the handshake must bring. */
export const verifyToken = "callback-token";

export async function openCallbackReceiver(port = 0): Promise<CallbackReceiver> {
  const received: ReceivedCallback[] = [];
  const state = { status: 200, attempts: 0 };
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const url = new URL(request.url ?? "/", "http://receiver");
      if (request.method === "GET") {
        const known = url.searchParams.get("hub.mode") === "subscribe" && url.searchParams.get("hub.verify_token") === verifyToken;
        response.writeHead(known ? 200 : 403).end(known ? url.searchParams.get("hub.challenge") : "");
        return;
      }
      state.attempts += 1;
      const raw = bytes.toString("latin1");
      const signature = request.headers["x-hub-signature-256"];
      if (state.status === 200)
        received.push({ raw, signature: signature?.toString(), body: JSON.parse(bytes.toString()) as CallbackBody });
      response.writeHead(state.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  const changes = () => received.flatMap(({ body }) => body.entry.flatMap((entry) => entry.changes));
  return {
    url: `http://127.0.0.1:${address.port}/callback`,
    port: address.port,
    received,
    get attempts() {
      return state.attempts;
    },
    get status() {
      return state.status;
    },
    set status(status) {
      state.status = status;
    },
    statuses: (messageId) => {
      const all = changes().flatMap(({ value }) => value.statuses ?? []);
      return messageId === undefined ? all : all.filter(({ id }) => id === messageId);
    },
    updates: (field) => changes().flatMap((change) => (change.field === field ? [change.value] : [])),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
