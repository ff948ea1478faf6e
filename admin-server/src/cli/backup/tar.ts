const BLOCK = 512;

/** A file in an archive. */
export interface Member {
  name: string;
  data: Buffer;
}

/** A member as the tar format (ustar) has it, readable and writable by its owner alone. `name` has at most 100 bytes. */
export function tarMember({ name, data }: Member, mtime: Date): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`);
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(data.length, 12), 124);
  header.write(octal(Math.floor(mtime.getTime() / 1000), 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0" + "00", 257);
  header.write(octal(sumOf(header), 7), 148);
  return Buffer.concat([header, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]);
}

/** What ends an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

/** The members of an archive that comes in pieces. Throws when it is none, or is cut off. */
export async function* readTar(pieces: AsyncIterable<Buffer>): AsyncGenerator<Member> {
  const reader = createReader(pieces);
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((byte) => byte === 0)) return reader.drain();
    const { name, size } = parseHeader(header);
    const data = await reader.take(size);
    await reader.take((BLOCK - (size % BLOCK)) % BLOCK);
    yield { name, data };
  }
}

const largest = 1 << 30;

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (start: number, length: number): string => header.toString("utf8", start, start + length).replace(/\0.*$/s, "");
  const number = (start: number, length: number): number => Number.parseInt(text(start, length).trim(), 8);
  const summed = Buffer.from(header);
  summed.write("        ", 148);
  const size = number(124, 12);
  if (text(257, 5) !== "ustar" || number(148, 8) !== sumOf(summed) || !(size <= largest))
    throw new Error("not an archive, or a damaged one");
  return { name: text(0, 100), size };
}

function createReader(pieces: AsyncIterable<Buffer>) {
  const source = pieces[Symbol.asyncIterator]();
  let waiting: Buffer[] = [];
  let length = 0;
  return {
    /** What follows is read too: only its end shows that the whole is unharmed. */
    async drain(): Promise<void> {
      while ((await source.next()).done !== true);
    },
    async take(size: number): Promise<Buffer> {
      while (length < size) {
        const next = await source.next();
        if (next.done === true) throw new Error("the archive is cut off");
        waiting.push(next.value);
        length += next.value.length;
      }
      const all = Buffer.concat(waiting);
      waiting = [all.subarray(size)];
      length -= size;
      return all.subarray(0, size);
    },
  };
}

const sumOf = (header: Buffer): number => header.reduce((sum, byte) => sum + byte, 0);
