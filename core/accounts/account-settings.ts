/**
 * What an account's owner sets: how checkout pages look, who must sign, and what people are told. A colour that
 * white text cannot be read on and a logo that is no plain picture are refused.
 */
import { Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { NoticeType } from "../notices/notice.ts"

export interface AccountSettings {
  readonly accountId: string
  /** As payers see it; the account's own name when null. */
  readonly merchantName: string | null
  /** An `https` URL, or the picture itself as a `data` URL. */
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

/** A logo is shown at the height of a line; as much as that takes, and no photograph. */
const maxLogoLength = 32_768

const remote = /^https:\/\/[0-9A-Za-z.-]+(?::\d{1,5})?(?:\/[!-~]*)?$/u
const picture = /^data:image\/(?:png|jpeg|webp);base64,[0-9A-Za-z+/]+={0,2}$/u

const isLogo = (text: string): boolean =>
  picture.test(text) || (text.length <= 2048 && remote.test(text))

const expectedLogo =
  "an https:// URL, or a picture as data:image/png;base64,… (png, jpeg or webp, at most 32768 characters)"

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

const expectedColor =
  "a colour such as #1d4ed8 on which white text can be read (contrast 4.5 or more)"

const isBrandColor = (text: string): boolean =>
  /^#[0-9a-f]{6}$/u.test(text) && contrastWithWhite(text) >= minContrast

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
    Schema.String.check(checked(expectedLogo, isLogo), Schema.isMaxLength(maxLogoLength))
  ).annotate({ description: `The logo payers see: ${expectedLogo}. Null: none.` }),
  brandColor: Schema.NullOr(Schema.String.check(checked(expectedColor, isBrandColor))).annotate({
    description: `The colour of buttons on checkout pages: ${expectedColor}, in lower case. Null: the default.`
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
