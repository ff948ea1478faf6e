/**
 * How many characters `text` has, counted in code points: the platform counts an emoji as one character, or as two, or its parts;
 * it says nowhere. The lenient count refuses nothing that might be accepted.
 */
export function textLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) length--;
  }
  return length;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
