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

/** Lines of the lockfile that tie it to a host: an address of a package or of a registry. What a maintainer wrote on a deprecated package may hold one. */
export function lockedHosts(lockfile: string): string[] {
  return lockfile
    .split("\n")
    .filter((line) => /\b(?:tarball|resolved|registry):|:\/\//u.test(line) && !line.trimStart().startsWith("deprecated:"));
}
