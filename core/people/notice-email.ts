/** What people read of notices: one by itself, or those of a day together. Nothing in it opens without signing in. */
import * as Text from "../encoding/text.ts"
import type { Notice, NoticeType } from "../notices/notice.ts"

const subjects: Readonly<Record<NoticeType, string>> = {
  approval_requested: "Something waits for your approval",
  deposit_needs_review: "A deposit needs a decision",
  send_failed: "A payment failed",
  trade_stuck: "A trade takes too long",
  bridge_refused: "Something about a bridge was refused",
  endpoint_failing: "A webhook endpoint does not answer",
  relayer_low: "Payments wait because the relayer is out of funds",
  token_changed: "Payments wait because the contract of USDC has changed"
}

interface From {
  readonly siteUrl: string
  /** What the account is called. */
  readonly account: string
}

const host = (siteUrl: string) => siteUrl.replace(/^https?:\/\//u, "")

const footer = ({ account, siteUrl }: From) =>
  `You get this because you can act for the account "${account}" at ${host(siteUrl)}. An owner chooses what is sent: ${siteUrl}/console/settings\n`

export const noticeEmail = ({ path, summary, type }: Notice, from: From) => ({
  subject: subjects[type],
  text: `${cut(summary)}\n\n${from.siteUrl}${path}\n\n${footer(from)}`
})

/** As many as stand in one e-mail, and so long all of them together; of the others their number. */
const maxListed = 50
const maxListedCharacters = 12_000
/** A line is cut there: what it is about stands behind its link. */
const maxLineCharacters = 400

const cut = (text: string): string => Text.tamed(text, maxLineCharacters)

/** From the first on, as many as there is room for; one at least. */
const fitting = (items: ReadonlyArray<string>): ReadonlyArray<string> => {
  let characters = 0
  const first = items.findIndex((item) => {
    characters += item.length
    return characters > maxListedCharacters
  })
  return first === -1 ? items : items.slice(0, Math.max(1, first))
}

export const digestEmail = (notices: ReadonlyArray<Notice>, from: From) => {
  const listed = fitting(
    notices
      .slice(0, maxListed)
      .map(({ path, summary }) => `- ${cut(summary)}\n  ${from.siteUrl}${path}\n`)
  )
  const left = notices.length - listed.length
  const more = left > 0 ? [`- and ${left} more: ${from.siteUrl}/console\n`] : []
  const things = notices.length === 1 ? "1 thing" : `${notices.length} things`
  return {
    subject: `${things} to look at`,
    text: `Since the last summary:\n\n${[...listed, ...more].join("\n")}\n${footer(from)}`
  }
}
