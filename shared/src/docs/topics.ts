import type { Words } from "../core/text.ts";
import { codeTables } from "./codes.ts";

/** The topics of the developer documentation in the order in which they are read, each a Markdown file of this folder. */
const names =
  "overview quick-start authentication recipes sites shops events ingest idempotency dry-run bindings conditions schedules queue templates statuses log replays operations problems webhooks alerts opted-out keeping errors limits platform-setup sandbox assistant people tools api command models audit operating proxy cells cluster monitoring upgrade rollback e-mail backup backup-drill master-key threats changes";
export type Topic = Words<typeof names>;
export const topics = names.split(" ") as Topic[];

export const isTopic = (name: string): name is Topic => topics.some((topic) => topic === name);

/** The whole documentation as one Markdown text. */
export const toBundle = (textOf: (topic: Topic) => string): string => topics.map((topic) => `${textOf(topic).trim()}\n`).join("\n");

const languages: Readonly<Record<string, string>> = { mjs: "js", py: "python", rb: "ruby", cs: "csharp" };

/** Puts each program of the folder `samples` in place of its line `{sample event.py}`, and each table of codes in place of `{codes log}`. */
export const fillSamples = (text: string, sampleOf: (file: string) => string): string =>
  text
    .replaceAll(
      /^\{sample (\w+\.(\w+))\}$/gmu,
      (_, file: string, ending: string) => `\`\`\`${languages[ending] ?? ending}\n${sampleOf(file)}\`\`\``,
    )
    .replaceAll(/^\{codes (\w+)\}$/gmu, (line, name: string) => codeTables[name]?.() ?? line);

/** Addresses of an installation; null where they are not known. */
export interface KnownAddresses {
  gateway: string | null;
  admin: string | null;
}

/** Puts addresses that are known into the documentation. */
export const fillAddresses = (text: string, { gateway, admin }: KnownAddresses): string =>
  text.replaceAll("{base_url}", () => gateway ?? "{base_url}").replaceAll("{admin}", () => admin ?? "{admin}");

/** The name of the file that holds the whole documentation. */
export const bundleFileName = "tidings-developer-docs.md";
