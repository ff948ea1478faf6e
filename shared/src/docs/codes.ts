import type { Classification } from "../platform/errors/error-class.ts";
import { knownErrors } from "../platform/errors/known-errors.ts";
import { localErrors } from "../platform/errors/local-errors.ts";
import texts from "./api-codes.json" with { type: "json" };

/** Every code of the API's refusals, with its status, its meaning and what to do. */
export const apiCodes = Object.entries(texts) as unknown as readonly (readonly [
  code: string,
  texts: readonly [status: number, meaning: string, action: string],
])[];

/** A table of Markdown whose first column names a code. */
const table = (head: string, rows: readonly (readonly (string | number)[])[]): string =>
  [`| ${head} |`, `|${"---|".repeat(head.split("|").length)}`, ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");

const ofPlatform = (errors: ReadonlyMap<string, Classification>): string =>
  table(
    "code | what happened | resend",
    Array.from(errors, ([code, { title, explanation, resendHint }]) => [
      `\`${code}\``,
      `**${title}.** ${explanation}`,
      resendHint ?? "No.",
    ]),
  );

/** The tables of codes that the documentation has, by the name in its line `{codes log}`: made of the texts that the log shows. */
const codeTables: Readonly<Record<string, () => string>> = {
  api: () =>
    table(
      "code | status | meaning | what to do",
      apiCodes.map(([code, row]) => [`\`${code}\``, ...row]),
    ),
  log: () =>
    table(
      "code | meaning | what to do",
      Array.from(
        localErrors,
        ([
          code,
          {
            title,
            explanation: { text, action },
          },
        ]) => [`\`${code}\``, `**${title}.** ${text}`, action],
      ),
    ),
  ...Object.fromEntries(Object.entries(knownErrors).map(([kind, errors]) => [kind, () => ofPlatform(errors)])),
};

const languages: Readonly<Record<string, string>> = { mjs: "js", py: "python", rb: "ruby", cs: "csharp" };

/** Puts each program of the folder `samples` in place of its line `{sample event.py}`, and each table of codes in place of `{codes log}`. */
export const fillSamples = (text: string, sampleOf: (file: string) => string): string =>
  text
    .replaceAll(
      /^\{sample (\w+\.(\w+))\}$/gmu,
      (_, file: string, ending: string) => `\`\`\`${languages[ending] ?? ending}\n${sampleOf(file)}\`\`\``,
    )
    .replaceAll(/^\{codes (\w+)\}$/gmu, (line, name: string) => codeTables[name]?.() ?? line);
