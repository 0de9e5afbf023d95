/** Who takes mail under test, seen from where it arrives. */
import { Context, type Effect } from "effect"

export interface Arrived {
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export class MailWorld extends Context.Service<
  MailWorld,
  {
    /** What arrived, oldest first. */
    readonly arrived: Effect.Effect<ReadonlyArray<Arrived>>
    /** While it is closed, nothing is taken, and trying again later may help. */
    readonly close: (isClosed: boolean) => Effect.Effect<void>
  }
>()("bursar/test/MailWorld") {}

const words = (text: string) =>
  text
    .replaceAll(/\?=\s+=\?/gu, "?==?")
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/giu, (_, form: string, body: string) =>
      form.toUpperCase() === "B"
        ? Buffer.from(body, "base64").toString()
        : unquoted(body.replaceAll("_", " "))
    )

const unquoted = (text: string) =>
  Buffer.from(
    text
      .replaceAll(/=\r?\n/gu, "")
      .replaceAll(/=([0-9A-F]{2})/gu, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16))
      ),
    "latin1"
  ).toString()

/** Reads a message of plain text as it came over the wire or stands in a file. */
export const read = (raw: string): Arrived => {
  const [head = "", ...rest] = raw.split(/\r?\n\r?\n/u)
  const headers = new Map(
    head
      .replaceAll(/\r?\n[ \t]+/gu, " ")
      .split(/\r?\n/u)
      .map((line): [string, string] => {
        const cut = line.indexOf(":")
        return [line.slice(0, cut).toLowerCase(), line.slice(cut + 1).trim()]
      })
  )
  const body = rest.join("\n\n").replaceAll("\r\n", "\n").trimEnd()
  const encoding = headers.get("content-transfer-encoding")
  return {
    messageId: headers.get("message-id") ?? "",
    to: headers.get("to") ?? "",
    subject: words(headers.get("subject") ?? ""),
    text:
      encoding === "quoted-printable"
        ? unquoted(body)
        : encoding === "base64"
          ? Buffer.from(body, "base64").toString().trimEnd()
          : body
  }
}
