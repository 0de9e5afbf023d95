/** Every wrong value in every field of every write, over REST and as a tool: the whole table, as functions are asked. */
import { layer } from "@effect/vitest"
import * as Surfaces from "../support/surfaces.ts"
import { overWires } from "../support/wire-refusal-suite.ts"
import { whole } from "../support/wrong-value-checks.ts"

layer(Surfaces.layer())("any wrong value over the network", (it) => overWires(it, whole))
