import { describe, expect, it } from "vitest";
import { networkOf } from "./guess-limit.ts";

describe("networkOf", () => {
  it.each([
    ["203.0.113.1", "203.0.113.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:DB8:1:2::9", "2001:db8:1:2"],
    ["2001:0db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["2001:db8:1:2:3::", "2001:db8:1:2"],
    ["", ""],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it("may be wider", () => {
    expect(networkOf("2001:db8:1:2::9", 3)).toBe("2001:db8:1");
  });
});
