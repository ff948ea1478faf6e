import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** How a client leaves after its last byte: it waits for the other side, ends its own half, or is gone. */
export type Leave = "wait" | "end" | "reset";

/** Sends the pieces on a connection of their own, each as a packet of its own as far as TCP allows, and answers everything that came back until the connection's end. */
export async function talk(port: number, pieces: readonly Buffer[], leave: Leave = "wait"): Promise<Buffer> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const received: Buffer[] = [];
  socket.on("error", () => undefined).on("data", (bytes) => void received.push(bytes));
  const closed = once(socket, "close");
  await Promise.race([once(socket, "connect"), closed]);
  for (const piece of pieces) await write(socket, piece);
  if (leave === "end") socket.end();
  if (leave === "reset") socket.resetAndDestroy();
  await closed;
  return Buffer.concat(received);
}

/** Resolves when the kernel has it, or the connection is no more. */
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (!socket.writable) return;
  await new Promise<void>((resolve) => {
    socket.once("close", resolve);
    socket.write(bytes, () => {
      socket.off("close", resolve);
      resolve();
    });
  });
}
