import { say } from "shared/core/wording";
import { lockSites } from "shared/db/site";
import { endSiteSecrets, expireSiteSecret, type SiteSecretKind } from "shared/db/site-secret";
import type { Sql } from "shared/db/statement";
import { conflict, notFound } from "./errors.ts";

/** Valid secrets of one kind at the same time. */
const mostSecrets = 5;
const names = {
  api_key: say("API keys"),
  webhook_secret: say("webhook secrets"),
  source_secret: say("secrets of the shop"),
  rest_key: say("keys of the shop"),
  outbound_secret: say("secrets of the endpoints"),
};

/** Ends the current secret of the kind, now or after the overlap; locks the site. @throws TRPCError NOT_FOUND, CONFLICT */
export async function makeRoom(sql: Sql, accountId: string, kind: SiteSecretKind, id: string, overlapSeconds: number): Promise<void> {
  if (!(await lockSites(sql, accountId, [id])).has(id)) throw notFound("site");
  if (overlapSeconds === 0) await endSiteSecrets(sql, id, kind);
  else if ((await expireSiteSecret(sql, id, kind, overlapSeconds)) >= mostSecrets) {
    throw conflict("{most} {what} of this site are valid now: wait until one expires, or rotate without an overlap, which ends them all", {
      most: mostSecrets,
      what: names[kind],
    });
  }
}
