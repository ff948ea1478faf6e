import type { Fragment } from "postgres";
import type { PhonePattern } from "../../../core/phone-pattern.ts";
import type { Sql } from "../../connect.ts";

/** The condition that a text names the phone. Most texts are of ASCII, or at least have no digits of other scripts, and are soon done with. */
export const names = (sql: Sql, text: Fragment, { ascii, hasOthers, any }: PhonePattern): Fragment =>
  sql`(${text} ~ ${ascii} or ((octet_length(${text}) > char_length(${text}) or strpos(${text}, ${JSON_ESCAPE}) > 0)
    and ${text} ~ ${hasOthers} and ${text} ~ ${any}))`;

const JSON_ESCAPE = String.raw`\u`;
