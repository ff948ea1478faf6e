import { once } from "node:events";
import { type MessageEvent, WebSocket } from "undici";

/** The parts of V8's CPU profile that are read here. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  /** Ids of nodes, one for each look. */
  samples: number[];
  /** Microseconds since the look before. */
  timeDeltas: number[];
}

/** Profiles the process whose debugger listens at `url` while `during` runs. */
export async function profile(url: string, during: () => Promise<unknown>): Promise<CpuProfile> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  try {
    await command(socket, 1, "Profiler.enable");
    await command(socket, 2, "Profiler.start");
    await during();
    return ((await command(socket, 3, "Profiler.stop")) as { profile: CpuProfile }).profile;
  } finally {
    socket.close();
  }
}

const command = async (socket: WebSocket, id: number, method: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const listen = ({ data }: MessageEvent): void => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: { message: string } };
      if (answer.id !== id) return;
      socket.removeEventListener("message", listen);
      if (answer.error === undefined) resolve(answer.result);
      else reject(new Error(`${method}: ${answer.error.message}`));
    };
    socket.addEventListener("message", listen);
    socket.addEventListener("close", () => reject(new Error(`${method}: the process ended`)), { once: true });
    socket.send(JSON.stringify({ id, method }));
  });
