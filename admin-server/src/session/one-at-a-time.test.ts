import { expect, it } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

it("runs what shares a key in order, one after the other, also after a failure, and other keys beside it", async () => {
  const seen: string[] = [];
  const gates = new Map<string, () => void>();
  const act = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise<void>((open) => gates.set(name, open));
    seen.push(`${name} ends`);
    if (name === "b") throw new Error("b fails");
    return name;
  };
  const [a, b, c, other] = [oneAtATime("k", act("a")), oneAtATime("k", act("b")), oneAtATime("k", act("c")), oneAtATime("l", act("x"))];
  const failure = b.catch((error: unknown) => String(error));
  for (const name of ["a", "x", "b", "c"]) {
    await expect.poll(() => gates.has(name)).toBe(true);
    gates.get(name)?.();
  }
  expect([await a, await failure, await c, await other]).toEqual(["a", "Error: b fails", "c", "x"]);
  expect(seen.filter((line) => !line.startsWith("x"))).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});
