/** Sends of a relayer whose nonces fell apart, on a chain with Circle's USDC, keys in a seed and in a service. */
import { Layer } from "effect"
import * as Branch from "../../../adapters/evm/branch.ts"
import * as Kms from "../../../adapters/evm/kms.ts"
import * as Contract from "../../contracts/relayers.contract.ts"
import { seed, sendingOver } from "../../support/anvil-paying.ts"
import { localKms } from "../../support/local-kms.ts"

const service = localKms()

Contract.suite(
  "seed, anvil",
  Layer.suspend(() => sendingOver(Branch.holders(seed), Branch.holders(seed, 1)))
)
Contract.suite(
  "service, anvil",
  Layer.suspend(() =>
    sendingOver(Kms.holders(service, { prefix: "one" }), Kms.holders(service, { prefix: "other" }))
  )
)
