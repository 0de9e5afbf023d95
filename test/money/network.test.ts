/** Sends over a network that lies, and what does not send at all. */
import * as Endings from "./endings.ts"
import * as Network from "./network.ts"
import { suite } from "./suite.ts"

suite([Network.part, Endings.part])
