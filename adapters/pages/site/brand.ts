/**
 * A merchant's colour on a page, as rules of its own: a line above what is `branded`, and its main buttons. Written
 * from nothing but a colour that was judged, and let in by the hash of exactly this text.
 */
import { isBrandColor, textOn } from "../../../core/accounts/account-settings.ts"

/** The rules; undefined where the default colours stand. */
export const brandRules = (color: string | null): string | undefined =>
  color === null || !isBrandColor(color)
    ? undefined
    : `.branded{border-top:6px solid ${color}}.branded .main{background:${color};color:${textOn(color)};border-color:var(--line)}`
