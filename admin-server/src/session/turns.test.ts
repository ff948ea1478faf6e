import { expect, test } from "vitest";
import { inTurn, mutationInTurn, setupInTurn } from "./turns.ts";

/** Tasks that begin and end when told. */
function tasks() {
  const seen: string[] = [];
  const gates = new Map<string, () => void>();
  const act = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise<void>((open) => gates.set(name, open));
    seen.push(`${name} ends`);
    if (name === "b") throw new Error("b fails");
    return name;
  };
  const end = async (name: string) => {
    await expect.poll(() => gates.has(name)).toBe(true);
    gates.get(name)?.();
  };
  return { seen, gates, act, end };
}

test("what shares a key runs in order, one after the other, also after a failure, and other keys beside it", async () => {
  const { seen, act, end } = tasks();
  const [a, b, c, other] = [inTurn("k", act("a")), inTurn("k", act("b")), inTurn("k", act("c")), inTurn("l", act("x"))];
  const failure = b.catch((error: unknown) => String(error));
  for (const name of ["a", "x", "b", "c"]) await end(name);
  expect([await a, await failure, await c, await other]).toEqual(["a", "Error: b fails", "c", "x"]);
  expect(seen.filter((line) => !line.startsWith("x"))).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("two run at once, sixty-four are present, and who comes then is turned away", async () => {
  const { seen, gates, act, end } = tasks();
  const names = Array.from({ length: 64 }, (_, index) => `t${index}`);
  const runs = names.map((name) => inTurn(null, act(name)));
  await expect(inTurn("k", act("late"))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", cause: { told: expect.any(Number) } });
  expect(seen).toEqual(["t0 begins", "t1 begins"]);
  for (const name of names) {
    await end(name);
    expect(gates.size).toBeLessThanOrEqual(names.indexOf(name) + 3);
  }
  await Promise.all(runs);
  const last = inTurn(null, act("last"));
  await end("last");
  expect(await last).toBe("last");
});

test("of changes, six run at once, those of one account in order, two hundred of them at most", async () => {
  const { seen, act, end } = tasks();
  const first = mutationInTurn("mine", act("first"));
  const mine = Array.from({ length: 199 }, async (_none, n) => mutationInTurn("mine", async () => n));
  await expect(mutationInTurn("mine", act("late"))).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining("changes are waiting"),
  });
  const names = ["t", "u", "v", "w", "x", "y"];
  const others = names.map(async (name) => mutationInTurn(name, act(name)));
  await expect.poll(() => seen).toEqual(["first", ...names.slice(0, 5)].map((name) => `${name} begins`));
  for (const name of ["first", ...names]) await end(name);
  expect(await Promise.all(mine)).toEqual(mine.map((_turn, n) => n));
  await Promise.all([first, ...others]);
  expect(await mutationInTurn("mine", async () => "once more")).toBe("once more");
});

test("set-ups of many accounts leave turns to everybody else's changes", async () => {
  const { seen, act, end } = tasks();
  const names = ["t", "u", "v", "w", "x", "y"];
  const setups = names.map(async (name) => setupInTurn(name, () => mutationInTurn(name, act(name))));
  expect(await mutationInTurn("z", async () => "changed")).toBe("changed");
  expect(seen).toEqual(["t begins", "u begins"]);
  for (const name of names) await end(name);
  await Promise.all(setups);
});
