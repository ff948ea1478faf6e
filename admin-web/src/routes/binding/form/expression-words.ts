import type { ExpressionName } from "shared/core/expressions";

/** What each helper makes. */
export const expressionWords: Record<ExpressionName, string> = {
  "customer.full_name": "Full name, such as Ada Lovelace",
  "items.summary_short": "Items, such as Mug x 2, Teapot x 1",
  "items.summary_lines": "Items with prices, such as Mug x 2 - 12.45",
  "total.with_currency": "Total, such as USD 49.90",
  "date.today": "Today's date, such as 2026-05-18",
  "date.now": "Date and time, such as 2026-05-18 14:30",
};
