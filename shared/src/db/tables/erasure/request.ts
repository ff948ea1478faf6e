import type { Sql } from "../../connect.ts";
import { erasureColumns, type ErasureRow, type ErasureStep } from "./row.ts";

export interface NewErasure {
  id: string;
  accountId: string;
  requestedBy: string;
  /** Encrypted. */
  phone: string;
  phoneHash: string;
  hint: string;
  steps: ErasureStep[];
}

/** Asks for a person to be forgotten; the request that is under way when there is one. Rows of the next seconds are concerned too: clocks differ. */
export async function requestErasure(sql: Sql, erasure: NewErasure): Promise<ErasureRow> {
  const { id, accountId, requestedBy, phone, phoneHash, hint, steps } = erasure;
  const [row] = await sql<[ErasureRow]>`
    insert into erasure (id, account_id, requested_by, phone, phone_hash, hint, below, steps)
    values (${id}, ${accountId}, ${requestedBy}, ${phone}, ${phoneHash}, ${hint}, uuid_at(now() + interval '5 seconds'), ${JSON.stringify(steps)}::text::json)
    on conflict (account_id, phone_hash) where finished_at is null do update set phone_hash = excluded.phone_hash
    returning ${erasureColumns(sql)}`;
  return row;
}
