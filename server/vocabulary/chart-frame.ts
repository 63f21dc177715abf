/** Places values and categories in the drawing of a chart, in pixels. */

import type { Scale } from './chart-drawing'

const MARGIN = { top: 8, right: 12, bottom: 28, left: 56 } as const
const LABEL_WIDTH = 88

export interface Size {
  readonly width: number
  readonly height: number
}

export class Frame {
  readonly height: number
  readonly left = MARGIN.left
  readonly top = MARGIN.top
  /** The width and height of the area inside of the axes. */
  readonly innerWidth: number
  readonly innerHeight: number
  readonly #count: number

  constructor({ width, height }: Size, count: number, hasRightAxis = false) {
    this.height = height
    this.innerWidth = Math.max(1, width - MARGIN.left - (hasRightAxis ? MARGIN.left : MARGIN.right))
    this.innerHeight = Math.max(1, height - MARGIN.top - MARGIN.bottom)
    this.#count = Math.max(1, count)
  }

  /** The width of one category. */
  get band(): number {
    return this.innerWidth / this.#count
  }

  /** The middle of a category. */
  x(index: number): number {
    return this.left + this.band * (index + 0.5)
  }

  y(value: number, { min, max }: Scale): number {
    return this.top + this.innerHeight * (1 - (value - min) / (max - min))
  }

  /** Labels of every category would overlap, so only every n-th one has its label. */
  get labelStep(): number {
    return Math.max(1, Math.ceil(LABEL_WIDTH / this.band))
  }

  /** How many characters of a label fit. */
  get labelLength(): number {
    return Math.max(4, Math.floor((this.band * this.labelStep) / 7))
  }
}
