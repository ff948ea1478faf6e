/** The next variable that a text lacks. */
export function nextVariable(text: string): string {
  const used = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => Number(match[1])));
  let number = 1;
  while (used.has(number)) number += 1;
  return `{{${number}}}`;
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Writes `text` in place of what is selected, as if it were typed there. */
export function insertText(field: TextField, text: string): void {
  field.focus();
  field.setRangeText(text, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, "end");
  tellReact(field);
}

/** Encloses what is selected in `mark`; with nothing selected the cursor waits between the two. */
export function encloseSelection(field: TextField, mark: string): void {
  const [from, to] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  field.focus();
  field.setRangeText(mark + field.value.slice(from, to) + mark, from, to, "end");
  if (from === to) field.setSelectionRange(from + mark.length, from + mark.length);
  tellReact(field);
}

const tellReact = (field: TextField): void => void field.dispatchEvent(new Event("input", { bubbles: true }));
