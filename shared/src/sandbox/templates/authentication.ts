import { z } from "zod";
import { languages } from "../../core/template/platform-limits.ts";
import { invalidParameter } from "../graph-error.ts";
import texts from "./code-texts.json" with { type: "json" };
import { readParts, type TemplateComponent, upper, upperLiteral } from "./components.ts";

/** The platform's words for codes by language; others have English ones. */
const words: Readonly<Record<string, typeof texts.en>> = texts;

const app = z.object({ package_name: z.string().min(1), signature_hash: z.string().length(11) });
const label = z.string().min(1).max(25);
const otpButton = z
  .object({
    type: upperLiteral("OTP"),
    otp_type: z.preprocess(upper, z.enum(["COPY_CODE", "ONE_TAP", "ZERO_TAP"])),
    text: label.optional(),
    autofill_text: label.optional(),
    supported_apps: z.array(app).min(1).max(5).optional(),
    zero_tap_terms_accepted: z.boolean().optional(),
  })
  .refine(({ otp_type: type, supported_apps: apps }) => type === "COPY_CODE" || apps !== undefined)
  .refine(({ otp_type: type, zero_tap_terms_accepted: accepted }) => type !== "ZERO_TAP" || accepted === true);
const component = z.union([
  z.object({ type: upperLiteral("BODY"), add_security_recommendation: z.boolean().optional() }),
  z.object({ type: upperLiteral("FOOTER"), code_expiration_minutes: z.int().min(1).max(90).optional() }),
  z.object({ type: upperLiteral("BUTTONS"), buttons: z.tuple([otpButton]) }),
]);
type CodeComponent = z.output<typeof component>;

/** Reads the components of a template of one-time codes, whose text is the platform's, and returns them as they are listed. Throws code 100. */
export function readCodeComponents(value: unknown, language: string): TemplateComponent[] {
  const parts = readParts(value, component, "is malformed, or not one of an AUTHENTICATION template.");
  const types = parts.map(({ type }) => type);
  if (!types.includes("BODY") || !types.includes("BUTTONS") || new Set(types).size < types.length)
    throw invalidParameter("An AUTHENTICATION template has one BODY, one button of type OTP and at most one FOOTER.");
  const minutes = parts.flatMap((part) => (part.type === "FOOTER" ? (part.code_expiration_minutes ?? []) : []))[0];
  return parts.flatMap((part) => listed(part, minutes, language));
}

function listed(part: CodeComponent, minutes: number | undefined, language: string): TemplateComponent[] {
  const { code, caution, expiry } = wordsOf(language);
  if (part.type === "BUTTONS") return [{ type: "BUTTONS", buttons: [listedButton(part.buttons[0], minutes, language)] }];
  if (part.type === "FOOTER")
    return minutes === undefined ? [] : [{ type: "FOOTER", text: expiry.replace("N", String(minutes)), code_expiration_minutes: minutes }];
  const { add_security_recommendation: isCautious } = part;
  const text = isCautious === true ? `${code} ${caution}` : code;
  const cautious = isCautious === undefined ? {} : { add_security_recommendation: isCautious };
  return [{ type: "BODY", text, ...cautious, example: { body_text: [["123456"]] } }];
}

function listedButton(button: z.output<typeof otpButton>, minutes: number | undefined, language: string) {
  const { copy, autofill } = wordsOf(language);
  const { otp_type: type, text = copy, autofill_text = autofill, supported_apps: [first] = [] } = button;
  const query = new URLSearchParams({
    otp_type: type,
    ...(first !== undefined && { cta_display_name: autofill_text, ...first }),
    ...(minutes !== undefined && { code_expiration_minutes: String(minutes) }),
  });
  const url = `https://www.whatsapp.com/otp/code/?${query.toString()}&code=otp`;
  return { type: "URL" as const, text, url: `${url}{{1}}`, example: [`${url}123456`] };
}

const wordsOf = (language: string) => words[language.split("_")[0] ?? ""] ?? texts.en;

/** Languages of one upsert. */
export function readLanguages(value: unknown): string[] {
  const wanted = Array.isArray(value) ? value.map(String) : [];
  const unknown = wanted.find((language) => !languages.includes(language));
  if (wanted.length === 0 || unknown !== undefined)
    throw invalidParameter(`Param languages must name languages - got ${JSON.stringify(unknown ?? value)}.`);
  return [...new Set(wanted)];
}
