import { createServer } from "node:http";
import { BlockList, type AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { data } from "../../test/support/data.ts";
import { words } from "../../test/support/words.ts";
import { guardedGet, mayReach } from "./guarded-request.ts";

describe("without TLS", () => {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  const limits = { maxBytes: 100, timeoutMs: 5_000, needsTls: true };
  const get = (url: string, allowed: BlockList | null) => guardedGet(url, { ...limits, allowed }, { judge: () => undefined });

  test("an allowed network is reached", async () => {
    const server = createServer((_, response) => response.end("here"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      expect((await get(`http://127.0.0.1:${port}/`, loopback)).bytes.toString()).toBe("here");
      await expect(get(`http://127.0.0.1:${port}/`, null)).rejects.toMatchObject({ fault: "address_private" });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("an address of the internet is not dialled", async () => {
    await expect(get("http://1.1.1.1/", loopback)).rejects.toMatchObject({ fault: "not_encrypted" });
  });
});

describe("public address", () => {
  test.each(
    words(`
    1.1.1.1 93.184.216.34 172.15.255.255 172.32.0.0 100.63.255.255 198.17.0.1 223.255.255.255 2606:4700::1111 2a00:1450::1
  `),
  )("%s is an address of the internet", (address) => {
    expect(mayReach(address, null)).toBe(true);
  });

  test.each([
    ...words(`
    0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1
    192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1
    ::ffff:8.8.8.8 64:ff9b::7f00:1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1
    localhost
  `),
    "",
  ])("%s is none", (address) => {
    expect(mayReach(address, null)).toBe(false);
  });

  test("a network that was allowed may be reached, and no other", () => {
    const allowed = new BlockList();
    allowed.addSubnet("10.0.0.0", 8, "ipv4");
    allowed.addSubnet("fd00::", 8, "ipv6");
    expect(["10.9.8.7", "fd00::1", "127.0.0.1", "fc00::1"].map((address) => mayReach(address, allowed))).toEqual(
      data("guarded-request", "a network that was allowed may be reached, and n"),
    );
  });
});
