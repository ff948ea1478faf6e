import allLanguages from "./languages.json" with { type: "json" };
import allLimits from "./limits.json" with { type: "json" };
export const mediaFormats = ["IMAGE", "VIDEO", "DOCUMENT"] as const;
export type MediaFormat = (typeof mediaFormats)[number];

const mib = 1_048_576;

/** The files that the platform takes for a header: the types that its upload of samples knows, and the size that a message may have, in bytes. */
export const mediaTypes: Readonly<Record<MediaFormat, { types: readonly string[]; maxBytes: number }>> = {
  IMAGE: { types: ["image/jpeg", "image/png"], maxBytes: 5 * mib },
  VIDEO: { types: ["video/mp4"], maxBytes: 16 * mib },
  DOCUMENT: { types: ["application/pdf"], maxBytes: 100 * mib },
};

/** The header that a file of this type is for; null for one that the platform takes in none. */
export const formatOfType = (type: string): MediaFormat | null =>
  mediaFormats.find((format) => mediaTypes[format].types.includes(type)) ?? null;

/** The first bytes by which each type is recognized. */
const signatures: readonly [type: string, offset: number, bytes: readonly number[]][] = [
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/png", 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["video/mp4", 4, [0x66, 0x74, 0x79, 0x70]],
  ["application/pdf", 0, [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** How many of a file's first bytes `typeOfBytes` looks at. */
export const signatureBytes = 8;

/** The MIME type of a file by its first bytes; null when no header takes it. */
export const typeOfBytes = (start: Uint8Array): string | null =>
  signatures.find(([, offset, bytes]) => bytes.every((byte, index) => start[offset + index] === byte))?.[0] ?? null;

/** The file types of a format, as a message names them: `JPEG or PNG`. */
export const typeNames = (format: MediaFormat): string =>
  mediaTypes[format].types.map((type) => type.slice(type.lastIndexOf("/") + 1).toUpperCase()).join(" or ");

/** Every language code that the platform takes, in its own spelling (platform facts: supported languages). */
export const languages: readonly string[] = allLanguages.known;

/** Codes that people know from elsewhere and the platform does not know. */
const others: Readonly<Record<string, string>> = allLanguages.others;

/** The code to write instead of one that the platform does not know; null if none is similar. */
export function likeLanguage(code: string): string | null {
  const underscored = code.replaceAll("-", "_").toLowerCase();
  const near = languages.find((language) => language.toLowerCase() === underscored);
  const other = Object.hasOwn(others, underscored) ? others[underscored] : undefined;
  return near ?? other ?? null;
}

/** The platform's limits, in characters (see `textLength`); `code`: of a one-time code. */
export const limits = allLimits;

/** How long a message may take to arrive, in seconds, by the template's category; -1 stands for 30 days where `endless`. */
export const timesToLive: Readonly<Record<string, { least: number; most: number; endless?: true }>> = {
  AUTHENTICATION: { least: 30, most: 900, endless: true },
  UTILITY: { least: 30, most: 43_200, endless: true },
  MARKETING: { least: 43_200, most: 2_592_000 },
};

/** The categories that a template can have. Templates of one-time codes (`AUTHENTICATION`) have the platform's fixed text. */
export const categories = ["UTILITY", "MARKETING", "AUTHENTICATION"] as const;
