/**
 * Who is here now, where many come and go: calls, places, answers. It is no `Set`, since each time a set has outgrown its
 * table, the old one points at the next: from the first that grew old on, V8 keeps all tables, and whatever was in them
 * when they were left, until it looks through the whole heap.
 */
export interface Present<A> extends Iterable<A> {
  readonly size: number
  /** Comes in, and leaves by calling what it is given; a second time does nothing. */
  readonly enter: (one: A) => () => void
}

interface Seat<A> {
  readonly one: A
  at: number
}

class Seats<A> implements Present<A> {
  readonly #seats: Array<Seat<A>> = []

  get size(): number {
    return this.#seats.length
  }

  enter(one: A): () => void {
    const seat = { one, at: this.#seats.length }
    this.#seats.push(seat)
    return () => this.#leave(seat)
  }

  /** The last one takes the seat that became free. */
  #leave(seat: Seat<A>): void {
    const last = this.#seats[seat.at] === seat ? this.#seats.pop() : undefined
    if (last === undefined || last === seat) return
    this.#seats[seat.at] = last
    last.at = seat.at
  }

  /** Those who were here when it began; some may leave meanwhile. */
  *[Symbol.iterator](): Iterator<A> {
    for (const { one } of [...this.#seats]) yield one
  }
}

export const make = <A>(): Present<A> => new Seats<A>()
