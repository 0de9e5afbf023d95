/** What is no list of addresses or ids, written out from the contract. */
import { line, type Values } from "./wrong-text.ts"

const notLists: Values = ["x", "", 1, true, null]

/** Lists of what is no address and no range, and of the same one twice. */
export const ranges: Values = [
  ...notLists,
  {},
  [],
  ...[
    "",
    "everywhere",
    "203.0.113",
    "203.0.113.256",
    "203.0.113.07",
    "203.0.113.0/33",
    "203.0.113.0/-1",
    "203.0.113.0/024",
    "203.0.113.0/24/8",
    "203.0.113.0/",
    " 203.0.113.0/24",
    "203.0.113.0:80",
    "0x7f.0.0.1",
    "2130706433",
    "2001:db8::/129",
    "2001:db8:::1",
    "2001::db8::1",
    "2001:db8",
    "2001:db8:0:0:0:0:0:0:0",
    "12345::",
    "[2001:db8::1]",
    "fe80::1%eth0",
    "::ffff:203.0.113.256",
    "1.2.3.4::",
    null,
    5
  ].map((text) => [text]),
  ["203.0.113.1", "203.0.113.1"]
]

/** Lists of what is no id, and of the same one twice. */
export const ids: Values = [
  ...notLists,
  {},
  [],
  ...line(64).map((id) => [id]),
  ["no-such-id", "no-such-id"]
]
