import { limits } from "../../core/template/platform-limits.ts";
import { textLength } from "../../core/text.ts";
import { invalidDetails, refusal } from "../graph-error.ts";
import { isObject } from "../http.ts";
import { type TemplateButton, fillVariables, variablesOf } from "../templates/components.ts";
import type { TemplateShape } from "../templates/input.ts";
import { codeLimit } from "../templates/rules.ts";
import buttonKinds from "./button-kinds.json" with { type: "json" };
import type { FilledMessage, MessageButton, MessageHeader } from "./content.ts";
import { type ComponentInput, type ParameterInput, textOf } from "./request.ts";

/** Fills the template with a send's components. Throws the platform's refusal of the first that does not fit. */
export function fillTemplate(shape: TemplateShape, components: ComponentInput[]): FilledMessage {
  const parametersOf = (type: ComponentInput["type"]) => components.find((component) => component.type === type)?.parameters ?? [];
  return {
    header: fillHeader(shape, parametersOf("header")),
    body: fillText({ part: "body", ...shape.body, named: shape.named, limit: limits.body }, parametersOf("body")),
    footer: shape.footer,
    buttons: fillButtons(shape.buttons, components),
  };
}

/** Characters of a URL (RFC 3986). A lone percent sign passes. */
const urlCharacters = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;

/** The platform's names in error details. */
const kinds: Record<TemplateButton["type"], string> = buttonKinds;

/** Fills the buttons; `index` counts all of them. Throws the platform's refusal. */
function fillButtons(buttons: readonly TemplateButton[], components: ComponentInput[]): MessageButton[] {
  const inputs = components.filter(({ type }) => type === "button");
  const surplus = inputs.find(({ index }) => index >= buttons.length);
  if (surplus !== undefined) throw refusal(132018, `buttons: There is no button at index ${surplus.index} in the template`);
  return buttons.map((button, index) =>
    fillButton(
      button,
      index,
      inputs.find((input) => input.index === index),
    ),
  );
}

function fillButton(button: TemplateButton, index: number, input: ComponentInput | undefined): MessageButton {
  const dynamic = takesParameter(button);
  if (input !== undefined) {
    if (!dynamic) throw invalidDetails(`Button at index ${index} is of type ${kinds[button.type]} and does not support parameters`);
    if (input.subType !== button.type)
      throw invalidDetails(`Button at index ${index} is of type ${kinds[button.type]}, not ${input.subType}`);
  }
  const [parameter, second] = input?.parameters ?? [];
  const required = dynamic && button.type !== "QUICK_REPLY";
  if (required && parameter === undefined)
    throw refusal(131008, `buttons: Button at index ${index} of type ${kinds[button.type]} requires a parameter`);
  if (second !== undefined) throw refusal(132018, `buttons: Button at index ${index} takes one parameter`);
  return present(button, index, parameter);
}

const takesParameter = (button: TemplateButton): boolean =>
  button.type === "QUICK_REPLY" || button.type === "COPY_CODE" || (button.type === "URL" && variablesOf(button.url).length > 0);

function present(button: TemplateButton, index: number, parameter: ParameterInput | undefined): MessageButton {
  if (button.type === "URL")
    return { type: "URL", text: button.text, url: parameter === undefined ? button.url : fillUrl(button.url, index, parameter) };
  if (button.type === "QUICK_REPLY") return { type: "QUICK_REPLY", text: button.text, payload: payloadOf(parameter) ?? button.text };
  if (button.type === "COPY_CODE") return { type: "COPY_CODE", text: button.text ?? "Copy offer code", code: codeOf(index, parameter) };
  if (button.type === "PHONE_NUMBER") return { type: "PHONE_NUMBER", text: button.text, phoneNumber: button.phone_number };
  if (button.type === "VOICE_CALL") return { type: "VOICE_CALL", text: button.text };
  return { type: "REQUEST_CONTACT_INFO", text: "Share contact info" };
}

function fillUrl(url: string, index: number, parameter: ParameterInput): string {
  const [name = "1"] = variablesOf(url);
  const filled = fillVariables(url, new Map([[name, textOf(parameter, "buttons")]]));
  if (!urlCharacters.test(filled) || !URL.canParse(filled) || filled.length > limits.url)
    throw refusal(131009, `buttons: The parameter of the button at index ${index} does not make a valid URL`);
  return filled;
}

function payloadOf(parameter: ParameterInput | undefined): string | null {
  const payload = parameter?.fields["payload"];
  return typeof payload === "string" && payload !== "" ? payload : null;
}

function codeOf(index: number, parameter: ParameterInput | undefined): string {
  const code = parameter?.fields["coupon_code"];
  if (typeof code !== "string" || code === "")
    throw refusal(131008, `buttons: Button at index ${index} of type CopyCode requires a parameter`);
  if (code.length > codeLimit)
    throw refusal(131009, `buttons: The code of the button at index ${index} has more than ${codeLimit} characters`);
  return code;
}

function fillHeader({ header, named }: TemplateShape, parameters: ParameterInput[]): MessageHeader | null {
  if (header === null || header.format === "TEXT") {
    const { text, slots } = header ?? { text: "", slots: [] };
    rejectMedia(parameters);
    const filled = fillText({ part: "header", text, slots, named, limit: limits.header }, parameters);
    return header === null ? null : { format: "TEXT", text: filled };
  }
  const [parameter] = parameters;
  if (parameter?.type !== header.format || parameters.length > 1)
    throw refusal(132012, `header: Format mismatch, expected ${header.format}, received ${parameter?.type ?? "UNKNOWN"}`);
  return header.format === "LOCATION" ? readLocation(parameter) : readMedia(header.format, parameter);
}

function rejectMedia(parameters: ParameterInput[]): void {
  const media = parameters.find(({ type }) => ["IMAGE", "VIDEO", "DOCUMENT", "LOCATION"].includes(type));
  if (media !== undefined) throw refusal(132012, `header: Format mismatch, expected TEXT, received ${media.type}`);
}

function readMedia(format: "IMAGE" | "VIDEO" | "DOCUMENT", { fields }: ParameterInput): MessageHeader {
  const media = fields[format.toLowerCase()];
  const { id, link, filename } = isObject(media) ? media : {};
  if (typeof id === "string" && id !== "") return { format, id, link: null, filename: stringOrNull(filename) };
  if (typeof link !== "string" || link === "") throw refusal(131008, `header: Parameter of type ${format} requires an id or a link`);
  if (!/^https?:\/\/\S+$/i.test(link) || !URL.canParse(link)) throw refusal(131009, `header: ${JSON.stringify(link)} is not a valid link`);
  return { format, id: null, link, filename: stringOrNull(filename) };
}

function readLocation({ fields }: ParameterInput): MessageHeader {
  const { latitude, longitude, name, address } = isObject(fields["location"]) ? fields["location"] : {};
  for (const value of [latitude, longitude, name, address])
    if (value === undefined || value === "") throw refusal(131008, "header: location requires latitude, longitude, name and address");
  return { format: "LOCATION", name: String(name), address: String(address) };
}

const stringOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

interface TextPart {
  /** The part's name in error details. */
  part: "header" | "body";
  text: string;
  slots: string[];
  named: boolean;
  /** Most characters of the filled text. */
  limit: number;
}

/** Fills the text with its parameters. Throws the platform's refusal when they do not fit. */
function fillText({ part, text, slots, named, limit }: TextPart, parameters: ParameterInput[]): string {
  if (parameters.length !== slots.length) {
    const counts = `number of localizable_params (${parameters.length}) does not match the expected number of params (${slots.length})`;
    throw refusal(132000, `${part}: ${counts}`);
  }
  const values = new Map(
    parameters.map((parameter, index) => [named ? nameOf(parameter, slots) : (slots[index] ?? ""), textOf(parameter, part)]),
  );
  if (values.size < slots.length) throw invalidDetails("Parameter name is given more than once");
  const filled = fillVariables(text, values);
  if (textLength(filled) > limit) throw refusal(132005, `${part}: translated text has more than ${limit} characters`);
  return filled;
}

function nameOf({ fields }: ParameterInput, slots: string[]): string {
  const name = fields["parameter_name"];
  if (typeof name !== "string" || name === "") throw invalidDetails("Parameter name is missing or empty");
  if (!slots.includes(name)) throw invalidDetails(`Parameter name ${JSON.stringify(name)} is not in the template`);
  return name;
}
