/**
 * How V8 keeps the heap of a process that serves: what is made is young, and the heap may grow before all of it is looked
 * through. Both are said once all that is needed is loaded, as code that was compiled under other flags is compiled anew.
 */
import { setFlagsFromString } from "node:v8"

/**
 * By itself V8 makes in the old generation whatever outlived its first scavenges, for as long as the process lives; a young
 * server is scavenged so often that calls which wait for a database do, and from then on each of them stays, with all that
 * it refers to, until V8 looks through the whole heap.
 */
export const makeNothingOld = (): void => setFlagsFromString("--no-allocation-site-pretenuring")

/**
 * To three times what was left of it. By itself V8 lets a heap grow by a fifth where little stays of what is made, which is
 * less than it wants to have free: one look through the heap follows the other, and what comes meanwhile waits.
 */
export const letHeapGrow = (): void => setFlagsFromString("--heap-growing-percent=200")
