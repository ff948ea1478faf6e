import { beforeAll, describe, expect, it } from "vitest";
import { addMember, openAdmin } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";
import { createTurns } from "../trpc/turns.ts";

let owner: string;
let viewer: string;
const admin = shared(async () => openAdmin());
beforeAll(async () => {
  const signedUp = await admin.signUp();
  owner = signedUp.token;
  viewer = (await addMember(admin, signedUp.client, "viewer", "viewer@example.com")).token;
});

const most = 16_384;
async function post(path: string, input: unknown, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await admin.fetch(`/trpc/${path}`, {
    method: "POST",
    headers,
    body: typeof input === "string" ? input : JSON.stringify(input),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    json: JSON.parse(text) as { error?: { message: string; data: { code: string; issues: unknown[] } } },
  };
}

describe("an input without end is refused by a short answer that names the member", () => {
  const template = { name: "a", language: "en", category: "UTILITY", body: "Hi {{1}}, thanks." };
  const many = (count: number, make: (n: number) => unknown) => Array.from({ length: count }, (_, n) => make(n));

  it.each([
    ["buttons, by a viewer", { ...template, buttons: many(8_000, () => ({ type: "QUICK_REPLY", text: "a" })) }, "buttons"],
    ["buttons within what is looked at", { ...template, buttons: many(100, () => ({ type: "QUICK_REPLY", text: "a" })) }, "buttons"],
    ["examples", { ...template, examples: { body: many(50_000, () => "x") } }, "examples.body"],
    ["a text", { ...template, body: "x".repeat(1_000_000) }, "body"],
    ["wrong buttons", { ...template, buttons: many(15, () => ({ type: 1 })) }, "buttons.0"],
    [
      "unknown members",
      { ...template, ...Object.fromEntries(many(900, (n) => [`member ${n} ${"x".repeat(1_000)}`, n]) as [string, number][]) },
      "member 0",
    ],
    ["__proto__", `{"name":"a","language":"en","category":"UTILITY","body":"x","__proto__":{"a":1}}`, "__proto__"],
  ])("%s", async (_, input, member) => {
    const { status, text, json } = await post("templates.check", input, viewer);
    expect([status, json.error?.data.code, json.error?.message.includes(member), text.length < most]).toEqual(
      data("admin-server-http-bounds", "s"),
    );
    expect(json.error?.data.issues.length).toBeLessThanOrEqual(20);
  });

  it("what the platform allows is taken, and its answer is bounded too", async () => {
    const most = {
      ...template,
      body: `a ${"{{999}} ".repeat(120)}b.`.slice(0, 1_024),
      buttons: many(10, () => ({ type: "QUICK_REPLY", text: "a" })),
    };
    const { status, text } = await post("templates.check", most, viewer);
    expect([status, text.length < 100_000]).toEqual([200, true]);
  });
});

describe("a batch", () => {
  const paths = (count: number, path: string) => `${Array.from({ length: count }, () => path).join(",")}?batch=1`;
  const inputs = (count: number, input: object) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, input]));

  it("has at most 20 calls; of a longer one none is run", async () => {
    const site = { name: "Shop", url: "https://shop.example", sourceType: "generic" };
    const sites = async () => (await admin.sql`select from site`).length;
    for (const path of [paths(21, "sites.create"), paths(21, "sites.create").replaceAll(",", "%2C")]) {
      const { status, json } = await post(path, inputs(21, site), owner);
      expect([status, json.error?.message, await sites()]).toEqual([400, "A batch has at most 20 calls", 0]);
    }
    expect((await post(paths(20, "sites.create"), inputs(20, site), owner)).status).toBe(200);
    expect(await sites()).toBe(20);
  });

  it("lets others have their turn between two calls, and ends with its client or its time", async () => {
    const gone = new AbortController();
    const turns = createTurns(gone.signal);
    const order: string[] = [];
    const call = async (name: string) => {
      await turns.next();
      order.push(name);
    };
    const calls = [call("first"), call("second")];
    setImmediate(() => order.push("somebody else"));
    await Promise.all(calls);
    expect(order.indexOf("somebody else")).toBeLessThan(order.indexOf("second"));
    gone.abort();
    await expect(turns.next()).rejects.toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
    const short = createTurns(new AbortController().signal, 1);
    await expect(short.inTime(new Promise<never>(() => undefined))).rejects.toMatchObject({ code: "TIMEOUT" });
    await expect(short.next()).rejects.toMatchObject({ code: "TIMEOUT" });
  });
});
