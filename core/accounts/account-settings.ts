/**
 * What an account's owner sets: how checkout pages look, who must sign, and what people are told. Text on a brand
 * colour is black or white, whichever is read; a logo that is no plain picture is refused.
 */
import { Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { NoticeType } from "../notices/notice.ts"
import * as Logo from "./logo.ts"

export interface AccountSettings {
  readonly accountId: string
  /** As payers see it; the account's own name when null. */
  readonly merchantName: string | null
  /** The picture itself as a `data` URL. */
  readonly logoUrl: string | null
  /** `#rrggbb`, in lower case. */
  readonly brandColor: string | null
  /** Whether somebody other than the person who proposed must sign, where two people could. */
  readonly secondPersonSigns: boolean
  /** What people are told by e-mail. */
  readonly emailNotices: ReadonlyArray<NoticeType>
  /** Each notice at once, or all of a day in one e-mail. */
  readonly emailDelivery: "immediate" | "daily"
}

export const defaultsOf = (accountId: string): AccountSettings => ({
  accountId,
  merchantName: null,
  logoUrl: null,
  brandColor: null,
  secondPersonSigns: true,
  emailNotices: NoticeType.literals,
  emailDelivery: "immediate"
})

const remote = /^https:\/\/[0-9A-Za-z.-]+(?::\d{1,5})?(?:\/[!-~]*)?$/u
const maxLogoLength = 32_768

/** Whether a logo is to be read from an address first. */
export const isRemote = (logoUrl: string): boolean => logoUrl.length <= 2048 && remote.test(logoUrl)

const isLogo = (text: string): boolean =>
  text.startsWith("data:") ? Logo.ofDataUrl(text) !== undefined : isRemote(text)

/** What a logo is, in words. */
export const logoForm = `a PNG, JPEG or WebP of at most ${Logo.maxBytes} bytes and ${Logo.maxSide} pixels a side`

const expectedLogo = `an https:// URL of a picture, or a picture as data:image/png;base64,… (${logoForm})`

const channel = (hex: string): number => {
  const share = Number.parseInt(hex, 16) / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** How far white text stands out from a colour, from 1 to 21, as WCAG 2 counts it. */
export const contrastWithWhite = (color: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => channel(color.slice(at, at + 2)))
  const luminance = 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
  return 1.05 / (luminance + 0.05)
}

/** The least contrast that text of any size is read at (WCAG 2, AA). */
const minContrast = 4.5

/** What text is written in on a colour. Black stands out by 21 over what white does, so one of them is always read. */
export const textOn = (color: string): "#ffffff" | "#000000" =>
  contrastWithWhite(color) >= minContrast ? "#ffffff" : "#000000"

const expectedColor = "a colour such as #1d4ed8, in lower case"

export const isBrandColor = (text: string): boolean => /^#[0-9a-f]{6}$/u.test(text)

const checked = (expected: string, isFit: (text: string) => boolean) =>
  Schema.makeFilter((text: string) => (isFit(text) ? undefined : `Expected ${expected}`), {
    expected
  })

/** What may be changed, each field by itself. */
export const input = {
  merchantName: Schema.NullOr(Text.Name).annotate({
    description: "The name payers see. Null: the account's name."
  }),
  logoUrl: Schema.NullOr(
    Schema.String.check(checked(expectedLogo, isLogo), Schema.isMaxCodePoints(maxLogoLength))
  ).annotate({
    description: `The logo payers see: ${expectedLogo}. A URL is read once, and the picture is kept. Null: none.`
  }),
  brandColor: Schema.NullOr(Schema.String.check(checked(expectedColor, isBrandColor))).annotate({
    description: `The colour of buttons on checkout pages: ${expectedColor}. Text on it is black or white, whichever is read better. Null: the default.`
  }),
  secondPersonSigns: Schema.Boolean.annotate({
    description:
      "Whether a person cannot sign what they proposed themselves, if the account has two or more people who can sign. Default: true."
  }),
  emailNotices: Schema.Array(NoticeType)
    .check(Schema.isUnique())
    .annotate({ description: "What people who can act are told by e-mail. Default: all." }),
  emailDelivery: Schema.Literals(["immediate", "daily"]).annotate({
    description: "Each e-mail at once, or one a day, at 08:00 UTC. Default: immediate."
  })
}

export const fields = {
  merchantName: Schema.NullOr(Schema.String),
  logoUrl: Schema.NullOr(Schema.String),
  brandColor: Schema.NullOr(Schema.String),
  secondPersonSigns: Schema.Boolean,
  emailNotices: Schema.Array(NoticeType),
  emailDelivery: Schema.Literals(["immediate", "daily"])
}
