/**
 * Items of a source, up to `most` of which are made while the one before them is worked on. The source is ended when
 * nobody wants more.
 */
export async function* readAhead<T>(source: AsyncGenerator<T>, most: number): AsyncGenerator<T> {
  const coming: Promise<IteratorResult<T>>[] = []
  // A generator makes one after the other, however many are asked for.
  const fill = () => {
    while (coming.length < most) {
      const next = source.next()
      // It is awaited in its turn; a failure until then must not count as unhandled.
      next.catch(() => {})
      coming.push(next)
    }
  }
  try {
    for (;;) {
      fill()
      const item = await coming.shift()
      if (!item || item.done) return
      fill()
      yield item.value
    }
  } finally {
    await source.return(undefined)
  }
}
