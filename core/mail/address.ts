/**
 * E-mail addresses as they are taken from callers: one plain ASCII address, nothing that a mail program
 * could read as a name, a list or a header.
 */
import { Schema } from "effect"

const local = /^[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+(?:\.[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+)*$/u
const label = /^[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?$/u
const topLabel = /^[A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])$/u

/** RFC 5321 lets a path be 256 octets with its brackets, and the part before the @ 64. */
const most = 254
const maxLocal = 64

export const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  const labels = text.slice(at + 1).split(".")
  return (
    text.length <= most &&
    at >= 1 &&
    at <= maxLocal &&
    local.test(text.slice(0, at)) &&
    labels.length >= 2 &&
    labels.every((each) => label.test(each)) &&
    topLabel.test(labels.at(-1) ?? "")
  )
}

const expected = "one e-mail address such as ada@example.com"

export const EmailAddress = Schema.String.check(
  Schema.makeFilter((text: string) => (isAddress(text) ? undefined : `Expected ${expected}`), {
    expected
  }),
  // Last, because what is said of a text in JSON Schema hangs on its last check.
  Schema.isMinCodePoints(6),
  Schema.isMaxCodePoints(most)
)
