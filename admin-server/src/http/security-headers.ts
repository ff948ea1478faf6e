import type { Middleware } from "koa";
import helmet from "koa-helmet";
import policy from "./content-policy.json" with { type: "json" };

/** The path to which browsers report what the content security policy has blocked. */
export const reportsPath = "/policy-reports";

/** The headers of every answer: no inline script, no HTML written by script, no content sniffing, no framing, and nothing of the device. */
export function securityHeaders(publicUrl: string): Middleware {
  // Browsers accept named endpoints only over https, and with one they ignore the address.
  const isHttps = publicUrl.startsWith("https:");
  const reportTo = isHttps ? { reportTo: ["policy"] } : {};
  const common = {
    frameguard: { action: "deny" },
    // The header over plain http would break other http services on that host.
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000 } : false,
    // Both take effect only with https; browsers warn otherwise.
    crossOriginOpenerPolicy: isHttps,
    originAgentCluster: false,
  } as const;
  const protect = helmet({ ...common, contentSecurityPolicy: { useDefaults: false, directives: { ...contentPolicy, ...reportTo } } });
  const protectFile = helmet({ ...common, ...ofFiles });
  return async (koa, next) => {
    if (koa.path.startsWith("/assets/")) return protectFile(koa, next);
    koa.set("permissions-policy", permissions);
    if (isHttps) koa.set("reporting-endpoints", `policy="${reportsPath}"`);
    return protect(koa, next);
  };
}

/** The browser's features that no page uses. The clipboard and passkeys keep their default: our own pages may use them. */
const permissions = ["camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment", "serial", "usb"]
  .map((feature) => `${feature}=()`)
  .join(", ");

/** Images are the files of templates' headers and our own icon. */
const contentPolicy = { ...policy, reportUri: [reportsPath] };

/** Scripts, styles and texts are parts of a page, of which each loads dozens: opened alone they load and run nothing, so no header has to say what they may. */
const ofFiles = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  dnsPrefetchControl: false,
  ieNoOpen: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
} as const;

/** The same headers for answers to bytes that are no HTTP, which no middleware sees. */
export const bareHeaders: Record<string, string> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};
