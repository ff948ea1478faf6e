const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The instant that a version 7 UUID carries, in Unix milliseconds. */
export const uuidTime = (uuid: string): number => parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** The smallest UUID that carries the instant (`uuid_at` in SQL): a bound for keys, not an id. */
export const uuidFloor = (ms: number): string => hyphenate(timeDigits(ms) + "0".repeat(20));

export const isUuid = (text: string): boolean => uuidPattern.test(text);

const timeDigits = (ms: number): string => Math.floor(ms).toString(16).padStart(12, "0");

/** 32 hexadecimal digits, as a UUID. */
export const hyphenate = (digits: string): string =>
  `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
