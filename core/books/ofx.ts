/**
 * Books for programs that import bank statements (OFX 2.2): a statement of each wallet's USDC in dollars. Such programs
 * know no other tokens, and no chain; those are left out.
 */
import { DateTime } from "effect"
import * as Usd from "../money/usd.ts"
import { counterpartyOf } from "./explain.ts"
import { type Format, line } from "./format.ts"
import type { Movement } from "./movement.ts"
import type { Statement } from "./statement.ts"

const escaped = (text: string, most: number): string =>
  line(text).slice(0, most).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const time = (at: DateTime.Utc): string =>
  `${DateTime.formatIso(at).replace(/[-:T]/gu, "").slice(0, 14)}.000[0:GMT]`

const movement = (each: Movement): string => {
  const { kind, log, text, token } = each
  if (!token.isUsdc) return ""
  const memo = [kind, each.externalReference, text, log.txHash]
  return [
    "<STMTTRN>",
    `<TRNTYPE>${log.units < 0n ? "DEBIT" : "CREDIT"}</TRNTYPE>`,
    `<DTPOSTED>${time(log.at)}</DTPOSTED>`,
    `<TRNAMT>${Usd.format(log.units)}</TRNAMT>`,
    `<FITID>${log.txHash}-${log.logIndex}-${log.units < 0n ? "out" : "in"}</FITID>`,
    `<NAME>${escaped(counterpartyOf(each), 32)}</NAME>`,
    `<MEMO>${escaped(memo.filter((part) => part !== null && part !== "").join(" "), 255)}</MEMO>`,
    "</STMTTRN>\n"
  ].join("")
}

const status = "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"

const begun = ({ period }: Statement): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n',
    `<OFX>\n<SIGNONMSGSRSV1><SONRS>${status}`,
    `<DTSERVER>${time(period.to)}</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>\n`,
    "<BANKMSGSRSV1>\n"
  ].join("")

export const ofx = (statement: Statement): Format => ({
  head: () => begun(statement),
  movement,
  tail: () => "</BANKMSGSRSV1>\n</OFX>\n",
  around: (_, { closingUnits, token, wallet }) => {
    if (!token.isUsdc) return undefined
    const { period } = statement
    return {
      before: [
        `<STMTTRNRS><TRNUID>0</TRNUID>${status}<STMTRS><CURDEF>USD</CURDEF>`,
        `<BANKACCTFROM><BANKID>${escaped(wallet.chainId, 9)}</BANKID>`,
        `<ACCTID>${wallet.id.slice(-12)}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>\n`,
        `<BANKTRANLIST><DTSTART>${time(period.from)}</DTSTART><DTEND>${time(period.to)}</DTEND>\n`
      ].join(""),
      after: [
        `</BANKTRANLIST>\n<LEDGERBAL><BALAMT>${Usd.format(closingUnits)}</BALAMT>`,
        `<DTASOF>${time(period.to)}</DTASOF></LEDGERBAL></STMTRS></STMTTRNRS>\n`
      ].join("")
    }
  }
})
