import { activePhonesLimit, type addRecipientInput, type updateRecipientInput } from "shared/core/input/sites";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { lockSites } from "shared/db/site";
import { touchSite } from "shared/db/site";
import { countActivePhones, findSiteRecipient, isPhoneListed } from "shared/db/site-recipient";
import { insertSiteRecipient } from "shared/db/site-recipient";
import type { SiteRecipientRow } from "shared/db/site-recipient";
import { updateSiteRecipient } from "shared/db/site-recipient";
import type { z } from "zod";
import { conflict, notFound } from "../../trpc/refusals.ts";

// Each within a transaction, and with the sites held until its end: of two people who add the last phone at the same time, one is refused.

export async function addRecipient(sql: Sql, accountId: string, input: z.output<typeof addRecipientInput>): Promise<SiteRecipientRow> {
  const sites = await lockSites(sql, accountId, [input.siteId]);
  if (!sites.has(input.siteId)) throw notFound("site");
  const row = { id: newId(), site_id: input.siteId, phone: input.phone, label: input.label ?? "", active: input.active ?? true };
  await admit(sql, row);
  await insertSiteRecipient(sql, row);
  return row;
}

export async function changeRecipient(
  sql: Sql,
  accountId: string,
  input: z.output<typeof updateRecipientInput>,
): Promise<SiteRecipientRow> {
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
export async function lockRecipient(sql: Sql, accountId: string, id: string, nextSiteId?: string): Promise<SiteRecipientRow> {
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
