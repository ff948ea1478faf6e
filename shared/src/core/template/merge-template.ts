import type { TemplateDefinition, TemplateStatus } from "./definition.ts";

/** What is stored of a template that the platform has a say in, named as the columns are. */
export interface StoredTemplate {
  platform_id: string | null;
  category: string;
  status: TemplateStatus;
  reason: string | null;
  quality: string | null;
  /** See `PlatformWord.toldAt`. */
  told_at: Date | null;
  definition: TemplateDefinition;
}

/** What the platform says of a template, in its list or by a callback: null where it says nothing. */
export interface PlatformWord {
  platformId: string | null;
  category: string | null;
  status: TemplateStatus | null;
  /** Belongs to `status`. */
  reason: string | null;
  quality: string | null;
  definition: TemplateDefinition | null;
  /** The platform's time of a callback, which may come late or twice; null for its list, which is read as it is now. */
  toldAt: Date | null;
}

/** The stored template with what the platform says of it; null when that is nothing new. The one rule for polls, syncs and callbacks. */
export function mergeTemplate<T extends StoredTemplate>(local: T, word: PlatformWord): StoredTemplate | null {
  const merged: StoredTemplate = {
    platform_id: word.platformId ?? local.platform_id,
    category: word.category ?? local.category,
    quality: word.quality ?? local.quality,
    definition: definitionOf(local, word),
    ...statusOf(local, word),
  };
  return isSame(merged, local) ? null : merged;
}

function statusOf(local: StoredTemplate, { status, reason, toldAt }: PlatformWord): Pick<StoredTemplate, "status" | "reason" | "told_at"> {
  const isOutdated = toldAt !== null && local.told_at !== null && toldAt < local.told_at;
  if (status === null || isOutdated) return { status: local.status, reason: local.reason, told_at: local.told_at };
  // A callback tells why a template was paused or rejected; the platform's list often does not.
  const known = status === local.status ? local.reason : null;
  return { status, reason: reason ?? known, told_at: toldAt ?? local.told_at };
}

function definitionOf(local: StoredTemplate, word: PlatformWord): TemplateDefinition {
  // What stands here of a rejected template may be the operator's correction that is not submitted yet.
  const isCorrection = local.status === "rejected" && word.status === "rejected" && local.platform_id === word.platformId;
  return word.definition === null || isCorrection ? local.definition : withMedia(word.definition, local.definition);
}

/** The platform keeps no address of a header's file that could be sent; ours stays while the header is of that kind. */
function withMedia(remote: TemplateDefinition, local: TemplateDefinition): TemplateDefinition {
  const { header } = remote;
  if (header === null || header.format === "TEXT" || header.format === "OTHER" || header.url !== null) return remote;
  return local.header?.format === header.format ? { ...remote, header: local.header } : remote;
}

function isSame(merged: StoredTemplate, local: StoredTemplate): boolean {
  const text = ({ platform_id, category, status, reason, quality, definition }: StoredTemplate): string =>
    sortedJson([platform_id, category, status, reason, quality, definition]);
  return text(merged) === text(local);
}

/** Members in one order, whoever wrote them. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
