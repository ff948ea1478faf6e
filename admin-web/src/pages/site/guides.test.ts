import { sourceTypes } from "shared/core/site";
import { sources } from "shared/core/sources/sources";
import { expect, test } from "vitest";
import { guides } from "./guides.ts";

test.each(sourceTypes)("%s has the fields that its facts ask for", (type) => {
  const [source, guide] = [sources[type], guides[type]];
  expect(guide.secret !== null).toBe(source.secret === "source_secret");
  expect(guide.orders !== null).toBe(source.orders !== null);
});
