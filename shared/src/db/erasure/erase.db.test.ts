import { expect, it } from "vitest";
import { testDatabase } from "../../../../test/support/database.ts";
import { shared } from "../../../../test/support/shared.ts";
import { phoneFinder, phonePattern } from "../../core/phone-search.ts";
import { foreignZeros } from "../../core/phone.ts";
import { names } from "./erase.ts";

const database = shared(async () => testDatabase());

const inScript = (zero: number): string => Array.from("491701234567", (digit) => String.fromCodePoint(zero + Number(digit))).join("");
const escaped = (text: string): string =>
  text
    .split("")
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

it("finds in PostgreSQL what is found in JavaScript, in the digits of every script", async () => {
  const found = [
    "+491701234567",
    String.raw`{"phone":"+49\u202f170\t\u0031234567"}`,
    "００４９（０）１７０－１２３　４５ー６７",
    "+۴۹\u200e۱۷۰\u200e۱۲۳۴۵۶۷",
    String.raw`{"phone":"\uff0b\uff14\uFF19１７０\u0661\u0662\u06634567"}`,
    ...foreignZeros().flatMap((zero) => [inScript(zero), `{"x":"${escaped(inScript(zero))}"}`]),
  ];
  const others = ["1491701234567", "１４９１７０１２３４５６７", "４９１７０１２３４５６７８", "٤٩١٧٠١٢٣٤٥٦٨", "注文 42 😀", ""];
  const pattern = phonePattern("+491701234567");
  const { sql } = database;
  const rows = await sql<{ text: string; named: boolean }[]>`
    select text, ${names(sql, sql`text`, pattern)} as named from unnest(${[...found, ...others]}::text[]) with ordinality as t(text, n) order by n`;
  expect(rows.filter(({ named }) => named).map(({ text }) => text)).toEqual(found);
  expect([...found, ...others].filter(phoneFinder(pattern))).toEqual(found);
});
