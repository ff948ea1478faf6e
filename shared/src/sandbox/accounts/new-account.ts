import { randomBytes } from "node:crypto";
import type { SandboxAccount, SandboxLimit } from "../../db/tables/sandbox/account.ts";
import { randomDigits, randomId } from "./random-id.ts";

interface AccountWishes {
  name: string;
  callbackUrl: string;
  verifyToken: string;
  subscribed: boolean;
  limits: readonly SandboxLimit[];
}

/** An account with ids, number, token and secret of its own. The number never falls into the range of the magic numbers. */
export function newAccount(wishes: AccountWishes): SandboxAccount {
  return {
    ...wishes,
    wabaId: randomId(),
    phoneNumberId: randomId(),
    appId: randomId(),
    phoneNumber: `15557${randomDigits(6)}`,
    accessToken: `EAA${randomBytes(96).toString("base64url").replaceAll(/[-_]/g, "Z")}`,
    appSecret: randomBytes(16).toString("hex"),
    throttleStatus: 400,
    refuseCode: null,
    stopped: [],
  };
}

/** `15557123456` as people write it. */
export function displayNumber(phoneNumber: string): string {
  return `+${phoneNumber.slice(0, -10)} ${phoneNumber.slice(-10, -7)}-${phoneNumber.slice(-7, -4)}-${phoneNumber.slice(-4)}`;
}
