/** The widths of values, estimated from their text, so that a table needs no layout to know how many fit. */

import type { Attribute } from '../api/data-model/attributes'
import type { Value } from '../api/records/entities'
import { valueTypeOf } from './registry'

const MAX_CACHED = 5000

const widths = new Map<string, number>()
let pen: CanvasRenderingContext2D | null | undefined

/** The estimated width of a value, in pixels. */
export function widthOf(attribute: Attribute, value: Value): number {
  const { text, frame = 0 } = valueTypeOf(attribute)
  return frame + textWidth(text(value, attribute))
}

function textWidth(text: string): number {
  const known = widths.get(text)
  if (known !== undefined) return known
  if (widths.size >= MAX_CACHED) widths.clear()
  const width = measure(text)
  widths.set(text, width)
  return width
}

function measure(text: string): number {
  if (pen === undefined) {
    pen = document.createElement('canvas').getContext('2d')
    if (pen) pen.font = `500 13px ${getComputedStyle(document.body).fontFamily}`
  }
  return pen?.measureText(text).width ?? text.length * 7
}
