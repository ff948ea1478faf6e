import { linkTokenInput } from "shared/core/input/team";
import { noInput } from "shared/core/input/values";
import { say } from "shared/core/wording";
import { lockForAudit } from "shared/db/audit";
import { listMemberships } from "shared/db/membership";
import { inTransaction } from "shared/db/transaction";
import { findEmailState, proveEmail } from "shared/db/user";
import type { Vault } from "shared/secrets/vault";
import type { RequestContext } from "../context.ts";
import { writeLetter } from "../mail/letters.ts";
import { enqueueMail } from "../mail/outbox.ts";
import { readMarked, writeMarked } from "../session/marked.ts";
import { asActor } from "../session/sign-in.ts";
import { conflict, notFound, tooMany } from "../trpc/errors.ts";
import { publicProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

/** Part of `auth`: the link by which the owner of a new account shows that the mailbox is theirs. */
export const emailProofRouter = router({
  /** Sends the link again. */
  resendProof: viewerProcedure.input(noInput).mutation(async ({ ctx }) => {
    const { userId: id, email, accountId: account_id } = ctx.caller;
    if (ctx.mailer === null) throw conflict("This server sends no e-mail: set SMTP_URL and MAIL_FROM on the server");
    if ((await findEmailState(ctx.sql, id))?.email_proven === true) throw conflict("Your address is confirmed already");
    const isMailed = await inTransaction(ctx.sql, (sql) => mailProof({ ...ctx, sql }, { id, email, account_id }));
    if (!isMailed) throw tooMany(86_400, say("Too many e-mails were sent: try again tomorrow"));
    return { mailed: true };
  }),

  /** Takes the token of the mailed link. The same link may be opened again. */
  proveEmail: publicProcedure.input(linkTokenInput).mutation(({ ctx, input: { token } }) =>
    inTransaction(ctx.sql, async (sql) => {
      const { userId, email } = readToken(ctx, token);
      const memberships = (await listMemberships(sql, userId)).toSorted((one, other) => (one.account_id < other.account_id ? -1 : 1));
      for (const { account_id } of memberships) await lockForAudit(sql, account_id);
      if (memberships.length === 0 || !(await proveEmail(sql, userId, email))) throw noSuchLink();
      for (const member of memberships) await ctx.actAs(asActor(member), {}, sql);
      return { email };
    }),
  ),
});

const noSuchLink = () => notFound("link, or it is too old, or belongs to a former address: ask for a new one");

const lifeMs = 3 * 86_400_000;

/** Has the link mailed once the transaction `sql` is committed; false if too many mails were sent. */
export async function mailProof(
  context: RequestContext,
  { id: userId, email, account_id: accountId }: { id: string; email: string; account_id: string },
): Promise<boolean> {
  const { vault, clock, config, address } = context;
  const expiresAt = new Date(clock().getTime() + lifeMs);
  const token = makeProofToken(vault, { userId, email, until: expiresAt.getTime() });
  const letter = writeLetter("proof", { url: `${config.publicAdminUrl}/confirm-email#${token}` });
  return await enqueueMail(context, { kind: "confirm", accountId, to: email, letter, expiresAt, by: { address, isOwner: true } });
}

interface Claims {
  userId: string;
  email: string;
  /** The end of the link, in milliseconds. */
  until: number;
}

const purpose = "email proof";
/** Tells the page apart from a link that changes an address. */
const beginning = "prove.";

/** The token of a mailed link. */
export const makeProofToken = (vault: Vault, claims: Claims): string => beginning + writeMarked(vault, purpose, claims);

function readToken({ vault, clock }: RequestContext, token: string): Claims {
  const claims = token.startsWith(beginning) ? readMarked<Claims>(vault, purpose, token.slice(beginning.length), clock()) : null;
  if (claims === null) throw noSuchLink();
  return claims;
}
