/** Hands the catalogue to the rooms below, which look operations up by name and know none. */
import { Layer } from "effect"
import { Catalogue } from "../operation/catalogue.ts"
import type * as Operation from "../operation/operation.ts"
import { operations } from "./operations.ts"

const byName: ReadonlyMap<string, Operation.Any> = new Map(
  operations.map((operation) => [operation.name, operation])
)

export const layer = Layer.succeed(Catalogue, { find: (name) => byName.get(name) })
