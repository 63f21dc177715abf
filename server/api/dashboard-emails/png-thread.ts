/** The thread that `dashboard-picture.ts` starts: it receives the SVG of a dashboard and sends the PNG file. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import type { Picture, ThreadData } from './dashboard-picture'
import { FONT_FILES } from './fonts'

/** Screens have up to two pixels for one of a picture. */
const MAX_SCALE = 2
/** A larger picture is drawn with a smaller scale: 4 bytes of memory for each pixel. */
const MAX_PIXELS = 12_000_000

/** In a thread of an executable, `db/program.ts` finds another folder. */
const { programFolder } = workerData as ThreadData // as `dashboard-picture.ts` starts the thread
const fileOf = (path: string) => readFileSync(join(programFolder, 'node_modules', path))

if (parentPort === null) throw new Error('This file runs in a thread.')
const port = parentPort

port.on('message', async ({ svg, width, height }: Picture) => {
  await initWasm(fileOf('@resvg/resvg-wasm/index_bg.wasm'))
  const fontBuffers = FONT_FILES.map(fileOf)
  const scale = Math.min(MAX_SCALE, Math.sqrt(MAX_PIXELS / (width * height)))
  const drawn = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    font: { fontBuffers, loadSystemFonts: false, defaultFontFamily: 'Inter' },
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  port.postMessage(drawn.render().asPng())
})
