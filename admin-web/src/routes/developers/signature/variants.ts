/** Something that may have been signed, or signed with, in place of what was pasted. */
export interface Variant {
  text: string;
  /** The mistake, and what to do about it. */
  fault: string;
}

/** What code is known to sign by mistake. Those that come to the same as the body itself are left out. */
export function bodyVariants(body: string, timestamp: string): Variant[] {
  const variants: Variant[] = [
    {
      text: `${body}\n`,
      fault: "The signature is of the body with a newline at its end. Sign and send the same bytes: with echo, write printf '%s' instead.",
    },
    { text: body.replace(/\r?\n$/u, ""), fault: "The signature is of the body without the newline at its end. Sign it as it is sent." },
    { text: body.trim(), fault: "The signature is of the body without the white space around it." },
    { text: body.replaceAll("\n", "\r\n"), fault: "The signature is of the body with Windows line ends (CRLF)." },
    { text: `\uFEFF${body}`, fault: "The signature is of the body with a byte order mark in front. JSON has none: take it away." },
    { text: `${timestamp}.${body}`, fault: "The signature is of the timestamp, a dot and the body. It has to be of the body alone." },
    { text: `${timestamp}${body}`, fault: "The signature is of the timestamp and the body. It has to be of the body alone." },
    { text: "", fault: "The signature is of an empty body: it was read already, or not yet, when it was signed." },
    ...reserialized(body),
  ];
  return variants.filter(({ text }) => text !== body);
}

/** The same JSON as other programs write it. */
function reserialized(body: string): Variant[] {
  const value = parsed(body);
  if (value === undefined) return [];
  const fault =
    "The signature is of the same JSON, written otherwise: with other blanks or escapes. Write it once, keep the text, sign that and send that.";
  const compact = JSON.stringify(value);
  const texts = [compact, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4), spaced(value)];
  return [...texts, ...texts.map(escapedLetters), ...texts.map((text) => text.replaceAll("/", String.raw`\/`))].map((text) => ({
    text,
    fault,
  }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As Python's json.dumps writes it: a blank after each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
    .join(", ")}}`;
}

/** As Python and PHP write what is not ASCII. */
const escapedLetters = (text: string): string =>
  text.replaceAll(/[^\0-\u007F]/gu, (letter) =>
    letter
      .split("")
      .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );

export function secretVariants(secret: string): Variant[] {
  const bare = secret.trim();
  return [
    { text: bare, fault: "The secret that was pasted has white space around it, the one that signed has not." },
    { text: `${bare}\n`, fault: "The secret that signed has a newline at its end, as when it is read from a file. Trim it." },
    {
      text: bare.replace(/^whs_/u, ""),
      fault: "The secret that signed lacks the whs_ at its front. It belongs to the secret: use all of it.",
    },
    { text: `"${bare}"`, fault: "The secret that signed has quotes around it, as a .env file may have. Leave them out." },
  ].filter(({ text }) => text !== secret && text !== "");
}
