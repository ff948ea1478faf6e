import { optOutKey, type OptOutScope, type OptOutSource } from "../../../core/opt-out.ts";
import type { Sql } from "../../connect.ts";
import { newId } from "../../new-id.ts";

/** A word about a person's wish. */
export interface OptOutWord {
  /** E.164. */
  phone: string;
  scope: OptOutScope;
  source: OptOutSource;
  code: string | null;
  /** False: they want messages again. */
  active: boolean;
  /** By the platform's clock. */
  at: Date;
}

/** The vault, as far as it is needed here. */
export interface Fingerprints {
  fingerprint(text: string): string;
}

/**
 * Records what people of the account said, in one statement: of each person and scope the newest word stands, whatever the order in which they arrive, and
 * of two of one moment the one that came last. Answers how many entries that changed.
 */
export async function recordOptOuts(sql: Sql, vault: Fingerprints, accountId: string, words: readonly OptOutWord[]): Promise<number> {
  if (words.length === 0) return 0;
  const result = await sql`
    insert into opt_out as o (id, account_id, phone_hash, phone, scope, source, code, active, since, told_at)
    select w.id, ${accountId}, w.phone_hash, case when w.active then w.phone end, w.scope, w.source, w.code, w.active, w.at, w.at
    from json_to_recordset(${JSON.stringify(newestOfEach(vault, accountId, words))}::text::json) as w(id uuid, phone_hash text, phone text,
      scope text, source text, code text, active boolean, at timestamptz)
    order by w.phone_hash, w.scope
    on conflict (account_id, phone_hash, scope) do update set
      active = excluded.active, told_at = excluded.told_at,
      -- A word that is said again leaves the entry as it is: also one whose phone was erased.
      id = case when o.active then o.id else excluded.id end,
      since = case when o.active then o.since else excluded.since end,
      source = case when o.active then o.source else excluded.source end,
      code = case when o.active then o.code else excluded.code end,
      phone = case when not excluded.active then null when o.active then o.phone else excluded.phone end
    where excluded.told_at > o.told_at or (excluded.told_at = o.told_at and excluded.active <> o.active)`;
  return result.count;
}

/** A statement cannot change a row twice. */
function newestOfEach(vault: Fingerprints, accountId: string, words: readonly OptOutWord[]) {
  const newest = new Map<string, OptOutWord & { id: string; phone_hash: string }>();
  for (const word of words) {
    const phone_hash = vault.fingerprint(optOutKey(accountId, word.phone));
    const known = newest.get(`${phone_hash} ${word.scope}`);
    if (known === undefined || known.at <= word.at) newest.set(`${phone_hash} ${word.scope}`, { ...word, id: newId(), phone_hash });
  }
  return [...newest.values()];
}
