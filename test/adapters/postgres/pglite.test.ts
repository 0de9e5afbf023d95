/** The books on the embedded engine do what every book must do. */
import { Layer } from "effect"
import * as Books from "../../../adapters/postgres/books.ts"
import * as Embedded from "../../../adapters/postgres/embedded.ts"
import { LeaseClock, ofCaller } from "../../../adapters/postgres/leases.ts"
import * as Migrate from "../../../adapters/postgres/migrate.ts"
import { shared } from "../../support/shared-layer.ts"
import { everyBook } from "./every-book.ts"

const engine = shared(
  Layer.provideMerge(Migrate.layer, Embedded.memory).pipe(
    Layer.merge(Layer.succeed(LeaseClock, ofCaller))
  )
)

everyBook("embedded", Layer.provide(Books.layer, engine))
