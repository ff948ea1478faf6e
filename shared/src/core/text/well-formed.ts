const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with each half of a character that lacks its other half (a cut emoji, say) replaced by U+FFFD, as encoding it would. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, "\ufffd");
