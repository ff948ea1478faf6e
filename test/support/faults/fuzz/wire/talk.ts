import { connect, type Socket } from "node:net";

/** How a client leaves after its last byte: it waits for the other side, ends its own half, or is gone. */
export type Leave = "wait" | "end" | "reset";

export interface Heard {
  /** Everything that came back until the connection's end. */
  bytes: Buffer;
  /** The other side broke it off: what it said last may be lost. */
  wasReset: boolean;
}

/** Sends the pieces on a connection of their own, each as a packet of its own as far as TCP allows. */
export async function talk(port: number, pieces: readonly Buffer[], leave: Leave = "wait"): Promise<Heard> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const received: Buffer[] = [];
  let wasReset = false;
  socket.on("error", () => (wasReset = true)).on("data", (bytes) => void received.push(bytes));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await Promise.race([new Promise<void>((resolve) => socket.once("connect", resolve)), closed]);
  for (const piece of pieces) await write(socket, piece);
  if (leave === "end") socket.end();
  if (leave === "reset") socket.resetAndDestroy();
  await closed;
  return { bytes: Buffer.concat(received), wasReset };
}

/** Resolves when the kernel has it, or the connection is no more. */
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (!socket.writable) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off("close", done);
      resolve();
    };
    socket.once("close", done);
    socket.write(bytes, done);
  });
}
