import { expect, test } from "vitest";
import { obstacles } from "./preview.tsx";

test("each obstacle is told once", () => {
  const unresolved = ["body {{1}}: order.id is missing", "body {{2}}: not in the variable map"];
  const problems = ["The template is a draft: submit it for approval.", "body {{2}} is not in the variable map."];
  const status = "The template parcel (de) is draft; only an approved one can be sent.";
  const recipient = "no recipient: customer.phone_e164 is missing or no text";
  expect(obstacles({ reasons: [recipient, status, unresolved.join("; ")], unresolved, problems })).toEqual([
    recipient,
    unresolved[0],
    ...problems,
  ]);
  const tooLong = "body: 1030 characters with its values, the platform takes 1024";
  expect(obstacles({ reasons: [tooLong], unresolved: [], problems: [] })).toEqual([tooLong]);
});
