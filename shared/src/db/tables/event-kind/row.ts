import type { KnownField } from "../../../core/fields/merge-fields.ts";

/** Events of one name that a site has received. */
export interface EventKindRow {
  site_id: string;
  name: string;
  /** Carries when it was received last. */
  last_event_id: string;
  fields: KnownField[];
}
