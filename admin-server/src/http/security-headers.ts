import type { Middleware } from "koa";
import helmet from "koa-helmet";

/** On every answer, whatever it is: no inline script, no guessing of types, no framing. */
export function securityHeaders(publicUrl: string): Middleware {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy },
    frameguard: { action: "deny" },
    // On plain http it would only lock out whoever has https elsewhere on that host.
    strictTransportSecurity: publicUrl.startsWith("https:") ? { maxAge: 31_536_000 } : false,
    // Both need https to mean anything, and browsers complain without.
    crossOriginOpenerPolicy: publicUrl.startsWith("https:"),
    originAgentCluster: false,
  });
}

const contentPolicy = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  scriptSrcAttr: ["'none'"],
  styleSrc: ["'self'"],
  // Previews show the templates' own media.
  imgSrc: ["'self'", "data:", "https:"],
  mediaSrc: ["'self'", "https:"],
  fontSrc: ["'self'", "data:"],
  connectSrc: ["'self'"],
  objectSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
};

/** The same for an answer that no middleware sees: bytes that are no HTTP. */
export const bareHeaders: Record<string, string> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};
