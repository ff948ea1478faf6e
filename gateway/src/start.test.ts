import { createServer, type Socket, type AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { GatewayConfig } from "./config.ts";
import { connectForEvents } from "./start.ts";
import { defaultTimeLimits } from "./time-limits.ts";

/** Speaks just enough of PostgreSQL's protocol to judge the parameters of a connection, as a pooler does. */
async function openPooler(judge: (parameters: string[]) => { code: string; message: string }) {
  const sockets = new Set<Socket>();
  const seen: string[][] = [];
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", (startup) => {
      const parameters = startup.subarray(8).toString("latin1").split("\0").filter(Boolean);
      seen.push(parameters);
      const { code, message } = judge(parameters);
      const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`, "latin1");
      const head = Buffer.from([0x45, 0, 0, 0, 0]);
      head.writeInt32BE(body.length + 4, 1);
      socket.end(Buffer.concat([head, body]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    config: {
      databaseUrl: `postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/d`,
      timeLimits: defaultTimeLimits,
    } as GatewayConfig,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a pooler that refuses the settings gets connections without them, and the log says so", async () => {
  await using pooler = await openPooler((parameters) =>
    parameters.includes("plan_cache_mode")
      ? { code: "08P01", message: "unsupported startup parameter: plan_cache_mode" }
      : { code: "53300", message: "too many connections" },
  );
  const lines: string[] = [];
  const pool = await connectForEvents(pooler.config, pino({}, { write: (line: string) => void lines.push(line) }));
  await expect(pool`select 1`).rejects.toMatchObject({ code: "53300" });
  await pool.end({ timeout: 0 });
  expect(pooler.seen.map((parameters) => parameters.includes("plan_cache_mode"))).toEqual([true, false]);
  expect(lines.join("")).toContain("unsupported startup parameter");
});

test("another refusal is one", async () => {
  await using pooler = await openPooler(() => ({ code: "28P01", message: "password authentication failed" }));
  await expect(connectForEvents(pooler.config, pino({ level: "silent" }))).rejects.toMatchObject({ cause: { code: "28P01" } });
});
