import type { SourceType } from "shared/core/input/sites";
import type { Site } from "../site.ts";

/** What the fields hold: nothing is the empty text. */
interface Details extends Record<string, unknown> {
  name: string;
  url: string;
  sourceType: SourceType;
  testPhone: string;
  rateLimitPerSecond: number | "";
}

export const detailsOf = ({ name, url, sourceType, testPhone, rateLimitPerSecond }: Site): Details => ({
  name,
  url,
  sourceType,
  testPhone: testPhone ?? "",
  rateLimitPerSecond: rateLimitPerSecond ?? "",
});

export const detailsInput = (id: string, { name, url, sourceType, testPhone, rateLimitPerSecond }: Details) => ({
  id,
  name,
  url,
  sourceType,
  testPhone: testPhone === "" ? null : testPhone,
  rateLimitPerSecond: rateLimitPerSecond === "" ? null : rateLimitPerSecond,
});
