/**
 * A statement that comes in a few shapes, each written once. The driver composes tagged fragments anew with every call, which the two statements of
 * an event's way are too frequent for. Without the indentation, as its text is hashed here and copied there each time that it runs.
 */
export function memoizeText(write: (shape: string) => string): (shape: string) => string {
  const written = new Map<string, string>();
  return (shape) => {
    const text = written.get(shape) ?? write(shape).trim().replaceAll(/\s+/g, " ");
    written.set(shape, text);
    return text;
  };
}
