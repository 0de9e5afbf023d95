/** Hostile input on the embedded database, where text and numbers may fail that memory takes. */
import { Layer } from "effect"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import * as Migrate from "../../adapters/postgres/migrate.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import { suite } from "../support/hostile-functions.ts"
import * as SmallTreasury from "../support/small-treasury.ts"

const database = Migrate.layer.pipe(Layer.provideMerge(Embedded.memory))

suite(
  "hostile input on PGlite",
  Layer.merge(SmallTreasury.layer(), Layer.provide(Stores.layer, database))
)
