/** Selects a range of cells with the mouse. */

import type { CellPosition } from '../grid/key-navigation'
import { positionOf } from './cell-elements'

interface RangeActions {
  activate(cell: CellPosition): void
  extendTo(cell: CellPosition): void
}

/** The distance from the edge of the grid at which it scrolls, and the length of a step, in pixels. */
const EDGE = 28

/** An attachment of the grid. */
export const dragRange =
  ({ activate, extendTo }: RangeActions) =>
  (grid: HTMLElement): (() => void) => {
    let pointer: { x: number; y: number } | undefined
    let frame = 0

    const press = (event: MouseEvent) => {
      const cell = positionOf(event.target)
      if (!cell || event.button !== 0 || isButton(event.target)) return
      event.preventDefault() // selects no text, and drags no link
      grid.focus({ preventScroll: true })
      if (event.shiftKey) extendTo(cell)
      else activate(cell)
      pointer = { x: event.clientX, y: event.clientY }
    }
    const move = (event: MouseEvent) => {
      if (!pointer) return
      if ((event.buttons & 1) === 0) return stop()
      pointer = { x: event.clientX, y: event.clientY }
      const cell = positionOf(event.target)
      if (cell) extendTo(cell)
      frame ||= requestAnimationFrame(scroll)
    }
    /** Scrolls while the pointer is at an edge. */
    const scroll = () => {
      frame = 0
      if (!pointer) return
      const { left, right, top, bottom } = grid.getBoundingClientRect()
      const by = { left: stepOf(pointer.x, left, right), top: stepOf(pointer.y, top, bottom) }
      if (by.left === 0 && by.top === 0) return
      grid.scrollBy(by)
      const x = Math.max(left + 1, Math.min(pointer.x, right - 1))
      const y = Math.max(top + 1, Math.min(pointer.y, bottom - 1))
      const cell = positionOf(document.elementFromPoint(x, y))
      if (cell) extendTo(cell)
      frame = requestAnimationFrame(scroll)
    }
    const stop = () => (pointer = undefined)
    /** A press with Shift extends the range and opens no link. */
    const click = (event: MouseEvent) => {
      if (event.shiftKey && positionOf(event.target)) event.preventDefault()
    }

    grid.addEventListener('mousedown', press)
    grid.addEventListener('click', click)
    window.addEventListener('mousemove', move)
    window.addEventListener('mouseup', stop)
    return () => {
      cancelAnimationFrame(frame)
      grid.removeEventListener('mousedown', press)
      grid.removeEventListener('click', click)
      window.removeEventListener('mousemove', move)
      window.removeEventListener('mouseup', stop)
    }
  }

const stepOf = (at: number, low: number, high: number): number =>
  at < low + EDGE / 2 ? -EDGE : at > high - EDGE / 2 ? EDGE : 0

const isButton = (target: EventTarget | null): boolean => target instanceof Element && target.closest('button') !== null
