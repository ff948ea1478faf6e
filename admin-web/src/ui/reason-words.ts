const parts: Record<string, string> = { header: "the header", body: "the body", button_url: "the button's link" };
const part = Object.keys(parts).join("|");

const unfilled = new RegExp(`\\b(${part}) (\\{\\{[^{}]*\\}\\})(?::| is) not in the variable map`, "gu");
const lacking = new RegExp(`\\b(${part})\\.(\\d+): the template has (no|\\d+) \\w+ (slots?)`, "gu");
const changed = new RegExp(`\\b(${part}) had `, "gu");

/**
 * A reason of the server's in the words of the dashboard. The API names slots as a variable map does (`button_url {{1}} is not in the variable map.`), and
 * begins a reason in lower case where it may follow another.
 */
export function reasonWords(reason: string): string {
  const words = reason
    .replace(unfilled, (_, key: string, slot: string) => `${parts[key]} needs a value for ${slot}`)
    .replace(
      lacking,
      (_, key: string, slot: string, count: string, slots: string) =>
        `{{${slot}}} of ${parts[key]} is filled, but it has ${count} ${slots} now`,
    )
    .replace(changed, (_, key: string) => `${parts[key]} had `)
    .replace(/\bbutton_url (?=\{\{)/gu, "the button's link ");
  // A word, not the path of a field.
  return words.replace(/^\p{Ll}(?=[\p{L}']*[ :])/u, (letter) => letter.toUpperCase());
}
