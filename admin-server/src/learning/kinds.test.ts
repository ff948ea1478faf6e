import { expect, test, describe } from "vitest";
import { oneAhead } from "./kinds.ts";

describe("one ahead", () => {
  test("who asks meanwhile shares the next turn, which begins after they asked", async () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const act = oneAhead(async (key) => {
      begun.push(key);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
    const first = act("a");
    const [second, third] = [act("a"), act("a")];
    const other = act("b");
    expect(begun).toEqual(["a", "b"]);
    ends.splice(0).forEach((end) => end());
    await Promise.all([first, other]);
    await expect.poll(() => begun).toEqual(["a", "b", "a"]);
    ends.splice(0).forEach((end) => end());
    await Promise.all([second, third]);
    const last = act("a");
    expect(begun).toEqual(["a", "b", "a", "a"]);
    ends.splice(0).forEach((end) => end());
    await last;
  });
});
