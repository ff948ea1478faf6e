import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { expect, test, describe } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { answeringServer } from "../../../test/support/platform.ts";
import { createPlatformClient, type PlatformCall, encodeReference, parseReference, createInFlight, type InFlight } from "./client.ts";

describe("client", () => {
  const call: PlatformCall = { method: "POST", path: "/v25.0/1/messages", accessToken: "EAAtoken", body: { a: "ü😀" } };

  test("a call carries token, query and JSON, below whatever path the base URL has", async () => {
    await using server = await answeringServer(() => ({ json: { ok: true } }));
    await using client = createPlatformClient({ baseUrl: `${server.url}/graph/` });
    const query = { fields: "id,name", input_token: "a|b&c=d" };
    expect(await client.call({ ...call, query })).toEqual({ kind: "answered", status: 200, json: { ok: true } });
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: "POST", path: "/graph/v25.0/1/messages", authorization: "Bearer EAAtoken", body: { a: "ü😀" } });
    expect(Object.fromEntries(seen?.query ?? [])).toEqual(query);
  });

  test("calls one after the other share connections", async () => {
    await using server = await answeringServer(() => ({}));
    await using client = createPlatformClient({ baseUrl: server.url });
    for (let i = 0; i < 20; i++) await client.call(call);
    // A second connection may open while the first returns to the pool.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  const many = scaled(400, 2_000);
  test(`${many} calls are under way at once`, { timeout: 120_000 }, async () => {
    let release = () => {};
    const all = new Promise<void>((resolve) => (release = resolve));
    await using server = await answeringServer(async (_, index) => {
      if (index === many - 1) release();
      await all;
      return { json: { index } };
    });
    await using client = createPlatformClient({ baseUrl: server.url, timeoutMs: 110_000 });
    const answers = await Promise.all(Array.from({ length: many }, () => client.call(call)));
    expect(answers.filter((answer) => answer.kind === "answered")).toHaveLength(many);
    expect(server.connections).toBe(many);
  });

  test.each([
    ["an object", '{"a":1}', { a: 1 }],
    ["HTML", "<html></html>", undefined],
    ["nothing", "", undefined],
    ["half an object", '{"a":', undefined],
    ["a bare text", '"busy"', undefined],
    ["null", "null", undefined],
  ])("an answer that is %s", async (_, text, json) => {
    await using server = await answeringServer(() => ({ text }));
    await using client = createPlatformClient({ baseUrl: server.url });
    expect(await client.call(call)).toEqual({ kind: "answered", status: 200, json });
  });

  test("the time limit is the client's own, or what is left until the call is cut off", async () => {
    await using server = await answeringServer(() => "hang");
    await using slow = createPlatformClient({ baseUrl: server.url, timeoutMs: 60_000 });
    await using quick = createPlatformClient({ baseUrl: server.url, timeoutMs: 1_000 });
    expect(await quick.call(call)).toEqual({ kind: "lost", reason: "no answer within 1 s" });
    expect(await slow.call({ ...call, cutAt: performance.now() + 1_000 })).toMatchObject({ kind: "lost" });
    expect(await slow.call({ ...call, cutAt: performance.now() - 1 })).toMatchObject({ kind: "not_sent" });
    expect(server.seen).toHaveLength(2);
  });

  test("a token that no header can carry reaches the platform as one that it refuses", async () => {
    await using server = await answeringServer(() => ({}));
    await using client = createPlatformClient({ baseUrl: server.url });
    await client.call({ ...call, accessToken: "to\r\nken ü" });
    expect(server.seen[0]?.authorization).toBe("Bearer to??ken??");
  });
});

describe("reference", () => {
  const siteId = "019aa000-0000-7000-8000-00000000000a";
  const notificationId = "019aa000-0000-7000-8000-00000000000b";

  test("a reference is short, and plain ids", () => {
    const text = encodeReference({ siteId, notificationId, attempt: 2 });
    expect(text).toBe("t1:019aa00000007000800000000000000a:019aa00000007000800000000000000b:2");
    expect(encodeReference({ siteId, notificationId, attempt: 32_767 }).length).toBeLessThan(512);
  });

  test("every reference comes back", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), fc.integer({ min: 1, max: 32_767 }), (site, notification, attempt) => {
        const reference = { siteId: site, notificationId: notification, attempt };
        expect(parseReference(encodeReference(reference))).toEqual(reference);
      }),
    );
  });

  test("an id in capitals comes back as the database writes it", () => {
    const id = randomUUID();
    expect(parseReference(encodeReference({ siteId: id.toUpperCase(), notificationId, attempt: 1 }))?.siteId).toBe(id);
  });

  const good = encodeReference({ siteId, notificationId, attempt: 1 });

  test.each([
    null,
    undefined,
    "",
    "evt_01J9Z:att_1",
    `${good}\n`,
    ` ${good}`,
    good.slice(0, -1) + "0",
    `${good.slice(0, -1)}32768`,
    `${good}00000`,
    good.replace("t1", "t2"),
    good.slice(1),
    good.replace("a:", "g:"),
    `t1:${siteId}:${notificationId}:1`,
  ])("%j is none of ours", (text) => {
    expect(parseReference(text)).toBeNull();
  });

  test("any text is told apart without an error", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(parseReference(text)).toBeNull();
      }),
    );
  });
});

describe("in flight", () => {
  test("one account gets 2,000 places, and leaves some for the others", () => {
    const inFlight = createInFlight();
    expect(inFlight.reserve("a", 2_000)).toBe(true);
    expect(inFlight.reserve("a", 1)).toBe(false);
    expect(inFlight.reserve("b", 500)).toBe(true);
    expect(inFlight.taken).toBe(2_500);
  });

  test("an account that times out keeps a quarter, until it is answered again", () => {
    const inFlight = createInFlight();
    expect(inFlight.reserve("a", 2_000)).toBe(true);
    inFlight.timedOut("a");
    inFlight.release("a", 1_500);
    expect(inFlight.reserve("a", 1)).toBe(false);
    inFlight.release("a", 20);
    expect(inFlight.reserve("a", 20)).toBe(true);
    expect(inFlight.reserve("a", 1)).toBe(false);
    inFlight.answered("a");
    expect(inFlight.reserve("a", 1_500)).toBe(true);
  });

  test("full is who has taken every place, or finds none left, but not who only has fewer for a while", () => {
    const inFlight = createInFlight();
    inFlight.timedOut("a");
    expect(inFlight.reserve("a", 500)).toBe(true);
    expect(inFlight.isFull("a")).toBe(false);
    expect(inFlight.reserve("b", 2_000)).toBe(true);
    expect([inFlight.isFull("b"), inFlight.isFull("c")]).toEqual([true, false]);
    expect(inFlight.reserve("c", 500)).toBe(true);
    expect([inFlight.isFull("a"), inFlight.isFull("c")]).toEqual([true, true]);
    inFlight.release("b", 1);
    expect([inFlight.isFull("b"), inFlight.isFull("c")]).toEqual([false, false]);
  });

  test("an event that sends nothing needs no place", () => {
    const inFlight = createInFlight();
    expect(inFlight.reserve("a", 2_000)).toBe(true);
    inFlight.timedOut("a");
    expect(inFlight.reserve("a", 0)).toBe(true);
    expect(inFlight.taken).toBe(2_000);
  });

  test("a part of an account's room may be all that is taken, whether or not the account hangs", () => {
    const inFlight = createInFlight();
    expect(inFlight.reserve("a", 200)).toBe(true);
    expect(inFlight.reserve("a", 801, 0.5)).toBe(false);
    expect(inFlight.reserve("a", 800, 0.5)).toBe(true);
    inFlight.release("a", 750);
    inFlight.timedOut("a");
    expect(inFlight.reserve("a", 1, 0.5)).toBe(false);
    expect(inFlight.reserve("a", 250)).toBe(true);
  });

  test("several accounts that time out hold nobody up", () => {
    const inFlight = createInFlight();
    for (const account of ["a", "b", "c", "d"]) {
      inFlight.timedOut(account);
      while (inFlight.reserve(account, 20));
    }
    expect(inFlight.taken).toBe(2_000);
    expect(inFlight.reserve("healthy", 1_000)).toBe(true);
  });

  type Step = { account: string; n: number; act: "reserve" | "release" | "answered" | "timedOut" };

  const step: fc.Arbitrary<Step> = fc.record({
    account: fc.constantFrom("a", "b", "c"),
    n: fc.integer({ min: 1, max: 30 }),
    act: fc.constantFrom("reserve", "reserve", "reserve", "release", "answered", "timedOut"),
  });

  test("whatever happens, the bounds hold, and a place is refused only beyond them", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const inFlight = createInFlight({ max: 40 });
        const model = { held: new Map<string, number>(), hanging: new Set<string>() };
        for (const next of steps) {
          expect(act(inFlight, next)).toBe(expected(model, next));
          expect(inFlight.taken).toBe(total(model));
        }
      }),
    );
  });

  interface Model {
    held: Map<string, number>;
    hanging: Set<string>;
  }

  const total = ({ held }: Model): number => [...held.values()].reduce((sum, one) => sum + one, 0);

  function act(inFlight: InFlight, { account, n, act: name }: Step): boolean | undefined {
    if (name === "reserve") return inFlight.reserve(account, n);
    if (name === "release") inFlight.release(account, n);
    else inFlight[name](account);
    return undefined;
  }

  /** The documented rules for 40 places: 60 in all, and 10 for an account whose sends hang. */
  function expected(model: Model, { account, n, act: name }: Step): boolean | undefined {
    const mine = model.held.get(account) ?? 0;
    if (name === "answered") model.hanging.delete(account);
    if (name === "timedOut") model.hanging.add(account);
    if (name === "release") model.held.set(account, Math.max(0, mine - n));
    if (name !== "reserve") return undefined;
    const fits = total(model) + n <= 60 && mine + n <= (model.hanging.has(account) ? 10 : 40);
    if (fits) model.held.set(account, mine + n);
    return fits;
  }
});
