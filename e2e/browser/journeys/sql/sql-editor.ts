/** The SQL screen, as journeys use it. */

import type { Page } from 'playwright/test'
import { attribute, recordNamed, seedDevices } from '../../support/seed'
import { type Console, expect } from '../../support/journey'

export const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL query' })
export const grid = (page: Page) => page.getByRole('grid', { name: 'Result' })
export const summary = (page: Page) => page.getByRole('region', { name: 'Result' }).getByRole('status')

/** Replaces the text of the editor with the keyboard. */
export async function write(page: Page, sql: string): Promise<void> {
  await editor(page).focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.insertText(sql)
  await page.keyboard.press('Escape') // closes the completions
}

export async function run(page: Page, sql: string): Promise<void> {
  await write(page, sql)
  await page.keyboard.press('Control+Enter')
}

/** Waits for the names of tables, which the screen reads when it opens. */
export async function openScreen(page: Page, path = '/sql'): Promise<void> {
  await page.goto(path)
  await page.getByRole('tab', { name: 'Tables' }).click()
  await expect(page.getByRole('tabpanel').locator('summary').getByText('people', { exact: true })).toBeVisible()
  await page.getByRole('tab', { name: 'Saved' }).click()
}

/** Devices of a name of their own, the first with a company as its maker. Returns the id of the company. */
export async function seedMaker(console: Console, noun: string): Promise<string> {
  const { v2 } = console
  await seedDevices(console, noun)
  const slug = `${noun}s`
  const seeded = (await recordNamed(console, slug, 'Astrolabe')).values.maker?.[0]
  if (seeded !== undefined) return seeded.target_record_id
  const company = await v2('POST', '/objects/companies/records', { data: { values: { name: `${noun} makers` } } })
  const companyId: string = company.body.data.id.record_id
  const config = { record_reference: { allowed_objects: ['companies'] } }
  const maker = await v2('POST', `/objects/${slug}/attributes`, {
    data: attribute('Maker', 'maker', 'record-reference', { config }),
  })
  if (maker.status !== 200) throw new Error(maker.body.message)
  const { id } = await recordNamed(console, slug, 'Astrolabe')
  const values = { maker: [{ target_object: 'companies', target_record_id: companyId }] }
  const written = await v2('PATCH', `/objects/${slug}/records/${id.record_id}`, { data: { values } })
  if (written.status !== 200) throw new Error(written.body.message)
  return companyId
}
