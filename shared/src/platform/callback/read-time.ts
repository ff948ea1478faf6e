import { idMember, member } from "../http/json-member.ts";

/** 2001 and 2100: what lies outside are not seconds of a message's life (milliseconds, say). */
const earliest = 1_000_000_000;
const latest = 4_102_444_800;

/** Unix seconds, written as a string or a number; null when absent or absurd. */
export function timeMember(value: unknown, key: string): Date | null {
  const number = member(value, key);
  const seconds = typeof number === "number" ? Math.floor(number) : Number(/^\d{1,12}$/.exec(idMember(value, key) ?? "")?.[0] ?? NaN);
  return seconds >= earliest && seconds < latest ? new Date(seconds * 1_000) : null;
}
