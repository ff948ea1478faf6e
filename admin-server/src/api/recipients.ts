import { addRecipientInput, updateRecipientInput } from "shared/core/input/sites";
import { clientIdMember, idInput, siteListInput } from "shared/core/input/values";
import type { Role } from "shared/core/role";
import { activePhonesLimit } from "shared/core/site";
import { newId } from "shared/db/ids";
import { findSite, lockSites, touchSite } from "shared/db/site";
import {
  deleteSiteRecipient,
  listSiteRecipients,
  type SetRecipient,
  type SiteRecipientRow,
  countActivePhones,
  findSiteRecipient,
  isPhoneListed,
  insertSiteRecipient,
  updateSiteRecipient,
} from "shared/db/site-recipient";
import type { Sql } from "shared/db/statement";
import type { z } from "zod";
import type { Caller } from "../session/caller.ts";
import { conflict, absent, notFound, requireUnchanged } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { requireProofForPhone, shownPhone, shownWhole } from "../trpc/roles.ts";
import { once, operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

const adding = operatorProcedure
  .input(addRecipientInput.extend(clientIdMember))
  .use(once(async ({ sql, caller }, id) => ({ recipient: presentRecipient(await readRecipient(sql, caller.accountId, id), caller.role) })));

export const recipientsRouter = router({
  list: viewerProcedure.input(siteListInput).query(({ ctx, input }) =>
    readPage(
      "recipients",
      input,
      async (page) => {
        if ((await findSite(ctx.sql, ctx.caller.accountId, input.siteId)) === undefined) throw notFound("site");
        return listSiteRecipients(ctx.sql, input.siteId, page);
      },
      (row) => presentRecipient(row, ctx.caller.role),
    ),
  ),

  add: adding.mutation(async ({ ctx, input }) => {
    await requireProofForPhone(ctx.sql, ctx.caller, input.phone);
    const row = await addRecipient(ctx.sql, ctx.caller.accountId, input);
    return { recipient: presentRecipient(row, ctx.caller.role) };
  }),

  update: operatorProcedure.input(updateRecipientInput).mutation(async ({ ctx, input }) => {
    await requireProofForPhone(ctx.sql, ctx.caller, input.phone);
    const row = await changeRecipient(ctx.sql, ctx.caller, input);
    return { recipient: presentRecipient(row, ctx.caller.role) };
  }),

  remove: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const { id } = await lockRecipient(ctx.sql, ctx.caller.accountId, input.id);
    await deleteSiteRecipient(ctx.sql, id);
    return { id };
  }),
});

/** @throws TRPCError NOT_FOUND */
const readRecipient = async (sql: Sql, accountId: string, id: string): Promise<SiteRecipientRow> =>
  (await findSiteRecipient(sql, accountId, id)) ?? absent("recipient");

/** `sql` is a transaction. The site stays locked until its end: if two people add the last phone at the same time, one is refused. */
async function addRecipient(sql: Sql, accountId: string, input: z.output<typeof addRecipientInput>): Promise<SiteRecipientRow> {
  const sites = await lockSites(sql, accountId, [input.siteId]);
  if (!sites.has(input.siteId)) throw notFound("site");
  const row = { id: newId(), site_id: input.siteId, phone: input.phone, label: input.label ?? "", active: input.active ?? true };
  await requireRoom(sql, row);
  await insertSiteRecipient(sql, row);
  return await readRecipient(sql, accountId, row.id);
}

async function changeRecipient(sql: Sql, { accountId, role }: Caller, input: z.output<typeof updateRecipientInput>) {
  const former = await lockRecipient(sql, accountId, input.id, input.siteId);
  await requireUnchanged(former, input, () => presentRecipient(former, role));
  const row = {
    id: former.id,
    site_id: input.siteId ?? former.site_id,
    phone: input.phone ?? former.phone,
    label: input.label === undefined ? former.label : (input.label ?? ""),
    active: input.active ?? former.active,
  };
  await requireRoom(sql, row);
  await updateSiteRecipient(sql, row);
  if (row.site_id !== former.site_id) await touchSite(sql, former.site_id);
  return await readRecipient(sql, accountId, row.id);
}

/** Locks the recipient's site, and the site it moves to, before reading the recipient. */
async function lockRecipient(sql: Sql, accountId: string, id: string, nextSiteId?: string): Promise<SiteRecipientRow> {
  const seen = await readRecipient(sql, accountId, id);
  const sites = await lockSites(sql, accountId, [seen.site_id, nextSiteId ?? seen.site_id]);
  if (nextSiteId !== undefined && !sites.has(nextSiteId)) throw notFound("site");
  const row = await readRecipient(sql, accountId, id);
  if (row.site_id !== seen.site_id) throw conflict("The recipient was moved to another site at the same time; try again");
  return row;
}

async function requireRoom(sql: Sql, row: SetRecipient): Promise<void> {
  if (await isPhoneListed(sql, row.site_id, row.phone, row.id))
    throw conflict("{phone} is already in the site's list", { phone: row.phone });
  if (row.active && (await countActivePhones(sql, row.site_id, row.id)) >= activePhonesLimit) {
    throw conflict("The site's list has {activePhonesLimit} active phones, which is the limit: make one inactive or remove it first", {
      activePhonesLimit,
    });
  }
}

const presentRecipient = (row: SiteRecipientRow, role: Role) => ({
  ...present(row, "id", "site_id", "active", "updated_at"),
  phone: shownPhone(row.phone, role),
  label: shownWhole(row.label, role),
});
