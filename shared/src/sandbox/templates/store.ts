import type { Sql } from "../../db/statement.ts";
import { randomId } from "../accounts.ts";
import {
  listSandboxTemplateLocks,
  type SandboxTemplateLock,
  saveSandboxTemplateLock,
  deleteSandboxTemplate,
  listSandboxTemplates,
  saveSandboxTemplate,
} from "../store.ts";
import { type TemplateComponent, variablesOf } from "./components.ts";
import newExtras from "./new-extras.json" with { type: "json" };
import sample from "./sample.json" with { type: "json" };

/** The fields of an answer when the request names none. */
export const defaultTemplateFields = ["name", "parameter_format", "components", "language", "status", "category", "id"];

/** Every field by the platform's name. An undefined one is left out of the JSON. */
export const templateFields = (record: TemplateRecord): Record<string, unknown> => ({
  id: record.id,
  name: record.name,
  language: record.language,
  status: record.status,
  category: record.category,
  parameter_format: record.parameterFormat,
  components: record.components.map((component) => presentComponent(component, record.id)),
  rejected_reason: record.rejectedReason,
  quality_score: record.quality,
  previous_category: record.previousCategory ?? undefined,
  correct_category: record.correctCategory ?? undefined,
  sub_category: undefined,
  last_updated_time: new Date(record.updatedAt).toISOString().replace(/\.\d+Z$/, "+0000"),
  message_send_ttl_seconds: record.ttlSeconds ?? undefined,
  source: record.isGenerated ? "AUTO_GENERATED" : undefined,
});

/** A component in an answer. A media example is given as an upload handle and returned as an address. */
function presentComponent(component: TemplateComponent, id: string): unknown {
  if (component.type !== "HEADER" || component.format === "TEXT" || component.format === "LOCATION") return component;
  return { ...component, example: { header_handle: [`https://scontent.whatsapp.net/v/t61.29466-34/${id}`] } };
}

type GivenTemplate = Pick<TemplateRecord, "name" | "language" | "category" | "components"> & Partial<TemplateRecord>;

/** A template that nothing has happened to yet; `given` replaces what is usual. */
export const newTemplate = (wabaId: string, now: number, given: GivenTemplate): TemplateRecord => ({
  ...newExtras,
  id: randomId(),
  wabaId,
  previousCategory: null,
  parameterFormat: "POSITIONAL",
  status: "PENDING",
  rejectedReason: "NONE",
  quality: { score: "UNKNOWN", date: Math.floor(now / 1000) },
  ttlSeconds: null,
  createdAt: now,
  updatedAt: now,
  everApproved: given.status === "APPROVED",
  edits: [],
  review: null,
  ...given,
});

/** Every new account has this approved template. */
export const sampleTemplate = (wabaId: string, now: number): TemplateRecord => newTemplate(wabaId, now, sample as GivenTemplate);

/** Every account's templates and the locks on deleted names, cached in memory and written through. */
export type Templates = Awaited<ReturnType<typeof loadTemplates>>;

export async function loadTemplates(sql: Sql, now: () => number) {
  const index = createTemplateIndex(now);
  const locks = new Map<string, SandboxTemplateLock>();
  const holdLock = (lock: SandboxTemplateLock): void => {
    locks.set(keyOf(lock), lock);
  };
  // Records from before lack the extras.
  for (const row of await listSandboxTemplates(sql)) index.hold({ ...newExtras, ...(JSON.parse(row.record) as TemplateRecord) });
  for (const lock of await listSandboxTemplateLocks(sql)) holdLock(lock);
  return {
    ...index,
    save: async (record: TemplateRecord): Promise<void> => {
      const former = index.byId(record.id);
      // The name is taken at once, while the template is still being written.
      index.hold(record);
      try {
        await saveSandboxTemplate(sql, { id: record.id, waba_id: record.wabaId, record: JSON.stringify(record) });
      } catch (error) {
        if (former === undefined) index.drop(record);
        else index.hold(former);
        throw error;
      }
    },
    remove: async (record: TemplateRecord): Promise<void> => {
      await deleteSandboxTemplate(sql, record.id);
      index.drop(record);
    },
    /** Includes expired locks. */
    locks: (wabaId: string, name: string) => [...locks.values()].filter((lock) => lock.wabaId === wabaId && lock.name === name),
    lock: async (lock: SandboxTemplateLock): Promise<void> => {
      await saveSandboxTemplateLock(sql, lock);
      holdLock(lock);
    },
  };
}

/** Templates in memory, oldest first, found by account, by name and language, and by id. Reading one applies a review that is due. */
function createTemplateIndex(now: () => number) {
  const records = new Map<string, TemplateRecord>();
  const ids = new Map<string, string>();
  const byId = (id: string): TemplateRecord | undefined => {
    const record = records.get(id);
    if (record === undefined || (record.archived !== null && record.archived.deleteAt <= now())) return undefined;
    const reviewed = record.review === null || record.review.at > now() ? record : afterReview(record, record.review);
    const current = reviewed.announced === null || reviewed.announced.at > now() ? reviewed : afterAnnounced(reviewed, reviewed.announced);
    records.set(id, current);
    return current;
  };
  return {
    byId,
    find: (wabaId: string, name: string, language: string) => byId(ids.get(keyOf({ wabaId, name, language })) ?? ""),
    ofAccount: (wabaId: string) => [...records.values()].flatMap((record) => (record.wabaId === wabaId ? (byId(record.id) ?? []) : [])),
    hold: (record: TemplateRecord): void => {
      records.set(record.id, record);
      ids.set(keyOf(record), record.id);
    },
    drop: (record: TemplateRecord): void => {
      records.delete(record.id);
      ids.delete(keyOf(record));
    },
  };
}

const keyOf = ({ wabaId, name, language }: Pick<TemplateRecord, "wabaId" | "name" | "language">) => [wabaId, name, language].join(" ");

/** The platform's reasons. The name of a rejected template may end in one, which chooses it. */
const rejectionReasons =
  "ABUSIVE_CONTENT CATEGORY_NOT_AVAILABLE INCORRECT_CATEGORY INVALID_FORMAT PROMOTIONAL SCAM TAG_CONTENT_MISMATCH".split(" ");

/**
 * Decides how a template's review ends. Names that begin with `reject_` are rejected, those that begin with `pending_` stay in review for ever,
 * and a UTILITY template whose name contains `promo` is approved as MARKETING, as the platform has done since April 2025.
 */
export function planReview(record: TemplateRecord, at: number): Review | null {
  const { name, category } = record;
  if (name.startsWith("pending_")) return null;
  if (name.startsWith("reject_")) return { at, status: "REJECTED", category, rejectedReason: reasonIn(name) };
  if (looksBroken(record)) return { at, status: "REJECTED", category, rejectedReason: "INVALID_FORMAT" };
  const judged: TemplateCategory = category === "UTILITY" && name.includes("promo") ? "MARKETING" : category;
  return { at, status: "APPROVED", category: judged, rejectedReason: "NONE" };
}

export const afterReview = (record: TemplateRecord, review: Review): TemplateRecord => ({
  ...record,
  status: review.status,
  category: review.category,
  previousCategory: review.category === record.category ? record.previousCategory : record.category,
  rejectedReason: review.rejectedReason,
  everApproved: record.everApproved || review.status === "APPROVED",
  updatedAt: review.at,
  review: null,
});

/** The template once its announced category has come. One that is judged to be of one-time codes keeps its category and is rejected. */
export function afterAnnounced(record: TemplateRecord, { at, category }: Announced): TemplateRecord {
  const common = { ...record, announced: null, ttlSeconds: null, updatedAt: at };
  if (category === "AUTHENTICATION") return { ...common, status: "REJECTED", rejectedReason: "INCORRECT_CATEGORY" };
  return { ...common, category, previousCategory: record.category };
}

const reasonIn = (name: string): string => rejectionReasons.find((reason) => name.toUpperCase().endsWith(reason)) ?? "INVALID_FORMAT";

/** Whether review would reject the template: the platform first accepts adjacent variables, and named ones in a POSITIONAL template. */
const looksBroken = ({ components, parameterFormat }: TemplateRecord): boolean =>
  components.some((component) => {
    if (component.type !== "BODY" && !(component.type === "HEADER" && component.format === "TEXT")) return false;
    const unannounced = parameterFormat === "POSITIONAL" && variablesOf(component.text).some((name) => !/^\d+$/.test(name));
    return component.text.includes("}}{{") || unannounced;
  });

export const templateCategories = ["AUTHENTICATION", "MARKETING", "UTILITY"] as const;
export type TemplateCategory = (typeof templateCategories)[number];

/** The platform's lasting statuses. Only APPROVED and FLAGGED templates can be sent. */
export const templateStates = ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "FLAGGED", "ARCHIVED"] as const;
export type TemplateState = (typeof templateStates)[number];

/** A template as the platform stores it. */
export interface TemplateRecord {
  /** Digits: a string over REST, an integer in callbacks. */
  readonly id: string;
  readonly wabaId: string;
  readonly name: string;
  readonly language: string;
  readonly category: TemplateCategory;
  readonly previousCategory: TemplateCategory | null;
  readonly parameterFormat: "POSITIONAL" | "NAMED";
  readonly components: readonly TemplateComponent[];
  readonly status: TemplateState;
  readonly rejectedReason: string;
  readonly quality: { score: string; date: number };
  readonly ttlSeconds: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** True once it was approved, which decides how long its name is locked after a deletion. */
  readonly everApproved: boolean;
  /** Milliseconds since 1970 of each edit while approved. */
  readonly edits: readonly number[];
  /** The review under way; its outcome is known when it begins. */
  readonly review: Review | null;
  /** The category that the platform holds to be right, once it has looked. */
  readonly correctCategory: TemplateCategory | null;
  readonly announced: Announced | null;
  /** Until when its messages are held for quality assessment; milliseconds since 1970. */
  readonly heldUntil: number | null;
  /** Whether `/marketing_messages` does not know it yet. */
  readonly isSyncing: boolean;
  /** Whether a Direct Send made it. */
  readonly isGenerated: boolean;
  /** Whether it has a highest price, which only `/marketing_messages` takes. */
  readonly hasMaxPrice: boolean;
  /** What it was before it was archived, and when it will be deleted. */
  readonly archived: { from: TemplateState; deleteAt: number } | null;
}

/** A change of category to come. */
export interface Announced {
  readonly category: TemplateCategory;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Review {
  readonly at: number;
  readonly status: "APPROVED" | "REJECTED";
  readonly category: TemplateCategory;
  readonly rejectedReason: string;
}
