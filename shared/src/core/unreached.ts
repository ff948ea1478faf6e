import { phoneProblems } from "./phone.ts";
import type { Unreached } from "./reason.ts";

/** The reason as the log stores it and a filter names it: `no_country customer.phone`. It holds nothing of the customer. */
export function unreachedKey(reason: Unreached): string {
  if (reason.code === "phone_unreadable") return `${reason.problem} ${reason.path}`;
  return reason.code === "no_phone_at_path" ? `${reason.code} ${reason.path}` : reason.code;
}

/** The reason of a key; null for a text that is no key. */
export function readUnreachedKey(key: string): Unreached | null {
  if (key === "no_active_recipient" || key === "no_test_phone") return { code: key };
  const [, code, path] = /^([a-z_]+) (.+)$/su.exec(key) ?? [];
  if (path === undefined) return null;
  if (code === "no_phone_at_path") return { code, path };
  const problem = phoneProblems.find((each) => each === code);
  return problem === undefined ? null : { code: "phone_unreadable", path, problem };
}
