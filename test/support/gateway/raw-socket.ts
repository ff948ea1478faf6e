import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection on which a test says exactly what it wants. */
export interface RawSocket {
  socket: Socket;
  send(text: string | Buffer): void;
  /** The next whole answer (told by its Content-Length); rejects when the connection ends before. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the other side has closed. */
  closed(): Promise<void>;
}

export const rawSocket = async (port: number): Promise<RawSocket> => {
  const socket = connect(port, "127.0.0.1");
  let received = Buffer.alloc(0);
  let ended = false;
  let wake = (): void => undefined;
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    wake();
  });
  socket.on("close", () => {
    ended = true;
    wake();
  });
  await once(socket, "connect");
  return {
    socket,
    send: (text) => void socket.write(text),
    answer: async () => {
      for (;;) {
        const parsed = parse(received);
        if (parsed !== null) {
          received = received.subarray(parsed.length);
          return parsed.answer;
        }
        if (ended) throw new Error(`the connection ended after ${JSON.stringify(received.toString("latin1"))}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    closed: async () => {
      while (!ended) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
};

const parse = (bytes: Buffer): { answer: RawAnswer; length: number } | null => {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const status = Number(first.split(" ")[1]);
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return null;
  return { answer: { status, headers, body: bytes.subarray(end + 4, length).toString("utf8") }, length };
};
