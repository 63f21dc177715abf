/** Opens the console in a browser, signed in as the admin of the bench. */

import { type APIRequestContext, chromium, type Page } from 'playwright'
import { findChromium } from '../../browser/support/find-chromium'
import type { Bench } from '../processes'

const ADMIN = { email_address: 'bench@example.com', password: 'notes on the engine' }
const FIRST_START = { ...ADMIN, first_name: 'Ada', last_name: 'Lovelace', workspace_name: 'Bench' }

/** Chromium has no sandbox for root. Without a GPU, frames are drawn by other threads than the one that is measured. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

/** The first start makes the workspace and its admin. The browser ends with the bench. */
export async function openConsole(bench: Bench, port: number): Promise<Page> {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('Chromium was not found. Set CHROMIUM_PATH to its path.')
  const browser = await chromium.launch({ args: FLAGS, executablePath })
  bench.atEnd(() => browser.close())
  const page = await browser.newPage({ baseURL: `http://127.0.0.1:${port}`, viewport: { width: 1440, height: 900 } })
  await signIn(page.request)
  return page
}

async function signIn(request: APIRequestContext): Promise<void> {
  const first = await request.post('/console/api/first-start', { data: FIRST_START })
  if (first.ok()) return
  const answer = await request.post('/console/api/sign-in', { data: ADMIN })
  if (!answer.ok()) throw new Error(`The sign-in was answered with ${answer.status()}: ${await answer.text()}`)
}
