const files = import.meta.glob<string>("../../../../shared/src/docs/samples/event.*", { query: "?raw", import: "default", eager: true });

/** A program that posts an event, by its file's name. */
export function sampleText(name: string): string {
  const text = files[`../../../../shared/src/docs/samples/${name}`];
  if (text === undefined) throw new Error(`The build lacks the sample ${name}`);
  return text;
}
