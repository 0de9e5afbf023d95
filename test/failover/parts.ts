/** The parts of the verification of failovers, in the order in which they are run. */
import type { Part } from "../money/part.ts"
import { part as bridges } from "./bridges.ts"
import { boastful, part as sends, unguarded } from "./sends.ts"
import { part as swaps } from "./swaps.ts"

export const parts: ReadonlyArray<Part> = [sends, bridges, swaps, unguarded, boastful]
