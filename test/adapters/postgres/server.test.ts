/** The records on a PostgreSQL server do what every store must do. */
import { Layer } from "effect"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { everyStore } from "../../contracts/every-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { shared } from "../../support/shared-layer.ts"

everyStore("server", Layer.orDie(Layer.provide(Stores.layer, shared(FreshDatabase.engine))))
