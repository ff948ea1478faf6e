import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openShopWorld } from "../support/admin-shops.ts";
import { type ServerSent, serverSent } from "../support/admin.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const world = shared(openShopWorld);

interface Told {
  id: string;
  siteId: string;
  chat: string | null;
}

/** Watches like a program; `next` answers the events of the next batch. */
function watch(input: object = {}, headers: Record<string, string> = { authorization: `Bearer ${world.admins[0]?.token}` }) {
  const stream = serverSent(`${world.admins[0]?.url}/trpc/events.tail?input=${encodeURIComponent(JSON.stringify(input))}`, headers);
  const message = async (): Promise<ServerSent> => {
    for (;;) {
      const { value } = (await stream.next()) as { value: ServerSent | undefined };
      if (value === undefined) throw new Error("the stream has ended");
      if (!["connected", "ping"].includes(value.event)) return value;
    }
  };
  return {
    message,
    next: async () => (JSON.parse((await message()).data) as { events: Told[] }).events,
    end: () => stream.return(undefined),
  };
}

const post = async () => String((await postEvent(world.gateway, world.shop, anEvent)).json["event_id"]);

describe("a live tail", () => {
  it("begins with what came last, and goes on with each event as it comes, until it is answered", async () => {
    const earlier = await post();
    const tail = watch();
    expect((await tail.next()).map(({ id }) => id)).toContain(earlier);
    const id = await post();
    const told: Told[] = [];
    while (!told.some((event) => event.id === id && event.chat === "sent")) told.push(...(await tail.next()));
    const times = told.filter((event) => event.id === id).map(({ chat }) => chat);
    expect(times.at(-1)).toBe("sent");
    expect(new Set(times).size).toBe(times.length);
    await tail.end();
  });

  it("is a subscription of the typed client", async () => {
    const told: Told[] = [];
    const errors: unknown[] = [];
    const subscription = world.admins[1]?.client.events.tail.subscribe(
      { siteId: world.shop.siteId },
      { onData: ({ events }) => void told.push(...events), onError: (error) => void errors.push(error) },
    );
    const id = await post();
    await waitFor("the event", () => told.some((event) => event.id === id));
    subscription?.unsubscribe();
    expect(errors).toEqual([]);
  });

  it("is followed by the documentation's program, with the plain client", async () => {
    const page = await readFile(join(root, "shared/src/docs/log.md"), "utf8");
    const program = /^```javascript\n([\s\S]*?)^```/m.exec(page)?.[1] ?? "";
    const env = { ...process.env, ADMIN_URL: world.admins[0]?.url, ADMIN_TOKEN: world.admins[0]?.token };
    const child = spawn(process.execPath, ["--input-type=module"], { cwd: join(root, "test"), env });
    child.stdin.end(program);
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await waitFor("the last events", () => printed.includes("\n") || child.exitCode !== null);
    const id = await post();
    await waitFor("the event", () => printed.includes(id) || child.exitCode !== null);
    child.kill();
    expect(printed).toContain(id);
  });

  it("is for people of the account, by cookie or token, and for its own pages", async () => {
    const code = async (headers: Record<string, string>): Promise<unknown> => {
      const tail = watch({}, headers);
      const { event, data } = await tail.message();
      await tail.end();
      return event === "serialized-error" ? (JSON.parse(data) as { data: { code: string } }).data.code : "let in";
    };
    const token = world.admins[0]?.token ?? "";
    const cookie = { cookie: `tidings_session=${token}` };
    expect([
      await code({}),
      await code({ authorization: "Bearer made-up" }),
      await code({ authorization: `Bearer ${token}` }),
      await code(cookie),
      await code({ ...cookie, origin: "https://evil.example" }),
    ]).toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "let in", "let in", "FORBIDDEN"]);
  });

  it("ends with its server", async () => {
    const other = await openShopWorld();
    const [admin] = other.admins;
    const stream = serverSent(`${admin?.url}/trpc/events.tail`, { authorization: `Bearer ${admin?.token}` });
    await stream.next();
    const rest = (async () => {
      const events: string[] = [];
      for await (const { event } of stream) events.push(event);
      return events;
    })();
    await other[Symbol.asyncDispose]();
    expect(await rest).toContain("return");
  });
});
