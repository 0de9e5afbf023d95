/**
 * Mail over SMTP. A connection is encrypted before anything is said, unless the settings allow the clear;
 * messages are plain text to one address, and nothing in one is ever read from a file or a URL.
 */
import { DateTime, Effect, Layer, Redacted } from "effect"
import type { SMTPTransportOptions } from "nodemailer"
import { violation } from "../../core/mail/send.ts"
import { Mail, MailNotSent, type Message } from "../../core/ports/mail.ts"

export interface Options {
  /** `smtps://user:password@host:465` or `smtp://user:password@host:587`; user and password as URLs write them. */
  readonly url: Redacted.Redacted<string>
  /** Who it is from: `bursar@example.com`. */
  readonly from: string
  /** Whether `smtp://` must turn to TLS before anything is said; `smtps://` begins with it. */
  readonly tls: "required" | "off"
  /** Certificate authorities to trust instead of the usual ones, in PEM. */
  readonly ca?: string
}

const patience = {
  connectionTimeout: 8_000,
  greetingTimeout: 8_000,
  socketTimeout: 10_000,
  dnsTimeout: 5_000
}
const deadline = "25 seconds"

const defaultPort = (isSecure: boolean) => (isSecure ? 465 : 587)

const transportOf = ({ ca, tls, url: redacted }: Options): SMTPTransportOptions => {
  const url = new URL(Redacted.value(redacted))
  const secure = url.protocol === "smtps:"
  return {
    host: url.hostname.replace(/^\[|\]$/gu, ""),
    port: url.port === "" ? defaultPort(secure) : Number(url.port),
    secure,
    requireTLS: !secure && tls === "required",
    ignoreTLS: !secure && tls === "off",
    tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
    ...(url.username === ""
      ? {}
      : {
          auth: {
            user: decodeURIComponent(url.username),
            pass: decodeURIComponent(url.password)
          }
        }),
    ...patience,
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

interface SmtpFailure {
  readonly code?: string
  readonly responseCode?: number
}

/** A 5xx about the message or its address is for good; who we are, and whether it listens, may be mended. */
const failed = (cause: unknown): MailNotSent => {
  const { code, responseCode } = cause as SmtpFailure
  const isAboutIt = code === "EENVELOPE" || code === "EMESSAGE"
  return new MailNotSent({
    message: cause instanceof Error ? cause.message : String(cause),
    isFinal: isAboutIt && responseCode !== undefined && responseCode >= 500
  })
}

/** Says our name to the mail server, and sends nothing. */
export const greeted = (options: Options): Effect.Effect<void, MailNotSent> =>
  Effect.acquireUseRelease(
    Effect.promise(async () => (await import("nodemailer")).createTransport(transportOf(options))),
    (transport) => Effect.tryPromise({ try: () => transport.verify(), catch: failed }),
    (transport) => Effect.sync(() => transport.close())
  ).pipe(Effect.asVoid)

export const layer = (options: Options): Layer.Layer<Mail> =>
  Layer.effect(
    Mail,
    Effect.gen(function* () {
      // Loaded here, because most starts of the program never send.
      const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
      const transport = createTransport(transportOf(options))
      const host = options.from.slice(options.from.lastIndexOf("@") + 1)

      const carry = Effect.fnUntraced(function* ({ id, subject, text, to }: Message) {
        const now = yield* DateTime.now
        yield* Effect.tryPromise({
          try: (signal) =>
            transport.sendMail({
              signal,
              from: { name: "", address: options.from },
              to: { name: "", address: to },
              subject,
              text,
              date: DateTime.formatIso(now),
              messageId: `<${id}@${host}>`,
              headers: { "Auto-Submitted": "auto-generated" }
            }),
          catch: failed
        })
      })

      return {
        send: (message) => {
          const refused = violation(message)
          if (refused !== undefined) return Effect.fail(refused)
          return Effect.timeoutOrElse(carry(message), {
            duration: deadline,
            orElse: () =>
              Effect.fail(
                new MailNotSent({
                  message: "the mail server did not respond in time",
                  isFinal: false
                })
              )
          })
        }
      }
    })
  )
