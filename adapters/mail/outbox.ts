/**
 * Mail into a directory, one file a message, for a machine without a mail server: whoever may read the
 * directory carries it further. A message that is sent again is the same file.
 */
import { chmod, mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DateTime, Effect, Layer } from "effect"
import { violation } from "../../core/mail/send.ts"
import { Mail, MailNotSent, type Message } from "../../core/ports/mail.ts"

export interface Options {
  readonly directory: string
  readonly from: string
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")
const two = (count: number) => String(count).padStart(2, "0")

/** As RFC 5322 writes an instant: `Sat, 21 Nov 2026 15:59:03 +0000`. */
const dateHeader = (at: DateTime.Utc) => {
  const { day, hour, minute, month, second, weekDay, year } = DateTime.toPartsUtc(at)
  const time = [hour, minute, second].map(two).join(":")
  return `${days[weekDay]}, ${two(day)} ${months[month - 1]} ${year} ${time} +0000`
}

const inAscii = /^[\x20-\x7e]*$/u

/** RFC 2047, for what is not ASCII. */
const header = (text: string) =>
  inAscii.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`

const fileOf = (message: Message, from: string, at: DateTime.Utc) =>
  [
    `From: ${from}`,
    `To: ${message.to}`,
    `Subject: ${header(message.subject)}`,
    `Date: ${dateHeader(at)}`,
    `Message-ID: <${message.id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    message.text,
    ""
  ].join("\n")

const write = async (directory: string, name: string, text: string) => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, name)
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await chmod(`${path}.new`, 0o600)
  await rename(`${path}.new`, path)
}

export const layer = ({ directory, from }: Options): Layer.Layer<Mail> =>
  Layer.succeed(Mail, {
    send: Effect.fnUntraced(function* (message) {
      const refused = violation(message)
      if (refused !== undefined) return yield* refused
      const text = fileOf(message, from, yield* DateTime.now)
      const name = `${message.id.replaceAll(/[^0-9A-Za-z-]/gu, "_")}.eml`
      yield* Effect.tryPromise({
        try: () => write(directory, name, text),
        catch: (cause) => new MailNotSent({ message: String(cause), isFinal: false })
      })
      yield* Effect.logInfo(`An email was written to ${join(directory, name)}.`)
    })
  })
