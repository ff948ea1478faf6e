import { expect, it } from "vitest";
import { localFailure } from "./local-failure.ts";

it("a failure by our own word names its message and attempt, and says nothing in the platform's name", () => {
  expect(localFailure("site", { id: "message", eventId: "event", attempt: 2 }, "deadline", "Too late.")).toEqual({
    site_id: "site",
    event_id: "event",
    id: "message",
    attempt: 2,
    status: "failed",
    local: true,
    wa_message_id: null,
    error_code: "deadline",
    error_reason: "Too late.",
    error_detail: null,
  });
});
