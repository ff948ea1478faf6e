import type { RefusalName } from "gateway/refusal";
import refusals from "./data/documented-refusals.json" with { type: "json" };

/** Status and text of every refusal, on which clients match: the documented table, written a second time, since the product's own is tested. */
export const documentedRefusals = refusals satisfies Record<RefusalName, (number | string)[]> as unknown as Record<
  RefusalName,
  readonly [status: number, error: string]
>;
