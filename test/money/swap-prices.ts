/**
 * I10 of swaps: the price moves between approval and execution, up and down by a third, and whoever fills the order
 * gives no more than was signed. The wallet loses slippage and fees of the fresh price at most, or sells nothing.
 */
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import type { Figure, Part } from "./part.ts"
import { called, openScene, type Replica, type Scene } from "./swap-scene.ts"

const startMicro = 2_500_000_000n
const soldMicro = 1_000_000_000n
/** Slippage of half a percent; of fees a thousandth is the book's and three are the pool's. */
const maxLostBps = 50n + 10n + 30n

const priced = async ({ chain }: Scene, { ask }: Replica, micro: bigint) => {
  await chain.price(micro)
  await ask({ ask: "price", micro: String(micro) })
}

/** Approves a sale at one price, and lets it be carried out at another; how it ended, and what was lost of it. */
const moved = async (scene: Scene, percent: bigint) => {
  const { account, chain, start } = scene
  const approving = await start({ works: false })
  await priced(scene, approving, startMicro)
  const { proposalId } = await called(scene, approving, "propose_swap", {
    fromWalletId: account.walletId,
    ...{ sellSymbol: "USDC", sellTokenAddress: chain.usdc },
    ...{ buySymbol: "WETH", buyTokenAddress: chain.weth },
    amountUsd: "1000.00"
  })
  await called(scene, approving, "confirm_proposal", { proposalId })
  const before = (await chain.tradesOf(account.address)).length
  const freshMicro = (startMicro * percent) / 100n
  await chain.price(freshMicro)
  await approving.child.stop()
  const working = await start({ priceMicro: freshMicro })
  const ended = await until(`${proposalId} ends`, async () => {
    const proposal = await called(scene, working, "get_proposal", { proposalId })
    await chain.call("anvil_mine", 1)
    return proposal.status === "executing" ? undefined : proposal
  })
  const [trade] = (await chain.tradesOf(account.address)).slice(before)
  const gotMicro = trade === undefined ? soldMicro : (trade.bought * freshMicro) / 10n ** 18n
  await working.child.stop()
  return {
    outcome: String(ended.outcome),
    isSold: trade !== undefined,
    lostMicro: soldMicro - gotMicro
  }
}

const figureOf = async (scene: Scene, percent: bigint, wanted: string): Promise<Figure> => {
  const { isSold, lostMicro, outcome } = await moved(scene, percent)
  const maxMicro = (soldMicro * maxLostBps) / 10_000n
  const lost = (Number(lostMicro) / 1e6).toFixed(2)
  return {
    invariant: "I10",
    what: `price moved to ${percent} % between approval and execution, filled by a hostile taker`,
    seen: `${outcome}; lost ${lost} of 1000.00 USD, at most ${(Number(maxMicro) / 1e6).toFixed(2)}`,
    holds: outcome === wanted && isSold === (wanted === "executed") && lostMicro <= maxMicro
  }
}

export const part: Part = {
  name: "swap-prices",
  promise: "a price that moves after a swap was approved costs no more than slippage and fees",
  run: async () => {
    const bundle = await Child.bundle("test/money/swap-service.ts")
    const scene = await openScene(bundle, "hostile")
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
