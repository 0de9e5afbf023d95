/** How mail leaves, as settings: through a mail server, or as files in the data directory. */
import { join } from "node:path"
import { Redacted } from "effect"
import type { MailTransport } from "../../adapters/mail/transport.ts"
import * as Setting from "./setting.ts"

export const smtpUrl = Setting.optional(
  "BURSAR_SMTP_URL",
  "The mail server that sends claim links, `smtps://user:password@host` or `smtp://…`. Default: each email is written to a file in `outbox` in the data directory.",
  {
    secret: true,
    form: /^smtps?:\/\/(?:[^\s/@]+@)?[^\s/@?#]+$/u,
    expected: "be an smtp:// or smtps:// URL of a host"
  }
)

export const smtpTls = Setting.text(
  "BURSAR_SMTP_TLS",
  "Whether an `smtp://` server must use STARTTLS: `required`, or `off` for a server on this machine without TLS.",
  "required",
  /^(?:required|off)$/u,
  "be required or off"
)

export const mailFrom = Setting.optional(
  "BURSAR_MAIL_FROM",
  "The sender address of emails. Default: `bursar@` and the host of `PUBLIC_URL`.",
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

export const transportOf = (settings: Settings, siteUrl: string): MailTransport => {
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
