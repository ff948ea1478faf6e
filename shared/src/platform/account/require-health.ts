import { listMember, textMember } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";

/**
 * @param health The platform's `health_status` of a number or a business account; absent is fine.
 * @throws PlatformError when nothing can be sent, with the platform's own reason and advice.
 */
export function requireHealth(health: unknown): void {
  if (textMember(health, "can_send_message")?.toUpperCase() !== "BLOCKED") return;
  const errors = listMember(health, "entities").flatMap((entity) => listMember(entity, "errors"));
  const words = errors.flatMap((error) => [textMember(error, "error_description"), textMember(error, "possible_solution")]);
  const told = words.filter((word) => word !== undefined).join(" ");
  throw new PlatformError(`The platform blocks sending. ${told || "See the account's status in the platform's business manager."}`);
}
