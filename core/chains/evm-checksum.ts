/**
 * The checksum of EVM addresses (EIP-55): the case of each letter follows a hash of the address. It guards
 * against misspelling alone, so Keccak-256 stands here for one block and is used for nothing else.
 */

const [lanes, turns, constants] = (() => {
  const lanes: Array<number> = []
  const turns: Array<number> = []
  const constants: Array<readonly [low: number, high: number]> = []
  let [x, y, register] = [1, 0, 1]
  for (let round = 0; round < 24; round++) {
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
    lanes.push(2 * (5 * y + x))
    turns.push((((round + 1) * (round + 2)) / 2) % 64)
    let constant = 0n
    for (let bit = 0n; bit < 7n; bit++) {
      if ((register & 1) === 1) constant |= 1n << ((1n << bit) - 1n)
      register = ((register << 1) ^ ((register >> 7) * 0x171)) & 0xff
    }
    constants.push([Number(constant & 0xffffffffn) | 0, Number(constant >> 32n) | 0])
  }
  return [lanes, turns, constants] as const
})()

/** One word of a lane that is turned left; a lane is two words, the low one first. */
const turned = (one: number, other: number, by: number): number =>
  by < 32 ? (one << by) | (other >>> (32 - by)) : (other << (by - 32)) | (one >>> (64 - by))

/** The 24 rounds of Keccak-f[1600]. */
const permute = (state: Int32Array): void => {
  const at = (index: number) => state[index] as number
  const kept = new Int32Array(10)
  const of = (index: number) => kept[index % 10] as number
  for (const [lowConstant, highConstant] of constants) {
    for (let x = 0; x < 10; x++) {
      kept[x] = at(x) ^ at(x + 10) ^ at(x + 20) ^ at(x + 30) ^ at(x + 40)
    }
    for (let x = 0; x < 10; x += 2) {
      const low = turned(of(x + 2), of(x + 3), 1) ^ of(x + 8)
      const high = turned(of(x + 3), of(x + 2), 1) ^ of(x + 9)
      for (let y = x; y < 50; y += 10) {
        state[y] = at(y) ^ low
        state[y + 1] = at(y + 1) ^ high
      }
    }
    let [low, high] = [at(2), at(3)]
    for (let step = 0; step < 24; step++) {
      const [lane, by] = [lanes[step] as number, turns[step] as number]
      const [nextLow, nextHigh] = [at(lane), at(lane + 1)]
      state[lane] = turned(low, high, by)
      state[lane + 1] = turned(high, low, by)
      low = nextLow
      high = nextHigh
    }
    for (let y = 0; y < 50; y += 10) {
      for (let x = 0; x < 10; x++) kept[x] = at(y + x)
      for (let x = 0; x < 10; x++) state[y + x] = of(x) ^ (~of(x + 2) & of(x + 4))
    }
    state[0] = at(0) ^ lowConstant
    state[1] = at(1) ^ highConstant
  }
}

/** Of 40 hexadecimal digits: the same digits, with the letters in the case that the checksum asks for. */
export const checksummed = (digits: string): string => {
  const lower = digits.toLowerCase()
  const block = new Uint8Array(200)
  for (let at = 0; at < lower.length; at++) block[at] = lower.charCodeAt(at)
  block[lower.length] = 0x01
  block[135] = 0x80
  const words = Int32Array.from({ length: 50 }, (_, at) =>
    block.subarray(4 * at, 4 * at + 4).reduceRight((word, byte) => (word << 8) | byte, 0)
  )
  permute(words)
  const isUpper = (at: number) =>
    ((words[at >> 3] as number) >>> (8 * ((at >> 1) & 3) + (at % 2 === 0 ? 7 : 3))) & 1
  return lower.replace(/[a-f]/gu, (letter, at) => (isUpper(at) ? letter.toUpperCase() : letter))
}
