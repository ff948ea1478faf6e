import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createGiveBack, type GiveBack } from "./claim.ts";

/** The ids that the database has got. */
let stored: string[];
/** What it was asked for, look by look. */
let looks: { sites: string[]; ids: string[]; owner: string }[];
let answer: () => Promise<{ id: string }[]>;
let giveBack: GiveBack;
const warn = vi.fn<(entry: object, text: string) => void>();

const sql = async (_: TemplateStringsArray, sites: string[], ids: string[], owner: string) => {
  looks.push({ sites, ids, owner });
  return answer();
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  [stored, looks] = [[], []];
  answer = async () => Promise.resolve(stored.map((id) => ({ id })));
  const config = { timeLimits: defaultTimeLimits };
  giveBack = createGiveBack({ sql, config, instanceId: "gateway", log: { warn } } as unknown as GatewayContext);
});
afterEach(() => {
  void giveBack.stop();
  vi.useRealTimers();
});

const give = (id: string) => giveBack({ site_id: `site of ${id}`, id });
const seconds = async (n: number) => vi.advanceTimersByTimeAsync(n * 1_000);

it("nothing is asked for while nothing was given up", async () => {
  await seconds(5);
  expect(looks).toEqual([]);
  expect(warn).not.toHaveBeenCalled();
});

it("what was given up is looked for every second, all in one statement, until it is found", async () => {
  give("a");
  give("b");
  await vi.advanceTimersByTimeAsync(999);
  expect(looks).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(looks).toEqual([{ sites: ["site of a", "site of b"], ids: ["a", "b"], owner: "gateway" }]);
  stored = ["a"];
  await seconds(1);
  stored = ["b"];
  await seconds(1);
  expect(looks.map(({ ids }) => ids)).toEqual([["a", "b"], ["a", "b"], ["b"]]);
  await seconds(5);
  expect(looks).toHaveLength(3);
});

it("what is not there after twenty looks is not looked for any more", async () => {
  give("a");
  await seconds(1);
  give("b");
  await seconds(30);
  expect(looks.filter(({ ids }) => ids.includes("a"))).toHaveLength(20);
  expect(looks.filter(({ ids }) => ids.includes("b"))).toHaveLength(20);
  expect(looks).toHaveLength(21);
});

it("a look that the database does not answer in five seconds, or refuses, counts for nothing", async () => {
  answer = async () => new Promise(() => undefined);
  give("a");
  await vi.advanceTimersByTimeAsync(5_999);
  expect(warn).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(warn.mock.calls[0]?.[0]).toMatchObject({ err: { code: "ETIMEDOUT" } });
  answer = async () => Promise.reject(new Error("away"));
  await seconds(1);
  expect(warn.mock.calls[1]?.[0]).toMatchObject({ err: { message: "away" } });
  answer = async () => Promise.resolve([]);
  await seconds(30);
  expect(looks).toHaveLength(22);
});

it("ten thousand are looked for at most, until one of them is found", async () => {
  for (let i = 0; i <= 10_000; i += 1) give(String(i));
  stored = ["0"];
  await seconds(1);
  give("later");
  give("too late");
  await seconds(1);
  expect(looks.map(({ ids }) => ids.length)).toEqual([10_000, 10_000]);
  expect(looks.map(({ ids }) => ids.at(-1))).toEqual(["9999", "later"]);
});

it("nothing is looked for any more once it has stopped", async () => {
  give("a");
  await giveBack.stop();
  await seconds(5);
  expect(looks).toEqual([]);
});
