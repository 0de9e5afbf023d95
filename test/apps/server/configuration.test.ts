/** Settings are read whole or not at all, and a refusal says which one and why. */
import { assert, describe, it } from "vitest"
import * as Configuration from "../../../apps/server/configuration.ts"
import { plans, tiers } from "../../../core/policy/plan.ts"

const read = (environment: Readonly<Record<string, string>>) =>
  Configuration.tiers(Configuration.read(environment))

const refusal = (environment: Readonly<Record<string, string>>): string => {
  try {
    Configuration.read(environment)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error("These settings were taken.")
}

describe("the spending caps of the tiers", () => {
  it("are the policy's own when nothing is set", () => {
    assert.deepStrictEqual(read({}), tiers)
    assert.deepStrictEqual(read({ BURSAR_TIER_PERSONAL: "" }), tiers)
  })

  it("are set per tier, to the smallest unit, under one hard cap", () => {
    const set = read({
      BURSAR_TIER_PERSONAL: "0.5/20.000001/300",
      BURSAR_HARD_CAP_USDC: "250.25"
    })
    assert.deepStrictEqual(set.personal, {
      perTransferMicro: 500_000n,
      dailyMicro: 20_000_001n,
      monthlyMicro: 300_000_000n,
      hardCapMicro: 250_250_000n
    })
    assert.deepStrictEqual(set.startup, { ...tiers.startup, hardCapMicro: 250_250_000n })
  })

  it("may be equal, and are refused with a sentence when they contradict each other", () => {
    assert.strictEqual(read({ BURSAR_TIER_STARTUP: "7/7/7" }).startup.monthlyMicro, 7_000_000n)
    assert.strictEqual(
      refusal({ BURSAR_TIER_STARTUP: "3000/2500/25000" }),
      "BURSAR_TIER_STARTUP is contradictory: the per-transfer cap is above the daily cap."
    )
    assert.strictEqual(
      refusal({ BURSAR_TIER_PERSONAL: "1000/2500/2499.999999" }),
      "BURSAR_TIER_PERSONAL is contradictory: the daily cap is above the monthly cap."
    )
  })

  it.each(["1000/2500", "1/2/3/4", "1/2/x", "0/1/2", "1e3/2e3/3e3", "-1/2/3", " 1/2/3"])(
    "are not guessed from %s",
    (text) => {
      assert.strictEqual(
        refusal({ BURSAR_TIER_PERSONAL: text }),
        "BURSAR_TIER_PERSONAL must be perTransfer/daily/monthly in USDC, such as 1000/2500/25000."
      )
    }
  )

  it.each(["0", "-5", "1000 USDC", "0.0000001"])("have no hard cap of %s", (text) => {
    assert.match(
      refusal({ BURSAR_HARD_CAP_USDC: text }),
      /^BURSAR_HARD_CAP_USDC must be an amount/u
    )
  })
})

describe("where prices are asked for", () => {
  const prices = (url?: string) =>
    Configuration.prices(Configuration.read(url === undefined ? {} : { BURSAR_PRICES_URL: url }))

  it("is the public market, one of the operator's, or nowhere", () => {
    assert.deepStrictEqual(prices(), { url: "https://coins.llama.fi" })
    assert.deepStrictEqual(prices(""), { url: "https://coins.llama.fi" })
    assert.deepStrictEqual(prices("https://pro.example.com/KEY/coins"), {
      url: "https://pro.example.com/KEY/coins"
    })
    assert.isUndefined(prices("off"))
  })

  it.each([
    "OFF",
    "coins.llama.fi",
    "https://coins.llama.fi/",
    "ftp://x.example",
    "https://x?y",
    "on"
  ])("is not guessed from %s, which is a secret and not repeated", (url) => {
    assert.strictEqual(
      refusal({ BURSAR_PRICES_URL: url }),
      "BURSAR_PRICES_URL must be an http(s) URL without a trailing slash, or off."
    )
  })
})

describe("how mail leaves", () => {
  const mail = (environment: Readonly<Record<string, string>>) =>
    Configuration.mail(Configuration.read(environment))

  it("is as files in the data directory where there is no mail server", () => {
    assert.deepStrictEqual(mail({ PUBLIC_URL: "https://treasury.example" }), {
      _tag: "outbox",
      directory: ".bursar/outbox",
      from: "bursar@treasury.example"
    })
  })

  it("is through the mail server, encrypted unless the settings say otherwise", () => {
    const named = {
      BURSAR_SMTP_URL: "smtp://ada:s3cret@mail.example:2525",
      BURSAR_MAIL_FROM: "money@example.com"
    }
    assert.deepInclude(mail(named), { _tag: "smtp", tls: "required", from: "money@example.com" })
    assert.deepInclude(mail({ ...named, BURSAR_SMTP_TLS: "off" }), { tls: "off" })
    assert.notInclude(JSON.stringify(mail(named)), "s3cret")
  })

  it.each([
    ["BURSAR_SMTP_URL", "http://mail.example"],
    ["BURSAR_SMTP_URL", "smtp://user:p@ss@mail.example"],
    ["BURSAR_SMTP_URL", "smtp://mail.example/?tls=off"],
    ["BURSAR_SMTP_TLS", "maybe"],
    ["BURSAR_MAIL_FROM", "Bursar <bursar@example.com>"],
    ["BURSAR_MAIL_FROM", "a@example.com\r\nBcc: b@example.com"]
  ])("is not guessed: %s=%j is refused by its name", (variable, text) => {
    const said = refusal({ [variable]: text })
    assert.match(said, new RegExp(`^${variable} must `, "u"))
    assert.notInclude(said, text)
  })
})

describe("what agents' accounts pay for", () => {
  const read = (environment: Readonly<Record<string, string>>) =>
    Configuration.plans(Configuration.read(environment))

  it("is the policy's own when nothing is set, and set per plan otherwise", () => {
    assert.deepStrictEqual(read({}), plans)
    assert.deepStrictEqual(read({ BURSAR_PLAN_STARTUP: "99.5/365/1000" }).startup, {
      name: "Startup",
      priceMicro: 99_500_000n,
      days: 365,
      maxWallets: 1000
    })
  })

  it.each(["5/30", "0/30/10", "5/0/10", "5/30/0", "5/3651/10", "5/30/10/1", "5/1e2/10", "x/30/10"])(
    "is not guessed from %s",
    (text) =>
      assert.match(refusal({ BURSAR_PLAN_PERSONAL: text }), /^BURSAR_PLAN_PERSONAL must be/u)
  )

  it("is paid to nobody until wallets are named, each of a family of chains", () => {
    const payTo = (text: string) => Configuration.read({ BURSAR_PLANS_PAY_TO: text }).plansPayTo
    assert.deepStrictEqual(payTo("off"), [])
    const address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
    const onSolana = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
    const told = (text: string): ReadonlyArray<string> => payTo(text)
    assert.deepStrictEqual(told(address.toLowerCase()), [address])
    assert.deepStrictEqual(told(`${address}, ${onSolana}`), [address, onSolana])
    const system = "1".repeat(32)
    const wrongs = [
      address.replace("bD", "Bd"),
      `0x${"0".repeat(40)}`,
      "me",
      `${address},${system}`
    ]
    for (const wrong of wrongs) {
      assert.match(refusal({ BURSAR_PLANS_PAY_TO: wrong }), /^BURSAR_PLANS_PAY_TO must be off/u)
    }
  })
})
