import { countEmoji } from "../../../core/text/emoji.ts";
import { textLength } from "../../../core/text/length.ts";
import { templateRefusal } from "../../errors/graph-error.ts";
import type { TemplateComponent } from "../record.ts";
import { slotNames } from "../variables.ts";
import { checkExamples } from "./example-rules.ts";
import { checkVariables } from "./variable-rules.ts";

type Header = Extract<TemplateComponent, { type: "HEADER" }>;

const LIMIT = 60;
const MALFORMED = 2388047;

/** What the platform demands of a header (platform facts, 3.1). */
export function checkHeader(header: Header, named: boolean): void {
  if (header.format === "LOCATION") return;
  if (header.format !== "TEXT") return checkHandle(header.example?.header_handle?.[0]);
  const { text, example } = header;
  if (textLength(text) > LIMIT) throw templateRefusal(2388040, "Character limit exceeded", `The header may have ${LIMIT} characters.`);
  if (text.trim() === "" || /[\n\r*~`]|_[^_]+_/.test(text.replaceAll(/\{\{.*?\}\}/g, "")) || countEmoji(text) > 0) {
    throw malformed("The header can't be empty or have new lines, formatting characters, emojis or asterisks.");
  }
  checkVariables("header", MALFORMED, text, named);
  const slots = slotNames(text, named);
  if (slots.length > 1) throw malformed("The header can have one variable only.");
  checkExamples("header", slots, named, example?.header_text ?? [], example?.header_text_named_params ?? []);
}

function checkHandle(handle: string | undefined): void {
  if (handle === undefined || handle === "") {
    throw templateRefusal(2388043, "Missing sample for the header", "A header with media needs an example in header_handle.");
  }
  if (!/^\d+::/.test(handle)) throw malformed("header_handle must be a handle from the Resumable Upload API, not an address.");
}

function malformed(text: string): Error {
  return templateRefusal(MALFORMED, "Message header format is incorrect", text);
}
