import { describe, expect, test } from "vitest";
import { newState } from "./account-state.ts";
import type { GraphError } from "./graph-error.ts";
import { createNumberLimit, createPairLimit, createRateLimits } from "./limits.ts";
import type { SandboxAccount, SandboxLimit } from "./store.ts";

const times = (count: number, may: () => boolean): boolean[] => Array.from({ length: count }, may);

describe("the pair limit", () => {
  test("one message in 6 s for as long as one likes", () => {
    const may = createPairLimit();
    for (let now = 0; now < 600_000; now += 6_000) expect(may("a", now)).toBe(true);
  });

  test("45 at once and no more", () => {
    const may = createPairLimit();
    expect(times(46, () => may("a", 5_999))).toEqual([...Array.from({ length: 45 }, () => true), false]);
    expect(may("b", 5_999)).toBe(true);
  });

  test("a burst of 20 is followed by two minutes of silence", () => {
    const may = createPairLimit();
    times(20, () => may("a", 0));
    expect([may("a", 6_000), may("a", 119_999), may("a", 120_000)]).toEqual([false, false, true]);
  });
});

test("the number limit: 80 at once, then 80 a second", () => {
  const may = createNumberLimit();
  expect(times(81, () => may("a", 1_000)).filter(Boolean)).toHaveLength(80);
  expect(times(81, () => may("a", 1_500)).filter(Boolean)).toHaveLength(40);
  expect(may("b", 1_500)).toBe(true);
});

describe("an account", () => {
  const shop = { wabaId: "1", phoneNumberId: "2", state: newState } as SandboxAccount;
  const account = (limits: SandboxLimit[], throttleStatus = 400): SandboxAccount => ({ ...shop, limits, throttleStatus });
  const refusalOf = (run: () => void): [number, number] | null => {
    try {
      run();
      return null;
    } catch (error) {
      const { status, body } = error as GraphError;
      return [status, body.error.code];
    }
  };

  test("meets only the limits that it asked for", () => {
    const limits = createRateLimits();
    const send = (who: SandboxAccount) => refusalOf(() => Array.from({ length: 200 }, () => limits.countMessage(who, "4917", 0)));
    expect(send(account([]))).toBeNull();
    expect(send(account(["pair"]))).toEqual([400, 131056]);
    expect(send(account(["number"], 429))).toEqual([429, 130429]);
  });

  test("makes 5,000 management calls and 100 templates an hour", () => {
    const limits = createRateLimits();
    const busy = account(["management"]);
    const call = (now: number) => refusalOf(() => limits.countCall(busy, now));
    for (let i = 0; i < 5_000; i += 1) expect(call(0)).toBeNull();
    expect(call(0)).toEqual([400, 80007]);
    expect(call(3_600_000)).toBeNull();
    for (let i = 0; i < 100; i += 1) limits.countCreation(busy, 0);
    expect(refusalOf(() => limits.countCreation(busy, 0))).toEqual([400, 80007]);
  });

  test("reads how much it used", () => {
    const limits = createRateLimits();
    for (let i = 0; i < 2_499; i += 1) limits.countCall(account([]), 0);
    const header = limits.countCall(account([]), 0)["x-business-use-case-usage"] ?? "";
    expect(JSON.parse(header)).toMatchObject({ "1": [{ call_count: 50 }] });
  });
});
