/** An e-mail, as plain paragraphs from which its text and its HTML are made. */
export interface Letter {
  subject: string;
  paragraphs: readonly Paragraph[];
}

export type Paragraph = string | { link: string; label: string } | { lines: readonly string[] };

export const textOf = ({ paragraphs }: Letter): string => `${paragraphs.map(plain).join("\n\n")}\n`;

function plain(paragraph: Paragraph): string {
  if (typeof paragraph === "string") return oneLine(paragraph);
  if ("link" in paragraph) return `${oneLine(paragraph.label)}:\n${paragraph.link}`;
  return paragraph.lines.map((line) => `- ${oneLine(line)}`).join("\n");
}

export const htmlOf = ({ subject, paragraphs }: Letter): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>` +
  `<body style="font-family:sans-serif;max-width:36rem">${paragraphs.map(markUp).join("")}</body></html>`;

function markUp(paragraph: Paragraph): string {
  if (typeof paragraph === "string") return `<p>${escapeHtml(paragraph)}</p>`;
  if ("lines" in paragraph) return `<ul>${paragraph.lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ul>`;
  const { link, label } = paragraph;
  return `<p><a href="${escapeHtml(link)}">${escapeHtml(label)}</a></p><p>${escapeHtml(link)}</p>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeHtml = (text: string): string => oneLine(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");

/** The text without line breaks, other control characters, and marks that turn the direction of writing: none of them can make a header, or hide a part of an address. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ").trim();
