import { checkTemplate } from "shared/core/template/check";
import type { Fault } from "shared/core/template/check";
import type { TemplateValues } from "./template-values.ts";
import { toInput } from "./to-input.ts";

/** What has to be mended before it can be submitted. */
export function submissionFaults(values: TemplateValues): Fault[] {
  const faults = checkTemplate(toInput(values, "whole"));
  const { format, by } = values.header;
  const lacksFile = by === "file" && format !== "NONE" && format !== "TEXT";
  return faults.map((fault) =>
    lacksFile && fault.field === "header.url" ? { ...fault, message: "must be chosen: upload a file" } : fault,
  );
}

/** The fields of what has to be mended before it can even be kept as a draft. */
export const draftFaults = (values: TemplateValues): Set<string> =>
  new Set(checkTemplate(toInput(values, "given")).flatMap(({ field, awaited }) => (awaited ? [] : [field])));

/** Whether going on typing cannot make it right. */
export const isPastMending = ({ field, message }: Fault): boolean =>
  field === "buttons" || field === "examples" || /^must (?:be at most|have at most|hold at most|not hold)/u.test(message);

/** What the editor calls the field that a fault is at. */
export function fieldName(field: string): string {
  const [part = "", index, member] = field.split(".");
  if (part === "buttons" && member !== undefined) return `Button ${Number(index) + 1}, ${buttonMembers[member] ?? member}`;
  if (part === "examples" && member !== undefined && index === "body") return `Example of {{${Number(member) + 1}}}`;
  if (part === "examples" && index === "header") return "Example of the header's {{1}}";
  if (part === "examples" && index === "buttonUrl") return "Example of a button's {{1}}";
  return fieldNames[field] ?? field;
}

/** As a sentence of its own under its field. */
export const asSentence = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1);

const buttonMembers: Record<string, string> = { text: "label", url: "address", phone: "phone number" };

const fieldNames: Record<string, string> = {
  name: "Name",
  language: "Language",
  category: "Category",
  "header.text": "Header text",
  "header.url": "Header file",
  "header.fileId": "Header file",
  body: "Body",
  footer: "Footer",
  buttons: "Buttons",
  examples: "Examples",
  "examples.body": "Examples",
};
