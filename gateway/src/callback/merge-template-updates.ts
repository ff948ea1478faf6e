import type { TemplateChange } from "shared/db/tables/template/apply-platform-updates";
import type { TemplateUpdate } from "shared/platform/callback/template-update";

/** One change a template, later words replacing earlier ones. */
export const mergeTemplateUpdates = (updates: readonly TemplateUpdate[]): TemplateChange[] => {
  const changes = new Map<string, TemplateChange>();
  for (const update of updates) {
    const key = update.platformId ?? JSON.stringify([update.name, update.language]);
    changes.set(key, merge(changes.get(key), update));
  }
  return [...changes.values()];
};

const merge = (known: TemplateChange | undefined, update: TemplateUpdate): TemplateChange => ({
  platform_id: update.platformId,
  name: update.name ?? known?.name ?? null,
  language: update.language ?? known?.language ?? null,
  status: update.status ?? known?.status ?? null,
  reason: update.status === null ? (known?.reason ?? null) : update.reason,
  category: update.category ?? known?.category ?? null,
});
