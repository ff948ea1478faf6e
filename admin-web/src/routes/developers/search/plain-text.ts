/** What Markdown says, without its marks: for a search and its snippets. */
export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/^```.*$/gmu, "")
    .replaceAll(/^\|[-| :]+\|$/gmu, "")
    .replaceAll(/^\| *| *\|$/gmu, "")
    .replaceAll(/ *\| */gu, ", ")
    .replaceAll(/^(?:[-*]|\d+\.) /gmu, "")
    .replaceAll(/\*\*|`/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
