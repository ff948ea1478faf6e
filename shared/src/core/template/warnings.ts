import type { TemplateDefinition } from "./definition.ts";

/** What is allowed and may still go wrong or look wrong, a sentence each (platform facts: template rules). */
export function templateWarnings({ body, buttons }: TemplateDefinition): string[] {
  const replies = buttons.filter((button) => button.type === "QUICK_REPLY").length;
  const isMixed = replies > 0 && replies < buttons.length;
  const warnings = [
    /\}\}[^\p{L}\p{N}}]+$/u.test(body) &&
      "body: only punctuation follows its last variable, which the platform may take for a variable at the end.",
    buttons.length > 3 && 'buttons: of more than three, phones show two and "See all options".',
    (buttons.length > 3 || isMixed) && "buttons: four or more, or quick replies beside others, are not shown on desktops.",
  ];
  return warnings.filter((warning) => warning !== false);
}
