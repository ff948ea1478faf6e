/** Without the `u` flag, `i` stays within ASCII: the Kelvin sign, for one, is no k. */
const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

/** The event name in lower case, or null when it is none: dotted parts of `a-z 0-9 _ -`, 1 to 128 characters in all. */
export const parseEventName = (text: string): string | null => (text.length <= 128 && NAME.test(text) ? text.toLowerCase() : null);
