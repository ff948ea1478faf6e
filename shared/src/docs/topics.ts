import groups from "./topics.json" with { type: "json" };

/** The topics of the developer documentation by group in the order in which they are read, each a Markdown file of this folder. */
export const topicsByGroup: Readonly<Record<string, readonly string[]>> = groups;
export const topics = Object.values(topicsByGroup).flat();

export const isTopic = (name: string): boolean => topics.includes(name);

/** The whole documentation as one Markdown text. */
export const toBundle = (textOf: (topic: string) => string): string => topics.map((topic) => `${textOf(topic).trim()}\n`).join("\n");

/** Addresses of an installation; null where they are not known. */
export type KnownAddresses = Record<"gateway" | "admin", string | null>;

/** Puts addresses that are known into the documentation. */
export const fillAddresses = (text: string, { gateway, admin }: KnownAddresses): string =>
  text.replaceAll("{base_url}", () => gateway ?? "{base_url}").replaceAll("{admin}", () => admin ?? "{admin}");

/** The name of the file that holds the whole documentation. */
export const bundleFileName = "tidings-developer-docs.md";
