import { listOptOutsInput, erasePersonInput } from "shared/core/input/team";
import { idInput, listInput } from "shared/core/input/values";
import { maskPhone } from "shared/core/mask";
import { optOutKey } from "shared/core/message";
import { phonePattern } from "shared/core/phone-search";
import type { Role } from "shared/core/role";
import { findSettingsNaming } from "shared/db/erasure/erase";
import { findErasure, listErasures, requestErasure, type ErasureRow } from "shared/db/erasure/request";
import { newId } from "shared/db/ids";
import { liftOptOut, listOptOuts, type OptOutRow } from "shared/db/opt-out";
import { listSiteIds } from "shared/db/site";
import type { AdminContext } from "../context.ts";
import { erasureSteps } from "../jobs/erasing.ts";
import type { Caller } from "../session/caller.ts";
import { notFound, conflict } from "../trpc/errors.ts";
import { readCursor, toPage } from "../trpc/paging.ts";
import { requirePhoneSearch, shownPhone } from "../trpc/roles.ts";
import { operatorProcedure, router, viewerProcedure, ownerProcedure } from "../trpc/trpc.ts";

export const optOutsRouter = router({
  list: viewerProcedure.input(listOptOutsInput).query(async ({ ctx, input }) => {
    const before = readCursor("opt-outs", input.cursor);
    const { accountId, role } = ctx.caller;
    requirePhoneSearch(role, input.phone);
    const phoneHash = input.phone === undefined ? null : ctx.vault.fingerprint(optOutKey(accountId, input.phone));
    const rows = await listOptOuts(ctx.sql, accountId, phoneHash, { before, limit: input.limit + 1 });
    return toPage(
      "opt-outs",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentOptOut(row, role),
    );
  }),

  lift: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await liftOptOut(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("opt-out");
    return { id: input.id };
  }),
});

/** `phone` is null when the person was forgotten: the entry still counts. */
const presentOptOut = (row: OptOutRow, role: Role) => ({
  id: row.id,
  phone: row.phone && shownPhone(row.phone, role),
  scope: row.scope,
  source: row.source,
  code: row.code,
  since: row.since.toISOString(),
});

export const peopleRouter = router({
  erase: ownerProcedure.input(erasePersonInput).mutation(async ({ ctx, input }) => ({
    erasure: presentErasure(await erasePerson(ctx, ctx.caller, input.phone)),
  })),

  erasures: ownerProcedure.input(listInput).query(async ({ ctx, input }) => {
    const before = readCursor("erasures", input.cursor);
    const rows = await listErasures(ctx.sql, ctx.caller.accountId, { before, limit: input.limit + 1 });
    return toPage("erasures", rows, input.limit, (row) => row.id, presentErasure);
  }),

  erasure: ownerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findErasure(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("erasure");
    return { erasure: presentErasure(row) };
  }),
});

/**
 * Has a person forgotten, in the background. Refused while the account's own configuration names the phone: a binding would go on sending to it, and only a
 * person can say what else it should do.
 */
async function erasePerson({ sql, vault }: AdminContext, { accountId, email }: Caller, phone: string): Promise<ErasureRow> {
  const naming = await findSettingsNaming(sql, accountId, phonePattern(phone));
  if (naming.length > 0) {
    const listed = naming.map(({ kind, id, name }) => `${kind} ${name} (${id})`).join(", ");
    throw conflict(`The phone stands in what was set up here; change or delete it first: ${listed}`);
  }
  return await requestErasure(sql, {
    id: newId(),
    accountId,
    requestedBy: email,
    phone: vault.encrypt(phone),
    phoneHash: vault.fingerprint(optOutKey(accountId, phone)),
    hint: maskPhone(phone),
    steps: erasureSteps(await listSiteIds(sql, accountId)),
  });
}

/** A request to forget somebody; once finished, the certificate that it was done. */
const presentErasure = (row: ErasureRow) => ({
  id: row.id,
  /** All that is left of the phone. */
  phone: row.hint,
  requestedBy: row.requested_by,
  requestedAt: row.requested_at.toISOString(),
  /** Null while it is under way. */
  finishedAt: row.finished_at?.toISOString() ?? null,
  /** From 0 to 1. What was in use is looked at once more at the end. */
  progress: progressOf(row),
  /** Rows looked at. */
  scanned: Number(row.scanned),
  /** Rows changed or removed, by table. */
  counts: row.counts,
});

function progressOf({ finished_at, pass, step, steps }: ErasureRow): number {
  if (finished_at !== null) return 1;
  const done = pass === 0 ? step / Math.max(1, steps.length) : 1;
  return Math.floor(done * 99) / 100;
}
