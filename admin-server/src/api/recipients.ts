import { addRecipientInput, listRecipientsInput, updateRecipientInput, activePhonesLimit } from "shared/core/input/sites";
import { idInput } from "shared/core/input/values";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findSite, lockSites, touchSite } from "shared/db/site";
import {
  deleteSiteRecipient,
  listSiteRecipients,
  type SiteRecipientRow,
  countActivePhones,
  findSiteRecipient,
  isPhoneListed,
  insertSiteRecipient,
  updateSiteRecipient,
} from "shared/db/site-recipient";
import { inTransaction } from "shared/db/transaction";
import type { z } from "zod";
import { notFound, conflict } from "../trpc/errors.ts";
import { readCursor, toPage } from "../trpc/paging.ts";
import { shownPhone, shownText } from "../trpc/roles.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const recipientsRouter = router({
  list: viewerProcedure.input(listRecipientsInput).query(async ({ ctx, input }) => {
    const before = readCursor("recipients", input.cursor);
    if ((await findSite(ctx.sql, ctx.caller.accountId, input.siteId)) === undefined) throw notFound("site");
    const rows = await listSiteRecipients(ctx.sql, input.siteId, { before, limit: input.limit + 1 });
    return toPage(
      "recipients",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentRecipient(row, ctx.caller.role),
    );
  }),

  add: operatorProcedure.input(addRecipientInput).mutation(async ({ ctx, input }) => {
    const row = await inTransaction(ctx.sql, (sql) => addRecipient(sql, ctx.caller.accountId, input));
    return { recipient: presentRecipient(row, ctx.caller.role) };
  }),

  update: operatorProcedure.input(updateRecipientInput).mutation(async ({ ctx, input }) => {
    const row = await inTransaction(ctx.sql, (sql) => changeRecipient(sql, ctx.caller.accountId, input));
    return { recipient: presentRecipient(row, ctx.caller.role) };
  }),

  remove: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    await inTransaction(ctx.sql, async (sql) => {
      const { id } = await lockRecipient(sql, ctx.caller.accountId, input.id);
      await deleteSiteRecipient(sql, id);
    });
    return { id: input.id };
  }),
});

const presentRecipient = (row: SiteRecipientRow, role: Role) => ({
  id: row.id,
  siteId: row.site_id,
  phone: shownPhone(row.phone, role),
  label: shownText(row.label, role),
  active: row.active,
});

// Each within a transaction, and with the sites held until its end: of two people who add the last phone at the same time, one is refused.

async function addRecipient(sql: Sql, accountId: string, input: z.output<typeof addRecipientInput>): Promise<SiteRecipientRow> {
  const sites = await lockSites(sql, accountId, [input.siteId]);
  if (!sites.has(input.siteId)) throw notFound("site");
  const row = { id: newId(), site_id: input.siteId, phone: input.phone, label: input.label ?? "", active: input.active ?? true };
  await admit(sql, row);
  await insertSiteRecipient(sql, row);
  return row;
}

async function changeRecipient(sql: Sql, accountId: string, input: z.output<typeof updateRecipientInput>): Promise<SiteRecipientRow> {
  const former = await lockRecipient(sql, accountId, input.id, input.siteId);
  const row = {
    id: former.id,
    site_id: input.siteId ?? former.site_id,
    phone: input.phone ?? former.phone,
    label: input.label === undefined ? former.label : (input.label ?? ""),
    active: input.active ?? former.active,
  };
  await admit(sql, row);
  await updateSiteRecipient(sql, row);
  if (row.site_id !== former.site_id) await touchSite(sql, former.site_id);
  return row;
}

/** The account's recipient, once its site and the one it moves to are held. */
async function lockRecipient(sql: Sql, accountId: string, id: string, nextSiteId?: string): Promise<SiteRecipientRow> {
  const seen = await findSiteRecipient(sql, accountId, id);
  if (seen === undefined) throw notFound("recipient");
  const sites = await lockSites(sql, accountId, [seen.site_id, nextSiteId ?? seen.site_id]);
  if (nextSiteId !== undefined && !sites.has(nextSiteId)) throw notFound("site");
  const row = await findSiteRecipient(sql, accountId, id);
  if (row === undefined) throw notFound("recipient");
  if (row.site_id !== seen.site_id) throw conflict("The recipient was moved to another site at the same time; try again");
  return row;
}

async function admit(sql: Sql, row: SiteRecipientRow): Promise<void> {
  if (await isPhoneListed(sql, row.site_id, row.phone, row.id)) throw conflict(`The site's list has ${row.phone} already`);
  if (row.active && (await countActivePhones(sql, row.site_id, row.id)) >= activePhonesLimit) {
    throw conflict(`The site's list has ${activePhonesLimit} active phones, the most there can be; make one inactive or remove it first`);
  }
}
