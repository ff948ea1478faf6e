/** Sequences (families, flags, skin tones) count as one. Built from a text because the `v` flag is younger than the compiler's target. */
const EMOJI = new RegExp("\\p{RGI_Emoji}", "gv");

export const countEmoji = (text: string): number => text.match(EMOJI)?.length ?? 0;
