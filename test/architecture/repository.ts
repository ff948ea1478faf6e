import { posix } from "node:path";

/**
 * Relative links of Markdown files that lead nowhere. `files`: path → text; `exists`: whether a path from the root is there. Files of one `bundle` folder
 * count as one document, so an anchor may stand in any of them.
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

/** The anchors of headings in the common form: lower case, punctuation dropped, blanks to hyphens. */
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

const groups = ["dependencies", "devDependencies", "optionalDependencies"];
const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/u;

/** Dependencies of a package.json that name no exact version, as `name range`. A member of the workspace or the catalogue is exact by other means. */
export function loosePins(packageJson: Record<string, unknown>): string[] {
  return groups
    .flatMap((group) => Object.entries((packageJson[group] ?? {}) as Record<string, string>))
    .filter(([, range]) => !exact.test(range) && range !== "workspace:*" && range !== "catalog:")
    .map(([name, range]) => `${name} ${range}`);
}

/** Entries of the workspace file's catalogue that name no exact version. */
export function looseCatalog(workspaceYaml: string): string[] {
  const catalog = /^catalog:\n((?:[ \t]+.*\n)*)/mu.exec(workspaceYaml)?.[1] ?? "";
  return catalog
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !exact.test(line.slice(line.lastIndexOf(":") + 1).trim()));
}

/** Lines of the lockfile that tie it to a host: an address of a package or of a registry. A maintainer's note on a deprecated package may hold one, and is left out. */
export function lockedHosts(lockfile: string): string[] {
  return lockfile
    .split("\n")
    .filter((line) => /\b(?:tarball|resolved|registry):|:\/\//u.test(line) && !line.trimStart().startsWith("deprecated:"));
}

/** Folders of the tree in a README: the fenced block under the heading `## The tree`, one folder a line, deeper ones indented by two. */
export function foldersInTree(readme: string): string[] {
  const block = /^## The tree\n[^]*?```(?:text)?\n([^]*?)```/mu.exec(readme)?.[1] ?? "";
  const trail: string[] = [];
  return block
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      trail.length = depth;
      trail[depth] = line.trim().split(/\s+/u)[0]?.replace(/\/$/u, "") ?? "";
      return trail.join("/");
    });
}
