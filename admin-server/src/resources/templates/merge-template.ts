import { isDeepStrictEqual } from "node:util";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { TemplateRow } from "shared/db/tables/template/row";
import type { SyncedTemplate } from "shared/db/tables/template/sync";
import type { PlatformTemplate } from "shared/platform/template/platform-template";

/** The stored template with what the platform says of it; null when that is nothing new. */
export function mergeTemplate(local: TemplateRow, remote: PlatformTemplate): SyncedTemplate | null {
  // What stands here of a rejected template may be the operator's correction that is not submitted yet.
  const isCorrection = local.status === "rejected" && remote.status === "rejected" && local.platform_id === remote.platformId;
  const merged = {
    platform_id: remote.platformId,
    category: remote.category,
    status: remote.status,
    reason: remote.reason ?? reasonOfSameStatus(local, remote),
    definition: isCorrection ? local.definition : withMedia(remote.definition, local.definition),
  };
  const { platform_id, category, status, reason, definition } = local;
  return isDeepStrictEqual(merged, { platform_id, category, status, reason, definition }) ? null : { id: local.id, ...merged };
}

/** A callback tells why a template was paused or rejected; the platform's list often does not. */
const reasonOfSameStatus = (local: TemplateRow, remote: PlatformTemplate): string | null =>
  local.status === remote.status ? local.reason : null;

/** The platform keeps no address of a header's file that could be sent; ours stays while the header is of that kind. */
function withMedia(remote: TemplateDefinition, local: TemplateDefinition): TemplateDefinition {
  const { header } = remote;
  if (header === null || header.format === "TEXT" || header.format === "OTHER" || header.url !== null) return remote;
  return local.header?.format === header.format ? { ...remote, header: local.header } : remote;
}
