/** What people read of notices: one by itself, or those of a day together. Nothing in it opens without signing in. */
import type { Notice, NoticeType } from "../notices/notice.ts"

const subjects: Readonly<Record<NoticeType, string>> = {
  approval_requested: "Something waits for your approval",
  deposit_needs_review: "A deposit needs a decision",
  send_failed: "A payment failed",
  trade_stuck: "A trade takes too long",
  endpoint_failing: "A webhook endpoint does not answer",
  relayer_low: "Payments wait because the relayer is out of funds"
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
  text: `${summary}\n\n${from.siteUrl}${path}\n\n${footer(from)}`
})

/** As many as stand in one e-mail; of the others their number. */
const maxListed = 50

export const digestEmail = (notices: ReadonlyArray<Notice>, from: From) => {
  const listed = notices
    .slice(0, maxListed)
    .map(({ path, summary }) => `- ${summary}\n  ${from.siteUrl}${path}\n`)
  const left = notices.length - listed.length
  const more = left > 0 ? [`- and ${left} more: ${from.siteUrl}/console\n`] : []
  const things = notices.length === 1 ? "1 thing" : `${notices.length} things`
  return {
    subject: `${things} to look at`,
    text: `Since the last summary:\n\n${[...listed, ...more].join("\n")}\n${footer(from)}`
  }
}
