/**
 * Has V8 make everything in its young generation. By itself it makes in the old one whatever outlived its first scavenges,
 * for as long as the process lives; a young server is scavenged so often that calls which wait for a database do, and
 * from then on each of them stays, with all that it refers to, until V8 looks through the whole heap.
 */
import { setFlagsFromString } from "node:v8"

/** To be called once all that is needed is loaded: code that was compiled under other flags is compiled anew. */
export const makeNothingOld = (): void => setFlagsFromString("--no-allocation-site-pretenuring")
