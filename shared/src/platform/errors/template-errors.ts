import { errorTable } from "./error-class.ts";

/** Refusals of a template that is created, changed or deleted, by code and subcode: what to do about each. */
export const templateErrors = errorTable("permanent", null, [
  [
    "100/2388019",
    "The template limit is reached",
    "The business account has as many templates as the platform grants it: delete ones that are no longer sent, or have the business verified for more.",
  ],
  [
    "100/2388023",
    "The name and language are locked",
    "A template of this name and language was deleted, and the platform keeps them locked: for a minute if it was never approved, else for weeks. Use another name (…_v2).",
  ],
  [
    "100/2388024",
    "The name and language are taken",
    "The platform has a template of this name in this language already: sync the templates to see it, or use another name.",
  ],
  [
    "100/2388039",
    "The status does not allow this change",
    "The platform changes no template that is in review or disabled: sync the templates to see its status, and wait for the decision.",
  ],
  [
    "100/2388040",
    "A text is too long",
    "Shorten the part that the platform names: header and footer take 60 characters, the body 1024, a button 25.",
  ],
  ["100/2388043", "Examples are missing", "Give an example for every variable, and a file for an image, video or document header."],
  ["100/2388047", "The header is malformed", "Write the header on one line without emoji or markup, with one variable at most."],
  [
    "100/2388072",
    "The body is malformed",
    "Look for more than two line breaks in a row, more than ten emoji, a variable that is not written {{1}}, or a body of variables alone.",
  ],
  ["100/2388073", "The footer is malformed", "Write the footer on one line, without variables or emoji."],
  ["100/2388081", "The button's address is not allowed", "A button may not lead to wa.me or whatsapp.com: use a page of your own."],
  [
    "100/2388293",
    "Too many variables for the text",
    "Use fewer variables, or write more words around them: two to three for each variable.",
  ],
  [
    "100/2388299",
    "A variable at the start or end",
    "Put words before the body's first variable and behind its last one; a full stop alone may not be enough.",
  ],
]);
