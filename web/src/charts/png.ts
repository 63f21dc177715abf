/** The picture of a chart as a PNG file. */

const SCALE = 2
const MARGIN = 16
const TITLE_HEIGHT = 36
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

/** Undefined where the browser cannot draw it. */
export async function pngOf(svg: SVGSVGElement, title: string): Promise<Blob | undefined> {
  const { width, height } = svg.getBoundingClientRect()
  const page = getComputedStyle(document.body)
  const picture = await loadImage(standalone(svg))
  const canvas = Object.assign(document.createElement('canvas'), {
    width: (width + 2 * MARGIN) * SCALE,
    height: (height + MARGIN + TITLE_HEIGHT) * SCALE,
  })
  const drawing = canvas.getContext('2d')
  if (drawing === null) return undefined
  drawing.scale(SCALE, SCALE)
  drawing.fillStyle = page.backgroundColor
  drawing.fillRect(0, 0, canvas.width, canvas.height)
  drawing.fillStyle = page.color
  drawing.font = `600 15px ${page.fontFamily}`
  drawing.fillText(title, MARGIN, 24, width)
  drawing.drawImage(picture, MARGIN, TITLE_HEIGHT, width, height)
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
