/** Which chains the service connects to, as its environment says it: each family by its own settings. */
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { connections } from "../../../apps/server/chains.ts"
import { read } from "../../../apps/server/configuration.ts"
import { SettingRefused } from "../../../apps/server/setting.ts"

const connected = (environment: Readonly<Record<string, string>>) =>
  connections(read(environment), environment)

const solana = { BURSAR_CHAINS: "solana", BURSAR_RPC_SOLANA: "https://one.example" }

describe("the chains of the service", () => {
  it("may be of both families at once", () => {
    const { chains, solana: onSolana } = connected({
      BURSAR_CHAINS: "base,solana-devnet",
      BURSAR_RPC_BASE: "https://base.example",
      BURSAR_RPC_SOLANA_DEVNET: "https://devnet.example"
    })
    assert.deepStrictEqual(
      chains.map(({ chain, rpcUrl }) => [chain.id, rpcUrl]),
      [["base", "https://base.example"]]
    )
    assert.deepStrictEqual(
      onSolana.map(({ chain, rpcUrls, usdc }) => [chain.id, rpcUrls, usdc]),
      [
        [
          "solana-devnet",
          ["https://devnet.example"],
          "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
        ]
      ]
    )
  })

  it("on Solana may have several nodes", () => {
    const [connection] = connected({
      ...solana,
      BURSAR_RPC_SOLANA: "https://one.example, https://two.example/key"
    }).solana
    assert.deepStrictEqual(connection?.rpcUrls, ["https://one.example", "https://two.example/key"])
  })

  it("on Solana may bid more for a place in a block, or less", () => {
    const bound = { BURSAR_PRIORITY_FEE_SOLANA: "250000" }
    assert.isUndefined(connected(solana).solana[0]?.maxPriority)
    assert.strictEqual(connected({ ...solana, ...bound }).solana[0]?.maxPriority, 250_000n)
  })

  it("swap where an order book is named, and nowhere else", () => {
    const base = { BURSAR_CHAINS: "base", BURSAR_RPC_BASE: "https://base.example" }
    assert.isUndefined(connected(base).chains[0]?.orderBookUrl)
    const named = { ...base, BURSAR_ORDER_BOOK_BASE: "https://api.cow.fi/base/" }
    assert.strictEqual(connected(named).chains[0]?.orderBookUrl, "https://api.cow.fi/base")
  })

  it("swap on Solana where an aggregator is named, with its key", () => {
    assert.isUndefined(connected(solana).solana[0]?.jupiter)
    const named = { ...solana, BURSAR_AGGREGATOR_SOLANA: "https://api.jup.ag/swap/v2/" }
    assert.deepStrictEqual(connected(named).solana[0]?.jupiter, {
      url: "https://api.jup.ag/swap/v2"
    })
    const { jupiter } = connected({ ...named, BURSAR_JUPITER_KEY: "a-key-of-ours" }).solana[0] ?? {}
    assert.strictEqual(jupiter?.apiKey && Redacted.value(jupiter.apiKey), "a-key-of-ours")
  })

  it("are refused by the name of the setting that is wrong", () => {
    const base = { BURSAR_CHAINS: "base", BURSAR_RPC_BASE: "https://base.example" }
    const optimism = { BURSAR_CHAINS: "optimism", BURSAR_RPC_OPTIMISM: "https://op.example" }
    const book = "https://api.cow.fi/optimism"
    const wrong: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
      [{ BURSAR_CHAINS: "atlantis" }, "BURSAR_CHAINS"],
      [{ BURSAR_CHAINS: "local-solana" }, "BURSAR_CHAINS"],
      [{ BURSAR_CHAINS: "solana" }, "BURSAR_RPC_SOLANA"],
      [{ ...solana, BURSAR_RPC_SOLANA: "https://one.example,ftp://two" }, "BURSAR_RPC_SOLANA"],
      [{ ...solana, BURSAR_CONFIRMATIONS_SOLANA: "1" }, "BURSAR_CONFIRMATIONS_SOLANA"],
      [{ ...solana, BURSAR_FINALITY_SOLANA: "safe" }, "BURSAR_FINALITY_SOLANA"],
      [{ ...solana, BURSAR_PRIORITY_FEE_SOLANA: "0" }, "BURSAR_PRIORITY_FEE_SOLANA"],
      [{ ...solana, BURSAR_PRIORITY_FEE_SOLANA: "1.5" }, "BURSAR_PRIORITY_FEE_SOLANA"],
      [{ ...solana, BURSAR_AGGREGATOR_SOLANA: "http://one" }, "BURSAR_AGGREGATOR_SOLANA"],
      [{ ...solana, BURSAR_BRIDGE_TABLE_SOLANA: "0x00" }, "BURSAR_BRIDGE_TABLE_SOLANA"],
      [
        {
          BURSAR_CHAINS: "solana-devnet",
          BURSAR_RPC_SOLANA_DEVNET: "https://one.example",
          BURSAR_AGGREGATOR_SOLANA_DEVNET: "https://api.jup.ag/swap/v2"
        },
        "BURSAR_AGGREGATOR_SOLANA_DEVNET"
      ],
      [{ ...optimism, BURSAR_ORDER_BOOK_OPTIMISM: book }, "BURSAR_ORDER_BOOK_OPTIMISM"],
      [{ ...base, BURSAR_ORDER_BOOK_BASE: "http://api.example" }, "BURSAR_ORDER_BOOK_BASE"]
    ]
    for (const [environment, variable] of wrong) {
      try {
        connected(environment)
        assert.fail(`${variable} was taken`)
      } catch (error) {
        assert.instanceOf(error, SettingRefused)
        assert.strictEqual((error as SettingRefused).variable, variable)
      }
    }
  })
})
