/** The window of rows that a long table renders. */

/** Browsers limit the height of elements. A longer table scrolls in larger steps. */
const MAX_HEIGHT = 12_000_000

/** Rows that are rendered beyond both ends of the visible ones. */
export const OVERSCAN = 8

export interface Window {
  /** The height of all rows, in pixels. */
  readonly height: number
  readonly first: number
  /** The index after the last rendered row. */
  readonly end: number
  /** The offset of the first rendered row, in pixels. */
  readonly top: number
}

export interface Viewport {
  readonly scrollTop: number
  readonly height: number
}

export function visibleWindow(count: number, rowHeight: number, viewport: Viewport): Window {
  const whole = count * rowHeight
  const height = Math.min(whole, MAX_HEIGHT)
  const at = viewport.scrollTop * scaleOf(whole, height, viewport.height)
  const first = Math.max(0, Math.floor(at / rowHeight) - OVERSCAN)
  const end = Math.min(count, Math.ceil((at + viewport.height) / rowHeight) + OVERSCAN)
  return { height, first, end, top: viewport.scrollTop - (at - first * rowHeight) }
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
