const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Every byte as two digits. */
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * A version 7 UUID (RFC 9562) in lower case.
 * @param ms Unix time in milliseconds, 0 to 2^48 - 1
 * @param random 10 random bytes, of which 74 bits are used: the caller keeps ids of one millisecond in order, if it wants them so
 */
export function uuidv7(ms: number, random: Uint8Array): string {
  const time = timeDigits(ms);
  const hex = (index: number, kept = 0xff, set = 0): string => hexOfByte[((random[index] ?? 0) & kept) | set] ?? "";
  const node = hex(4) + hex(5) + hex(6) + hex(7) + hex(8) + hex(9);
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex(0, 0x0f, 0x70)}${hex(1)}-${hex(2, 0x3f, 0x80)}${hex(3)}-${node}`;
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
