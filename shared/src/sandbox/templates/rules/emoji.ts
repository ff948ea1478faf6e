/** One emoji, however many characters it is made of. */
export const EMOJI = /\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F|\u200D\p{Extended_Pictographic})*/u;

export function countEmojis(text: string): number {
  return Array.from(text.matchAll(new RegExp(EMOJI, "gu"))).length;
}
