/** Swaps over the records on SQL, on a server and embedded, are signed under the signing policy or not at all. */
import { Layer } from "effect"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Venue from "../../../adapters/memory/swap-venue.ts"
import * as WalletKeys from "../../../adapters/memory/wallet-keys.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as SigningPolicy from "../../../core/treasury/signing-policy.ts"
import * as Contract from "../../contracts/swap-signing-policy.contract.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as FreshEmbeddedDatabase from "../../support/fresh-embedded-database.ts"
import { registries } from "../../support/registries.ts"
import { shared } from "../../support/shared-layer.ts"
import { identified } from "../../support/signing-policies.ts"

const worldOver = (engine: typeof FreshDatabase.engine | typeof FreshEmbeddedDatabase.engine) => {
  const kept = Layer.merge(Stores.layer, identified).pipe(Layer.provideMerge(shared(engine)))
  return Layer.suspend(() =>
    Layer.merge(WalletKeys.layer, Ids.layer(1)).pipe(
      Layer.provide(SigningPolicy.layer),
      Layer.provideMerge(Venue.layer(Wiring.scriptedChain(["local", "local-solana"]))),
      Layer.provideMerge(registries)
    )
  ).pipe(Layer.provideMerge(kept), Layer.orDie)
}

Contract.suite("PostgreSQL", worldOver(FreshDatabase.engine))
Contract.suite("PGlite", worldOver(FreshEmbeddedDatabase.engine))
