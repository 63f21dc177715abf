import type { Layer, Scale } from './drawing'
import type { Frame } from './frame'

type Place = Pick<Frame, 'x' | 'y'>

/** The `d` of a path through the ends of a layer. A missing value interrupts it. */
export function linePath(layer: Layer, frame: Place, scale: Scale): string {
  const steps = layer.map((one, index) => {
    if (one === null) return ''
    const isStart = index === 0 || layer[index - 1] === null
    return `${isStart ? 'M' : 'L'}${point(index, one[1], frame, scale)}`
  })
  return steps.join('')
}

/** The `d` of the areas between the beginnings and the ends of a layer. */
export function areaPath(layer: Layer, frame: Place, scale: Scale): string {
  const paths: string[] = []
  for (let start = 0; start < layer.length; start += 1) {
    if (layer[start] === null) continue
    let end = start
    while (end + 1 < layer.length && layer[end + 1] !== null) end += 1
    const indexes = Array.from({ length: end - start + 1 }, (_, at) => start + at)
    const along = indexes.map((index) => point(index, layer[index]?.[1] ?? 0, frame, scale))
    const back = indexes.toReversed().map((index) => point(index, layer[index]?.[0] ?? 0, frame, scale))
    paths.push(`M${[...along, ...back].join('L')}Z`)
    start = end
  }
  return paths.join('')
}

const point = (index: number, value: number, frame: Place, scale: Scale): string =>
  `${frame.x(index).toFixed(1)} ${frame.y(value, scale).toFixed(1)}`
