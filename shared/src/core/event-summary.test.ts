import { describe, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { describeSummary, type EventSummary } from "./event-summary.ts";
import { english, type Write } from "./wording.ts";

const nothing = data<EventSummary>("core-event-summary", "nothing");

describe("in English a summary reads", () => {
  test.each(data<[Partial<EventSummary>, string][]>("core-event-summary", "cases"))("%j", (of, sentence) =>
    expect(describeSummary({ ...nothing, ...of })).toBe(sentence),
  );
});

test("a page's words are asked for reasons and explanations too, and texts without data stay", () => {
  const loud: Write = (text, values) => english(text, values).toUpperCase();
  const translated = (text: string): string => `[${text}]`;
  const summary = data<EventSummary>("core-event-summary", "summary");
  expect(describeSummary(summary, loud, translated)).toBe(
    "WHATSAPP ACCEPTED 1 OF 2 MESSAGES. [No such number.] 1 MESSAGE WAS CANCELLED: THE EVENT A.B ARRIVED, WHICH CANCELS THIS BINDING'S WAITING MESSAGES. [GONE.] NOT SENT: NO RECIPIENT: CUSTOMER.PHONE IS MISSING OR IS NOT TEXT; AS IT WAS STORED {X}.",
  );
});
