import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { errorTexts } from "../errors/error-texts.ts";

/** Whether the account can send, and why not (platform facts, section 7). */
export function healthStatus({ refuseCode, phoneNumberId, wabaId, appId }: SandboxAccount) {
  const can = refuseCode === null ? "AVAILABLE" : "BLOCKED";
  const errors = refuseCode === null ? {} : { errors: [describe(refuseCode)] };
  return {
    can_send_message: can,
    entities: [
      { entity_type: "PHONE_NUMBER", id: phoneNumberId, can_send_message: "AVAILABLE" },
      { entity_type: "WABA", id: wabaId, can_send_message: can, ...errors },
      { entity_type: "BUSINESS", id: `${wabaId}0`, can_send_message: "AVAILABLE" },
      { entity_type: "APP", id: appId, can_send_message: "AVAILABLE" },
    ],
  };
}

function describe(code: number) {
  const text = errorTexts[code];
  return {
    error_code: code,
    error_description: text?.details ?? text?.title ?? "Messages are refused.",
    possible_solution: "Set refuseCode of the sandbox account to null.",
  };
}
