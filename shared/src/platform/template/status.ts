import type { TemplateStatus } from "../../core/template/definition.ts";

/**
 * The platform's statuses and events in our six. Sendable is `approved` alone; a status that is new here is not sendable.
 * UNARCHIVED and LOCKED do not say what they lead to: held until the next poll tells.
 */
const statuses = new Map<string, TemplateStatus>([
  ["APPROVED", "approved"],
  ["ACTIVE", "approved"],
  ["FLAGGED", "approved"],
  ["REINSTATED", "approved"],
  ["PENDING", "pending"],
  ["IN_APPEAL", "pending"],
  ["REJECTED", "rejected"],
  ["LIMIT_EXCEEDED", "rejected"],
  ["PAUSED", "paused"],
  ["LOCKED", "paused"],
  ["UNARCHIVED", "paused"],
  ["DISABLED", "disabled"],
  ["ARCHIVED", "disabled"],
  ["PENDING_DELETION", "disabled"],
  ["DELETED", "disabled"],
]);

export function templateStatusOf(platformStatus: string): TemplateStatus {
  return knownTemplateStatus(platformStatus) ?? "disabled";
}

export function knownTemplateStatus(platformStatus: string): TemplateStatus | undefined {
  return statuses.get(platformStatus.toUpperCase());
}
