import type { TemplateDefinition, TemplateStatus } from "../../core/template/definition.ts";

/** A template as the platform has it, in our words. */
export interface PlatformTemplate {
  platformId: string;
  name: string;
  /** With an underscore: `en_US`. */
  language: string;
  /** The platform's own, which may differ from the one asked for; upper case. */
  category: string;
  status: TemplateStatus;
  /** Why it is not approved, in the platform's words. */
  reason: string | null;
  /** `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null where the platform does not say. */
  quality: string | null;
  definition: TemplateDefinition;
}
