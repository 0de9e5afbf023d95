/** One reading at a time of a disk that may hang: each answer was read after it was asked for. */

/** The reading that asks while one goes on is the next, and everybody who asks meanwhile shares it. */
export const oneAtATime = <A>(read: () => Promise<A>): (() => Promise<A>) => {
  let current: Promise<A> | undefined
  let next: Promise<A> | undefined
  const start = (): Promise<A> => {
    next = undefined
    const reading = read().finally(() => {
      if (current === reading) current = undefined
    })
    current = reading
    return reading
  }
  return () => {
    if (current === undefined) return start()
    next ??= current.then(start, start)
    return next
  }
}
