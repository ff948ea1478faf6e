import { idInput } from "shared/core/input/common";
import { createSiteInput, listSitesInput, rotateInput, updateSiteInput } from "shared/core/input/sites";
import { deleteSite } from "shared/db/site";
import { findSite } from "shared/db/site";
import { listSites } from "shared/db/site";
import { updateSite, type SitePatch } from "shared/db/site";
import { listSiteSecrets } from "shared/db/site-secret";
import { inTransaction } from "shared/db/transaction";
import type { z } from "zod";
import { readCursor, toPage } from "../../list-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { createSite } from "./create-site.ts";
import { presentSecret, presentSite } from "./present.ts";
import { rotate } from "./rotate.ts";

export const sitesRouter = router({
  create: operatorProcedure.input(createSiteInput).mutation(async ({ ctx, input }) => {
    const { site, apiKey, webhookSecret } = await createSite(ctx, ctx.caller.accountId, input);
    return { site: presentSite(site, ctx.caller.role), apiKey, webhookSecret };
  }),

  list: viewerProcedure.input(listSitesInput).query(async ({ ctx, input }) => {
    const before = readCursor("sites", input.cursor);
    const rows = await listSites(ctx.sql, ctx.caller.accountId, { search: input.search }, { before, limit: input.limit + 1 });
    return toPage(
      "sites",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentSite(row, ctx.caller.role),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const site = await findSite(ctx.sql, ctx.caller.accountId, input.id);
    if (site === undefined) throw notFound("site");
    const secrets = await listSiteSecrets(ctx.sql, input.id);
    return { site: presentSite(site, ctx.caller.role), secrets: secrets.map(presentSecret) };
  }),

  update: operatorProcedure.input(updateSiteInput).mutation(async ({ ctx, input }) => {
    const site = await updateSite(ctx.sql, ctx.caller.accountId, input.id, toPatch(input));
    if (site === undefined) throw notFound("site");
    return { site: presentSite(site, ctx.caller.role) };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const deleted = await inTransaction(ctx.sql, (sql) => deleteSite(sql, ctx.caller.accountId, input.id));
    if (!deleted) throw notFound("site");
    return { id: input.id };
  }),

  rotateWebhookSecret: operatorProcedure.input(rotateInput).mutation(async ({ ctx, input }) => ({
    webhookSecret: await rotate(ctx, ctx.caller.accountId, "webhook_secret", input),
  })),

  rotateApiKey: operatorProcedure.input(rotateInput).mutation(async ({ ctx, input }) => ({
    apiKey: await rotate(ctx, ctx.caller.accountId, "api_key", input),
  })),
});

/** Only what the input names: null clears, an absent member stays. */
function toPatch(input: z.output<typeof updateSiteInput>): SitePatch {
  return {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.url !== undefined && { url: input.url }),
    ...(input.sourceType !== undefined && { source_type: input.sourceType }),
    ...(input.enabled !== undefined && { enabled: input.enabled }),
    ...(input.testPhone !== undefined && { test_phone: input.testPhone }),
    ...(input.requireTimestamp !== undefined && { require_timestamp: input.requireTimestamp }),
    ...(input.rateLimitPerSecond !== undefined && { rate_limit_per_second: input.rateLimitPerSecond }),
  };
}
