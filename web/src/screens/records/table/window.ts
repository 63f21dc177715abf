/** Which rows of a long table are drawn. */

/** Browsers give up on higher elements; a longer table is scrolled in larger steps. */
const MAX_HEIGHT = 12_000_000

/** Drawn beyond both ends, so that scrolling meets no white. */
export const OVERSCAN = 8

export interface Window {
  /** Of everything, in pixels. */
  readonly height: number
  readonly first: number
  /** Not drawn itself. */
  readonly end: number
  /** How far down the first row is drawn. */
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

/** Where to scroll so that a row is wholly seen; undefined when it is. `head` is covered by what stays on top. */
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
