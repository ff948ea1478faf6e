import { readFileSync } from "node:fs";
import { statusFacts } from "shared/core/message";
import { describe, expect, test } from "vitest";

const theme = readFileSync(new URL("../../theme.css", import.meta.url), "utf8");

/** Whatever a dot or a part of a chart may lie on: the page, a card, and a row that is pointed at. */
const grounds = { light: ["#ffffff", "#f4f7f6", "#f8f9fa"], dark: ["#242424", "#2e2e2e", "#3b3b3b"] };

describe.each(["light", "dark"] as const)("the colours of statuses in the %s scheme", (scheme) => {
  const rules = theme.slice(theme.indexOf(`:root[data-mantine-color-scheme="${scheme}"]`));
  const colours = Array.from(rules.slice(0, rules.indexOf("}")).matchAll(/--status-(\w+): (#\w{6})/gu), ([, tone = "", colour = ""]) => ({
    tone,
    colour,
  }));

  test("are there for every tone", () => {
    const tones = colours.map(({ tone }) => tone);
    expect(tones.toSorted()).toEqual(["attention", "delivered", "failed", "read", "waiting"]);
    expect(tones).toEqual(expect.arrayContaining(Object.values(statusFacts).map(({ tone }) => tone)));
  });

  test.each(colours)("$tone ($colour) is seen on every ground, as WCAG 1.4.11 asks", ({ colour }) => {
    for (const ground of grounds[scheme]) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3);
  });
});

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
