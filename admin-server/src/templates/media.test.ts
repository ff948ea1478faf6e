import { createServer, type RequestListener } from "node:http";
import { BlockList, type AddressInfo } from "node:net";
import { expect, test, describe } from "vitest";
import { fetchFile, type FetchLimits } from "./media.ts";

describe("fetch file", () => {
  async function serve(listener: RequestListener) {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.host ?? "");
      listener(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const dispose = async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return { port, seen, url: `http://127.0.0.1:${port}/a.png`, [Symbol.asyncDispose]: dispose };
  }

  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  const limits: FetchLimits = { maxBytes: 1_000_000, timeoutMs: 10_000, allowed: loopback };

  test("a file comes with the type that it is served as", async () => {
    await using server = await serve((_, response) => response.writeHead(200, { "content-type": "Image/PNG; charset=x" }).end("bytes"));
    expect(await fetchFile(server.url, limits)).toEqual({ type: "image/png", bytes: Buffer.from("bytes") });
    const named = `http://localhost:${server.port}/a.png`;
    expect((await fetchFile(named, limits)).bytes.toString()).toBe("bytes");
    expect(server.seen).toEqual([`127.0.0.1:${server.port}`, `localhost:${server.port}`]);
  });

  test.each([
    (port: number) => `http://127.0.0.1:${port}/`,
    (port: number) => `http://localhost:${port}/`,
    (port: number) => `http://2130706433:${port}/`,
    (port: number) => `http://0x7f.1:${port}/`,
    (port: number) => `http://0177.0.0.1:${port}/`,
    (port: number) => `http://[::ffff:127.0.0.1]:${port}/`,
    (port: number) => `http://[::1]:${port}/`,
    (port: number) => `http://0.0.0.0:${port}/`,
    (port: number) => `http://user:secret@127.0.0.1:${port}/`,
    () => "http://169.254.169.254/latest/meta-data/",
    () => "http://10.0.0.1/",
    () => "https://[fd00::1]/",
  ])("an address inside is not dialled (%#)", async (urlOf) => {
    await using server = await serve((_, response) => response.end("secret"));
    await expect(fetchFile(urlOf(server.port), { ...limits, allowed: null })).rejects.toMatchObject({
      message: "header.url: is not an address of the internet",
    });
    expect(server.seen).toEqual([]);
  });

  test.each<[string, RequestListener, RegExp]>([
    ["a redirect", (_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end(), /leads to another address/],
    ["a refusal", (_, response) => response.writeHead(404).end("no"), /answered HTTP 404/],
    ["a compressed file", (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"), /compressed/],
    ["one that says it is too large", (_, response) => response.writeHead(200, { "content-length": 2_000_000 }).end("x"), /more than 0 MB/],
    ["one that is, without saying so", (_, response) => void response.writeHead(200).end("x".repeat(1_000_001)), /more than 0 MB/],
    [
      "a connection that breaks",
      (_, response) => void response.writeHead(200, { "content-length": 9 }).write("x", () => response.destroy()),
      /could not be fetched/,
    ],
  ])("%s is no file", async (_, listener, words) => {
    await using server = await serve(listener);
    await expect(fetchFile(server.url, limits)).rejects.toThrow(words);
  });

  test("one that never ends is given up", async () => {
    await using server = await serve((_, response) => void response.writeHead(200).write("x"));
    await expect(fetchFile(server.url, { ...limits, timeoutMs: 200 })).rejects.toThrow("did not answer in full within 0.2 s");
  });

  test("a name that leads nowhere says so", async () => {
    await expect(fetchFile("http://nobody.invalid/a.png", limits)).rejects.toThrow(/could not be fetched/);
  });
});
