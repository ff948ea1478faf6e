import { textLength } from "../../../core/text/length.ts";
import { templateRefusal } from "../../errors/graph-error.ts";
import { variablesOf } from "../variables.ts";

const LIMIT = 2000;
const REFUSED_HOST = /(^|\.)(wa\.me|whatsapp\.com)$/;

/** A web address with at most one variable, at its very end, and an example of the whole address for it. */
export function checkUrlButton({ url, example }: { url: string; example?: string[] | undefined }): void {
  if (textLength(url) > LIMIT) throw templateRefusal(2388040, "Character limit exceeded", `A button's URL may have ${LIMIT} characters.`);
  const fixed = url.replace(/\{\{[a-z0-9_]+\}\}$/, "");
  if (/[{}\s]/.test(fixed)) throw malformed("The URL of a button can have one variable only, at its end, and no spaces.");
  if (!/^https?:\/\//i.test(fixed) || !URL.canParse(fixed)) throw malformed("The URL of a button must be a valid http or https address.");
  if (REFUSED_HOST.test(new URL(fixed).hostname)) {
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

function malformed(text: string): Error {
  return templateRefusal(undefined, "Message buttons format is incorrect", text);
}
