/** The tokens vouched for: real contracts, each once, and an operator can add but never replace. */
import { assert, describe, it } from "@effect/vitest"
import { getAddress } from "viem/utils"
import { tokens } from "../../../apps/server/tokens.ts"
import * as Address from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { usdc } from "../../../core/chains/usdc.ts"
import type { Connected } from "../../../core/ports/chains.ts"
import { isListed, pinnedOn, plain, verifiedOn, wellKnown } from "../../../core/tokens/token.ts"
import * as Value from "../../support/chain-values.ts"

const connectedTo = (id: string): Connected => ({
  chain: Chain.find(id) ?? assert.fail(id),
  usdc: Value.key(usdc[id] ?? `0x${"05".repeat(20)}`),
  confirmations: 3,
  pollMs: 1000
})

const another = Value.lower(`0x${"ab".repeat(20)}`)
const shown = Address.shown("base", another)

describe("The tokens vouched for", () => {
  it("are written with the checksum of their address, on chains that are known", () => {
    for (const { address, chainId } of wellKnown.filter(({ chainId }) => chainId !== "solana")) {
      assert.strictEqual<string>(getAddress(address.toLowerCase()), address)
      assert.isDefined(Chain.find(chainId))
      assert.notStrictEqual(address.toLowerCase(), usdc[chainId]?.toLowerCase())
      assert.isTrue(isListed(chainId, address.toLowerCase()))
    }
  })

  it("are the coin and USDC on every chain, and each contract once", () => {
    for (const { id } of Chain.chains.filter(({ family }) => family === "evm")) {
      const listed = verifiedOn(connectedTo(id), [])
      const [coin, money] = listed
      assert.isNull(coin?.address)
      assert.strictEqual(coin?.symbol, id.startsWith("polygon") ? "POL" : "ETH")
      assert.isTrue(money?.isUsdc)
      assert.strictEqual(listed.filter(({ isUsdc }) => isUsdc).length, 1)
      assert.strictEqual(new Set(listed.map(({ address }) => address)).size, listed.length)
    }
  })

  it("are the pinned list where they have a contract, and each says how it is approved", () => {
    const pinned = pinnedOn(connectedTo("ethereum"), [])
    assert.isFalse(pinned.some(({ address }) => address === null))
    const bySymbol = new Map(pinned.map((token) => [token.symbol, token]))
    assert.strictEqual(bySymbol.get("USDC")?.permit, "fiattoken")
    assert.deepInclude(bySymbol.get("USDT"), { permit: "none", approvesByZero: true })
    assert.isTrue(pinned.every(({ priceId }) => priceId !== null))
  })

  it("are not held to a symbol that their contract has no more, when an operator adds its code", () => {
    const [renamed] = wellKnown.filter(({ says }) => says?.symbol === null)
    assert.isDefined(renamed)
    const { address, chainId, decimals, symbol } = renamed
    const code = "0".repeat(64)
    const entry = `${chainId}:${address}:${symbol}:${decimals}:none:tether:code-0x${code}`
    const [token] = verifiedOn(connectedTo(chainId), tokens([entry])).filter(
      (each) => each.address === Address.keyOf(chainId, address)
    )
    assert.deepStrictEqual(token?.says, { symbol: null, codeHash: `0x${code}` })
  })

  it("are held to the symbol that they are called by, unless their issuer has renamed them", () => {
    const anySymbol = wellKnown.filter(({ says }) => says?.symbol === null)
    assert.deepStrictEqual(
      anySymbol.map(({ chainId, symbol }) => [chainId, symbol]),
      [
        ["arbitrum", "USDT"],
        ["polygon", "USDT"]
      ]
    )
    const others = wellKnown.filter((token) => !anySymbol.includes(token))
    assert.isTrue(others.every(({ says, symbol }) => says?.symbol === symbol))
  })

  it("are held to their code where that is for ever, each to another", () => {
    const coded = wellKnown.flatMap(({ chainId, says, symbol }) =>
      says?.codeHash === null || says === undefined ? [] : [[chainId, symbol, says.codeHash]]
    )
    assert.deepStrictEqual(
      coded.map(([chainId, symbol]) => `${chainId} ${symbol}`),
      ["ethereum USDT", "ethereum DAI", "ethereum WETH", "ethereum WBTC"]
    )
    for (const [, , codeHash] of coded) assert.match(codeHash ?? "", /^0x[0-9a-f]{64}$/u)
    assert.strictEqual(new Set(coded.map(([, , codeHash]) => codeHash)).size, coded.length)
  })

  it("are held to more by what an operator says of them, and changed in nothing else", () => {
    const code = `0x${"5e".repeat(32)}`
    const at = (chainId: string, symbol: string, entries: ReadonlyArray<string>) =>
      verifiedOn(connectedTo(chainId), tokens(entries)).filter((token) => token.symbol === symbol)
    const onBase = "base:0x4200000000000000000000000000000000000006:WETH:18:none:weth"
    const [shipped] = at("base", "WETH", [])
    assert.deepStrictEqual(at("base", "WETH", [`${onBase}:code-${code}`]), [
      { ...(shipped ?? assert.fail("it is not shipped")), says: { symbol: "WETH", codeHash: code } }
    ])
    const onEthereum = "ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2:WETH:18:none:weth"
    const [before] = at("ethereum", "WETH", [])
    const [renamed] = at("ethereum", "WETH", [`${onEthereum}:any-symbol`])
    assert.isNull(renamed?.says?.symbol)
    assert.isString(before?.says?.codeHash)
    assert.strictEqual(renamed?.says?.codeHash, before?.says?.codeHash, "it is let go of no code")
  })

  it("cannot be replaced by what an operator lists", () => {
    const connected = connectedTo("base")
    const fake = { chainId: "base", symbol: "FAKE", name: "FAKE", decimals: 2, ...plain }
    const weth = Value.lower("0x4200000000000000000000000000000000000006")
    const added = [connected.usdc, weth, another.toUpperCase().replace("0X", "0x")].map((text) => ({
      ...fake,
      address: Value.address(text)
    }))
    const listed = verifiedOn(connected, [
      ...added,
      { ...fake, chainId: "optimism", address: weth }
    ])
    assert.deepStrictEqual(
      listed.filter(({ symbol }) => symbol === "FAKE").map(({ address }) => address),
      [another]
    )
  })
})

const refused = (entry: string): string => {
  try {
    tokens(entry.split(","))
  } catch (error) {
    return (error as Error).message
  }
  return assert.fail(`${entry} was taken`)
}

const mint = Address.families.solana.exampleAddress

describe("BURSAR_TOKENS", () => {
  it("lists tokens by chain, contract, symbol and decimals", () => {
    assert.deepStrictEqual(tokens([`local:${another}:GOLD:18`, `base:${another}:USD.x:0`]), [
      {
        chainId: "local",
        address: shown,
        symbol: "GOLD",
        name: "GOLD",
        decimals: 18,
        says: { symbol: "GOLD", codeHash: null },
        ...plain
      },
      {
        chainId: "base",
        address: shown,
        symbol: "USD.x",
        name: "USD.x",
        decimals: 0,
        says: { symbol: "USD.x", codeHash: null },
        ...plain
      }
    ])
    assert.deepStrictEqual(tokens([]), [])
  })

  it("says how a token is approved and what sources of prices call it", () => {
    const [silver, gold] = tokens([
      `base:${another}:SILVER:18:eip2612:silver-coin`,
      `local:${another}:GOLD:6:none::by-zero`
    ])
    assert.deepInclude(silver, {
      permit: "eip2612",
      priceId: "silver-coin",
      approvesByZero: false
    })
    assert.deepInclude(gold, { permit: "none", priceId: null, approvesByZero: true })
  })

  it("says to which symbol and code a contract is held", () => {
    const code = `0x${"5e".repeat(32)}`
    const [gold, silver] = tokens([
      `base:${another}:GOLD:18:none::code-${code}:by-zero`,
      `local:${another}:SILVER:18:none::any-symbol`
    ])
    assert.deepInclude(gold, { approvesByZero: true, says: { symbol: "GOLD", codeHash: code } })
    assert.deepInclude(silver, { approvesByZero: false, says: { symbol: null, codeHash: null } })
  })

  it("says what is to stand behind a proxy, also of a token that everybody knows", () => {
    const behind = `0x${"1a".repeat(20)}-0x${"5e".repeat(32)}`
    const [gold] = tokens([`base:${another}:GOLD:18:none::behind-${behind}:any-symbol`])
    assert.deepStrictEqual(gold?.says, { symbol: null, codeHash: null, behind })
    const entry = `base:0x4200000000000000000000000000000000000006:WETH:18:none:weth:behind-${behind}`
    const weth = verifiedOn(connectedTo("base"), tokens([entry])).find(
      ({ symbol }) => symbol === "WETH"
    )
    assert.deepStrictEqual(weth?.says, { symbol: "WETH", codeHash: null, behind })
  })

  it("is refused as a whole for one entry that is wrong, and says which and why", () => {
    const wrong = {
      base: "write chain",
      [`base:${another}:GOLD`]: "write chain",
      [`base:${another}:GOLD:18:1`]: "a permit",
      [`base:${another}:GOLD:18:none:Gold`]: "a price id",
      [`base:${another}:GOLD:18:none:gold:yes`]: "by-zero",
      [`base:${another}:GOLD:18:none:gold:by-zero:1`]: "code-0x with the Keccak-256",
      [`base:${another}:GOLD:18:none:gold:by-zero:by-zero`]: "once at most",
      [`base:${another}:GOLD:18:none:gold:code-0x12`]: "code-0x with the Keccak-256",
      [`solana:${mint}:GOLD:6:none:gold:code-0x${"5e".repeat(32)}`]: "a mint has no code",
      [`base:${another}:GOLD:18:none:gold:behind-0x${"5e".repeat(32)}`]: "bursar doctor says",
      [`base:${another}:GOLD:18:none:gold:behind-0x${"1A".repeat(20)}-0x${"5e".repeat(32)}`]:
        "bursar doctor says",
      [`solana:${mint}:GOLD:6:none:gold:behind-0x${"1a".repeat(20)}-0x${"5e".repeat(32)}`]:
        "a mint has no code",
      [`atlantis:${another}:GOLD:18`]: "name a chain",
      [`solana:${another}:GOLD:18`]: "no address",
      [`eip155:8453:${another}:GOLD:18`]: "name a chain",
      "base:0xab:GOLD:18": "no address",
      [`base:${"0xaB".padEnd(42, "ab")}:GOLD:18`]: "checksum",
      [`base:${another}::18`]: "a symbol",
      [`base:${another}:GO LD:18`]: "a symbol",
      [`base:${another}:GÖLD:18`]: "a symbol",
      [`base:${another}:GOLD:37`]: "decimals",
      [`base:${another}:GOLD:-1`]: "decimals",
      [`base:${another}:GOLD:018`]: "decimals",
      [`base:${another}:GOLD:1e1`]: "decimals",
      [`base:${usdc.base}:USDC:6`]: "known already",
      "base:0x4200000000000000000000000000000000000006:WETH:18": "known already",
      "base:0x4200000000000000000000000000000000000006:WETH:6:none:weth:any-symbol":
        "known already as WETH:18:none:weth",
      "base:0x4200000000000000000000000000000000000006:ETH2:18:none:weth:any-symbol":
        "known already",
      "base:0x4200000000000000000000000000000000000006:WETH:18:eip2612:weth:any-symbol":
        "known already",
      "base:0x4200000000000000000000000000000000000006:WETH:18:none:dai:any-symbol":
        "known already",
      "base:0x4200000000000000000000000000000000000006:WETH:18:none:weth:by-zero": "known already",
      [`base:${another}:GOLD:18,base:0x${"AB".repeat(20)}:SILVER:6`]: "twice"
    }
    for (const [entry, expected] of Object.entries(wrong)) {
      assert.include(refused(entry), expected, entry)
      assert.match(refused(entry), /^BURSAR_TOKENS /u)
    }
  })
})
