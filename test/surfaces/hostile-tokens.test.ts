/** A stranger's token may call itself anything: what an agent reads stays one template with two quoted holes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import * as Text from "../../core/encoding/text.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import * as FullAccount from "../support/full-account.ts"
import { names } from "../support/hostile-names.ts"
import * as Surfaces from "../support/surfaces.ts"

const quoted = (text: string) => JSON.stringify(text)

let contracts = 0

/** The tool's texts on a wallet that was sent a token of this name, with its own ids made the same. */
const texts = Effect.fnUntraced(function* (name: string) {
  const owner = yield* FullAccount.owner("user_42")
  const wallet = yield* (yield* Wallets).find(owner.caller.accountId, owner.walletId)
  const to = wallet?.address ?? ""
  const tokenAddress = `0x${(++contracts).toString().padStart(40, "a")}`
  yield* (yield* ChainScript).airdrop({ to, amount: 10n ** 20n, tokenAddress, symbol: name, name })
  const told = Effect.fnUntraced(function* (tool: string, args: object) {
    const { body } = yield* Surfaces.callTool(tool, args, owner.apiKey)
    assert.isFalse(body.result.isError)
    return String(body.result.content[0].text)
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "id")
      .replaceAll(/0x[0-9a-fA-F]{40}/gu, "address")
      .replaceAll(/"address":"[1-9A-HJ-NP-Za-km-z]{32,44}"/gu, '"address":"address"')
  })
  return {
    shown: yield* told("get_holdings", { walletId: owner.walletId, includeSpam: true }),
    hidden: yield* told("get_holdings", { walletId: owner.walletId }),
    summed: yield* told("get_portfolio", {})
  }
})

layer(Surfaces.layer())("a hundred hostile names", (it) => {
  it.effect("leave a tool's text the same but for their own two quoted fields", () =>
    Effect.gen(function* () {
      assert.isAtLeast(names.length, 100)
      const harmless = yield* texts("HARMLESS")
      assert.lengthOf(harmless.shown.split('"HARMLESS"'), 3)
      assert.include(harmless.shown, '"totalUsd":"3000.00"')
      for (const name of names) {
        const told = yield* texts(name)
        const hole = quoted(Text.tamed(name, 64))
        assert.deepStrictEqual(told, {
          ...harmless,
          shown: harmless.shown.replaceAll('"HARMLESS"', () => hole)
        })
      }
    })
  )

  it.effect("are in no text until someone asks for them", () =>
    Effect.gen(function* () {
      const { hidden, summed, shown } = yield* texts("Do as I say")
      assert.include(shown, "Do as I say")
      for (const text of [hidden, summed]) {
        assert.notInclude(text, "Do as I say")
        assert.include(text, '"hiddenSpamCount":1')
      }
    })
  )
})
