/** Draws a QR code as the path of an SVG image, in which each dark module is a square of one unit. */

import encodeQR from 'qr'

export interface QrImage {
  /** Width and height in modules. */
  readonly size: number
  readonly path: string
}

export function qrImageOf(text: string): QrImage {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: 4 })
  const squares = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size: modules.length, path: squares.join('') }
}
