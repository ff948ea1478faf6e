import { expect, test } from "vitest";
import { currencyDecimals } from "./expressions.ts";

/** ISO 4217's minor units other than two. */
test.each([
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [2, "EUR USD HUF PKR"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
])("%d decimals: %s", (decimals, codes) => {
  for (const code of codes.split(" ")) expect([code, currencyDecimals(code)]).toEqual([code, decimals]);
});
