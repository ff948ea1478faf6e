import type { PhonePattern } from "../../../core/phone-pattern.ts";
import type { Sql } from "../../connect.ts";
import { names } from "./names.ts";

/** A part of the account's own configuration that names a phone. */
export interface NamingSetting {
  kind: "binding" | "template";
  id: string;
  /** Of a binding its event, of a template its name. */
  name: string;
}

/** What only a person can decide about: it would go on sending to the phone, or stands at the platform. */
export const findSettingsNaming = (sql: Sql, accountId: string, pattern: PhonePattern) =>
  sql<NamingSetting[]>`
    select 'binding' as kind, b.id, b.event as name from binding b join site s on s.id = b.site_id
    where s.account_id = ${accountId} and (${names(sql, sql`b.recipient::text`, pattern)} or ${names(sql, sql`b.variable_map::text`, pattern)})
    union all
    select 'template', id, name from template where account_id = ${accountId} and ${names(sql, sql`definition::text`, pattern)}
    order by kind, name, id limit 20`;
