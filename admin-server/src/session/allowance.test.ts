import { expect, test } from "vitest";
import { spendOfAccount, spendOfSetups, spendOfToken } from "./allowance.ts";

test.each([
  ["an access token's requests", spendOfToken, 600],
  ["an account's changes", spendOfAccount, 3_000],
])("%s: so many at once, then one is refused until time has passed, and another's are not", (_, spend, atOnce) => {
  const [one, other] = [`${atOnce} one`, `${atOnce} other`];
  const refusal = (id: string) => {
    for (let n = 0; n <= 2 * atOnce; n += 1) {
      try {
        spend(id);
      } catch (error) {
        return { n, error };
      }
    }
    return undefined;
  };
  const refused = refusal(one);
  expect(refused?.n).toBeGreaterThanOrEqual(atOnce);
  expect(refused?.n).toBeLessThan(1.5 * atOnce);
  expect(refused?.error).toMatchObject({ code: "TOO_MANY_REQUESTS", cause: { told: 1 } });
  expect(() => spend(other)).not.toThrow();
});

test("a large set-up is taken whole, and the account's next ones wait for what it owes", () => {
  spendOfSetups("large", "made", 6_000);
  // One that changes nothing, and one that is tried.
  spendOfSetups("large", "made", 0);
  spendOfSetups("large", "tried", 1);
  expect(() => spendOfSetups("large", "made", 1)).toThrow(
    expect.objectContaining({ code: "TOO_MANY_REQUESTS", cause: expect.objectContaining({ told: 151 }) }),
  );
  expect(() => spendOfAccount("large")).not.toThrow();
});
