import { describe, expect, it } from "vitest";
import { networkOf, oneAtATime } from "./sign-in.ts";

describe("networkOf", () => {
  it.each([
    ["203.0.113.1", "203.0.113.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:DB8:1:2::9", "2001:db8:1:2"],
    ["2001:0db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["2001:db8:1:2:3::", "2001:db8:1:2"],
    ["", ""],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("one at a time", () => {
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
});
