import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { AdminContext } from "../context.ts";
import { type CsvExport, exportRoute } from "./exports.ts";

let made = 0;
let ended = false;
let failAt = Infinity;
const wide = "x".repeat(1_000);

const endless: CsvExport<object, number> = {
  name: "endless.csv",
  needed: "viewer",
  input: z.object({}),
  async *rows() {
    try {
      for (;;) {
        made += 1;
        if (made > failAt) throw new Error("the database is gone");
        yield await Promise.resolve(made);
      }
    } finally {
      ended = true;
    }
  },
  columns: { number: String, text: () => wide },
};

const row = { user_id: "u", account_id: "a", email: "e", name: "n", role: "viewer", is_proven: true, allowed_addresses: [] };
const context = {
  // Takes the audit entry.
  sql: async () => Promise.resolve([{}]),
  config: { trustProxy: false, publicAdminUrl: "http://127.0.0.1" },
  sessions: { validate: async () => Promise.resolve({ row, cookie: null }) },
  log: pino({ level: "silent" }),
} as unknown as AdminContext;

const app = new Koa().use(exportRoute(context, endless)).on("error", () => undefined);
const handle = app.callback();
const server = createServer((request, response) => void handle(request, response));
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

async function open(): Promise<IncomingMessage> {
  made = 0;
  ended = false;
  const { port } = server.address() as AddressInfo;
  const request = get({ host: "127.0.0.1", port, path: "/export/endless.csv", headers: { authorization: "Bearer t" }, agent: false });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  return answer;
}

it("reads no further than the client does, and stops when the client leaves", async () => {
  const answer = await open();
  let before = -1;
  await waitFor("the export to wait for its reader", () => {
    const stands = made === before;
    before = made;
    return stands && made > 0;
  });
  // Sockets and streams hold a few megabytes at most, whatever the length of the list.
  expect(made).toBeLessThan(20_000);
  expect(ended).toBe(false);
  answer.destroy();
  await waitFor("the list to be let go of", () => ended);
});

it("does not end like a whole file when the list fails on the way", async () => {
  failAt = 200;
  const answer = await open();
  const read = async (): Promise<void> => {
    for await (const chunk of answer) expect(chunk).toBeDefined();
  };
  await expect(read()).rejects.toThrow("aborted");
  expect(ended).toBe(true);
});
