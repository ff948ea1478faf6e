import { networkOf } from "shared/server/networks";
import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";

describe("networkOf", () => {
  it.each(data<[string, string][]>("admin-server-session-guess-limit", "of s is s"))("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it("may be wider", () => {
    expect(networkOf("2001:db8:1:2::9", 3)).toBe("2001:db8:1");
  });
});
