import { createHash } from "node:crypto";
import type { Role } from "shared/core/role";
import type { SandboxMessage } from "../../sandbox/message.ts";
import { seesPhones, shownPhone, shownValue } from "../../trpc/shown-phone.ts";

/** A message's id holds its recipient, in a form that is easily read back. */
export const messageHandle = ({ id }: Pick<SandboxMessage, "id">): string => createHash("sha256").update(id).digest("hex");

export const presentMessage = (message: SandboxMessage, role: Role): SandboxMessage =>
  seesPhones(role) ? message : { ...shownValue(message, role), id: messageHandle(message), to: shownPhone(message.to, role) };
