/** Hostile input on the embedded database, where text and numbers may fail that memory takes. */
import { Layer } from "effect"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as FreshEmbedded from "../support/fresh-embedded-database.ts"
import { suite } from "../support/hostile-input-suite.ts"
import * as SmallTreasury from "../support/small-treasury.ts"

suite(
  "hostile input on PGlite",
  Layer.merge(SmallTreasury.layer(), Layer.provide(Stores.layer, FreshEmbedded.engine))
)
