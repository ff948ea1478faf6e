/** A text, or a run of what is neither text, blank nor punctuation: a number, true, false, null. Else punctuation. */
const token = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/gsu;

/** JSON set out line by line. Every text and number stays as it was written: to parse and print it could change long numbers. */
export function prettyJson(json: string): string {
  let pretty = "";
  let depth = 0;
  let previous = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [each] of json.matchAll(token)) {
    const closes = each === "}" || each === "]";
    const isEmpty = closes && (previous === "{" || previous === "[");
    if (closes) depth -= 1;
    if (closes ? !isEmpty : previous === "{" || previous === "[" || previous === ",") pretty += line();
    pretty += each === ":" ? ": " : each;
    if (each === "{" || each === "[") depth += 1;
    previous = each;
  }
  return pretty;
}
