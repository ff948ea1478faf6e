import { limits } from "../../core/template/platform-limits.ts";
import { countEmoji, isBlank, textLength } from "../../core/text.ts";
import { templateRefusal } from "../graph-error.ts";
import { type NamedExample, slotNames, type TemplateButton, type TemplateComponent, variablesOf, withoutVariables } from "./components.ts";
import type { TemplateRecord } from "./store.ts";

/** Throws the platform's refusal of the first component that breaks a rule. */
export function checkComponents(components: readonly TemplateComponent[], format: TemplateRecord["parameterFormat"]): void {
  // Named variables in a POSITIONAL template pass here and are rejected in review.
  const named = format === "NAMED" || components.some((component) => "text" in component && /\{\{[a-z_]/.test(component.text));
  const types = components.map(({ type }) => type);
  if (!types.includes("BODY")) throw templateRefusal("no_body");
  const twice = types.find((type, index) => types.indexOf(type) !== index);
  if (twice !== undefined) throw templateRefusal("type_twice", { type: twice });
  for (const component of components) {
    if (component.type === "HEADER") checkHeader(component, named);
    else if (component.type === "BODY") checkBody(component, named);
    else if (component.type === "FOOTER") checkFooter(component);
    else checkButtons(component.buttons);
  }
}

const tooLong = (part: string, limit: number): Error => templateRefusal("too_long", { part, limit });

function checkBody({ text, example }: Extract<TemplateComponent, { type: "BODY" }>, named: boolean): void {
  if (textLength(text) > limits.body) throw tooLong("The body", limits.body);
  checkVariables("body", text, named);
  const words = withoutVariables(text).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (words === 0) throw templateRefusal("body_without_words");
  if (/\n{3}/.test(text.replaceAll("\r\n", "\n"))) throw templateRefusal("body_lines");
  if (countEmoji(text) > limits.bodyEmoji) throw templateRefusal("body_emoji", { limit: limits.bodyEmoji });
  if (/^\s*\{\{|\}\}\s*$/.test(text)) throw templateRefusal("variable_at_edge");
  const slots = slotNames(text, named);
  // The platform's formula is not published; one word per variable is a mild guess.
  if (slots.length > words) throw templateRefusal("too_many_variables");
  checkExamples("body", slots, named, (example?.body_text ?? []).flat(), example?.body_text_named_params ?? []);
}

/** Longest code that a button copies. */
export const codeLimit = 20;

/** Most buttons of each type. */
const buttonLimits: Record<TemplateButton["type"], number> = {
  URL: limits.urlButtons,
  QUICK_REPLY: 10,
  PHONE_NUMBER: limits.phoneButtons,
  COPY_CODE: 1,
  VOICE_CALL: 1,
  REQUEST_CONTACT_INFO: 1,
};

function checkButtons(buttons: readonly TemplateButton[]): void {
  if (buttons.length > limits.buttons) throw templateRefusal("too_many_buttons", { limit: limits.buttons });
  for (const [type, limit] of Object.entries(buttonLimits))
    if (buttons.filter((button) => button.type === type).length > limit) throw templateRefusal("too_many_of_type", { limit, type });
  const replies = buttons.map(({ type }) => type === "QUICK_REPLY");
  const changes = replies.filter((reply, index) => index > 0 && reply !== replies[index - 1]).length;
  if (changes > 1) throw templateRefusal("replies_apart");
  for (const button of buttons) checkButton(button);
}

function checkButton(button: TemplateButton): void {
  if (button.type !== "COPY_CODE" && button.type !== "REQUEST_CONTACT_INFO") checkLabel(button.text);
  if (button.type === "URL") checkUrlButton(button);
  if (button.type === "PHONE_NUMBER") {
    if (textLength(button.phone_number) > limits.buttonPhone) throw tooLong("A phone number", limits.buttonPhone);
    if (!/^\+?\d[\d ()-]*$/.test(button.phone_number)) throw templateRefusal("button_phone");
  }
  if (button.type === "COPY_CODE" && textLength([button.example].flat()[0] ?? "") > codeLimit) throw tooLong("A code", codeLimit);
}

function checkLabel(text: string): void {
  if (textLength(text) > limits.buttonText) throw tooLong("A button's text", limits.buttonText);
  if (isBlank(text) || /[\n\r]|\{\{|\}\}/.test(text)) throw templateRefusal("button_text");
}

const refusedHost = /(^|\.)(wa\.me|whatsapp\.com)$/;

/** A URL takes one variable, at its end, and then needs an example of the whole URL. */
function checkUrlButton({ url, example }: { url: string; example?: string[] | undefined }): void {
  if (textLength(url) > limits.url) throw tooLong("A button's URL", limits.url);
  const fixed = url.replace(/\{\{[a-z0-9_]+\}\}$/, "");
  if (/[{}\s]/.test(fixed)) throw templateRefusal("url_variable");
  if (!/^https?:\/\//i.test(fixed) || !URL.canParse(fixed)) throw templateRefusal("url_invalid");
  if (refusedHost.test(new URL(fixed).hostname)) throw templateRefusal("url_of_whatsapp");
  if (variablesOf(url).length > 0 && (example?.[0] ?? "") === "") throw templateRefusal("url_sample");
}

function checkFooter({ text }: { text: string }): void {
  if (textLength(text) > limits.footer) throw tooLong("The footer", limits.footer);
  if (isBlank(text) || /[\n\r]|\{\{|\}\}/.test(text) || countEmoji(text) > 0) throw templateRefusal("footer");
}

function checkHeader(header: Extract<TemplateComponent, { type: "HEADER" }>, named: boolean): void {
  if (header.format === "LOCATION") return;
  if (header.format !== "TEXT") return checkHandle(header.example?.header_handle?.[0]);
  const { text, example } = header;
  if (textLength(text) > limits.header) throw tooLong("The header", limits.header);
  const isMarked = /[\n\r*~`]|_[^_]+_/.test(text.replaceAll(/\{\{[^{}\n\r]*\}\}/g, ""));
  if (isBlank(text) || isMarked || countEmoji(text) > 0) throw templateRefusal("header");
  checkVariables("header", text, named);
  const slots = slotNames(text, named);
  if (slots.length > 1) throw templateRefusal("header_variables");
  checkExamples("header", slots, named, example?.header_text ?? [], example?.header_text_named_params ?? []);
}

function checkHandle(handle: string | undefined): void {
  if (handle === undefined || handle === "") throw templateRefusal("header_sample");
  if (!/^\d+::/.test(handle)) throw templateRefusal("header_handle");
}

/** Throws 2388043 unless every variable has an example. */
function checkExamples(
  part: string,
  slots: readonly string[],
  named: boolean,
  positional: readonly string[],
  byName: readonly NamedExample[],
): void {
  const missing = named
    ? slots.some((slot) => !byName.some(({ param_name: name, example }) => name === slot && example !== ""))
    : slots.some((_, index) => (positional[index] ?? "") === "");
  if (missing) throw templateRefusal("sample", { part });
}

/** Throws when braces are unbalanced or contain anything but a name, or when numbers have a gap. */
function checkVariables(part: "body" | "header", text: string, named: boolean): void {
  const written = { first: "{{1}}", named: "{{name}}" };
  if (/\{\{|\}\}/.test(text.replaceAll(/\{\{[a-z0-9_]+\}\}/g, ""))) throw templateRefusal(`${part}_variable`, written);
  if (named) return;
  const numbers = slotNames(text, false).filter((name) => /^\d+$/.test(name));
  if (numbers.some((number, index) => number !== String(index + 1))) throw templateRefusal(`${part}_numbers`, written);
}
