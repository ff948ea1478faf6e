/** Browser and system of a user agent, such as `Firefox on Windows`; the first name in it when it is another program. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "unknown program";
  const browser = nameIn(browsers, userAgent);
  if (browser === undefined) return userAgent.split(/[\s/]/u, 1)[0] ?? userAgent;
  const system = nameIn(systems, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** In this order: each names those below it as well. */
const browsers: [RegExp, string][] = [
  [/Edg/u, "Edge"],
  [/OPR/u, "Opera"],
  [/Firefox|FxiOS/u, "Firefox"],
  [/Chrom|CriOS/u, "Chrome"],
  [/Safari/u, "Safari"],
];

const systems: [RegExp, string][] = [
  [/iPhone|iPad/u, "iOS"],
  [/Android/u, "Android"],
  [/Windows/u, "Windows"],
  [/Mac OS/u, "macOS"],
  [/Linux|X11/u, "Linux"],
];

const nameIn = (names: [RegExp, string][], userAgent: string): string | undefined => names.find(([mark]) => mark.test(userAgent))?.[1];
