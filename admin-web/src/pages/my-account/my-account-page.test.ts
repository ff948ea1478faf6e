import { expect, test } from "vitest";
import { deviceName } from "./my-account-page.tsx";

const gecko = "(KHTML, like Gecko)";

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${gecko} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, "Edge on Windows"],
  [`Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 ${gecko} HeadlessChrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 ${gecko} Chrome/140.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 ${gecko} Version/18.0 Mobile/15E148 Safari/604.1`,
    "Safari on iOS",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on macOS"],
  ["Firefox", "Firefox"],
  ["curl/8.5.0", "curl"],
  ["node", "node"],
  ["", "Unknown program"],
  [null, "Unknown program"],
])("%s is %s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});
