import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { topics } from "shared/docs/topics";
import { describe, expect, test } from "vitest";
import { findTexts, fixedTexts, placeholders, readIfThere, sources, translations } from "./dashboard-texts.ts";

const { texts, problems } = findTexts();

describe("the dashboard's texts", () => {
  test("can be translated, each with what stands for its placeholders", () => expect(problems).toEqual([]));

  test("stand in the English catalogues: `npm run texts` brings them up to date", () => {
    expect(entries("en").map(([text]) => text)).toEqual([...texts.values()].flat());
  });

  test("say one thing in one way: none of the words that others took the place of comes back", () => {
    const former = [
      /^What is wrong$/u,
      /^Nothing is wrong\. No message/u,
      /pauses? sending\. /u,
      /<0\/> pauses sending/u,
      /Complete numbers|Numbers without a country code/u,
      /for half of the messages|95 of 100/u,
      /by what brought them/u,
      /^As the browser$/u,
      /^Do not send too late$/u,
      /^Restart the wait /u,
      /^Create key$/u,
      /ask (again )?in other words/u,
      /not a success/u,
      /^The recipient opted out$|\(code \{code\}\)/u,
      /^See the settings for/u,
      /^Tried the assistant/u,
      /^Show the most harmful$/u,
      /^a resend$|; resent$/u,
    ];
    const found = entries("en").map(([text]) => text);
    expect(found.filter((text) => former.some((words) => words.test(text)))).toEqual([]);
    const docs = join(sources, "../../shared/src/docs");
    const titles = topics.map((topic) => readFileSync(join(docs, `${topic}.md`), "utf8").split("\n", 1)[0]);
    expect(titles.filter((title) => /Operating it|Finding out what happened/u.test(title ?? ""))).toEqual([]);
  });

  test("come with each page, those of the folders included that it takes parts from", () => {
    const pages = join(sources, "pages");
    const takenBy = (folder: string): string[] =>
      readdirSync(join(pages, folder))
        .filter((file) => /(?<!\.test)\.tsx?$/u.test(file))
        .flatMap((file) => Array.from(readFileSync(join(pages, folder, file), "utf8").matchAll(/^(?!import type).*"\.\.\/([a-z-]+)\//gmu)))
        .map(([, taken]) => taken ?? "");
    const router = readFileSync(join(sources, "router.ts"), "utf8");
    const loading = /\[([^\]]*)\],\s+\(\) => import\("\.\/pages\/([a-z-]+)\//gu;
    const routes = Array.from(router.matchAll(loading), ([, loaded = "", folder = ""]) => ({
      folder,
      loaded: [...loaded.matchAll(/"([^"]+)"/gu)].map(([, name]) => name),
    }));
    expect(routes).toHaveLength(router.split("import(").length - 1);
    const missing = routes.flatMap(({ folder, loaded }) =>
      [folder, ...takenBy(folder)].filter((needed) => !loaded.includes(needed)).map((needed) => `${folder} needs ${needed}`),
    );
    expect(missing).toEqual([]);
  });

  test.each(translations)("have a translation in %s", (language) => expect(gaps(language)).toEqual([]));

  test.each(translations)("have the same placeholders and elements in %s", (language) => {
    const unlike = entries(language).filter(
      ([text, translated, page]) =>
        translated !== "" &&
        placeholders(translated).join() !== (page === "shared" && fixedTexts.has(text) ? [] : placeholders(text)).join(),
    );
    expect(unlike).toEqual([]);
  });

  test.each(translations)("in %s are those that the pages have", (language) => {
    expect(entries(language).map(([text]) => text)).toEqual([...texts.values()].flat());
  });
});

/** Text, translation, page. */
const entries = (language: string): [string, string, string][] =>
  [...texts.keys()].flatMap((page) =>
    Object.entries(readIfThere(language, page)).map(([text, translated]): [string, string, string] => [text, translated, page]),
  );

const gaps = (language: string): string[] => entries(language).flatMap(([text, translated]) => (translated === "" ? text : []));
