import type { OptOutScope } from "./message.ts";
import defaults from "./opt-out-words.json" with { type: "json" };

/** The words by which people stop and resume an account's messages, and the messages that a stop word stops. */
export interface OptOutWords {
  stopWords: readonly string[];
  startWords: readonly string[];
  scope: OptOutScope;
}

/** Makes a reader of these words, which tells what a person's text asks for; null when it is neither a stop nor a start word. A text counts only if the whole of it is one of them, whatever its case, and the spaces, punctuation and emoji around it. */
export function readWords({ stopWords, startWords }: Pick<OptOutWords, "stopWords" | "startWords">) {
  const words = new Map<string, "stop" | "start">();
  for (const word of startWords) words.set(foldWord(word), "start");
  for (const word of stopWords) words.set(foldWord(word), "stop");
  words.delete("");
  return (text: string): "stop" | "start" | null => (text.length > longestText ? null : (words.get(foldWord(text)) ?? null));
}

/** Longer texts are not compared; the characters around a word may make a text longer than the word. */
const longestText = 300;

/**
 * The form in which words are compared: without case in any language, so that `İPTAL`, `iptal` and `IPTAL` are equal, without invisible characters and
 * commas, with one kind of hyphen, and without punctuation and emoji at its ends. A word of nothing else stays as it is.
 */
export function foldWord(text: string): string {
  const seen = text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\p{Pd}/gu, "-")
    .trim();
  const word = seen.replaceAll(/[\s,،、]+/g, " ").replaceAll(noWord, "");
  return (word || seen).toLowerCase().toUpperCase().toLowerCase().replaceAll("\u0307", "");
}

/** Punctuation, signs, and emoji with the characters that vary them, at the ends of a text. */
const noWord = /^[\p{P}\p{S}\s\ufe0e\ufe0f\u20e3]+|(?<![\p{P}\p{S}\s\ufe0e\ufe0f\u20e3])[\p{P}\p{S}\s\ufe0e\ufe0f\u20e3]+$/gu;

/**
 * Stop words in the platform's largest languages: English, Hindi, Portuguese, Spanish, Indonesian, Arabic, Urdu, Bengali, Russian, Turkish, German, French,
 * Italian. "Cancel" is none, since people answer it to orders.
 */
export const defaultStopWords: readonly string[] = [
  ...defaults.stopInEnglish.flatMap((word) => [word, `please ${word}`, `${word} please`]),
  ...defaults.stop,
];

export const defaultStartWords: readonly string[] = defaults.start;
