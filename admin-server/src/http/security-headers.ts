import type { Middleware } from "koa";
import helmet from "koa-helmet";

/** On every answer: no inline script, no content sniffing, no framing, and nothing of the device. */
export function securityHeaders(publicUrl: string): Middleware {
  const protect = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy },
    frameguard: { action: "deny" },
    // Sent over plain http it would break other http services on that host.
    strictTransportSecurity: publicUrl.startsWith("https:") ? { maxAge: 31_536_000 } : false,
    // Both take effect only with https; browsers warn otherwise.
    crossOriginOpenerPolicy: publicUrl.startsWith("https:"),
    originAgentCluster: false,
  });
  return async (koa, next) => {
    koa.set("permissions-policy", permissions);
    return protect(koa, next);
  };
}

/** What no page asks for. The clipboard and passkeys stay with our own pages, as they are by default. */
const permissions = ["camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment", "serial", "usb"]
  .map((feature) => `${feature}=()`)
  .join(", ");

const contentPolicy = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  scriptSrcAttr: ["'none'"],
  styleSrc: ["'self'"],
  // Previews show the templates' media.
  imgSrc: ["'self'", "data:", "https:"],
  mediaSrc: ["'self'", "https:"],
  fontSrc: ["'self'", "data:"],
  connectSrc: ["'self'"],
  objectSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
};

/** The same for answers that no middleware sees, to bytes that are no HTTP. */
export const bareHeaders: Record<string, string> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};
