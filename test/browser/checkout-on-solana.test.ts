/** The checkout page on Solana in a real browser, with a wallet that signs for real and pays on the local Solana. */
import { randomBytes } from "node:crypto"
import {
  createKeyPairSignerFromPrivateKeyBytes,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction
} from "@solana/kit"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import {
  assertSoundInBothThemes,
  type Browsing,
  describeInBrowser,
  openBrowsing
} from "../support/browser.ts"
import * as Solana from "../support/solana.ts"
import * as Market from "../support/solana-market.ts"
import { injectStandard, type StandardWallet } from "../support/standard-wallet.ts"

const chainId = "local-solana"
const usdc = 1_000_000n

describeInBrowser("The checkout page on Solana in a browser", () => {
  const scope = Scope.makeUnsafe()
  let browsing: Browsing
  let market: Context.Context<Layer.Success<ReturnType<typeof Market.layer>>>

  const run = <A, E>(
    effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof Market.layer>>>
  ): Promise<A> => Effect.runPromise(Effect.provideContext(effect, market))

  beforeAll(async () => {
    browsing = await openBrowsing()
    market = await Effect.runPromise(Scope.provide(Layer.build(Market.layer()), scope))
  })

  afterAll(async () => {
    await browsing?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  /** A payer with so much USDC; with SOL for fees, unless said otherwise. */
  const aPayer = async (amountMicro: bigint, hasCoin = true) => {
    const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
    const chain = Context.get(market, LocalSolana)
    if (amountMicro > 0n) await run(chain.mint(signer.address, amountMicro))
    if (hasCoin) await run(chain.giveGas(signer.address))
    return signer
  }

  const walletOf = (signer: KeyPairSigner, over: Partial<StandardWallet> = {}) =>
    injectStandard({
      address: signer.address,
      chains: ["solana:localnet"],
      signAndSend: async ({ chain, transaction }) => {
        assert.strictEqual(chain, "solana:localnet")
        const unsigned = getTransactionDecoder().decode(getBase64Encoder().encode(transaction))
        const signed = await partiallySignTransaction([signer.keyPair], unsigned)
        const wire = getBase64EncodedWireTransaction(signed)
        const client = await run(Solana.rpc)
        await client.sendTransaction(wire, { encoding: "base64" }).send()
        return Buffer.from(signed.signatures[signer.address] ?? []).toString("base64")
      },
      ...over
    })

  const openedWith = async (prepare: ReturnType<typeof walletOf>) => {
    const { request, url, vault } = await run(Market.aRequest(chainId, 25n * usdc))
    const watched = await browsing.open(url, {}, prepare)
    const pay = watched.page.getByRole("button", { name: "Pay with Lagoon Wallet" })
    await pay.waitFor()
    return { pay, reference: request.reference, vault, watched }
  }

  it("hands a wallet the transaction, which pays the request by its reference to the last digit", async () => {
    const payer = await aPayer(100n * usdc)
    const { pay, reference, vault, watched } = await openedWith(walletOf(payer))
    await assertSoundInBothThemes(watched, "checkout-solana-open")
    await pay.click()
    const paid = watched.page.locator(".headline", { hasText: /^Paid$/u })
    await paid.waitFor()
    assert.strictEqual(await run(Solana.held(payer.address, "confirmed")), 75n * usdc)
    assert.strictEqual(await run(Solana.held(vault.address, "confirmed")), 25n * usdc)
    const client = await run(Solana.rpc)
    const named = await client.getSignaturesForAddress(reference as never).send()
    assert.strictEqual(named.length, 1)
    await assertSoundInBothThemes(watched, "checkout-solana-paid")
    await watched.close()
  })

  it("says what the wallet holds when that is too little, and asks it to sign nothing", async () => {
    let asked = 0
    const signAndSend = async () => `${asked++}`
    const few = await aPayer(7n * usdc)
    const poor = await openedWith(walletOf(few, { signAndSend }))
    await poor.pay.click()
    await poor.watched.page
      .getByText(
        "This wallet holds 7.00 USDC on Local Solana sandbox, less than the 25.00 USDC due."
      )
      .waitFor()
    assert.isTrue(await poor.pay.isEnabled())
    await poor.watched.close()
    const feeless = await openedWith(walletOf(await aPayer(30n * usdc, false), { signAndSend }))
    await feeless.pay.click()
    await feeless.watched.page
      .getByText("This wallet holds no SOL on Local Solana sandbox")
      .waitFor()
    assert.deepStrictEqual(feeless.watched.faults(), [])
    await feeless.watched.close()
    assert.strictEqual(asked, 0)
  })

  it("says so when the wallet is on another network, or the payer declines", async () => {
    const payer = await aPayer(30n * usdc)
    const away = await openedWith(walletOf(payer, { chains: ["solana:mainnet"] }))
    await away.pay.click()
    await away.watched.page.getByText("Your wallet does not know this network.").waitFor()
    await away.watched.close()
    const unwilling = await openedWith(
      walletOf(payer, {
        signAndSend: () => Promise.reject({ code: 4001, message: "User rejected" })
      })
    )
    await unwilling.pay.click()
    await unwilling.watched.page
      .getByText("You declined in your wallet. Nothing was sent.")
      .waitFor()
    assert.isTrue(await unwilling.pay.isEnabled())
    await unwilling.watched.close()
    assert.strictEqual(await run(Solana.held(payer.address, "confirmed")), 30n * usdc)
  })
})
