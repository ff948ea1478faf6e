const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const codesOf = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

const digits = codesOf("0123456789abcdef");
/** The character codes of the UUID that is being written. A new array, or joined texts, would cost four times as much. */
const codes = codesOf("00000000-0000-0000-0000-000000000000");
/** The places of the two digits of each byte. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

function writeByte(index: number, byte: number): void {
  const at = places[index] ?? 0;
  codes[at] = digits[byte >> 4] ?? 0;
  codes[at + 1] = digits[byte & 0xf] ?? 0;
}

/**
 * A version 7 UUID (RFC 9562) in lower case.
 * @param ms Unix time in milliseconds, 0 to 2^48 - 1
 * @param random 10 random bytes, of which 74 bits are used: the caller may keep ids of one millisecond in order with them
 */
export function uuidv7(ms: number, random: Uint8Array): string {
  const high = Math.floor(ms / 2 ** 32);
  for (let index = 0; index < 2; index += 1) writeByte(index, (high >> (8 - 8 * index)) & 0xff);
  for (let index = 2; index < 6; index += 1) writeByte(index, (ms >> (40 - 8 * index)) & 0xff);
  for (let index = 0; index < 10; index += 1) writeByte(6 + index, random[index] ?? 0);
  writeByte(6, ((random[0] ?? 0) & 0x0f) | 0x70);
  writeByte(8, ((random[2] ?? 0) & 0x3f) | 0x80);
  return String.fromCharCode(...codes);
}

/** The instant that a version 7 UUID carries, in Unix milliseconds. */
export const uuidTime = (uuid: string): number => parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** The smallest UUID that carries the instant (`uuid_at` in SQL): a bound for keys, not an id. */
export const uuidFloor = (ms: number): string => hyphenate(timeDigits(ms) + "0".repeat(20));

export const isUuid = (text: string): boolean => uuidPattern.test(text);

const timeDigits = (ms: number): string => Math.floor(ms).toString(16).padStart(12, "0");

/** 32 hexadecimal digits, as a UUID. */
export const hyphenate = (digits: string): string =>
  `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;

/** The most rows that one call names by their ids. */
export const mostNamed = 500;
