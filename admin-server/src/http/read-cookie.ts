/** The cookie's value as it was sent, null when there is none. */
export function readCookie(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}
