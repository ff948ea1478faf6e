import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeSync, openSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of a few megabytes, which can be filled. Needs root. */
export interface SmallDisk extends Disposable {
  path: string;
  fill(): void;
  empty(): void;
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "tidings-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "tmpfs", path]);
  chmodSync(path, 0o777);
  const filler = join(path, "filler");
  return {
    path,
    fill: () => writeUntilFull(filler),
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]: () => {
      execFileSync("umount", ["-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Whether this process may mount one. */
export function mayMount(): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/proc/mounts")) return false;
  try {
    mountSmallDisk(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

function writeUntilFull(file: string): void {
  const descriptor = openSync(file, "a");
  try {
    for (let size = 1 << 20; size >= 1;) size = wrote(descriptor, size) ? size : size >> 1;
  } finally {
    closeSync(descriptor);
  }
}

function wrote(descriptor: number, size: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(size)) === size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
