import type { Middleware } from "koa";
import helmet from "koa-helmet";

/** On every answer: no inline script, no content sniffing, no framing. */
export function securityHeaders(publicUrl: string): Middleware {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy },
    frameguard: { action: "deny" },
    // Sent over plain http it would break other http services on that host.
    strictTransportSecurity: publicUrl.startsWith("https:") ? { maxAge: 31_536_000 } : false,
    // Both take effect only with https; browsers warn otherwise.
    crossOriginOpenerPolicy: publicUrl.startsWith("https:"),
    originAgentCluster: false,
  });
}

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
