/** The picture of a chart as a PNG file. */

const SCALE = 2
const MARGIN = 16
const TITLE_HEIGHT = 36
const LEGEND_HEIGHT = 20
/** What the styles of the page decide, as attributes of SVG, because a picture has no style sheet. */
const STYLED = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-family',
  'text-anchor',
]

interface Caption {
  readonly title: string
  /** The series beside their colors. */
  readonly legend: readonly { readonly name: string; readonly color: string }[]
}

/** Undefined where the browser cannot draw it. */
export async function pngOf(svg: SVGSVGElement, { title, legend }: Caption): Promise<Blob | undefined> {
  const { width, height } = svg.getBoundingClientRect()
  const page = getComputedStyle(document.body)
  const picture = await loadImage(standalone(svg))
  const top = TITLE_HEIGHT + (legend.length > 0 ? LEGEND_HEIGHT : 0)
  const canvas = Object.assign(document.createElement('canvas'), {
    width: (width + 2 * MARGIN) * SCALE,
    height: (height + MARGIN + top) * SCALE,
  })
  const drawing = canvas.getContext('2d')
  if (drawing === null) return undefined
  drawing.scale(SCALE, SCALE)
  drawing.fillStyle = page.backgroundColor
  drawing.fillRect(0, 0, canvas.width, canvas.height)
  drawing.fillStyle = page.color
  drawing.font = `600 15px ${page.fontFamily}`
  drawing.fillText(title, MARGIN, 24, width)
  drawing.font = `12px ${page.fontFamily}`
  let left = MARGIN
  for (const { name, color } of legend) {
    drawing.fillStyle = color
    drawing.fillRect(left, TITLE_HEIGHT + 2, 10, 10)
    drawing.fillStyle = page.color
    drawing.fillText(name, left + 15, TITLE_HEIGHT + 11)
    left += drawing.measureText(name).width + 30
  }
  drawing.drawImage(picture, MARGIN, top, width, height)
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'))
}

/** The text of the picture with the styles that it has on the page. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement // a copy is of the same kind
  const originals = svg.querySelectorAll('*')
  for (const [index, element] of copy.querySelectorAll('*').entries()) {
    const original = originals[index]
    if (original === undefined) continue
    const style = getComputedStyle(original)
    for (const name of STYLED) element.setAttribute(name, style.getPropertyValue(name))
    element.removeAttribute('class')
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return new XMLSerializer().serializeToString(copy)
}

async function loadImage(svg: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  return image
}
