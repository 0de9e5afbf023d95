/**
 * I10 of swaps on Solana: the price moves between approval and execution, up and down by a third, and somebody trades
 * ahead of the signed transaction, as far as it allows. The wallet loses slippage and fees of the fresh price at most.
 */
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import { type Account, calledBy } from "./agent.ts"
import type { Figure, Part } from "./part.ts"
import { openScene, type Replica, type Scene } from "./solana-scene.ts"

const startMicro = 500_000n
const soldMicro = 1_000_000_000n
/** Slippage of half a percent; the pool keeps three thousandths, and moves by two of ten thousand under the sale. */
const maxLostBps = 50n + 30n + 10n
/** Of what was quoted, in thousandths; half a percent is what the signature allows. */
const ahead = 4n

/** The amount is for the wallet to sell, and the account is new, so that no cap of a day is reached. */
const furnished = async ({ chain }: Scene, { ask }: Replica) => {
  const account = (await ask({ ask: "account" })) as Account
  await chain.mint(account.address, soldMicro)
  await chain.advance(1)
  return account
}

/** Approves a sale at one price, and lets it be carried out at another; how it ended, and what was lost of it. */
const moved = async (scene: Scene, percent: bigint) => {
  const { chain, start } = scene
  await chain.weather("clear")
  await chain.price(startMicro)
  const approving = await start({ works: false })
  const account = await furnished(scene, approving)
  const proposed = await calledBy(account, approving.ask, "propose_solana_swap", {
    ...{ fromWalletId: account.walletId, toWalletId: account.walletId, amountUsd: "1000.00" },
    ...{ sellSymbol: "USDC", sellMint: chain.usdc, buySymbol: "JUP", buyMint: chain.buy }
  })
  const proposalId = String(proposed.proposalId)
  await calledBy(account, approving.ask, "confirm_proposal", { proposalId })
  await approving.child.stop()
  const freshMicro = (startMicro * percent) / 100n
  await chain.price(freshMicro)
  // What is signed lands later, so that there is time to trade ahead of it.
  await chain.weather("late")
  const working = await start({ priceMicro: freshMicro })
  const proposal = () => calledBy(account, working.ask, "get_proposal", { proposalId })
  await until(`${proposalId} is signed, or ends`, async () => {
    const { status } = await proposal()
    const [step] = (await proposal()).steps as ReadonlyArray<{ readonly txIds: Array<string> }>
    return status !== "executing" || (step?.txIds.length ?? 0) > 0 ? true : undefined
  })
  await chain.worsen(ahead)
  chain.runs(true)
  const ended = await until(`${proposalId} ends`, async () => {
    const now = await proposal()
    return now.status === "executing" ? undefined : now
  })
  chain.runs(false)
  const bought = await chain.bought(account.address)
  await working.child.stop()
  const gotMicro = ended.outcome === "executed" ? (bought * freshMicro) / 1_000_000n : soldMicro
  const isWhole = (await chain.held(account.address)) === (bought > 0n ? 0n : soldMicro)
  return { outcome: String(ended.outcome), isWhole, lostMicro: soldMicro - gotMicro }
}

const figureOf = async (scene: Scene, percent: bigint, wanted: string): Promise<Figure> => {
  const { isWhole, lostMicro, outcome } = await moved(scene, percent)
  const maxMicro = (soldMicro * maxLostBps) / 10_000n
  const lost = (Number(lostMicro) / 1e6).toFixed(2)
  return {
    invariant: "I10",
    what: `on Solana, price moved to ${percent} % between approval and execution, traded ahead of`,
    seen: `${outcome}; lost ${lost} of 1000.00 USD, at most ${(Number(maxMicro) / 1e6).toFixed(2)}`,
    holds: outcome === wanted && isWhole && lostMicro <= maxMicro
  }
}

export const part: Part = {
  name: "solana-swap-prices",
  promise:
    "a price that moves after a swap on Solana was approved costs no more than slippage and fees",
  run: async () => {
    const bundle = await Child.bundle("test/money/solana-service.ts")
    const scene = await openScene(bundle, "swap")
    try {
      // What is bought is dearer: the floor cannot be met. It is cheaper: more of it is asked for.
      return [
        await figureOf(scene, 130n, "not_executed"),
        await figureOf(scene, 100n, "executed"),
        await figureOf(scene, 70n, "executed")
      ]
    } finally {
      await scene.close()
      bundle.remove()
    }
  }
}
