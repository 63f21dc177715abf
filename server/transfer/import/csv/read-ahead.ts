/** Produces up to `max` items of a source while the consumer works on an earlier one. Ends the source with the consumer. */
export async function* readAhead<T>(source: AsyncGenerator<T>, max: number): AsyncGenerator<T> {
  const pending: Promise<IteratorResult<T>>[] = []
  // A generator produces its items one after the other, even when several are requested.
  const fill = () => {
    while (pending.length < max) {
      const next = source.next()
      // The item is awaited later; until then, its failure must not count as unhandled.
      next.catch(() => {})
      pending.push(next)
    }
  }
  try {
    for (;;) {
      fill()
      const item = await pending.shift()
      if (!item || item.done) return
      fill()
      yield item.value
    }
  } finally {
    await source.return(undefined)
  }
}
