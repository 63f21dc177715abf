/**
 * Which statements are prepared. A connection keeps every statement it prepared until it is closed, 20 to 35 kB each, so
 * only the first texts a process meets are; later ones are parsed each time. A prepared statement saves its parsing and,
 * with this driver, a round trip.
 */

/** Options for `sql.unsafe`: prepared when the text is known or there is room for it. */
type PrepareIfRoom = (text: string) => { prepare: boolean }

const withRoomFor = (most: number): PrepareIfRoom => {
  const prepared = new Set<string>()
  return (text) => {
    if (prepared.has(text)) return { prepare: true }
    if (prepared.size >= most) return { prepare: false }
    prepared.add(text)
    return { prepare: true }
  }
}

/** For statements of our own making. */
export const preparedIfRoom = withRoomFor(1000)

/** For callers' queries, whose texts are as many as their filters: they must not use up the room of the others. */
export const queryPreparedIfRoom = withRoomFor(500)
