import type { Sql } from "../../db/connect.ts";
import { randomId } from "../accounts.ts";
import {
  listSandboxTemplateLocks,
  type SandboxTemplateLock,
  saveSandboxTemplateLock,
  deleteSandboxTemplate,
  listSandboxTemplates,
  saveSandboxTemplate,
} from "../store.ts";

/** What the platform answers when `fields` names nothing: no reasons and no quality. */
export const defaultTemplateFields = ["name", "parameter_format", "components", "language", "status", "category", "id"];

/** Every field of a template as the platform names it; undefined ones are left out. */
export function templateFields(record: TemplateRecord): Record<string, unknown> {
  return {
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
    correct_category: undefined,
    sub_category: undefined,
    last_updated_time: new Date(record.updatedAt).toISOString().replace(/\.\d+Z$/, "+0000"),
    message_send_ttl_seconds: record.ttlSeconds ?? undefined,
  };
}

// A media example is handed in as an upload's handle and comes back as an address.
function presentComponent(component: TemplateComponent, id: string): unknown {
  if (component.type !== "HEADER" || component.format === "TEXT" || component.format === "LOCATION") return component;
  return { ...component, example: { header_handle: [`https://scontent.whatsapp.net/v/t61.29466-34/${id}`] } };
}

/** The approved sample that every account of the platform begins with. */
export function sampleTemplate(wabaId: string, now: number): TemplateRecord {
  return {
    id: randomId(),
    wabaId,
    name: "hello_world",
    language: "en_US",
    category: "UTILITY",
    previousCategory: null,
    parameterFormat: "POSITIONAL",
    components: [
      { type: "HEADER", format: "TEXT", text: "Hello World" },
      { type: "BODY", text: "Welcome and congratulations!! This message demonstrates your ability to send a template message." },
      { type: "FOOTER", text: "Sample message of the sandbox" },
    ],
    status: "APPROVED",
    rejectedReason: "NONE",
    quality: { score: "UNKNOWN", date: Math.floor(now / 1000) },
    ttlSeconds: null,
    createdAt: now,
    updatedAt: now,
    everApproved: true,
    edits: [],
    review: null,
  };
}

/** Every account's templates and the locks on deleted names, in memory and written through. */
export interface Templates extends Pick<TemplateIndex, "byId" | "find" | "ofAccount"> {
  save(record: TemplateRecord): Promise<void>;
  remove(record: TemplateRecord): Promise<void>;
  /** Also those that are over. */
  locks(wabaId: string, name: string): SandboxTemplateLock[];
  lock(lock: SandboxTemplateLock): Promise<void>;
}

export async function loadTemplates(sql: Sql, now: () => number): Promise<Templates> {
  const index = createTemplateIndex(now);
  const locks = new Map<string, SandboxTemplateLock>();
  const holdLock = (lock: SandboxTemplateLock): void => {
    locks.set([lock.wabaId, lock.name, lock.language].join(" "), lock);
  };
  for (const row of await listSandboxTemplates(sql)) index.hold(JSON.parse(row.record) as TemplateRecord);
  for (const lock of await listSandboxTemplateLocks(sql)) holdLock(lock);
  return {
    ...index,
    save: async (record) => {
      const former = index.byId(record.id);
      // Held at once: another request for the name must find it taken while it is being written.
      index.hold(record);
      try {
        await saveSandboxTemplate(sql, { id: record.id, waba_id: record.wabaId, record: JSON.stringify(record) });
      } catch (error) {
        if (former === undefined) index.drop(record);
        else index.hold(former);
        throw error;
      }
    },
    remove: async (record) => {
      await deleteSandboxTemplate(sql, record.id);
      index.drop(record);
    },
    locks: (wabaId, name) => [...locks.values()].filter((lock) => lock.wabaId === wabaId && lock.name === name),
    lock: async (lock) => {
      await saveSandboxTemplateLock(sql, lock);
      holdLock(lock);
    },
  };
}

/** Templates in memory, found by account, by name and language, and by id. What is read has its review behind it if that is due. */
interface TemplateIndex {
  byId(id: string): TemplateRecord | undefined;
  find(wabaId: string, name: string, language: string): TemplateRecord | undefined;
  /** Oldest first. */
  ofAccount(wabaId: string): TemplateRecord[];
  hold(record: TemplateRecord): void;
  drop(record: TemplateRecord): void;
}

function createTemplateIndex(now: () => number): TemplateIndex {
  const accounts = new Map<string, Map<string, TemplateRecord>>();
  const places = new Map<string, { wabaId: string; key: string }>();
  const ofWaba = (wabaId: string): Map<string, TemplateRecord> => {
    const known = accounts.get(wabaId) ?? new Map<string, TemplateRecord>();
    accounts.set(wabaId, known);
    return known;
  };
  const read = (wabaId: string, key: string): TemplateRecord | undefined => {
    const record = accounts.get(wabaId)?.get(key);
    if (record === undefined || record.review === null || record.review.at > now()) return record;
    const reviewed = afterReview(record, record.review);
    ofWaba(wabaId).set(key, reviewed);
    return reviewed;
  };
  return {
    byId: (id) => {
      const place = places.get(id);
      return place === undefined ? undefined : read(place.wabaId, place.key);
    },
    find: (wabaId, name, language) => read(wabaId, keyOf(name, language)),
    ofAccount: (wabaId) => [...ofWaba(wabaId).keys()].flatMap((key) => read(wabaId, key) ?? []),
    hold: (record) => {
      const key = keyOf(record.name, record.language);
      ofWaba(record.wabaId).set(key, record);
      places.set(record.id, { wabaId: record.wabaId, key });
    },
    drop: (record) => {
      places.delete(record.id);
      ofWaba(record.wabaId).delete(keyOf(record.name, record.language));
    },
  };
}

function keyOf(name: string, language: string): string {
  return `${name} ${language}`;
}

/** What the name of a rejected template may end in to choose the reason; the platform's own list. */
const REASONS = [
  "ABUSIVE_CONTENT",
  "CATEGORY_NOT_AVAILABLE",
  "INCORRECT_CATEGORY",
  "INVALID_FORMAT",
  "PROMOTIONAL",
  "SCAM",
  "TAG_CONTENT_MISMATCH",
];

/**
 * How the review of a template will end. Names that begin with `reject_` are rejected, those that begin with `pending_` stay in review for ever,
 * and a UTILITY template whose name holds `promo` is approved as MARKETING, as the platform does since April 2025.
 */
export function planReview(record: TemplateRecord, at: number): Review | null {
  const { name, category } = record;
  if (name.startsWith("pending_")) return null;
  if (name.startsWith("reject_")) return { at, status: "REJECTED", category, rejectedReason: reasonIn(name) };
  if (looksBroken(record)) return { at, status: "REJECTED", category, rejectedReason: "INVALID_FORMAT" };
  const judged: TemplateCategory = category === "UTILITY" && name.includes("promo") ? "MARKETING" : category;
  return { at, status: "APPROVED", category: judged, rejectedReason: "NONE" };
}

/** The record once its review is over. */
export function afterReview(record: TemplateRecord, review: Review): TemplateRecord {
  return {
    ...record,
    status: review.status,
    category: review.category,
    previousCategory: review.category === record.category ? record.previousCategory : record.category,
    rejectedReason: review.rejectedReason,
    everApproved: record.everApproved || review.status === "APPROVED",
    updatedAt: review.at,
    review: null,
  };
}

function reasonIn(name: string): string {
  return REASONS.find((reason) => name.toUpperCase().endsWith(reason)) ?? "INVALID_FORMAT";
}

// What the platform takes at first and rejects in review: variables that touch, and named ones that were not announced as such.
function looksBroken({ components, parameterFormat }: TemplateRecord): boolean {
  return components.some((component) => {
    if (component.type !== "BODY" && !(component.type === "HEADER" && component.format === "TEXT")) return false;
    const unannounced = parameterFormat === "POSITIONAL" && variablesOf(component.text).some((name) => !/^\d+$/.test(name));
    return component.text.includes("}}{{") || unannounced;
  });
}

export const templateCategories = ["AUTHENTICATION", "MARKETING", "UTILITY"] as const;
export type TemplateCategory = (typeof templateCategories)[number];

/** The platform's statuses that last (platform facts, 4.3). Only APPROVED and FLAGGED can be sent. */
export const templateStates = ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "FLAGGED", "ARCHIVED"] as const;
export type TemplateState = (typeof templateStates)[number];

/** A template as the platform holds it. */
export interface TemplateRecord {
  /** Digits; a string over REST and an integer in callbacks. */
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
  /** Whether it ever was approved: its name is then locked for long when it is deleted. */
  readonly everApproved: boolean;
  /** When it was edited while approved. */
  readonly edits: readonly number[];
  /** The review under way: its end is known when it begins. */
  readonly review: Review | null;
}

interface Review {
  readonly at: number;
  readonly status: "APPROVED" | "REJECTED";
  readonly category: TemplateCategory;
  readonly rejectedReason: string;
}

export type TemplateComponent =
  | { type: "HEADER"; format: "TEXT"; text: string; example?: HeaderTextExample | undefined }
  | { type: "HEADER"; format: MediaFormat; example?: { header_handle?: string[] | undefined } | undefined }
  | { type: "HEADER"; format: "LOCATION" }
  | { type: "BODY"; text: string; example?: BodyExample | undefined }
  | { type: "FOOTER"; text: string }
  | { type: "BUTTONS"; buttons: TemplateButton[] };

export type MediaFormat = "IMAGE" | "VIDEO" | "DOCUMENT";

export interface NamedExample {
  param_name: string;
  example: string;
}

export interface HeaderTextExample {
  header_text?: string[] | undefined;
  header_text_named_params?: NamedExample[] | undefined;
}

export interface BodyExample {
  /** Nested; a flat array is accepted too, as some of the platform's own pages show it. */
  body_text?: string[][] | string[] | undefined;
  body_text_named_params?: NamedExample[] | undefined;
}

export type TemplateButton =
  | { type: "URL"; text: string; url: string; example?: string[] | undefined }
  | { type: "QUICK_REPLY"; text: string }
  | { type: "PHONE_NUMBER"; text: string; phone_number: string }
  | { type: "COPY_CODE"; example: string | string[]; text?: string | undefined }
  | { type: "VOICE_CALL"; text: string };

const VARIABLE = /\{\{([a-z0-9_]+)\}\}/g;

/** The names of a text's variables in the order of their first appearance: `1`, `2`… or words. */
export function variablesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(VARIABLE), (match) => match[1] ?? ""))];
}

/** The text with its variables replaced; one without a value stays as it stands. */
export function fillVariables(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/** The text without its variables, each replaced by a space. */
export function withoutVariables(text: string): string {
  return text.replace(VARIABLE, " ");
}

/** Positional variables by number, whatever order the text has them in; named ones in the order of the text. */
export function slotNames(text: string, named: boolean): string[] {
  const names = variablesOf(text);
  return named ? names : names.toSorted((a, b) => Number(a) - Number(b));
}
