/** The books on a PostgreSQL server do what every book must do. */
import { Layer } from "effect"
import * as Books from "../../../adapters/postgres/books.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { shared } from "../../support/shared-layer.ts"
import { everyBook } from "./every-book.ts"

everyBook("server", Layer.provide(Books.layer, shared(FreshDatabase.engine)))
