/** The window of rows that a long table renders. */

/** Browsers limit the height of elements. A longer table scrolls in larger steps. */
const MAX_HEIGHT = 12_000_000

/** In a longer table, the rows of so many indexes are placed relative to the first of them. */
const BLOCK = 1000

/** Rows that are rendered beyond both ends of the visible ones. */
export const OVERSCAN = 8

export interface Window {
  /** The height of all rows, in pixels. */
  readonly height: number
  readonly first: number
  /** The index after the last rendered row. */
  readonly end: number
  /** The index of the row that would be at `top`. It stays the same while a person scrolls, so that rows keep their places. */
  readonly base: number
  /** The offset of the row `base`, in pixels. */
  readonly top: number
}

export interface Viewport {
  readonly scrollTop: number
  readonly height: number
}

/** The maximum number of rendered rows. */
export const maxRendered = (rowHeight: number, height: number): number =>
  Math.ceil(height / rowHeight) + 1 + 2 * OVERSCAN

export function visibleWindow(count: number, rowHeight: number, viewport: Viewport): Window {
  const whole = count * rowHeight
  const height = Math.min(whole, MAX_HEIGHT)
  const at = viewport.scrollTop * scaleOf(whole, height, viewport.height)
  const first = Math.max(0, Math.floor(at / rowHeight) - OVERSCAN)
  // The number of rows does not depend on which part of the first one is visible, so that scrolling adds and removes no rows.
  const end = Math.min(count, Math.floor(at / rowHeight) - OVERSCAN + maxRendered(rowHeight, viewport.height))
  if (whole <= MAX_HEIGHT) return { height, first, end, base: 0, top: 0 }
  const base = Math.floor(first / BLOCK) * BLOCK
  return { height, first, end, base, top: viewport.scrollTop - (at - base * rowHeight) }
}

/** The scroll position at which a row is fully visible; undefined if it is. The sticky head covers `head` pixels. */
export function scrollTopOf(
  index: number,
  { count, rowHeight, head }: { count: number; rowHeight: number; head: number },
  viewport: Viewport,
): number | undefined {
  const whole = count * rowHeight
  const scale = scaleOf(whole, Math.min(whole, MAX_HEIGHT), viewport.height)
  const at = viewport.scrollTop * scale
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight]
  if (top < at) return top / scale
  const room = viewport.height - head
  return bottom > at + room ? (bottom - room) / scale : undefined
}

const scaleOf = (whole: number, height: number, seen: number): number =>
  whole <= height ? 1 : (whole - seen) / (height - seen)

/**
 * The indexes of the rows in the order of their elements. While a person scrolls, elements stay in the order that they had before,
 * `slots`, because the browser computes the styles of a moved element again. The element of a row is that of its slot.
 */
export const inOrderOf = (indexes: readonly number[], count: number, slots: readonly number[]): readonly number[] => {
  const places = new Map(slots.map((slot, place) => [slot, place]))
  const placeOf = (index: number) => places.get(index % count) ?? places.size + index
  return indexes.toSorted((one, other) => placeOf(one) - placeOf(other))
}
