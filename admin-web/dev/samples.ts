import { type NotificationStatus, notificationStatuses } from "shared/core/message";
import type { Problem } from "../src/ui/problem-card.tsx";
import type { Operation } from "../src/ui/progress.tsx";

const minuteMs = 60_000;
const ago = (minutes: number): string => new Date(Date.now() - minutes * minuteMs).toISOString();

const problem: Problem = {
  id: "open",
  title: "The template order_confirmation is paused by WhatsApp.",
  advice: "Change its text, or choose another template in the binding.",
  counted: "35 messages failed",
  firstAt: ago(12),
  lastAt: ago(2),
  state: "open",
  snoozedUntil: null,
  acknowledgedBy: null,
  note: null,
  actions: [
    { kind: "open", path: "/templates/00000000-0000-4000-8000-000000000000" },
    { kind: "resend", count: 35, path: "/log?status=failed" },
  ],
};

const long = "A_very_long_name_that_somebody_gave_a_template_without_any_blank_in_it_".repeat(3);

export const problems: { problem: Problem; site?: string; isViewer?: true }[] = [
  { problem, site: "Demo shop" },
  {
    problem: {
      ...problem,
      id: "all-sites",
      title: "The connection to WhatsApp has ended.",
      counted: null,
      actions: [{ kind: "connect", path: "/settings/platform" }],
    },
  },
  {
    problem: {
      ...problem,
      id: "acknowledged",
      state: "acknowledged",
      acknowledgedBy: "Ann",
      firstAt: ago(60 * 5),
      note: "Meta knows of it.\nTicket 4711",
      actions: [{ kind: "resend", count: 1204, path: "/log?status=failed", filter: { errorCode: "131026" } }],
    },
    site: "Bean & Leaf",
  },
  { problem: { ...problem, id: "snoozed", state: "snoozed", snoozedUntil: ago(-60 * 20), firstAt: ago(60 * 24 * 3) }, site: "Demo shop" },
  {
    problem: { ...problem, id: "resolved", state: "resolved", firstAt: ago(60 * 24 * 30), lastAt: ago(60 * 24 * 2), actions: [] },
    site: "Demo shop",
  },
  {
    problem: {
      ...problem,
      id: "long",
      title: `${long} cannot send. ${"It has a text that goes on and on. ".repeat(5)}`,
      note: long,
      counted: "at least 1,234,567 messages failed",
    },
    site: long,
  },
  {
    problem: { ...problem, id: "viewer", actions: [{ kind: "enable", path: "/bindings" }, ...problem.actions] },
    site: "Demo shop",
    isViewer: true,
  },
];

const operation: Operation = {
  id: "running",
  by: "Ann",
  startedAt: ago(3),
  finishedAt: null,
  total: 1204,
  done: 512,
  outcomes: { sent: 112, delivered: 380, failed: 20 },
  state: "running",
};

export const operations: { operation: Operation; title: string }[] = [
  { title: "Resending messages", operation },
  { title: "Resending messages", operation: { ...operation, id: "none", done: 0, outcomes: {} } },
  { title: "Resending messages", operation: { ...operation, id: "stopping", state: "stopping" } },
  { title: "Resending messages", operation: { ...operation, id: "stopped", state: "stopped", finishedAt: ago(1) } },
  {
    title: "Resending messages",
    operation: {
      ...operation,
      id: "finished",
      state: "finished",
      finishedAt: ago(90),
      done: 1204,
      outcomes: { delivered: 1100, failed: 54, sent: 40, skipped: 10 },
    },
  },
  {
    title: "Cancelling scheduled messages",
    operation: { ...operation, id: "cancelled", state: "finished", finishedAt: ago(1), total: 1, done: 1, outcomes: { cancelled: 1 } },
  },
  {
    title: "Changing bindings",
    operation: {
      ...operation,
      id: "changed",
      state: "finished",
      finishedAt: ago(1),
      total: 12,
      done: 12,
      outcomes: { changed: 11, failed: 1 },
    },
  },
];

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
