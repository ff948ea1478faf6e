import type {
  Authentication,
  TemplateButton,
  TemplateDefinition,
  TemplateExamples,
  TemplateHeader,
  TemplateStatus,
} from "../core/template/definition.ts";
import { type UrlSlot, codeLink, slotNamesOf, urlSlotsOf } from "../core/template/slots.ts";
import type { PlatformError } from "./client.ts";
import { knownErrors } from "./errors/known-errors.ts";
import { boundedText, idMember, listMember, member, textMember } from "./exchange.ts";
import statusesThere from "./template-statuses.json" with { type: "json" };

/** A template of the platform, in our terms. */
export type PlatformTemplate = NonNullable<ReturnType<typeof readTemplate>>;

/** Reads one item of the platform's list; null without a name or a language. Types and formats may be in either case. `isShort`: not all fields were asked for. */
export function readTemplate(item: unknown, isShort = false) {
  const platformId = idMember(item, "id");
  const name = textMember(item, "name");
  const language = textMember(item, "language");
  if (platformId === undefined || name === undefined || language === undefined) return null;
  const status = textMember(item, "status") ?? "";
  return {
    platformId,
    name,
    /** With an underscore: `en_US`. */
    language: language.replaceAll("-", "_"),
    /** The platform's category in upper case; may differ from the requested one. */
    category: (textMember(item, "category") ?? "").toUpperCase(),
    status: templateStatusOf(status),
    /** The reason why the template is not approved, in the platform's words. */
    reason: reasonOf(item, status),
    /** The rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null where the platform does not give one. */
    quality: textMember(member(item, "quality_score"), "score")?.toUpperCase() ?? null,
    /** Seconds, -1 for 30 days; null for the platform's default; undefined where it was not asked for. */
    ttlSeconds: isShort ? undefined : readSeconds(member(item, "message_send_ttl_seconds")),
    source: /^(direct_send|auto_generated)_/.test(name) ? "AUTO_GENERATED" : clean(textMember(item, "source")),
    /** The category that it is about to get, null for none; undefined where the platform does not say. */
    upcoming: readUpcoming(item),
    definition: readDefinition(item),
  };
}

const readSeconds = (value: unknown): number | null => {
  const seconds = typeof value === "string" ? Number(value) : value;
  return typeof seconds === "number" && Number.isInteger(seconds) && Math.abs(seconds) < 2 ** 31 ? seconds : null;
};

const clean = (text: string | undefined): string | null => (text === undefined ? null : boundedText(text.toUpperCase()));

function readUpcoming(item: unknown) {
  const category = textMember(item, "correct_category")?.toUpperCase();
  if (category !== undefined) return { category, at: null };
  return member(item, "correct_category") === undefined ? undefined : null;
}

/** @param template The members `components` and `parameter_format` of a template. */
export function readDefinition(template: unknown): TemplateDefinition {
  const components = listMember(template, "components");
  const parameterFormat = readFormat(textMember(template, "parameter_format"), components);
  const buttons = readButtons(components);
  const header = readHeader(componentOf(components, "HEADER"));
  const body = textMember(componentOf(components, "BODY"), "text") ?? "";
  const footer = textMember(componentOf(components, "FOOTER"), "text") ?? null;
  const examples = readExamples(components, { parameterFormat, header, body, buttons });
  const authentication = readAuthentication(components, buttons);
  return { parameterFormat, header, body, footer, buttons, examples, ...(authentication !== undefined && { authentication }) };
}

/** What was chosen of a template of one-time codes; undefined for other templates, and for those whose codes fill themselves in. */
function readAuthentication(components: readonly unknown[], buttons: readonly TemplateButton[]): Authentication | undefined {
  const button = buttons.find((each) => each.type === "URL" && each.url.startsWith(codeLink));
  if (button?.type !== "URL" || /otp_type=(ONE_TAP|ZERO_TAP)/.test(button.url)) return undefined;
  const minutes = readSeconds(member(componentOf(components, "FOOTER"), "code_expiration_minutes"));
  return {
    ...(member(componentOf(components, "BODY"), "add_security_recommendation") === true && { addSecurityRecommendation: true }),
    ...(minutes !== null && { codeExpirationMinutes: minutes }),
    ...(button.text !== "" && { buttonText: button.text }),
  };
}

/** The format. If it is not stated, a variable that is not a number makes it named. */
function readFormat(told: string | undefined, components: readonly unknown[]): TemplateDefinition["parameterFormat"] {
  if (told !== undefined) return told.toUpperCase() === "NAMED" ? "NAMED" : "POSITIONAL";
  return components.some((component) => /\{\{\d*[a-z_]/.test(textMember(component, "text") ?? "")) ? "NAMED" : "POSITIONAL";
}

function readHeader(component: unknown): TemplateHeader | null {
  if (component === undefined) return null;
  const format = (textMember(component, "format") ?? "TEXT").toUpperCase();
  switch (format) {
    case "TEXT":
      return { format, text: textMember(component, "text") ?? "" };
    case "IMAGE":
    case "VIDEO":
    case "DOCUMENT":
      // The link to the sample in the list expires, so messages cannot use it.
      return { format, url: null };
    default:
      return { format: "OTHER", type: format };
  }
}

function reasonOf(item: unknown, status: string): string | null {
  const info = member(item, "rejection_info");
  const words = [textMember(item, "rejected_reason"), textMember(info, "reason"), textMember(info, "recommendation")];
  const told = words.filter((word) => word !== undefined && word !== "NONE");
  if (status.toUpperCase() === "ARCHIVED") return status.toUpperCase();
  if (told.length > 0) return boundedText([...new Set(told)].join(": "));
  return ["", "APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"].includes(status.toUpperCase()) ? null : boundedText(status);
}

const plainParts = new Set(["HEADER", "BODY", "FOOTER", "BUTTONS"]);

/** Buttons that need no value. A template with any other unknown button is held back, so that the platform does not refuse it. */
const withoutParameter = new Set(["VOICE_CALL", "REQUEST_CONTACT_INFO"]);

/** All buttons in order, as indexes count them. Unknown components follow as buttons of their own, which makes the template unsendable. */
function readButtons(components: readonly unknown[]): TemplateButton[] {
  const lists = components.filter((component) => typeOf(component) === "BUTTONS").flatMap((component) => listMember(component, "buttons"));
  const others = components.map(typeOf).filter((type) => !plainParts.has(type));
  return [...lists.map(readButton), ...others.map((kind): TemplateButton => ({ type: "OTHER", kind, text: "", needsParameter: true }))];
}

function readButton(button: unknown): TemplateButton {
  const type = typeOf(button);
  const text = textMember(button, "text") ?? "";
  switch (type) {
    case "URL":
      return { type, text, url: textMember(button, "url") ?? "" };
    case "QUICK_REPLY":
      return { type, text };
    case "PHONE_NUMBER":
      return { type, text, phone: textMember(button, "phone_number") ?? "" };
    case "OTP":
      return { type: "URL", text, url: `${codeLink}?otp_type=${textMember(button, "otp_type") ?? "COPY_CODE"}&code=otp{{1}}` };
    default:
      return { type: "OTHER", kind: type, text, needsParameter: !withoutParameter.has(type) };
  }
}

const typeOf = (part: unknown): string => (textMember(part, "type") ?? "UNKNOWN").toUpperCase();

type Parts = Pick<TemplateDefinition, "parameterFormat" | "header" | "body" | "buttons">;

/** One example per slot, in slot order; empty where the platform gives none. */
function readExamples(components: readonly unknown[], parts: Parts): TemplateExamples {
  const header = member(componentOf(components, "HEADER"), "example");
  const body = member(componentOf(components, "BODY"), "example");
  const buttons = listMember(componentOf(components, "BUTTONS"), "buttons");
  return {
    header: parts.header?.format === "TEXT" ? textExamples(header, "header_text", parts.header.text, parts) : [],
    body: textExamples(body, "body_text", parts.body, parts),
    buttonUrl: urlSlotsOf({ ...parts, footer: null, examples: noExamples }).map((slot) => urlExample(buttons[slot.index], slot)),
  };
}

const noExamples: TemplateExamples = { header: [], body: [], buttonUrl: [] };

function textExamples(example: unknown, key: string, text: string, { parameterFormat }: Parts): string[] {
  const names = slotNamesOf(text, parameterFormat);
  if (parameterFormat === "NAMED") {
    const given = listMember(example, `${key}_named_params`);
    return names.map(
      (name) =>
        textMember(
          given.find((item) => member(item, "param_name") === name),
          "example",
        ) ?? "",
    );
  }
  // Usually the body's list is nested and the header's is flat, but both occur the other way.
  const values = listMember(example, key).flat();
  return names.map((_, index) => textOr(values[index]));
}

/** The variable's part of an example, which is the whole URL. */
function urlExample(button: unknown, { fixed, rest }: UrlSlot): string {
  const example = member(button, "example");
  const url = textOr(Array.isArray(example) ? example[0] : example);
  return url.startsWith(fixed) && url.endsWith(rest) ? url.slice(fixed.length, url.length - rest.length) : url;
}

const textOr = (value: unknown): string => (typeof value === "string" ? value : "");

/** The component of this type, given in upper case. */
const componentOf = (components: readonly unknown[], type: string): unknown =>
  components.find((component) => textMember(component, "type")?.toUpperCase() === type);

/** Our status by the platform's status or event. Only `approved` can be sent. UNARCHIVED and LOCKED name no new status, so sending pauses until the next poll. */
const statuses = new Map(Object.entries(statusesThere) as [string, TemplateStatus][]);

export const templateStatusOf = (platformStatus: string): TemplateStatus => knownTemplateStatus(platformStatus) ?? "disabled";

export const knownTemplateStatus = (platformStatus: string): TemplateStatus | undefined => statuses.get(platformStatus.toUpperCase());

/** Advice on a refused template call; null if only the platform's own text explains it. */
export function templateAdvice({ message, facts }: PlatformError): string | null {
  if (facts === null) return null;
  const rule = knownErrors.template.get(`${facts.code}/${idMember(facts.detail, "error_subcode")}`);
  if (rule !== undefined) return rule.explanation;
  // This refusal has no code of its own.
  if (/category \w+ doesn't match/i.test(message)) return "All languages of one name share a category: choose that one, or another name.";
  return facts.class === "account" || facts.class === "transient" ? facts.explanation : null;
}

type Part = Record<string, unknown>;

/**
 * The `components` of a call that creates the template.
 * @param headerHandle The upload handle of an image, video or document header's sample; the platform accepts no URL there.
 */
export function writeComponents(definition: TemplateDefinition, headerHandle: string | null = null): Part[] {
  const { header, body, footer, buttons, authentication } = definition;
  if (authentication) return writeCodeComponents(authentication);
  return [
    ...(header === null ? [] : [writeHeader(header, definition, headerHandle)]),
    { type: "BODY", text: body, ...bodyExample(definition) },
    ...(footer === null ? [] : [{ type: "FOOTER", text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: "BUTTONS", buttons: writeButtons(definition) }]),
  ];
}

const writeCodeComponents = ({ addSecurityRecommendation, codeExpirationMinutes, buttonText }: Authentication): Part[] => [
  { type: "BODY", ...(addSecurityRecommendation === true && { add_security_recommendation: true }) },
  ...(codeExpirationMinutes === undefined ? [] : [{ type: "FOOTER", code_expiration_minutes: codeExpirationMinutes }]),
  { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE", ...(buttonText && { text: buttonText }) }] },
];

function writeHeader(header: TemplateHeader, definition: TemplateDefinition, handle: string | null): Part {
  if (header.format === "OTHER") return { type: "HEADER", format: header.type };
  if (header.format !== "TEXT")
    return { type: "HEADER", format: header.format, ...(handle !== null && { example: { header_handle: [handle] } }) };
  const names = slotNamesOf(header.text, definition.parameterFormat);
  const { header: examples } = definition.examples;
  return { type: "HEADER", format: "TEXT", text: header.text, ...textExample("header_text", definition, names, examples, examples) };
}

function bodyExample(definition: TemplateDefinition): Part {
  const { body: examples } = definition.examples;
  return textExample("body_text", definition, slotNamesOf(definition.body, definition.parameterFormat), examples, [examples]);
}

function textExample(key: string, { parameterFormat }: TemplateDefinition, names: string[], examples: string[], positional: unknown): Part {
  if (names.length === 0) return {};
  if (parameterFormat === "POSITIONAL") return { example: { [key]: positional } };
  const named = names.map((name, index) => ({ param_name: name, example: examples[index] ?? "" }));
  return { example: { [`${key}_named_params`]: named } };
}

function writeButtons(definition: TemplateDefinition): Part[] {
  const slots = urlSlotsOf(definition);
  return definition.buttons.map((button, index) => {
    const slot = slots.findIndex((candidate) => candidate.index === index);
    const found = slots[slot];
    if (found === undefined) return writeButton(button);
    return { ...writeButton(button), example: [`${found.fixed}${definition.examples.buttonUrl[slot] ?? ""}${found.rest}`] };
  });
}

function writeButton(button: TemplateButton): Part {
  switch (button.type) {
    case "URL":
    case "QUICK_REPLY":
      return button;
    case "PHONE_NUMBER":
      return { type: button.type, text: button.text, phone_number: button.phone };
    case "OTHER":
      return { type: button.kind, text: button.text };
  }
}
