/** The records on the embedded engine do what every store must do. */
import { Layer } from "effect"
import * as Embedded from "../../../adapters/postgres/embedded.ts"
import { LeaseClock, ofCaller } from "../../../adapters/postgres/leases.ts"
import * as Migrate from "../../../adapters/postgres/migrate.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { shared } from "../../support/shared-layer.ts"
import { everyBook } from "./every-store.ts"

const engine = shared(
  Layer.provideMerge(Migrate.layer, Embedded.memory).pipe(
    Layer.merge(Layer.succeed(LeaseClock, ofCaller))
  )
)

everyBook("embedded", Layer.provide(Stores.layer, engine))
