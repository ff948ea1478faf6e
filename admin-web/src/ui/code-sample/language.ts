/** What a sample may be written in. `text`: nothing is picked out. */
export type Language = "sh" | "js" | "php" | "python" | "json" | "text";

const names: Record<string, Language> = {
  sh: "sh",
  bash: "sh",
  js: "js",
  ts: "js",
  php: "php",
  python: "python",
  py: "python",
  json: "json",
};

/** The language of a fenced block, by the word after its fence. */
export const languageOf = (word: string | undefined): Language => names[word ?? ""] ?? "text";
