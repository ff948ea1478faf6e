const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;
const ASCII = /^[\x21-\x7e]+$/;

/** The event name in lower case, or null when it is none: dotted parts of `a-z 0-9 _ -`, 1 to 128 characters in all. */
export function parseEventName(text: string): string | null {
  // Before lowercasing: the Kelvin sign, for one, becomes an ordinary k.
  if (text.length > 128 || !ASCII.test(text)) return null;
  const name = text.toLowerCase();
  return NAME.test(name) ? name : null;
}
