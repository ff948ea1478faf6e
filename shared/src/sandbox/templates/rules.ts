import { countEmoji, textLength } from "../../core/text.ts";
import { templateRefusal } from "../graph-error.ts";
import { type NamedExample, slotNames, type TemplateButton, type TemplateComponent, variablesOf, withoutVariables } from "./components.ts";
import type { TemplateRecord } from "./store.ts";

/** Throws the platform's refusal of the first component that breaks a rule. */
export function checkComponents(components: readonly TemplateComponent[], format: TemplateRecord["parameterFormat"]): void {
  // Named variables in a POSITIONAL template pass here and are rejected in review.
  const named = format === "NAMED" || components.some((component) => "text" in component && /\{\{[a-z_]/.test(component.text));
  const types = components.map(({ type }) => type);
  if (!types.includes("BODY")) throw templateRefusal(2388072, "Message body format is incorrect", "A template must have a body.");
  const twice = types.find((type, index) => types.indexOf(type) !== index);
  if (twice !== undefined)
    throw templateRefusal(undefined, "Components are incorrect", `A template can have one component of type ${twice}.`);
  for (const component of components) {
    switch (component.type) {
      case "HEADER":
        checkHeader(component, named);
        break;
      case "BODY":
        checkBody(component, named);
        break;
      case "FOOTER":
        checkFooter(component);
        break;
      case "BUTTONS":
        checkButtons(component.buttons);
        break;
    }
  }
}

const bodyLimit = 1024;
const emojiLimit = 10;
const malformedBodyCode = 2388072;

function checkBody({ text, example }: Extract<TemplateComponent, { type: "BODY" }>, named: boolean): void {
  if (textLength(text) > bodyLimit)
    throw templateRefusal(2388040, "Character limit exceeded", `The body may have ${bodyLimit} characters.`);
  checkVariables("body", malformedBodyCode, text, named);
  const words = withoutVariables(text).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (words === 0) throw malformedBody("The body can't be empty or consist of variables only.");
  if (/\n{3}/.test(text.replaceAll("\r\n", "\n"))) throw malformedBody("The body can't have more than two new lines in a row.");
  if (countEmoji(text) > emojiLimit) throw malformedBody(`The body can't have more than ${emojiLimit} emojis.`);
  if (/^\s*\{\{|\}\}\s*$/.test(text)) {
    throw templateRefusal(2388299, "Leading or trailing params not allowed", "Variables can't be at the start or end of the template.");
  }
  const slots = slotNames(text, named);
  // The platform's formula is not published; one word per variable is a mild guess.
  if (slots.length > words) {
    const advice = "Reduce the number of variables or increase the message length.";
    throw templateRefusal(2388293, "Invalid parameter ratio", `This template has too many variables for its length. ${advice}`);
  }
  checkExamples("body", slots, named, (example?.body_text ?? []).flat(), example?.body_text_named_params ?? []);
}

const malformedBody = (text: string): Error => templateRefusal(malformedBodyCode, "Message body format is incorrect", text);

const labelLimit = 25;
const phoneLimit = 20;
const codeLimit = 20;

/** Most buttons of each type. */
const buttonLimits: Record<TemplateButton["type"], number> = {
  URL: 2,
  QUICK_REPLY: 10,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  VOICE_CALL: 1,
  REQUEST_CONTACT_INFO: 1,
};
const buttonLimit = 10;

function checkButtons(buttons: readonly TemplateButton[]): void {
  if (buttons.length > buttonLimit) throw malformedButton(`A template can have at most ${buttonLimit} buttons.`);
  for (const [type, limit] of Object.entries(buttonLimits)) {
    if (buttons.filter((button) => button.type === type).length > limit)
      throw malformedButton(`A template can have at most ${limit} ${type} buttons.`);
  }
  const replies = buttons.map(({ type }) => type === "QUICK_REPLY");
  const changes = replies.filter((reply, index) => index > 0 && reply !== replies[index - 1]).length;
  if (changes > 1) throw malformedButton("Quick replies and other buttons must be two groups, one behind the other.");
  for (const button of buttons) checkButton(button);
}

function checkButton(button: TemplateButton): void {
  if (button.type !== "COPY_CODE" && button.type !== "REQUEST_CONTACT_INFO") checkLabel(button.text);
  switch (button.type) {
    case "URL":
      return checkUrlButton(button);
    case "PHONE_NUMBER":
      if (textLength(button.phone_number) > phoneLimit) throw tooLong(`A phone number may have ${phoneLimit} characters.`);
      if (!/^\+?\d[\d ()-]*$/.test(button.phone_number)) throw malformedButton("The phone number of a button is not valid.");
      return;
    case "COPY_CODE":
      if (textLength([button.example].flat()[0] ?? "") > codeLimit) throw tooLong(`A code may have ${codeLimit} characters.`);
      return;
    case "QUICK_REPLY":
    case "VOICE_CALL":
    case "REQUEST_CONTACT_INFO":
      return;
  }
}

function checkLabel(text: string): void {
  if (textLength(text) > labelLimit) throw tooLong(`A button's text may have ${labelLimit} characters.`);
  if (text.trim() === "" || /[\n\r]|\{\{|\}\}/.test(text))
    throw malformedButton("A button's text can't be empty or have variables or new lines.");
}

const tooLong = (text: string): Error => templateRefusal(2388040, "Character limit exceeded", text);

const malformedButton = (text: string): Error => templateRefusal(undefined, "Message buttons format is incorrect", text);

const urlLimit = 2000;
const refusedHost = /(^|\.)(wa\.me|whatsapp\.com)$/;

/** A URL takes one variable, at its end, and then needs an example of the whole URL. */
function checkUrlButton({ url, example }: { url: string; example?: string[] | undefined }): void {
  if (textLength(url) > urlLimit)
    throw templateRefusal(2388040, "Character limit exceeded", `A button's URL may have ${urlLimit} characters.`);
  const fixed = url.replace(/\{\{[a-z0-9_]+\}\}$/, "");
  if (/[{}\s]/.test(fixed)) throw malformedUrlButton("The URL of a button can have one variable only, at its end, and no spaces.");
  if (!/^https?:\/\//i.test(fixed) || !URL.canParse(fixed))
    throw malformedUrlButton("The URL of a button must be a valid http or https address.");
  if (refusedHost.test(new URL(fixed).hostname)) {
    throw templateRefusal(2388081, "Button URL not allowed", "Direct links to WhatsApp aren't allowed for buttons.");
  }
  if (variablesOf(url).length > 0 && (example?.[0] ?? "") === "") {
    throw templateRefusal(
      2388043,
      "Missing sample for the button",
      "A URL with a variable needs an example: the whole URL with a value in place.",
    );
  }
}

const malformedUrlButton = (text: string): Error => templateRefusal(undefined, "Message buttons format is incorrect", text);

const footerLimit = 60;

function checkFooter({ text }: { text: string }): void {
  if (textLength(text) > footerLimit)
    throw templateRefusal(2388040, "Character limit exceeded", `The footer may have ${footerLimit} characters.`);
  if (text.trim() === "" || /[\n\r]|\{\{|\}\}/.test(text) || countEmoji(text) > 0) {
    throw templateRefusal(
      2388073,
      "Message footer format is incorrect",
      "The footer can't be empty or have variables, new lines or emojis.",
    );
  }
}

type Header = Extract<TemplateComponent, { type: "HEADER" }>;

const headerLimit = 60;
const malformedHeaderCode = 2388047;

function checkHeader(header: Header, named: boolean): void {
  if (header.format === "LOCATION") return;
  if (header.format !== "TEXT") return checkHandle(header.example?.header_handle?.[0]);
  const { text, example } = header;
  if (textLength(text) > headerLimit)
    throw templateRefusal(2388040, "Character limit exceeded", `The header may have ${headerLimit} characters.`);
  if (text.trim() === "" || /[\n\r*~`]|_[^_]+_/.test(text.replaceAll(/\{\{[^{}\n\r]*\}\}/g, "")) || countEmoji(text) > 0) {
    throw malformedHeader("The header can't be empty or have new lines, formatting characters, emojis or asterisks.");
  }
  checkVariables("header", malformedHeaderCode, text, named);
  const slots = slotNames(text, named);
  if (slots.length > 1) throw malformedHeader("The header can have one variable only.");
  checkExamples("header", slots, named, example?.header_text ?? [], example?.header_text_named_params ?? []);
}

function checkHandle(handle: string | undefined): void {
  if (handle === undefined || handle === "") {
    throw templateRefusal(2388043, "Missing sample for the header", "A header with media needs an example in header_handle.");
  }
  if (!/^\d+::/.test(handle)) throw malformedHeader("header_handle must be a handle from the Resumable Upload API, not an address.");
}

const malformedHeader = (text: string): Error => templateRefusal(malformedHeaderCode, "Message header format is incorrect", text);

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
  if (!missing) return;
  throw templateRefusal(2388043, `Missing sample for the ${part}`, `The ${part} has variables: give an example for each of them.`);
}

/** Throws with `subcode` when braces are unbalanced or contain anything but a name, or when numbers have a gap. */
function checkVariables(part: string, subcode: number, text: string, named: boolean): void {
  const rest = text.replaceAll(/\{\{[a-z0-9_]+\}\}/g, "");
  if (/\{\{|\}\}/.test(rest)) {
    throw templateRefusal(
      subcode,
      `${part} format is incorrect`,
      `The ${part} holds a variable in the wrong format: write {{1}} or {{name}}.`,
    );
  }
  if (named) return;
  const numbers = slotNames(text, false).filter((name) => /^\d+$/.test(name));
  if (numbers.some((number, index) => number !== String(index + 1))) {
    throw templateRefusal(subcode, `${part} format is incorrect`, `The ${part}'s variables must be numbered from {{1}} without gaps.`);
  }
}
