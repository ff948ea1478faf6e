import { isUuid } from "shared/core/uuid";

/** Reads what stands in an address: each answers undefined for what is empty or cannot be, since the router keeps what is not answered. */

/** The router reads digits in an address as a number. */
export function searchText(value: unknown): string | undefined {
  const written = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return written === "" ? undefined : written;
}

export const searchId = (value: unknown): string | undefined => (typeof value === "string" && isUuid(value) ? value : undefined);

/** A day of the reader's own, YYYY-MM-DD. */
export const searchDay = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

export const searchOneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined => values.find((each) => each === value);

/** The router reads true and false in an address as what they are. */
export const searchFlag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);
