import type { Role } from "shared/core/role";
import { newId } from "shared/db/ids";
import { insertInvite } from "shared/db/invite";
import { inTransaction } from "shared/db/transaction";
import { findUserByEmail } from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import type { RequestContext } from "../../context.ts";
import type { Caller } from "../../session/caller.ts";
import { digest } from "../../session/digest.ts";
import { conflict } from "../../trpc/refusals.ts";

const lifeMs = 7 * 86_400_000;

/** An invitation for seven days. The token stands after the #, where it reaches no server's log. */
export async function invite(context: RequestContext, caller: Caller, { email, role }: { email: string; role: Role }) {
  const present = await findUserByEmail(context.sql, email);
  // That somebody belongs to another account is nobody's business here; accepting will tell them.
  if (present?.account_id === caller.accountId) throw conflict("This person is in the account already");
  const token = randomText(43);
  const expiresAt = new Date(context.clock().getTime() + lifeMs);
  const { accountId, userId: createdBy } = caller;
  const row = { id: newId(), accountId, createdBy, email, role, hash: digest(token), expiresAt };
  await inTransaction(context.sql, (sql) => insertInvite(sql, row));
  return { id: row.id, token, url: `${context.config.publicAdminUrl}/invite#${token}`, expiresAt: expiresAt.toISOString() };
}
