/** Which e-mail addresses are taken: plain ones, and none that a mail program could read as more. */
import { assert, it } from "@effect/vitest"
import { isAddress } from "../../../core/mail/address.ts"

it.each([
  "ada@example.com",
  "ada.lovelace+bills@mail.example.co.uk",
  "a@b.io",
  "o'neill@example.com",
  "x@xn--bcher-kva.example",
  `${"a".repeat(64)}@example.com`
])("%s is one", (text) => assert.isTrue(isAddress(text)))

it.each([
  ["nothing", ""],
  ["no @", "ada.example.com"],
  ["nobody", "@example.com"],
  ["two @", "ada@b@example.com"],
  ["a name beside it", "Ada <ada@example.com>"],
  ["a list", "ada@example.com,eve@example.com"],
  ["a group", "all:ada@example.com;"],
  ["a quoted part", '"ada b"@example.com'],
  ["a comment", "ada(x)@example.com"],
  ["a header behind it", "ada@example.com\r\nBcc: eve@example.com"],
  ["a line feed at its end", "ada@example.com\n"],
  ["a space before it", " ada@example.com"],
  ["a zero byte", "ada\0@example.com"],
  ["emails that look alike", "аda@example.com"],
  ["a dot at an end", "ada.@example.com"],
  ["two dots in a row", "ada..b@example.com"],
  ["a host without a dot", "ada@localhost"],
  ["an address literal", "ada@[127.0.0.1]"],
  ["a number for a top domain", "ada@127.0.0.1"],
  ["an underscore in its host", "ada@exa_mple.com"],
  ["a host that begins with a dash", "ada@-example.com"],
  ["65 characters before the @", `${"a".repeat(65)}@example.com`],
  ["255 characters", `ada@${"abcdefghi.".repeat(25)}x`]
])("an address with %s is none", (_, text) => assert.isFalse(isAddress(text)))
