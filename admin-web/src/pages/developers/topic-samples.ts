import { fillSamples } from "shared/docs/codes";
import { sampleText } from "../../ui/message/samples.ts";

// Programs that post stand on other pages too.
const receivers = import.meta.glob<string>("../../../../shared/src/docs/samples/{receiver,vectors}.*", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** A topic with its programs and tables, which few topics have. */
export const withSamples = (text: string): string =>
  fillSamples(text, (name) => receivers[`../../../../shared/src/docs/samples/${name}`] ?? sampleText(name));
