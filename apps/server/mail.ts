/** How mail leaves, as settings: through a mail server, or as files in the data directory. */
import { join } from "node:path"
import { Redacted } from "effect"
import type { Carrier } from "../../adapters/mail/carrier.ts"
import * as Setting from "./setting.ts"

export const smtpUrl = Setting.optional(
  "BURSAR_SMTP_URL",
  "The mail server that carries claim links, `smtps://user:password@host` or `smtp://…`; without one, each letter is a file in `outbox` in the data directory.",
  {
    secret: true,
    form: /^smtps?:\/\/(?:[^\s/@]+@)?[^\s/@?#]+$/u,
    expected: "be an smtp:// or smtps:// URL of a host"
  }
)

export const smtpTls = Setting.text(
  "BURSAR_SMTP_TLS",
  "Whether an `smtp://` server must turn to TLS before anything is said: `required`, or `off` for one on this machine that cannot.",
  "required",
  /^(?:required|off)$/u,
  "be required or off"
)

export const mailFrom = Setting.optional(
  "BURSAR_MAIL_FROM",
  "Who mail is from, one address; `bursar@` and the host of `PUBLIC_URL` when left out.",
  {
    form: /^[^\s@<>(),;:\\"[\]]+@[0-9A-Za-z.-]+$/u,
    expected: "be one e-mail address such as bursar@example.com"
  }
)

export interface Settings {
  readonly smtpUrl: string | undefined
  readonly smtpTls: string
  readonly mailFrom: string | undefined
  readonly dataDirectory: string
}

export const carrierOf = (settings: Settings, siteUrl: string): Carrier => {
  const from = settings.mailFrom ?? `bursar@${new URL(siteUrl).hostname}`
  return settings.smtpUrl === undefined
    ? { _tag: "outbox", directory: join(settings.dataDirectory, "outbox"), from }
    : {
        _tag: "smtp",
        url: Redacted.make(settings.smtpUrl),
        tls: settings.smtpTls === "off" ? "off" : "required",
        from
      }
}
