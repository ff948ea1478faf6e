import { type NotificationStatus, notificationStatuses } from "shared/core/message";
import type { Problem } from "../src/ui/problem-card.tsx";
import type { Operation } from "../src/ui/progress.tsx";
import samples from "./samples.json";

const minuteMs = 60_000;
const ago = (minutes: number): string => new Date(Date.now() - minutes * minuteMs).toISOString();

/** A sample whose times are minutes before now. */
const dated = (sample: object): unknown =>
  Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [name, /(?:At|Until)$/u.test(name) && value !== null ? ago(Number(value)) : value]),
  );

export const problems = samples.problems.map(({ problem, ...rest }) => ({
  problem: dated({ ...samples.problem, ...problem }) as Problem,
  ...rest,
})) as readonly { problem: Problem; site?: string; isViewer?: true }[];

export const operations = samples.operations.map(({ title, operation }) => ({
  title,
  operation: dated({ ...samples.operation, ...operation }) as Operation,
}));

export interface ListedMessage {
  id: string;
  phone: string;
  status: NotificationStatus;
  event: string;
  template: string;
  site: string;
  reason: string;
  at: string;
}

export const messages: ListedMessage[] = Array.from({ length: 200 }, (_, index) => ({
  id: String(index),
  phone: `+49170${String(1_000_000 + index * 7919)}`,
  status: notificationStatuses[index % notificationStatuses.length] ?? "queued",
  event: index % 3 === 0 ? "order.created" : "order.fulfilled",
  template: "order_confirmation",
  site: index % 2 === 0 ? "Demo shop" : "Bean & Leaf",
  reason: index % 4 === 1 ? "The phone is not on WhatsApp, or has not accepted its new terms. Ask the customer for another number." : "",
  at: ago(index * 13),
}));
