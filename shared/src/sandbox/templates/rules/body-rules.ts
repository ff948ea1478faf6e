import { countEmoji } from "../../../core/text/emoji.ts";
import { textLength } from "../../../core/text/length.ts";
import { templateRefusal } from "../../errors/graph-error.ts";
import type { BodyExample } from "../record.ts";
import { slotNames, withoutVariables } from "../variables.ts";
import { checkExamples } from "./example-rules.ts";
import { checkVariables } from "./variable-rules.ts";

const LIMIT = 1024;
const EMOJIS = 10;
const MALFORMED = 2388072;

/** What the platform demands of a body (platform facts, 3.1 and 3.2). */
export function checkBody({ text, example }: { text: string; example?: BodyExample | undefined }, named: boolean): void {
  if (textLength(text) > LIMIT) throw templateRefusal(2388040, "Character limit exceeded", `The body may have ${LIMIT} characters.`);
  checkVariables("body", MALFORMED, text, named);
  const words = withoutVariables(text).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (words === 0) throw malformed("The body can't be empty or consist of variables only.");
  if (/\n{3}/.test(text.replaceAll("\r\n", "\n"))) throw malformed("The body can't have more than two new lines in a row.");
  if (countEmoji(text) > EMOJIS) throw malformed(`The body can't have more than ${EMOJIS} emojis.`);
  if (/^\s*\{\{|\}\}\s*$/.test(text)) {
    throw templateRefusal(2388299, "Leading or trailing params not allowed", "Variables can't be at the start or end of the template.");
  }
  const slots = slotNames(text, named);
  // The platform's formula is not published: as many words as variables is the mildest that makes sense.
  if (slots.length > words) {
    const advice = "Reduce the number of variables or increase the message length.";
    throw templateRefusal(2388293, "Invalid parameter ratio", `This template has too many variables for its length. ${advice}`);
  }
  checkExamples("body", slots, named, (example?.body_text ?? []).flat(), example?.body_text_named_params ?? []);
}

function malformed(text: string): Error {
  return templateRefusal(MALFORMED, "Message body format is incorrect", text);
}
