/**
 * Keeps `process.nextTick` quick, which node calls six times and more for each answer. V8 makes what a tick is held in
 * by the fast way only while it has seen one shape of it, and forgets a shape that no object has whenever it looks
 * through the whole heap; the next tick then brings a second one, and all later ones are slow for good. An object of
 * that shape that stays keeps the shape.
 */
import { executionAsyncResource } from "node:async_hooks"

const tickObjects: Array<object> = []

// As soon as this file is read: before the process is so large that V8 looks through all of it.
process.nextTick(() => tickObjects.push(executionAsyncResource()))
