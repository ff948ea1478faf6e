import type { Sql } from "shared/db/connect";
import { eraseEvents, eraseOrders } from "shared/db/erasure/erase";
import { eraseMessages } from "shared/db/erasure/erase";
import { eraseOfAccount } from "shared/db/erasure/erase";
import { eraseOfSite } from "shared/db/erasure/erase";
import { erasePayloads } from "shared/db/erasure/erase";
import type { PageOf, PageResult, Person } from "shared/db/erasure/erase";
import type { ErasureStep } from "shared/db/erasure/request";
import type { WorkingErasure } from "shared/db/erasure/request";
import { findPlatformAccount } from "shared/db/platform-account";
import type { AdminContext } from "../context.ts";

type Page = (sql: Sql, person: Person, page: PageOf) => Promise<PageResult>;

/** What is looked through of a site, and how many rows of it at once. Payloads may be of a megabyte each. */
const ofSite: Record<string, { erase: Page; limit: number }> = {
  event_payload: { erase: erasePayloads, limit: 500 },
  notification: { erase: eraseMessages, limit: 2_000 },
  event: { erase: eraseEvents, limit: 5_000 },
  customer_order: { erase: eraseOrders, limit: 5_000 },
  site: { erase: async (sql, person, { siteId }) => eraseOfSite(sql, person, siteId), limit: 1 },
};

/** Everything of an account that may hold somebody's phone, in the order in which it is looked through. */
export const erasureSteps = (siteIds: readonly string[]): ErasureStep[] => [
  ...siteIds.flatMap((siteId) => Object.keys(ofSite).map((table) => ({ table, siteId }))),
  { table: "account", siteId: null },
  { table: "sandbox", siteId: null },
];

/** A page of a step, from where the last one ended. */
export async function runStep(
  context: Pick<AdminContext, "sandbox">,
  sql: Sql,
  erasure: WorkingErasure,
  step: ErasureStep,
  person: Person,
): Promise<PageResult> {
  const { account_id: accountId, position, pass, recent } = erasure;
  if (step.table === "account") return await eraseOfAccount(sql, person, accountId, erasure.phone_hash);
  const kind = ofSite[step.table];
  if (kind === undefined || step.siteId === null) return await eraseInSandbox(context, sql, accountId, person);
  const isByTime = step.table !== "customer_order";
  const start = pass > 0 && isByTime ? recent : noId;
  return await kind.erase(sql, person, { siteId: step.siteId, after: position ?? start, limit: kind.limit });
}

const noId = "00000000-0000-0000-0000-000000000000";

/** What the stand-in for the platform holds; the real one forgets by itself. */
async function eraseInSandbox(
  { sandbox }: Pick<AdminContext, "sandbox">,
  sql: Sql,
  accountId: string,
  { phones }: Person,
): Promise<PageResult> {
  const platform = await findPlatformAccount(sql, accountId);
  let messages = 0;
  if (sandbox !== null && platform?.sandbox === true) {
    messages = await sandbox.forget({ phoneNumberId: platform.phone_number_id, to: phones[0] });
  }
  return { next: null, scanned: 0, counts: { "sandbox.message": messages }, postponed: 0 };
}
