/** Several calls in one transaction: the making of a contract that makes them, and of which nothing stays. */

export interface OneCall {
  readonly to: string
  readonly data: string
}

const word = (value: number): string => value.toString(16).padStart(8, "0")

/** Copies the call's data into memory, calls, and drops whether that was executed. */
const codeOf = ({ data, to }: OneCall, at: number): string => {
  const length = word((data.length - 2) / 2)
  const copies = `63${length}63${word(at)}600039`
  const calls = `6000600063${length}6000600073${to.slice(2).toLowerCase()}5af150`
  return copies + calls
}

const stop = "00"

/** What a transaction without a receiver carries to make the calls one after the other. */
export const callsInOne = (calls: ReadonlyArray<OneCall>): string => {
  const bare = calls.reduce((sum, call) => sum + codeOf(call, 0).length / 2, stop.length / 2)
  let at = bare
  const code = calls.map((call) => {
    const own = codeOf(call, at)
    at += (call.data.length - 2) / 2
    return own
  })
  return `0x${code.join("")}${stop}${calls.map(({ data }) => data.slice(2)).join("")}`
}
