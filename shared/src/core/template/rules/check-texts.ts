import { countEmoji } from "../../text/emoji.ts";
import { textLength } from "../../text/length.ts";
import { limits } from "../limits.ts";
import type { UncheckedTemplate } from "../unchecked-template.ts";
import type { Fault } from "./fault.ts";
import { isHttpUrl } from "./http-url.ts";
import { blankedVariables, VARIABLE, variableFaults } from "./variables.ts";

const LINE_BREAK = /[\n\r\u2028\u2029]/;
const MARKUP = /[*`~]|_[^_]+_/;

export function checkHeader(header: Exclude<UncheckedTemplate["header"], undefined>): Fault[] {
  if (header === null) return [];
  if (header.format !== "TEXT") return checkMedia(header);
  const { text } = header;
  const length = lengthFaults(text, limits.header);
  if (length.length > 0) return faults("header.text", ...length);
  return faults(
    "header.text",
    LINE_BREAK.test(text) && "must be one line",
    countEmoji(text) > 0 && "must not hold emoji",
    MARKUP.test(text) && "must not hold asterisks or other markup",
    ...variableFaults(text),
    (text.match(/\{\{\d+\}\}/g)?.length ?? 0) > 1 && "must hold at most one variable",
  );
}

function checkMedia({ url, fileId }: { url?: string | undefined; fileId?: string | undefined }): Fault[] {
  if (url === undefined && fileId === undefined)
    return faults("header.url", "must be given: a file's address, or an uploaded file as header.fileId");
  if (url !== undefined && fileId !== undefined)
    return faults("header.fileId", "must not stand beside header.url: the file is sent by one of them");
  return url === undefined || isHttpUrl(url)
    ? []
    : faults("header.url", `must be an http or https address of at most ${limits.url} characters`);
}

export function checkBody(body: string): Fault[] {
  const length = lengthFaults(body, limits.body);
  if (length.length > 0) return faults("body", ...length);
  const text = blankedVariables(body.replace(/\r\n?/g, "\n").trim());
  const variables = text.split(VARIABLE).length - 1;
  const words = text.replaceAll(VARIABLE, " ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return faults(
    "body",
    ...variableFaults(body),
    (text.startsWith(VARIABLE) || text.endsWith(VARIABLE)) && "must not begin or end with a variable",
    variables > words && `has too many variables for its length: ${variables} to ${words} words`,
    /\n{3}/.test(text) && "must not hold more than two line breaks in a row",
    countEmoji(body) > limits.bodyEmoji && `must hold at most ${limits.bodyEmoji} emoji`,
  );
}

export function checkFooter(footer: string | null): Fault[] {
  if (footer === null || footer === "") return [];
  const length = lengthFaults(footer, limits.footer);
  if (length.length > 0) return faults("footer", ...length);
  return faults(
    "footer",
    LINE_BREAK.test(footer) && "must be one line",
    countEmoji(footer) > 0 && "must not hold emoji",
    /\{\{|\}\}/.test(footer) && "must not hold variables",
  );
}

function lengthFaults(text: string, limit: number): string[] {
  if (text.trim() === "") return ["must not be empty"];
  return textLength(text) > limit ? [`must be at most ${limit} characters long`] : [];
}

const faults = (field: string, ...messages: (string | false)[]): Fault[] =>
  messages.filter((message) => message !== false).map((message) => ({ field, message }));
