import { readDocsBundle } from "shared/docs/bundle";
import { fillAddresses, topics } from "shared/docs/topics";
import { expect, test } from "vitest";
import {
  linkSections,
  places,
  documentationBundle,
  readSections,
  readTopic,
  topicBody,
  topicTitle,
  sectionsOf,
  topicGroups,
  plainText,
  searchSections,
} from "./documentation.ts";

test("every topic stands in one group", () => {
  expect(topicGroups.flatMap((group) => group.topics)).toEqual(topics);
});

const allSections = await readSections();

test("the headings that pages name are those of the texts: `-u` writes them anew", async () => {
  const headings = topics.map((topic) => [topic, allSections.flatMap((each) => (each.topic === topic ? [each.title] : [])).join("\n")]);
  await expect(`${JSON.stringify(Object.fromEntries(headings), null, 2)}\n`).toMatchFileSnapshot("headings.json");
});

test("the file to download is the one that the gateway gives", async () => {
  const unknown = { gateway: null, admin: null };
  expect(await documentationBundle(unknown)).toBe(readDocsBundle());
  const addresses = { gateway: "https://g.example/$&", admin: "https://a.example" };
  const bundle = await documentationBundle(addresses);
  expect(bundle).toBe(fillAddresses(readDocsBundle(), addresses));
  expect(bundle).toContain("POST https://g.example/$&/api/public/ingest/{source}/{event}");
  expect(bundle).not.toMatch(/\{base_url\}|\{admin\}/u);
});

test("no two places of a topic share an address", () => {
  const addresses = places.map(({ topic, slug }) => `${topic}#${slug}`);
  expect(addresses).toEqual([...new Set(addresses)]);
  expect(topicTitle("opted-out")).toBe("People who opted out");
});

test("a text is cut at its headings, and not at what looks like one in code", () => {
  expect(sectionsOf("events", '## Events\n\nA\n\n```sh\n# no heading\n```\n\n### Two words: "x"\nB\n')).toEqual([
    { topic: "events", title: "Events", slug: "", text: "\nA\n\n```sh\n# no heading\n```\n\n" },
    { topic: "events", title: 'Two words: "x"', slug: "two-words-x", text: "B\n" },
  ]);
});

test("a section named in quotes is a link, in code it is none", async () => {
  const text = 'See "Limits" and "People who opted out", `"Limits"`, "Nothing".\n```json\n"Limits"\n```\n';
  expect(linkSections(text)).toBe(
    'See [Limits](limits) and [People who opted out](opted-out), `"Limits"`, "Nothing".\n```json\n"Limits"\n```\n',
  );
  expect(topicBody(await readTopic("idempotency"), { gateway: null, admin: null })).not.toContain("## Idempotency");
});

const titles = (query: string) => searchSections(allSections, query).map(({ section }) => section.title);

test("finds what holds every word, headings first", () => {
  expect(titles("idempotency")[0]).toBe("Idempotency and retries");
  expect(titles("RETRY when")[0]).toBe("When to retry");
  expect(titles("slot_unresolved")).toContain("Codes in the log");
  expect(titles("zebra retry")).toEqual([]);
  expect([titles(""), titles("  ")]).toEqual([[], []]);
});

test("the snippet is of whole words around the first that was found, without marks", () => {
  const [hit] = searchSections(allSections, "lone surrogates constant unix seconds");
  expect(hit).toBeUndefined();
  const [found] = searchSections(allSections, "unix seconds");
  expect(found?.snippet).toMatch(/unix seconds/u);
  expect(found?.snippet).not.toMatch(/[`|]|\*\*/u);
  expect(found?.snippet.length).toBeLessThan(400);
});

test("marks are left out, words stay", () => {
  expect(plainText("| a | `b` |\n|---|---|\n| **c** | d |\n\n- e\n1. f\n```sh\ng\n```")).toBe("a, b c, d e f g");
});
