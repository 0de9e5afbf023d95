/**
 * Reads the object that clang makes of one C file, and writes the shared object that Solana's virtual machine loads:
 * code whose calls to the runtime are relocations by name. Objects with data of their own are refused.
 */

const headerBytes = 64
const programHeaderBytes = 56
const sectionHeaderBytes = 64
const symbolBytes = 24
const relBytes = 16
const entryBytes = 16

export interface Code {
  readonly text: Buffer
  readonly entryAt: number
  /** Where the code calls the runtime, and what it calls. */
  readonly calls: ReadonlyArray<{ readonly at: number; readonly name: string }>
}

interface Section {
  readonly name: string
  readonly type: number
  readonly link: number
  readonly bytes: Buffer
}

const long = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at))
const textAt = (bytes: Buffer, at: number): string =>
  bytes.subarray(at, bytes.indexOf(0, at)).toString("latin1")

const sectionsOf = (object: Buffer): ReadonlyArray<Section> => {
  const headers = Array.from({ length: object.readUInt16LE(60) }, (_, index) => {
    const at = long(object, 40) + index * sectionHeaderBytes
    const start = long(object, at + 24)
    return {
      nameAt: object.readUInt32LE(at),
      type: object.readUInt32LE(at + 4),
      link: object.readUInt32LE(at + 40),
      bytes: object.subarray(start, start + long(object, at + 32))
    }
  })
  const names = headers[object.readUInt16LE(62)]?.bytes ?? Buffer.alloc(0)
  return headers.map(({ nameAt, ...section }) => ({ ...section, name: textAt(names, nameAt) }))
}

const symbolTable = 2

export const read = (object: Buffer, entrypoint: string): Code => {
  const sections = sectionsOf(object)
  const named = (name: string) => sections.find((section) => section.name === name)?.bytes
  const data = sections.find(
    ({ bytes, name }) => /^\.(rodata|data|bss)/u.test(name) && bytes.length > 0
  )
  if (data !== undefined) throw new Error(`The program has data of its own, in ${data.name}.`)
  const symbols = sections.find(({ type }) => type === symbolTable)
  const text = named(".text")
  if (symbols === undefined || text === undefined) throw new Error("The object has no code.")
  const names = sections[symbols.link]?.bytes ?? Buffer.alloc(0)
  const symbolAt = (index: number) => ({
    name: textAt(names, symbols.bytes.readUInt32LE(index * symbolBytes)),
    value: long(symbols.bytes, index * symbolBytes + 8)
  })
  const all = Array.from({ length: symbols.bytes.length / symbolBytes }, (_, at) => symbolAt(at))
  const entry = all.find(({ name }) => name === entrypoint)
  if (entry === undefined) throw new Error(`The program has no ${entrypoint}.`)
  const relocations = named(".rel.text") ?? Buffer.alloc(0)
  const calls = Array.from({ length: relocations.length / relBytes }, (_, index) => ({
    at: long(relocations, index * relBytes),
    name: symbolAt(relocations.readUInt32LE(index * relBytes + 12)).name
  }))
  return { text: Buffer.from(text), entryAt: entry.value, calls }
}

/** A place in the file, which is the address it is loaded at too. */
interface Placed {
  readonly name: string
  readonly at: number
  readonly bytes: Buffer
  /** Of its section header: type, flags, link, info, alignment, size of an entry. */
  readonly header: readonly [number, number, number, number, number, number]
}

const longs = (...values: ReadonlyArray<number | bigint>): Buffer => {
  const bytes = Buffer.alloc(values.length * 8)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), index * 8)
  return bytes
}

const words = (...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

/** Names one after the other, each ended by a zero, and where each begins. */
const stringsOf = (names: ReadonlyArray<string>) => {
  const places = new Map<string, number>()
  let text = "\0"
  for (const name of names) {
    places.set(name, text.length)
    text += `${name}\0`
  }
  return { bytes: Buffer.from(text, "latin1"), placeOf: (name: string) => places.get(name) ?? 0 }
}

const aligned = (at: number) => Math.ceil(at / 8) * 8
const global = 0x10
const callRelocation = 10n

/** The sections in the order of the file. What the loader looks for is told by `.dynamic`. */
const sectionsFor = ({ calls, text }: Code): ReadonlyArray<Placed> => {
  const imports = [...new Set(calls.map(({ name }) => name))]
  const names = stringsOf(imports)
  const code = Buffer.from(text)
  // An unlinked call has minus one where its target will be.
  for (const { at } of calls) code.writeInt32LE(-1, at + 4)
  const symbols = Buffer.concat([
    Buffer.alloc(symbolBytes),
    ...imports.map((name) =>
      Buffer.concat([words(names.placeOf(name)), Buffer.from([global, 0, 0, 0]), longs(0, 0)])
    )
  ])
  const textAt = aligned(headerBytes + 3 * programHeaderBytes)
  const dynamicAt = aligned(textAt + code.length)
  const dynamicEntries = 11
  const symbolsAt = dynamicAt + dynamicEntries * entryBytes
  const namesAt = symbolsAt + symbols.length
  const relocationsAt = aligned(namesAt + names.bytes.length)
  const relocations = Buffer.concat(
    calls.map(({ at, name }) =>
      longs(textAt + at, (BigInt(imports.indexOf(name) + 1) << 32n) | callRelocation)
    )
  )
  const dynamic = longs(
    ...[5, namesAt, 6, symbolsAt, 10, names.bytes.length, 11, symbolBytes],
    ...[17, relocationsAt, 18, relocations.length, 19, relBytes],
    ...[22, 0, 30, 4, 0x6ffffffa, 0, 0, 0]
  )
  return [
    { name: ".text", at: textAt, bytes: code, header: [1, 6, 0, 0, 8, 0] },
    { name: ".dynamic", at: dynamicAt, bytes: dynamic, header: [6, 3, 4, 0, 8, entryBytes] },
    { name: ".dynsym", at: symbolsAt, bytes: symbols, header: [11, 2, 4, 1, 8, symbolBytes] },
    { name: ".dynstr", at: namesAt, bytes: names.bytes, header: [3, 2, 0, 0, 1, 0] },
    { name: ".rel.dyn", at: relocationsAt, bytes: relocations, header: [9, 2, 3, 0, 8, relBytes] }
  ]
}

const programHeader = (type: number, flags: number, at: number, size: number): Buffer =>
  Buffer.concat([words(type, flags), longs(at, at, at, size, size, 0x1000)])

/** Kinds of segments, and who may do what with them. */
const load = 1
const dynamicKind = 2
const readable = 4
const runnable = 5
const readWrite = 6

export const write = (code: Code): Buffer => {
  const sections = sectionsFor(code)
  const [text, dynamic] = sections as [Placed, Placed]
  const last = sections.at(-1) as Placed
  const names = stringsOf([...sections.map(({ name }) => name), ".shstrtab"])
  const namesAt = last.at + last.bytes.length
  const headersAt = aligned(namesAt + names.bytes.length)
  const placed: ReadonlyArray<Placed> = [
    ...sections,
    { name: ".shstrtab", at: namesAt, bytes: names.bytes, header: [3, 0, 0, 0, 1, 0] }
  ]
  const file = Buffer.alloc(headersAt + sectionHeaderBytes * (placed.length + 1))
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(file)
  // A shared object, for this machine, of version 1.
  file.writeUInt16LE(3, 16)
  file.writeUInt16LE(247, 18)
  file.writeUInt32LE(1, 20)
  longs(text.at + code.entryAt, headerBytes, headersAt).copy(file, 24)
  for (const [index, size] of [
    headerBytes,
    programHeaderBytes,
    3,
    sectionHeaderBytes,
    placed.length + 1,
    placed.length
  ].entries()) {
    file.writeUInt16LE(size, 52 + index * 2)
  }
  Buffer.concat([
    programHeader(load, runnable, text.at, text.bytes.length),
    programHeader(load, readable, dynamic.at, namesAt - dynamic.at),
    programHeader(dynamicKind, readWrite, dynamic.at, dynamic.bytes.length)
  ]).copy(file, headerBytes)
  for (const [index, { at, bytes, header, name }] of placed.entries()) {
    const [type, flags, link, info, align, each] = header
    bytes.copy(file, at)
    Buffer.concat([
      words(names.placeOf(name), type),
      longs(flags, flags === 0 ? 0 : at, at, bytes.length),
      words(link, info),
      longs(align, each)
    ]).copy(file, headersAt + sectionHeaderBytes * (index + 1))
  }
  return file
}
