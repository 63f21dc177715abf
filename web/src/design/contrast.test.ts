/** The contrast of texts on the grounds that they stand on, also while a row is hovered, pressed or selected. WCAG 2.2, 1.4.3. */

import { readFile } from 'node:fs/promises'
import { expect, test } from 'bun:test'

const INKS = ['ink', 'ink-soft', 'ink-faint']
const GROUNDS = ['ground', 'ground-sunken', 'ground-raised', 'ground-hover', 'ground-pressed', 'ground-selected']
const STATES = ['danger', 'warning', 'success']
const PAIRS = [
  ...INKS.flatMap((ink) => GROUNDS.map((ground) => [ink, ground] as const)),
  ...GROUNDS.map((ground) => ['accent-text', ground] as const),
  ...STATES.map((state) => [`${state}-text`, `${state}-ground`] as const),
]
const LEAST = 4.5

const tokens = await readFile(`${import.meta.dir}/tokens.css`, 'utf8')

function colorOf(token: string, theme: 'light' | 'dark'): string {
  const [, light, dark] = new RegExp(`--${token}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(tokens) ?? []
  const color = theme === 'light' ? light : dark
  if (color === undefined) throw new Error(`${token} has no two colors.`)
  return color
}

/** The relative luminance of a color such as `#17181c`, from 0 to 1. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

for (const theme of ['light', 'dark'] as const) {
  test.each(PAIRS)(`%s on %s has a contrast of ${LEAST}, ${theme}`, (ink, ground) => {
    expect(contrast(colorOf(ink, theme), colorOf(ground, theme))).toBeGreaterThanOrEqual(LEAST)
  })
}
