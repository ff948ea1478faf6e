import { once } from "node:events";
import { type MessageEvent, WebSocket } from "undici";

/** A share of a process's busy time: of a function and its file, or of a part of the program. */
export interface Share {
  name: string;
  share: number;
}

/** Self time by function, and by the part of the program with the function; largest first. */
export function selfTime({ nodes, samples, timeDeltas }: CpuProfile): { functions: Share[]; parts: Share[] } {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const parts = new Map<string, number>();
  let busy = 0;
  for (const [i, sample] of samples.entries()) {
    const { functionName, url } = frames.get(sample) ?? { functionName: "", url: "" };
    if (functionName === "(idle)") continue;
    const spent = timeDeltas[i] ?? 0;
    busy += spent;
    add(functions, url === "" ? functionName : `${functionName || "(anonymous)"}  ${shortPath(url)}`, spent);
    add(parts, partOf(functionName, url), spent);
  }
  return { functions: shares(functions, busy), parts: shares(parts, busy) };
}

/** The part: `gateway/ingest`, a package's name, `node:net`, or V8's own work. */
function partOf(functionName: string, url: string): string {
  if (url === "") return functionName.startsWith("(") ? functionName.slice(1, -1) : "built in";
  if (url.startsWith("node:")) return `node:${url.slice(5).split("/").slice(0, 2).join("/")}`;
  const inPackage = packagePath(url);
  if (inPackage !== null)
    return inPackage
      .split("/")
      .slice(0, inPackage.startsWith("@") ? 2 : 1)
      .join("/");
  const [program = "", folder = "", ...rest] = shortPath(url).split("/");
  return rest.length === 0 ? program : `${program}/${folder}`;
}

/** The file's path within its program or package. */
const shortPath = (url: string): string => packagePath(url) ?? /[^/]+\/dist\/.*$/.exec(url)?.[0].replace("/dist/", "/") ?? url;

const packagePath = (url: string): string | null => /.*\/node_modules\/(.*)$/.exec(url)?.[1] ?? null;

const add = (sums: Map<string, number>, name: string, value: number): void => void sums.set(name, (sums.get(name) ?? 0) + value);

const shares = (sums: ReadonlyMap<string, number>, total: number): Share[] =>
  [...sums].map(([name, spent]) => ({ name, share: spent / total })).toSorted((a, b) => b.share - a.share);

/** The parts of V8's CPU profile that are read here. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  /** Ids of nodes, one for each sample. */
  samples: number[];
  /** Microseconds since the sample before. */
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
