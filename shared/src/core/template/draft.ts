import { canonical } from "../json.ts";
import { isBlank } from "../text.ts";
import type { Authentication, TemplateDefinition, TemplateHeader, TemplateStatus } from "./definition.ts";
import type { MediaFormat } from "./platform-limits.ts";
import { codeLink } from "./slots.ts";

/** A checked input as it is stored: line breaks as the platform writes them, an empty footer as none. The name of an uploaded file is filled in later. */
export function toDefinition(input: UncheckedTemplate): TemplateDefinition {
  if (input.category === "AUTHENTICATION") return codeDefinition(input.authentication ?? {});
  const { header, body, footer, buttons, examples } = input;
  return {
    parameterFormat: "POSITIONAL",
    header: toHeader(header ?? null),
    body: body.replace(/\r\n?/g, "\n"),
    footer: footer || null,
    buttons: buttons ?? [],
    examples: { header: examples?.header ?? [], body: examples?.body ?? [], buttonUrl: examples?.buttonUrl ?? [] },
  };
}

/** A template of one-time codes as it reads in English, until the platform's list gives its text. */
function codeDefinition(authentication: Authentication): TemplateDefinition {
  const { addSecurityRecommendation, codeExpirationMinutes: minutes, buttonText } = authentication;
  return {
    parameterFormat: "POSITIONAL",
    header: null,
    body: `*{{1}}* is your verification code.${addSecurityRecommendation === true ? " For your security, do not share this code." : ""}`,
    footer: minutes === undefined ? null : `This code expires in ${minutes} minutes.`,
    buttons: [{ type: "URL", text: buttonText || "Copy code", url: `${codeLink}?otp_type=COPY_CODE&code=otp{{1}}` }],
    examples: { header: [], body: ["123456"], buttonUrl: [] },
    authentication,
  };
}

function toHeader(header: NonNullable<UncheckedTemplate["header"]> | null): TemplateHeader | null {
  if (header === null || header.format === "TEXT") return header;
  const { format, url, fileId } = header;
  return fileId === undefined ? { format, url: url ?? null } : { format, url: null, file: { id: fileId, name: "", mediaId: null } };
}

/** The stored members that the platform may change, named like the columns. */
export interface StoredTemplate {
  platform_id: string | null;
  category: string;
  status: TemplateStatus;
  reason: string | null;
  quality: string | null;
  /** See `PlatformWord.toldAt`. */
  told_at: Date | null;
  /** The category that the platform is about to give it, and when, if it said so. */
  upcoming_category: string | null;
  upcoming_at: Date | null;
  /** How long messages may take to arrive, in seconds, -1 for 30 days; null for the platform's default. */
  ttl_seconds: number | null;
  /** `AUTO_GENERATED`: the platform made it of messages without a template. */
  source: string | null;
  definition: TemplateDefinition;
}

/** The platform's report on a template, in its list or by a callback; null for members that it does not mention. */
export interface PlatformWord {
  platformId: string | null;
  category: string | null;
  status: TemplateStatus | null;
  /** The reason for `status`. */
  reason: string | null;
  quality: string | null;
  definition: TemplateDefinition | null;
  /** The category that it is about to get, null for none; undefined where nothing is said of that. The list gives no time. */
  upcoming?: { category: string; at: Date | null } | null | undefined;
  /** Absent where it was not read. */
  ttlSeconds?: number | null | undefined;
  source?: string | null | undefined;
  /** The platform's time of a callback, which may come late or twice; null for its list, which holds the present state. */
  toldAt: Date | null;
}

/** The stored template with the platform's report merged in; null if that has nothing new. The one rule for polls, syncs and callbacks. */
export function mergeTemplate<T extends StoredTemplate>(local: T, word: PlatformWord): StoredTemplate | null {
  const category = word.category ?? local.category;
  const merged: StoredTemplate = {
    platform_id: word.platformId ?? local.platform_id,
    category,
    ...upcomingOf(local, word, category),
    quality: word.quality ?? local.quality,
    ttl_seconds: ttlOf(local, word),
    source: word.source ?? local.source,
    definition: definitionOf(local, word),
    ...statusOf(local, word),
  };
  return canonical({ ...local, ...merged }) === canonical(local) ? null : merged;
}

function statusOf(local: StoredTemplate, { status, reason, toldAt }: PlatformWord): Pick<StoredTemplate, "status" | "reason" | "told_at"> {
  const isOutdated = toldAt !== null && local.told_at !== null && toldAt < local.told_at;
  if (status === null || isOutdated) return { status: local.status, reason: local.reason, told_at: local.told_at };
  // A callback gives the reason for a pause or a rejection; the platform's list often does not.
  const known = status === local.status ? local.reason : null;
  return { status, reason: reason ?? known, told_at: toldAt ?? local.told_at };
}

/** What was announced is over once the template has that category, or another than when it was announced. */
function upcomingOf(local: StoredTemplate, { upcoming }: PlatformWord, category: string) {
  const known = category === local.category ? { category: local.upcoming_category, at: local.upcoming_at } : null;
  const told = upcoming === undefined ? known : upcoming;
  if (told === null || told.category === null || told.category === category) return { upcoming_category: null, upcoming_at: null };
  return { upcoming_category: told.category, upcoming_at: told.at ?? (known?.category === told.category ? known.at : null) };
}

/** The platform forgets the time to live of a template whose category it changes. */
function ttlOf(local: StoredTemplate, { category, ttlSeconds }: PlatformWord): number | null {
  if (ttlSeconds !== undefined) return ttlSeconds;
  return category === null || category === local.category ? local.ttl_seconds : null;
}

function definitionOf(local: StoredTemplate, word: PlatformWord): TemplateDefinition {
  // The stored text of a rejected template may be the operator's correction that is not submitted yet.
  const isCorrection = local.status === "rejected" && word.status === "rejected" && local.platform_id === word.platformId;
  return word.definition === null || isCorrection ? local.definition : withMedia(word.definition, local.definition);
}

/** The platform keeps no address of a header's file that could be sent; our address stays while the header has that format. */
function withMedia(remote: TemplateDefinition, local: TemplateDefinition): TemplateDefinition {
  const { header } = remote;
  if (header === null || header.format === "TEXT" || header.format === "OTHER" || header.url !== null) return remote;
  return local.header?.format === header.format ? { ...remote, header: local.header } : remote;
}

/**
 * A stored template as an input, for changes to build on; null if it was made elsewhere and has parts that an input cannot have (named variables, parts of
 * another type, media without an address).
 */
export function toInput(template: {
  name: string;
  language: string;
  category: string;
  definition: TemplateDefinition;
  ttl_seconds?: number | null;
}): UncheckedTemplate | null {
  const { name, language, category, definition, ttl_seconds: ttlSeconds = null } = template;
  const lifetime = ttlSeconds !== null && { ttlSeconds };
  const { header, body, footer, examples, authentication } = definition;
  if (category === "AUTHENTICATION") return !authentication ? null : { name, language, category, body: "", authentication, ...lifetime };
  const buttons = definition.buttons.filter((button) => button.type !== "OTHER");
  if (definition.parameterFormat === "NAMED" || buttons.length < definition.buttons.length) return null;
  // The platform's list may lack examples: such a part waits for its own.
  const given = (part: string[]): string[] => (part.some((example) => isBlank(example)) ? [] : part);
  const { header: headers, body: bodies, buttonUrl } = examples;
  const known = { header: given(headers), body: given(bodies), buttonUrl: given(buttonUrl) };
  const common = { name, language, category, body, footer, buttons, examples: known, ...lifetime };
  if (header === null || header.format === "TEXT") return { ...common, header };
  if (header.format === "OTHER") return null;
  const { format, url, file } = header;
  if (url !== null) return { ...common, header: { format, url } };
  return file === undefined ? null : { ...common, header: { format, fileId: file.id } };
}

/** A template before the platform's rules are checked. */
export interface UncheckedTemplate {
  name: string;
  language: string;
  category: string;
  header?:
    | { format: "TEXT"; text: string }
    | { format: MediaFormat; url?: string | undefined; fileId?: string | undefined }
    | null
    | undefined;
  /** Empty of a template of one-time codes, which has `authentication` in place of texts and buttons. */
  body: string;
  footer?: string | null | undefined;
  buttons?: UncheckedButton[] | null | undefined;
  /** The examples in slot order; `buttonUrl` holds the variable parts. */
  examples?: { header?: string[] | undefined; body?: string[] | undefined; buttonUrl?: string[] | undefined } | null | undefined;
  authentication?: UncheckedCodes | null | undefined;
  /** How long messages may take to arrive; -1: 30 days; null: the platform's default. */
  ttlSeconds?: number | null | undefined;
}

type UncheckedButton =
  | { type: "URL"; text: string; url: string }
  | { type: "QUICK_REPLY"; text: string }
  | { type: "PHONE_NUMBER"; text: string; phone: string };

type UncheckedCodes = { [Member in keyof Authentication]?: Authentication[Member] | undefined };

/** The text at a dotted path of an input (`buttons.0.url`); undefined where there is none. */
export function textAt(input: UncheckedTemplate, field: string): string | undefined {
  const found = field.split(".").reduce<unknown>((value, key) => {
    return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  }, input);
  return typeof found === "string" ? found : undefined;
}

/** The input with another text at a dotted path. */
export function withText(input: UncheckedTemplate, field: string, text: string): UncheckedTemplate {
  const set = (value: unknown, [key = "", ...rest]: string[]): unknown => {
    const inner = rest.length === 0 ? text : set((value as Record<string, unknown>)[key], rest);
    return Array.isArray(value)
      ? value.map((each, index) => (index === Number(key) ? inner : (each as unknown)))
      : { ...(value as object), [key]: inner };
  };
  return set(input, field.split(".")) as UncheckedTemplate;
}
