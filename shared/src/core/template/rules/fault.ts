/** A rule of the platform that a template breaks. `field` is a dotted path into the input (`buttons.0.url`). */
export interface Fault {
  field: string;
  message: string;
  /** True for what a draft may still lack: it counts when the template is submitted. */
  awaited?: true;
}
