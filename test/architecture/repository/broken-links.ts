import { posix } from "node:path";

/**
 * Relative links of Markdown files that lead nowhere. `files`: path → text; `exists`: whether a path from the root is there. Files of one
 * `bundle` folder are read as one document, so an anchor may stand in any of them.
 */
export function brokenLinks(files: Record<string, string>, exists: (path: string) => boolean, bundle: string): string[] {
  const bundled = Object.keys(files).filter((path) => path.startsWith(bundle));
  return Object.entries(files).flatMap(([path, text]) => {
    const sameDocument = bundled.includes(path) ? bundled : [path];
    return linksOf(text)
      .filter((link) => !/^[a-z]+:/u.test(link))
      .filter((link) => !leadsSomewhere(link, path, sameDocument))
      .map((link) => `${path}: ${link}`);
  });

  function leadsSomewhere(link: string, from: string, sameDocument: string[]): boolean {
    const [file = "", anchor] = link.split("#");
    if (file === "") return sameDocument.some((path) => anchorsOf(files[path] ?? "").includes(anchor ?? ""));
    const target = posix.join(posix.dirname(from), file);
    return exists(target) && (anchor === undefined || anchorsOf(files[target] ?? "").includes(anchor));
  }
}

function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(\s*<?([^)\s>]+)/gu)].map((match) => match[1] ?? "");
}

/** Anchors as they are commonly made of headings: lower case, punctuation dropped, blanks to hyphens. */
function anchorsOf(text: string): string[] {
  const headings = [...withoutCode(text, false).matchAll(/^#{1,6}\s+(.+?)\s*$/gmu)].map((match) => match[1] ?? "");
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/gu, "-"),
  );
}

function withoutCode(text: string, inline = true): string {
  const blocks = text.replace(/^(?:```|~~~)[^]*?^(?:```|~~~)/gmu, "");
  return inline ? blocks.replace(/`[^`\n]*`/gu, "") : blocks;
}
