/** Text that a field must refuse, written out from the contract and the attacks it answers; and text it must keep. */

export type Values = ReadonlyArray<unknown>

export const notText: Values = [
  1,
  0,
  -1,
  1.5,
  true,
  false,
  null,
  [],
  ["x"],
  {},
  { x: "x" },
  [["x"]]
]
/** Text that cannot be shown for what it is, wherever it stands. */
export const hidden: ReadonlyArray<string> = [
  "a\u0000b",
  "\u0000",
  "a\u0007b",
  "a\u007fb",
  "a\u0085b",
  "a\u001b[31mb",
  "a\u202eb",
  "a\u2066b",
  "a\u200bb",
  "a\u200cb",
  "a\u200db",
  "\u0628\u200c",
  "\u200c\u0628",
  "\u0628\u200c\u200c\u0628",
  "\u{1f468}\u200d",
  "a\u200d\u{1f468}",
  "a\u061cb",
  "a\u2028b",
  "a\u2029b",
  "a\ufeffb",
  "a\ufff9b",
  "a\u{e0041}b",
  "cafe\u0301",
  "\u212b"
]

/** Text that is no Unicode; strict readers of JSON refuse it before any field is looked at. */
export const broken: ReadonlyArray<string> = ["a\ud800b", "\udc00", "\ud83d"]

export const line = (most: number): Values => [
  ...notText,
  ...hidden,
  ...broken,
  "",
  "a\nb",
  "a\tb",
  "a\rb",
  "x".repeat(most + 1)
]

export const nickname: Values = [...line(64), " ", "\u2800", "\u{1f4b8}".repeat(65)]
export const name: Values = [...nickname, "x", "\u{1f4b8}"]

/** No address, a checksum that is wrong, and addresses at which money would be lost. */
/** The token of the tests' chain. */
export const usdc = `0x${"05".repeat(20)}`

export const address: Values = [
  ...line(64),
  "ada",
  "0x",
  "0x0",
  "8ba1f109551bD432803012645Ac136ddd64DBA72",
  "0x8ba1f109551bD432803012645Ac136ddd64DBA7",
  "0x8ba1f109551bD432803012645Ac136ddd64DBA722",
  "0x8Ba1f109551bD432803012645Ac136ddd64DBA72",
  "0X8BA1F109551BD432803012645AC136DDD64DBA72",
  "0x8ba1f109551bD432803012645Ac136ddd64DBA7g",
  " 0x8ba1f109551bD432803012645Ac136ddd64DBA72",
  "0x8ba1f109551bD432803012645Ac136ddd64DBA72 ",
  "eip155:1:0x8ba1f109551bD432803012645Ac136ddd64DBA72",
  "vitalik.eth",
  "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
  `0x${"0".repeat(40)}`,
  "0x000000000000000000000000000000000000dEaD",
  "0x000000000000000000000000000000000000dead",
  usdc
]

const digest = "0123456789abcdef".repeat(4)

/** A SHA-256 is told in lower-case hex and in no other way. */
export const sha256: Values = [
  ...notText,
  ...hidden,
  ...broken,
  "",
  digest.slice(1),
  `${digest}0`,
  `0x${digest}`,
  digest.toUpperCase(),
  `${digest.slice(1)}g`,
  ` ${digest.slice(1)}`,
  `${digest}\n`
]

export const prose = (most: number): Values => [
  ...notText,
  ...hidden,
  ...broken,
  "",
  "a\rb",
  "x".repeat(most + 1)
]

/** Text that looks like an attack and is a merchant's own business: kept and given back unchanged. */
export const odd: ReadonlyArray<string> = [
  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
  "'; drop table payment_request; --",
  "\\'\"`{{7*7}}#{7*7}",
  "<script>alert(1)</script>",
  "%00%0a../../etc/passwd",
  "\\u0000 \\ud800 \\x00",
  "null",
  "NaN",
  "-1",
  "__proto__ ",
  "$1 ? :x @x #x",
  "%_\\%",
  "=1+1",
  "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
  "\u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4 caf\u00e9",
  "\u{1f4b8}\u2764\ufe0f",
  "\u{10ffff}\uffff",
  " spaces around "
]

export const webhookUrl: Values = [
  ...line(2048),
  "shop.example.com",
  "//shop.example.com",
  "ftp://shop.example.com",
  "http://shop.example.com",
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "https://user:secret@shop.example.com",
  "https://"
]

export const returnUrl: Values = [
  ...line(2048),
  "shop.example.com",
  "//shop.example.com",
  "http://shop.example.com",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  'https://shop.example.com/"onload="alert(1)',
  "https://shop.example.com/<b>",
  "https://shop.example.com/\\evil.example",
  "https://user@shop.example.com",
  "https://shop.example.com evil"
]

/** The tests' clock stands in 1970. */
/** Whatever the time is for. */
export const malformedInstant: Values = [
  ...line(64),
  "tomorrow",
  "now",
  "1975",
  "1975-01",
  "1975-01-01",
  "1975-01-01T00:00:00",
  "1975-01-01 00:00:00Z",
  "01/02/1975",
  "Wed, 01 Jan 1975 00:00:00 GMT",
  "157766400000",
  157_766_400_000,
  "1975-13-01T00:00:00Z",
  "1975-02-30T00:00:00Z",
  "1975-01-01T25:00:00Z",
  "1975-01-01T00:00:60Z",
  "+275760-09-13T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "-000001-01-01T00:00:00Z",
  "1975-01-01T00:00:00Z\u0000"
]

/** Where it must lie in the near future. */
export const instant: Values = [
  ...malformedInstant,
  "1969-12-31T23:59:59Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z"
]

export const chainId: Values = [
  ...line(64),
  "atlantis",
  "LOCAL",
  " local",
  "local ",
  "eip155:0x7a69",
  "eip155:031337",
  "eip155:1:local",
  "local\u200b",
  "../local",
  "local'; drop table account; --"
]

/** A page's place: a time in milliseconds and an id. */
export const cursor: Values = [
  ...["", "next", "1", "_x", "1_", "x_1", "1_x y", "-1_x", "1.5_x", `${"9".repeat(16)}_x`],
  ...[`1_${"x".repeat(81)}`, "1_x\u0000", 5, true, null, [], ["1_x"], {}]
]
