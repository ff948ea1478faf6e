import type { Sample } from "../code-sample.tsx";
import { curlSample } from "./curl.ts";
import type { EventToPost } from "./event-to-post.ts";
import { nodeSample } from "./node.ts";
import { phpSample } from "./php.ts";
import { pythonSample } from "./python.ts";

/** Where a gateway takes a site's event. */
export const ingestUrl = (gatewayUrl: string, source: string, event: string): string =>
  `${gatewayUrl}/api/public/ingest/${source}/${event}`;

/** Programs that sign the event, post it, and print the answer: whole, to be pasted and run as they are. */
export const eventSamples = (event: EventToPost): Sample[] => [
  { name: "curl", language: "sh", code: curlSample(event) },
  { name: "Node", language: "js", code: nodeSample(event) },
  { name: "PHP", language: "php", code: phpSample(event) },
  { name: "Python", language: "python", code: pythonSample(event) },
];
