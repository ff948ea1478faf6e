import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import Koa from "koa";
import { request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { dashboardRoute, readDashboard } from "./dashboard.ts";

const script = "export {};";
const pages = {
  "first/index.html": "the overview, and what it asks",
  "pages/index.html": "the overview",
  "pages/sites.html": "the sites",
  "pages/sites/$siteId.html": "a site",
  "pages/sites/new.html": "a new site",
  "pages/log.html": '<meta name="texts" content="base home no-such">the log',
};
const texts = ["en/base", "en/home", "de/base", "de/home", "ar/base"].map((text) => `assets/texts-Ab_-1/${text}.json`);
let folder: string;
let url: string;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  await writeFile(join(folder, "index.html"), "<!doctype html>");
  for (const [page, text] of Object.entries(pages)) {
    await mkdir(join(folder, page, ".."), { recursive: true });
    await writeFile(join(folder, page), text);
  }
  for (const text of texts) {
    await mkdir(join(folder, text, ".."), { recursive: true });
    await writeFile(join(folder, text), "{}");
  }
  await writeFile(join(folder, "main.js"), script);
  await writeFile(join(folder, "main.js.br"), brotliCompressSync(script));
  await writeFile(join(folder, "main.js.gz"), gzipSync(script));
  server = new Koa().use(dashboardRoute(await readDashboard(folder), false)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const ask = async (path: string, headers: Record<string, string>) => {
  const { statusCode, headers: answered, body } = await request(url + path, { headers });
  return { statusCode, headers: answered, body: Buffer.from(await body.arrayBuffer()) };
};
const asItIs = (body: Buffer): Buffer => body;

test.each([
  ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ["br;q=0.1, gzip;q=1.0", "br", brotliDecompressSync],
  ["gzip;q=1.0, *;q=0", "gzip", gunzipSync],
  ["deflate", undefined, asItIs],
  ["identity", undefined, asItIs],
  ["br;q=0", undefined, asItIs],
])("what was compressed beforehand goes to a browser that takes %s as %s, and is known again", async (accepted, encoding, read) => {
  const { headers, body } = await ask("/main.js", { "accept-encoding": accepted });
  expect(headers).toMatchObject({ vary: "Accept-Encoding", "content-type": "text/javascript; charset=utf-8" });
  expect(headers["content-encoding"]).toBe(encoding);
  expect(read(body).toString()).toBe(script);
  expect(await ask("/main.js", { "accept-encoding": accepted, "if-none-match": String(headers["etag"]) })).toMatchObject({
    statusCode: 304,
    body: Buffer.alloc(0),
  });
});

test("each encoding has a tag of its own, and is no file of its own", async () => {
  const tags = await Promise.all(
    ["br", "gzip", "identity"].map(async (name) => (await ask("/main.js", { "accept-encoding": name })).headers["etag"]),
  );
  expect(new Set(tags).size).toBe(3);
  expect((await ask("/main.js.gz", {})).statusCode).toBe(404);
});

test("a file that was not compressed goes as it is", async () => {
  const { headers, body } = await ask("/no/such/page", { "accept-encoding": "br, gzip" });
  expect(headers["content-encoding"]).toBeUndefined();
  expect(body.toString()).toBe("<!doctype html>");
});

const linkTo = (...names: string[]): string =>
  names.map((name) => `</assets/texts-Ab_-1/${name}.json>; rel=preload; as=fetch; crossorigin`).join(", ");

const signedIn = { cookie: "theme=dark; tidings_session=token" };

test.each(data<[string, string][]>("admin-server-http-dashboard", "what is sent at is"))(
  "what is sent at %s is the page that the build has written for it",
  async (path, text) => {
    const { headers, body } = await ask(path, signedIn);
    expect(body.toString()).toBe(text);
    expect(headers).toMatchObject({
      "cache-control": "no-cache",
      "content-type": "text/html; charset=utf-8",
      vary: "Accept-Encoding, Accept-Language, Cookie",
    });
    expect(await ask(path, { ...signedIn, "if-none-match": String(headers["etag"]) })).toMatchObject({
      statusCode: 304,
      body: Buffer.alloc(0),
    });
    // A person without a session is led elsewhere.
    const other = await ask(path, { cookie: "theme=dark", "if-none-match": String(headers["etag"]) });
    expect(other.headers["vary"]).toBe("Accept-Encoding, Accept-Language, Cookie");
    expect(other.body.toString()).toBe(text === "<!doctype html>" ? "" : "<!doctype html>");
  },
);

test.each([
  [undefined, undefined, "en"],
  ["de-DE,de;q=0.9,en;q=0.8", undefined, "de"],
  ["en;q=0.8, de", undefined, "de"],
  ["fr-CA, fr, DE-at, en", undefined, "de"],
  ["fr, nl", undefined, "en"],
  ["de;q=0, *", undefined, "en"],
  ["*", undefined, "en"],
  ["en", "de", "de"],
  ["de", "en", "en"],
  ["de", "", "de"],
  ["de", "fr", "de"],
  ["de", "__proto__", "de"],
  ["de", "../../texts-Ab_-1/en", "de"],
  ["../de, de/../en, %64%65", undefined, "en"],
  ["constructor, toString, __proto__", undefined, "en"],
  ["de>; rel=preload, </x>", undefined, "en"],
  [";;;,,,q=1;q=,-,--,;q=1", undefined, "en"],
])("a page that names texts has the browser fetch them for %s, or %s, in %s", async (accepted, chosen, language) => {
  const cookie = `${signedIn.cookie}${chosen === undefined ? "" : `; tidings_language=${chosen}`}`;
  const headers = { cookie, ...(accepted !== undefined && { "accept-language": accepted }) };
  const link = linkTo(`${language}/base`, `${language}/home`);
  const answer = await ask("/log", headers);
  expect(answer.headers).toMatchObject({ link, vary: "Accept-Encoding, Accept-Language, Cookie" });
  const known = await ask("/log", { ...headers, "if-none-match": String(answer.headers["etag"]) });
  expect([known.statusCode, known.headers["link"]]).toEqual([304, link]);
});

test.each([
  ["one long name", `${"x-".repeat(3_000)}, de`],
  ["one of many parts", `${"-;q=".repeat(3_000)}, de`],
  ["spaces", `${" ".repeat(6_000)}a${" ".repeat(6_000)}b, de`],
  ["many languages", `${"xx;q=0.9,".repeat(1_200)}de;q=0.1`],
  ["the same over and over", `de${",de".repeat(4_000)}`],
])("languages at great length, %s, are read", async (_how, accepted) => {
  expect((await ask("/log", { ...signedIn, "accept-language": accepted })).headers["link"]).toBe(linkTo("de/base", "de/home"));
});

test("only texts that there are, and only pages, are linked", async () => {
  const links = async (path: string) => (await ask(path, { ...signedIn, "accept-language": "ar" })).headers["link"];
  expect(await links("/log")).toBe(linkTo("ar/base"));
  for (const path of ["/sites", "/no", "/main.js", "/assets/texts-Ab_-1/de/base.json"]) expect(await links(path)).toBeUndefined();
});

test("pages have tags of their own, and are no files of their own", async () => {
  const tags = await Promise.all(["/", "/?days=30", "/sites", "/no"].map(async (path) => (await ask(path, signedIn)).headers["etag"]));
  expect(new Set(tags).size).toBe(4);
  for (const page of Object.keys(pages)) expect((await ask(`/${page}`, signedIn)).statusCode).toBe(404);
});
