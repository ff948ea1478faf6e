import { createServer } from "node:http";
import { listen } from "../../support/listen.ts";

/** The customers' own backends, on one port: what stands at the end of an address says how the endpoint there answers. */
export interface Backend extends AsyncDisposable {
  readonly url: string;
  /** The requests that were taken, by their address. */
  readonly taken: Map<string, number>;
  /** True while the whole of it answers 503. */
  isDown: boolean;
}

/** A picture for the header of a template: one pixel. */
const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");
const statuses = { works: 204, fails: 503, gone: 410 } as const;

export async function startBackend(port: number): Promise<Backend> {
  const taken = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path.endsWith(".png")) return void response.writeHead(200, { "content-type": "image/png" }).end(picture);
    const wanted = Object.entries(statuses).find(([end]) => path.endsWith(`/${end}`))?.[1] ?? 404;
    request.resume().on("end", () => {
      if (wanted === 204 && !backend.isDown) taken.set(path, (taken.get(path) ?? 0) + 1);
      response.writeHead(backend.isDown ? 503 : wanted).end();
    });
  });
  const backend: Backend = {
    ...(await listen(server, { port })),
    taken,
    isDown: false,
  };
  return backend;
}
