/** A curve that cannot be loaded is a fault of this machine, and never a bad signature; once it is there all is judged. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { beforeEach, vi } from "vitest"
import { Signatures } from "../../../core/ports/signatures.ts"
import { localKms } from "../../support/local-kms.ts"

let isAway = false

const away = () => Promise.reject(new Error("Cannot find module of the curve."))

/** What is imported below finds no curve while it is away. */
vi.mock("viem/utils", async (original) => {
  const real = await original<typeof import("viem/utils")>()
  type Real = typeof real
  return {
    ...real,
    recoverPublicKey: (...asked: Parameters<Real["recoverPublicKey"]>) =>
      isAway ? away() : real.recoverPublicKey(...asked),
    recoverMessageAddress: (...asked: Parameters<Real["recoverMessageAddress"]>) =>
      isAway ? away() : real.recoverMessageAddress(...asked)
  }
})

const faultOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) && Cause.hasDies(exit.cause)
    ? String(Cause.squash(exit.cause))
    : assert.fail("it was judged")

describe("while the curve cannot be loaded", () => {
  beforeEach(() => {
    vi.resetModules()
    isAway = true
  })

  it("a good signature of a wallet is not refused, and is taken once it can", async () => {
    const { layer } = await import("../../../adapters/evm/signatures.ts")
    const account = privateKeyToAccount(`0x${"02".repeat(32)}`)
    const message = "It is I."
    const signature = await account.signMessage({ message })
    const signer = { chainId: "base", address: account.address.toLowerCase() }
    const judged = Effect.flatMap(Signatures, ({ isBy }) =>
      isBy({ signer, message, signature } as Parameters<typeof isBy>[0])
    ).pipe(Effect.provide(layer([])))
    assert.include(faultOf(await Effect.runPromiseExit(judged)), "Cannot find module")
    isAway = false
    assert.isTrue(await Effect.runPromise(judged))
  })

  it("a key management service is not said to have signed with another key", async () => {
    const { backend } = await import("../../../adapters/keys/kms.ts")
    const keys = backend(localKms(), { prefix: "treasury" })
    const opened = await Effect.runPromise(keys.open("secp256k1", "ab".repeat(31)))
    const signed = keys.sign("secp256k1", opened.ref, new Uint8Array(32).fill(7))
    assert.include(faultOf(await Effect.runPromiseExit(signed)), "Cannot find module")
    isAway = false
    assert.lengthOf(await Effect.runPromise(signed), 65)
  })
})
