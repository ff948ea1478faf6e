export const mediaFormats = ["IMAGE", "VIDEO", "DOCUMENT"] as const;
export type MediaFormat = (typeof mediaFormats)[number];

const MIB = 1_048_576;

/** What the platform takes as a header's file: the types that its upload of samples knows, and the size that a message may have, in bytes. */
export const mediaTypes: Readonly<Record<MediaFormat, { types: readonly string[]; maxBytes: number }>> = {
  IMAGE: { types: ["image/jpeg", "image/png"], maxBytes: 5 * MIB },
  VIDEO: { types: ["video/mp4"], maxBytes: 16 * MIB },
  DOCUMENT: { types: ["application/pdf"], maxBytes: 100 * MIB },
};

/** The header that a file of this type is for; null for one that the platform takes in none. */
export const formatOfType = (type: string): MediaFormat | null =>
  mediaFormats.find((format) => mediaTypes[format].types.includes(type)) ?? null;

/** Where in a file's first bytes each type shows itself. */
const signatures: readonly [type: string, offset: number, bytes: readonly number[]][] = [
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/png", 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["video/mp4", 4, [0x66, 0x74, 0x79, 0x70]],
  ["application/pdf", 0, [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** How many of a file's first bytes `typeOfBytes` looks at. */
export const signatureBytes = 8;

/** What a file is, whatever it is called; null when it is nothing that a header takes. */
export const typeOfBytes = (start: Uint8Array): string | null =>
  signatures.find(([, offset, bytes]) => bytes.every((byte, index) => start[offset + index] === byte))?.[0] ?? null;

/** For messages: `JPEG or PNG`. */
export const typeNames = (format: MediaFormat): string =>
  mediaTypes[format].types.map((type) => type.replace(/.*\//, "").toUpperCase()).join(" or ");
