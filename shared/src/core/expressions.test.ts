import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { currencyDecimals } from "./expressions.ts";

/** ISO 4217's minor units other than two. */
test.each(data<[number, string][]>("core-expressions", "d decimals s"))("%d decimals: %s", (decimals, codes) => {
  for (const code of codes.split(" ")) expect([code, currencyDecimals(code)]).toEqual([code, decimals]);
});
