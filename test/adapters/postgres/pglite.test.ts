/** The records on the embedded engine do what every store must do. */
import { Layer } from "effect"
import { LeaseClock, ofCaller } from "../../../adapters/postgres/leases.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { everyStore } from "../../contracts/every-store.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import { shared } from "../../support/shared-layer.ts"

const engine = shared(Layer.merge(FreshEmbedded.engine, Layer.succeed(LeaseClock, ofCaller)))

everyStore("embedded", Layer.orDie(Layer.provide(Stores.layer, engine)))
