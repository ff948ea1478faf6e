/** The benchmarks print for people: one line at a time, columns of one width. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Numbers with so many decimals; what could not be measured is a dash. */
export const cell = (value: number, decimals = 0): string => (Number.isNaN(value) ? "–" : value.toFixed(decimals));

/** The first column names the row and is `width` wide. */
export const row = (cells: string[], width = 12): void =>
  say(cells.map((text, i) => (i === 0 ? text.padEnd(width) : text.padStart(13))).join(""));
