/**
 * I2 on Solana, where several processes work on one send at once: on one database they take turns by its lease, on two
 * that know nothing of each other only the mark on the chain is between them. It is paid once.
 */
import type { Figure, Part, Run } from "./part.ts"
import { told, weathers, withBundle } from "./solana.ts"
import { completes, openScene, type Replica, type Scene, type Weather } from "./solana-scene.ts"

/** Both work on what one of them was asked for. */
const onOneDatabase = async (scene: Scene, pair: readonly [Replica, Replica]) => {
  const meant = await scene.meant(pair[0])
  const proposalId = String(await pair[0].ask({ ask: "send", meant }))
  return Promise.all(pair.map((replica) => completes(replica, meant, proposalId)))
}

/** Both are asked by the same call, and neither has heard of the other. */
const onTwoDatabases = async (scene: Scene, pair: readonly [Replica, Replica]) => {
  const meant = await scene.meant(pair[0])
  const ids = await Promise.all(pair.map((replica) => replica.ask({ ask: "send", meant })))
  return Promise.all(pair.map((replica, at) => completes(replica, meant, String(ids[at]))))
}

const race = async (scene: Scene, weather: Weather, second: string, run: typeof onOneDatabase) => {
  const pair = [await scene.start(), await scene.start({ database: second })] as const
  try {
    scene.chain.runs(true)
    await scene.chain.weather(weather)
    const ended = run(scene, pair)
    // What is lost on the way is lost for a while; nothing of it may have been paid twice meanwhile.
    setTimeout(() => void scene.chain.weather("clear"), 2000)
    return await ended
  } finally {
    scene.chain.runs(false)
    await scene.chain.weather("clear")
    await Promise.all(pair.map(({ child }) => child.stop()))
  }
}

const raced = async (
  { bundle, say, times }: Run,
  what: string,
  run: typeof onOneDatabase
): Promise<Figure> => {
  const scene = await openScene(bundle)
  try {
    const all = Array.from({ length: times(5, 1) }, () => weathers).flat()
    let held = 0
    let found = 0
    for (const [at, weather] of all.entries()) {
      const isShared = run === onOneDatabase
      const second = isShared ? "postgres" : `beside_${at}`
      if (!isShared) await scene.sql(`create database ${second} template postgres`)
      try {
        const states = await race(scene, weather, second, run)
        held++
        if (states.some(({ recovered }) => recovered === true)) found++
      } catch (error) {
        say(`  ${weather}: ${error}`)
      }
    }
    const paid = told(await scene.paid())
    return {
      invariant: "I2",
      what,
      seen: `${all.length} runs in ${weathers.length} weathers, ${all.length - held} stuck, ${found} in which one found the other's; ${paid.text}`,
      holds: held === all.length && paid.holds
    }
  } finally {
    await scene.close()
  }
}

export const part: Part = {
  name: "solana-races",
  promise: "a send on Solana that two processes carry at once is paid once, even by two databases",
  run: (run) =>
    withBundle(run, async (own) => [
      await raced(own, "Solana: two replicas race one send on one database", onOneDatabase),
      await raced(own, "Solana: two replicas race one send on two databases", onTwoDatabases)
    ])
}
