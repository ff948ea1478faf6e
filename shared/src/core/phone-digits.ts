/** A decimal digit of any script, as a part of a regular expression with the flag `u`. */
export const ANY_DIGIT = String.raw`\p{Nd}`;

const NO_ASCII_DIGIT = /[^\P{Nd}0-9]/gu;

/** A text with the decimal digits of every script as 0 to 9: `４９`, `٤٩` and `49` are the same. */
export const asciiDigits = (text: string): string => text.replaceAll(NO_ASCII_DIGIT, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)));

/** The zeros of all scripts but ASCII's, as code points; each is followed by its other nine digits. */
export const foreignZeros = (): readonly number[] => (found ??= findZeros());

let found: readonly number[] | undefined;

/** As many as this runtime's Unicode knows, so that what is masked is erased too. */
function findZeros(): number[] {
  const codePoints = Array.from({ length: LAST - FIRST }, (_, index) => FIRST + index);
  return codePoints.filter((codePoint) => isDigit(codePoint) && valueOf(codePoint) === 0);
}

/** The planes that have scripts and signs. */
const FIRST = 0x80;
const LAST = 0x20000;

/** Unicode keeps the ten digits of a script together, in their order. */
function valueOf(codePoint: number): number {
  let before = 0;
  while (isDigit(codePoint - before - 1)) before += 1;
  return before % 10;
}

const isDigit = (codePoint: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(codePoint));
