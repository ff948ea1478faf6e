/**
 * A statement that comes in a few shapes, each written once. The driver composes tagged fragments anew with every call, which the two statements of
 * an event's way are too frequent for.
 */
export function memoizeText(write: (shape: string) => string): (shape: string) => string {
  const written = new Map<string, string>();
  return (shape) => {
    const text = written.get(shape) ?? write(shape);
    written.set(shape, text);
    return text;
  };
}
