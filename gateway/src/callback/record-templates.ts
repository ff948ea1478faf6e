import { applyPlatformWords } from "shared/db/template";
import { hurryTemplatePoll } from "shared/db/template-poll";
import { retryCollisions } from "shared/db/transaction";
import type { TemplateUpdate } from "shared/platform/callback";
import type { GatewayContext } from "../context.ts";

/** Records what a callback says of the account's templates, and answers how many changed. What a callback cannot tell, the next look at the list does. */
export const recordTemplates = async (
  { sql }: Pick<GatewayContext, "sql">,
  accountId: string,
  updates: readonly TemplateUpdate[],
): Promise<number> => {
  if (updates.length === 0) return 0;
  const words = updates.map((update) => ({ ...update, toldAt: update.at }));
  const { changed, unknown } = await retryCollisions(async () => applyPlatformWords(sql, accountId, words));
  if (unknown > 0 || updates.some(({ needsLook }) => needsLook)) await hurryTemplatePoll(sql, accountId);
  return changed;
};
