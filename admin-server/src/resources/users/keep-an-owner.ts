import type { Sql } from "shared/db/connect";
import { lockOwners } from "shared/db/user";
import { conflict } from "../../trpc/refusals.ts";

/** Refuses to take the role from the only owner. Call in the transaction that takes it. */
export async function keepAnOwner(sql: Sql, accountId: string, userId: string): Promise<void> {
  const owners = await lockOwners(sql, accountId);
  if (owners.length === 1 && owners[0] === userId) throw conflict("This is the last owner: make somebody else an owner first");
}
