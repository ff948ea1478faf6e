import { signBody } from "shared/secrets/signature";
import type { Sender } from "../../gateway/post-event.ts";
import { type RawAnswer, type RawSocket, rawSocket } from "../../gateway/raw-socket.ts";

/** One event, and what its client was told. */
export interface Asked<Site extends Sender> {
  site: Site;
  key: string;
  phone: string;
  /** Null: the connection broke. */
  status: number | null;
  retryAfter: string | null;
  body: string;
  /** Milliseconds from the request to the end of its answer. */
  ms: number;
}

/** Asks once, whatever comes of it. Events are numbered, each with a key, an order and a customer of its own. */
export interface Asker extends Disposable {
  ask<Site extends Sender>(site: Site): Promise<Asked<Site>>;
  /** Opens so many connections before they are needed. */
  connect(wanted: number): Promise<void>;
}

/** Over connections that are kept and used again, as many as it takes; at the least cost, as the machine is the gateway's too. */
export function createAsker(url: string, name: string): Asker {
  const port = Number(new URL(url).port);
  const all: RawSocket[] = [];
  const free: RawSocket[] = [];
  let count = 0;

  const open = async (): Promise<RawSocket> => {
    const socket = await rawSocket(port);
    all.push(socket);
    return socket;
  };
  const exchange = async (bytes: Buffer): Promise<RawAnswer> => {
    const socket = free.pop() ?? (await open());
    socket.send(bytes);
    const answer = await socket.answer();
    free.push(socket);
    return answer;
  };
  /** Has been used once: one on which nothing ever comes is soon closed. */
  const openUsed = async (): Promise<void> => {
    const socket = await open();
    socket.send("GET /api/public/health HTTP/1.1\r\nHost: gateway\r\n\r\n");
    await socket.answer();
    free.push(socket);
  };
  return {
    ask: async (site) => {
      count += 1;
      const [key, phone, since] = [`${name}-${count}`, `+1777${String(1_000_000 + count)}`, performance.now()];
      const answer = await exchange(requestBytes(site, key, phone)).catch(() => null);
      const { status = null, headers = {}, body = "" } = answer ?? {};
      return { site, key, phone, status, retryAfter: headers["retry-after"] ?? null, body, ms: performance.now() - since };
    },
    connect: async (wanted) => void (await Promise.all(Array.from({ length: wanted }, openUsed))),
    [Symbol.dispose]: () => all.forEach(({ socket }) => socket.destroy()),
  };
}

function requestBytes(site: Sender, key: string, phone: string): Buffer {
  const body = Buffer.from(JSON.stringify({ customer: { first_name: "Ada", phone_e164: phone }, order: { id: key } }));
  const head = [
    "POST /api/public/ingest/generic/order.created HTTP/1.1",
    "Host: gateway",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `X-Service-Site-Key: ${site.key}`,
    `X-Service-Signature: ${signBody(site.secret, body)}`,
    `X-Service-Timestamp: ${Math.floor(Date.now() / 1000)}`,
    `X-Service-Idempotency-Key: ${key}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}
