/** Every wrong value in every field of every write, over REST and as a tool: the whole table, as functions are asked. */
import { layer } from "@effect/vitest"
import { overWires } from "../support/refused-over-wires.ts"
import { whole } from "../support/refusing.ts"
import * as Surfaces from "../support/surfaces.ts"

layer(Surfaces.layer())("any wrong value over the network", (it) => overWires(it, whole))
