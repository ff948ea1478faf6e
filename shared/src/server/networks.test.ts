import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { canonicalNetwork, letsIn } from "./networks.ts";

const ipv4 = fc.ipV4();
/** Addresses of IPv6 in any spelling, except those that hold an IPv4 address. */
const ipv6 = fc
  .tuple(fc.ipV6(), fc.boolean())
  .map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text))
  .filter((text) => !text.includes("."));
const network = fc.oneof(
  fc.tuple(ipv4, fc.integer({ min: 1, max: 32 })).map(([address, prefix]) => ({ address, prefix, family: "ipv4" as const })),
  fc.tuple(ipv6, fc.integer({ min: 1, max: 128 })).map(([address, prefix]) => ({ address, prefix, family: "ipv6" as const })),
);

describe("a network", () => {
  it("has one spelling, which holds the same addresses", () => {
    fc.assert(
      fc.property(network, fc.oneof(ipv4, ipv6), ({ address, prefix, family }, visitor) => {
        const canonical = canonicalNetwork(`${address}/${prefix}`);
        expect(canonicalNetwork(canonical)).toBe(canonical);
        expect(letsIn([canonical], address)).toBe(true);
        const list = new BlockList();
        list.addSubnet(address, prefix, family);
        // Across families Node looks an IPv4 address up as a mapped one.
        const isSameFamily = visitor.includes(":") === (family === "ipv6");
        expect(letsIn([canonical], visitor)).toBe(isSameFamily && list.check(visitor, family));
      }),
    );
  });

  it("of IPv4 is the same where IPv6 holds it, network and visitor alike", () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 1, max: 32 }), ipv4, (address, prefix, visitor) => {
        const plain = canonicalNetwork(`${address}/${prefix}`);
        expect(canonicalNetwork(`::ffff:${address}/${96 + prefix}`)).toBe(plain);
        expect(letsIn([plain], `::ffff:${visitor}`)).toBe(letsIn([plain], visitor));
      }),
    );
  });

  test.each(data<[string, string][]>("server-networks", "is kept as"))("%s is kept as %s", (given, kept) => {
    expect(canonicalNetwork(given)).toBe(kept);
  });

  test.each(data<string[]>("server-networks", "is none"))("%j is none", (text) => {
    expect(() => canonicalNetwork(text)).toThrow(`${JSON.stringify(text)} is neither an address nor a network`);
  });

  test.each(["0.0.0.0/0", "10.0.0.0/0", "::/0", "::ffff:0.0.0.0/96"])("%s is refused: it is everybody", (text) => {
    expect(() => canonicalNetwork(text)).toThrow("leave the list empty to let everybody in");
  });
});

describe("who is let in", () => {
  it("is everybody by an empty list", () => {
    expect([letsIn([], "203.0.113.7"), letsIn([], "")]).toEqual([true, true]);
  });

  it("is nobody without an address, or by a list of the other family", () => {
    expect(["", "nonsense", "fe80::1%eth0"].map((address) => letsIn(["203.0.113.7", "::/1"], address))).toEqual([false, false, false]);
    expect(letsIn(["::/1", "8000::/1"], "203.0.113.7")).toBe(false);
    expect(letsIn(["0.0.0.0/1", "128.0.0.0/1"], "2001:db8::1")).toBe(false);
  });

  it("is whoever is in one of many", () => {
    const networks = ["198.51.100.0/24", "203.0.113.7", "2001:db8::/32"];
    expect(["198.51.100.255", "203.0.113.7", "2001:db8:1::", "::ffff:203.0.113.7"].every((address) => letsIn(networks, address))).toBe(
      true,
    );
    expect(["198.51.101.0", "203.0.113.8", "2001:db9::"].some((address) => letsIn(networks, address))).toBe(false);
  });
});
