/** What became of an event, by the word that its sender was answered. */
export const chatWords: Record<string, string> = {
  sent: "The platform took every message.",
  partial: "Some of its messages failed.",
  failed: "All of its messages failed.",
  no_bindings: "Nothing was sent: no binding was switched on for it.",
  skipped_no_config: "Nothing was sent: no platform was connected.",
  skipped_no_phone: "Nothing was sent: nobody to write to was found.",
};
