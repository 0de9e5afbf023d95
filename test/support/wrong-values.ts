/**
 * Values that a field must refuse, by what the field holds. Each list is written out from the contract,
 * never derived from the schemas it tests.
 */

export type Values = ReadonlyArray<unknown>

const notText: Values = [1, 0, -1, 1.5, true, false, null, [], ["x"], {}, { x: "x" }, [["x"]]]
const notNumbers: Values = ["5", "5.0", "1e1", "0x5", "NaN", "", " ", true, null, [], [5], {}]
const notObjects: Values = ["x", "", 1, true, null, [], ["x"]]

/** Text that cannot be shown for what it is, wherever it stands. */
const hidden: ReadonlyArray<string> = [
  "a\u0000b",
  "\u0000",
  "a\u0007b",
  "a\u007fb",
  "a\u0085b",
  "a\u001b[31mb",
  "a\u202eb",
  "a\u2066b",
  "a\u200bb",
  "a\u061cb",
  "a\u2028b",
  "a\u2029b",
  "a\ufeffb",
  "a\ufff9b",
  "a\u{e0041}b",
  "cafe\u0301",
  "\u212b"
]

/** What only a program that embeds the treasury can send, against its types. */
export const beyondJson: Values = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1n,
  Symbol("x"),
  () => "x"
]

/** Text that is no Unicode; strict readers of JSON refuse it before any field is looked at. */
export const broken: ReadonlyArray<string> = ["a\ud800b", "\udc00", "\ud83d"]

const line = (most: number): Values => [
  ...notText,
  ...hidden,
  ...broken,
  "",
  "a\nb",
  "a\tb",
  "a\rb",
  "x".repeat(most + 1)
]

const prose = (most: number): Values => [
  ...notText,
  ...hidden,
  ...broken,
  "",
  "a\rb",
  "x".repeat(most + 1)
]

const whole = (least: number, most: number): Values => [
  ...notNumbers,
  least - 1,
  most + 1,
  least + 0.5,
  -least,
  -1e9,
  1e20,
  1e308
]

const digits2To256 = (2n ** 256n).toString()

/** What is no number in any notation that we take. */
const noAmount: ReadonlyArray<string> = [
  "",
  " ",
  "0",
  "00",
  "-1",
  "+1",
  "- 1",
  "01",
  "1e3",
  "1E3",
  "1e-3",
  "0x31",
  "0b1",
  "1_000",
  "1,000",
  "1 000",
  " 1",
  "1 ",
  "1\n",
  "\t1",
  "1n",
  "$1",
  "1 USDC",
  "NaN",
  "Infinity",
  "-Infinity",
  "null",
  "\u0661",
  "\uff11",
  "1\u0000",
  "\u202e1",
  "1".repeat(41),
  digits2To256,
  "9".repeat(40),
  ...broken
]

const amountUsd: Values = [
  ...noAmount,
  "0.0",
  "0.000000",
  ".5",
  "1.",
  "1..0",
  "1.0.0",
  "1,5",
  "1.0000000",
  "0.0000001",
  "1000000000000.000001",
  "1000000000001",
  0,
  -1,
  -0.000001,
  0.0000001,
  1.0000001,
  0.1 + 0.2,
  1_000_000_000_001,
  1e18,
  1e21,
  1e308,
  5e-324,
  true,
  false,
  null,
  [],
  [49],
  ["49"],
  {},
  { amount: 49 }
]

const amountSmallestUnit: Values = [
  ...noAmount,
  "1.0",
  "1.5",
  "0.1",
  "1000000000000000001",
  ...notText,
  49_000_000
]

const keyed = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key${at}`, "x"]))

/** As a parser of JSON makes it: `__proto__` is a key of its own. */
const withKey = (key: string, value: unknown): unknown =>
  JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`)

const reserved: Values = ["__proto__", "constructor", "prototype"].map((key) => withKey(key, "x"))

const badKeys: Values = ["", "k".repeat(65), ...hidden, "a\nb", "\ud800"].map((key) =>
  withKey(key, "x")
)

const metadata: Values = [
  ...notObjects,
  ...reserved,
  ...badKeys,
  keyed(21),
  { a: { b: { c: { d: { e: 1 } } } } },
  { a: [[[[1]]]] },
  { a: "x".repeat(4096) },
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key${at}`, "x".repeat(250)])),
  { a: "\u0000" },
  { a: ["x", { b: "x\u0000y" }] },
  { a: { "\u0000": 1 } },
  { a: "\ud800" },
  { a: { b: ["\udc00"] } },
  { a: { "\ud83d": 1 } }
]

const stamps: Values = ["customerExternalId", "customerNamespace", "checkoutSessionId"].map((key) =>
  withKey(key, "mine")
)

const tags: Values = [
  ...notObjects,
  ...reserved,
  ...badKeys,
  keyed(21),
  ...[1, true, null, [], {}, "", "x".repeat(501), ...hidden, ...broken].map((value) => ({
    tag: value
  }))
]

const choices = (one: string, most: ReadonlyArray<string>): Values => [
  ...notObjects.filter((value) => !Array.isArray(value)),
  {},
  { 0: one },
  [],
  ["nothing"],
  [one, one],
  [one, "nothing"],
  [null],
  [1],
  [[one]],
  [`${one} `],
  [one.toUpperCase()],
  [`${one}\u0000`],
  [...most, one]
]

const webhookUrl: Values = [
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

const returnUrl: Values = [
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
const instant: Values = [
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
  "1969-12-31T23:59:59Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "+275760-09-13T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "-000001-01-01T00:00:00Z",
  "1975-01-01T00:00:00Z\u0000"
]

const chainId: Values = [
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

const objects = (...partial: ReadonlyArray<unknown>): Values => [...notObjects, {}, ...partial]

const customers: Values = [
  ...notObjects.filter((value) => !Array.isArray(value)),
  {},
  [],
  ["ada"],
  [null],
  [[]],
  [{}],
  [{ namespace: "shop" }],
  [{ externalId: "ada", stray: 1 }],
  [{ externalId: "ada" }, { externalId: null }],
  Array.from({ length: 1001 }, (_, at) => ({ externalId: `c${at}` }))
]

/** For every field of every write: what it refuses. Paths as `param` tells them, below the operation's name. */
export const wrong: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  create_provisioning_job: {
    chainId,
    customers,
    "customers.0.externalId": line(128),
    "customers.0.namespace": line(64),
    "customers.0.metadata": tags
  },
  create_checkout_session: {
    customer: objects({ namespace: "shop" }, { externalId: "ada", stray: 1 }),
    "customer.externalId": line(128),
    "customer.namespace": line(64),
    amountUsd,
    amountSmallestUnit,
    product: objects({ slug: "pro" }, { slug: "a", name: "b", externalSkuId: "c", stray: 1 }),
    "product.slug": line(100),
    "product.name": line(200),
    "product.externalSkuId": line(100),
    description: prose(500),
    externalReference: line(200),
    metadata: [...metadata, ...stamps],
    expiryDays: whole(1, 365),
    expiresInMinutes: whole(1, 525_600),
    successUrl: returnUrl,
    cancelUrl: returnUrl
  },
  create_payment_request: {
    walletMappingId: line(64),
    amountUsd,
    amountSmallestUnit,
    description: prose(500),
    externalReference: line(200),
    metadata,
    expiryDays: whole(1, 365)
  },
  cancel_payment_request: { idOrPid: line(64) },
  extend_payment_request: { idOrPid: line(64), expiryDays: whole(1, 365) },
  create_merchant_webhook: {
    url: webhookUrl,
    events: choices("payment_request.paid", [
      "payment_request.created",
      "payment_request.payment_failed",
      "payment_request.expired",
      "webhook.test"
    ]),
    description: line(200),
    maxAttempts: whole(1, 10)
  },
  update_merchant_webhook: {
    id: line(64),
    url: webhookUrl,
    events: choices("payment_request.paid", ["webhook.test"]),
    description: line(200),
    maxAttempts: whole(1, 10)
  },
  delete_merchant_webhook: { id: line(64) },
  send_merchant_webhook_test: { id: line(64) },
  replay_webhook_delivery: { id: line(64) },
  create_api_key: {
    scopes: choices("account:read", ["balances:read", "everything"]),
    label: line(64),
    expiresAt: instant
  },
  revoke_api_key: { keyId: line(64) }
}

/** Text that looks like an attack and is a merchant's own business: kept and given back unchanged. */
export const odd: ReadonlyArray<string> = [
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

/** Fields that say the same in another way; one is tried without the other. */
export const rivals: Readonly<Record<string, string>> = {
  amountUsd: "amountSmallestUnit",
  amountSmallestUnit: "amountUsd",
  expiryDays: "expiresInMinutes",
  expiresInMinutes: "expiryDays"
}
